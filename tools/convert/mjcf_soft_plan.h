#pragma once
/// What an MJCF file says of softness so that its reader gets that of the scenario. MuJoCo's impedances count
/// the inertia of the mechanism, and mix those of two geoms; the reader converts them, and this inverts it by
/// reading what was written.

#include <map>
#include <string>
#include <vector>

#include "engine/scenario/scenario.h"

namespace grashof::convert {

/// A contact of two shapes that the words of each alone do not give.
struct GeomPair {
  std::size_t a = 0, b = 0;  ///< shapes of the model
  SurfacePair surface{};     ///< with the softness that the file says
};

struct SoftPlan {
  bool elliptic = false;           ///< cones of friction
  double impedanceRatio = 1.0;     ///< impratio
  std::vector<Softness> shapes{};  ///< of each shape, an impedance
  std::vector<double> mix{};       ///< solmix of each shape
  std::vector<GeomPair> pairs{};
  /// By the names of joints and equalities of the file: how the row is to yield, over what the impedance of
  /// the scenario says to the reader.
  std::map<std::string, double> limits{}, equalities{};
  std::vector<std::string> lost{};  ///< pairs of materials of which the file says something else
};

/// What is soft in a file, by the name of its joint (a limit) or equality, and the inverse inertia that its
/// impedance counts in the scenario, 1/kg or 1/(kg m²); 0: not known.
struct RowMobility {
  bool limit = false;
  std::string name{};
  double mobility = 0.0;
};

/// An impedance that stands for what is rigid.
Softness asHardAsMayBe(double timestep);

/// Plans softness for a file that is written to `path`, some times while it plans. Throws FileError when it
/// cannot be written.
SoftPlan planSoftness(const Scenario& scenario, const std::string& path);

}  // namespace grashof::convert
