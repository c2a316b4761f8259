#include "contacts/body_path.h"

namespace grashof {
namespace {

/// The constant spin (rad/s) that turns `from` into `to` within `time`, of those the one nearest to `like`:
/// a turn by more than half a circle shows in no orientation.
Vec3 spinBetween(const Quat& from, const Quat& to, double time, const Vec3& like) {
  constexpr double circle = 2.0 * std::numbers::pi;
  const Vec3 turn = logRotation(to * from.conjugate());
  const double angle = turn.norm();
  if (!(time * like.norm() > 0.5 * std::numbers::pi)) return turn / time;
  const Vec3 axis = angle > 1e-9 ? Vec3(turn / angle) : Vec3(like.normalized());
  return (angle + circle * std::round((time * like.dot(axis) - angle) / circle)) / time * axis;
}

}  // namespace

void pathsOf(const StepMotion& motion, std::vector<BodyPath>& paths) {
  paths.resize(motion.rows.size());
  for (std::size_t b = 0; b < paths.size(); ++b) {
    BodyPath& path = paths[b];
    path = {motion.start[b],
            motion.rows[b],
            motion.after[b],
            motion.after[b],
            motion.toRows,
            motion.toRows + motion.toEnd + motion.ahead,
            !motion.held.empty() && motion.held[b] != 0};
    if (!(motion.toRows > 0.0)) continue;
    path.before << (motion.rows[b].position - motion.start[b].position) / motion.toRows,
        spinBetween(motion.start[b].rotation, motion.rows[b].rotation, motion.toRows,
                    motion.before[b].tail<3>());
  }
}

}  // namespace grashof
