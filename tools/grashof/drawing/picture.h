#pragma once
/// An animated picture of a run: one SVG file that any browser plays.

#include <string>
#include <vector>

#include "engine/dynamics/simulator.h"

namespace grashof {

/// Collects outlines of all shapes, seen obliquely from the front (world x to the right, z up), at even
/// intervals of time.
class Picture {
 public:
  /// `duration`: of the run, s.
  Picture(const Model& model, double duration);
  /// Adds a frame when one is due.
  void observe(const Simulator& simulator);
  /// The picture, for a page or a file of its own.
  std::string svg() const;
  /// Throws FileError when `path` cannot be written.
  void write(const std::string& path) const;

 private:
  struct Outline {
    int shape = 0;
    std::vector<Vec3> points;                          ///< whose convex hull is drawn, m, shape axes
    std::vector<std::vector<Eigen::Vector2d>> frames;  ///< hull on the picture, m
    double depth = 0.0;                                ///< away from the viewer, m, at the first frame
  };

  const Model& model_;
  double interval_;
  double next_ = 0.0;
  std::vector<Outline> outlines_;
  std::vector<std::vector<Eigen::Vector2d>> joints_;  ///< one path per joint, m
};

}  // namespace grashof
