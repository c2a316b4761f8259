#pragma once
/// An engine that runs a scene.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/bench/peers/scene.h"

namespace grashof::bench {

/// Steps that an engine itself calls unsolved, and the largest of their residuals (Solution::residual).
struct Unsolved {
  int steps = 0;
  double worst = 0.0;
};

/// A scene in one engine.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual void step() = 0;
  /// CoM frames and world twists [v; ω] of the bodies, in the order of the scene. Not timed.
  virtual void read(std::span<Pose> poses, std::span<Vec6> twists) = 0;
  /// Of all steps so far; none of engines that do not say.
  virtual Unsolved unsolved() const { return {}; }
};

/// One engine with one setting.
struct Contender {
  std::string engine, setting;
  std::function<std::unique_ptr<Peer>(const Scene&)> make;
};

std::vector<Contender> grashofContenders();
std::vector<Contender> mujocoContenders();
std::vector<Contender> odeContenders();
std::vector<Contender> bulletContenders();
std::vector<Contender> dartContenders();

}  // namespace grashof::bench
