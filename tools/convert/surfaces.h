#pragma once
/// Surfaces as simulators of robots describe them: numbers of each shape, which a rule combines for two.

#include <compare>
#include <limits>
#include <vector>

#include "tools/convert/tree.h"

namespace grashof::convert {

/// What a file says of a surface. Without a stiffness it is rigid.
struct SurfaceWords {
  double friction = 1.0;
  double across = 1.0;        ///< friction across the direction of the shape, if that has one
  double restitution = 0.0;   ///< in [0, 1]
  double rolling = 0.0;       ///< m
  double spinning = 0.0;      ///< m
  double stiffness = kRigid;  ///< of a contact, N/m
  double damping = 0.0;       ///< of a contact, N s/m

  static constexpr double kRigid = std::numeric_limits<double>::infinity();
  auto operator<=>(const SurfaceWords&) const = default;
};

/// Stands for friction without a bound.
inline constexpr double kNoSlip = 1000.0;

/// How the values of two surfaces become those of their contacts.
enum class PairRule {
  Smaller,  ///< of ODE in Gazebo: the smaller friction and restitution
  Product   ///< of Bullet: their product
};

/// The surface of two: springs in series, dampers side by side, as ODE and Bullet take them at the time step
/// Δt (s): erp = Δt k/(Δt k + d), cfm = 1/(Δt k + d). From 1e9 N/m on they are rigid.
SurfacePair pairOf(const SurfaceWords& a, const SurfaceWords& b, PairRule rule, double timestep);

/// Gives `words` the friction along and across the direction that the shape has, if it has one; else their
/// mean, and a line in the report. Frictions below 0 have no bound.
void setFriction(SurfaceWords& words, double along, double across, bool directed, Report& report);

/// The materials of a tree.
class SurfaceBook {
 public:
  explicit SurfaceBook(PairRule rule) : rule_(rule) {}
  /// Index of the material with these words. The first becomes the default one. Adds its pairs to the tree.
  int materialOf(const SurfaceWords& words, Tree& tree);

 private:
  PairRule rule_;
  std::vector<SurfaceWords> words_;  // of each material
};

}  // namespace grashof::convert
