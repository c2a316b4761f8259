#pragma once
/// The path that a point of a body takes, and how far it is from what is wanted of it.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/math.h"
#include "engine/dynamics/simulator.h"

namespace grashof::study {

/// A point (m, world) that a path is to pass, at any time or at a given one (s).
struct PathTarget {
  Vec3 point = Vec3::Zero();
  std::optional<double> time;
};

/// Reads targets that are separated by semicolons: `x y z` (m), or `t x y z` (s, m) where a time counts.
/// Throws InputError.
std::vector<PathTarget> parseTargets(std::string_view text);

/// Reads a CSV file of x,z (m, in the plane y = 0), of x,y,z, or of t,x,y,z (s), with or without headings,
/// and gives the text that parseTargets() reads. Throws InputError with file and line.
std::string readTargets(const std::string& path);

/// Rows of numbers of a CSV file, with or without headings; each row has as many as the first, which are
/// `counts`. `wanted`: what should be there, for messages. Throws InputError with file and line.
std::vector<std::vector<double>> readPoints(const std::string& path, const std::vector<std::size_t>& counts,
                                            const std::string& wanted);

/// Where a point is: `BODY`, or `BODY:X,Y,Z` in m and in the frame in which the user described the body; m,
/// world. Throws InputError.
std::function<Vec3(const Simulator&)> findBodyPoint(const Model& model, const std::string& text);

/// `B,C,D`: the angle at joint C between the directions to the joints B and D, rad, in [0, pi/2]: an obtuse
/// one transmits as its supplement does. Throws InputError.
std::function<double(const Simulator&)> findTransmission(const Model& model, const std::string& text);

/// Of points with their best line: it has the direction of largest variance, and runs through the middle of
/// the points' extent across it.
struct LineFit {
  double length = 0.0;     ///< m, extent along the line
  double deviation = 0.0;  ///< m, largest distance from the line
  /// Deviation over length; NaN of a point at rest.
  double straightness() const;
};
LineFit fitLine(const std::vector<Vec3>& points);

/// Root mean square of the distances (m) of targets from a path through `points` at `times` (s, rising), with
/// straight lines between them. NaN without points.
double missOf(const std::vector<Vec3>& points, const std::vector<double>& times,
              const std::vector<PathTarget>& targets);

}  // namespace grashof::study
