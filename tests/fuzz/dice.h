#pragma once
/// Random numbers that are the same with every standard library.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>

#include "engine/base/math.h"

namespace grashof::fuzz {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  double real(double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(engine_() >> 11) * 0x1p-53;
  }
  /// One of 0 … n - 1.
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool chance(double probability) { return real(0.0, 1.0) < probability; }
  /// 10^x, x uniform.
  double decades(double lower, double upper) { return std::pow(10.0, real(lower, upper)); }
  Vec3 vector(double size) {
    const double x = real(-size, size), y = real(-size, size), z = real(-size, size);
    return {x, y, z};
  }
  Vec3 direction() {
    const Vec3 v = vector(1.0);
    return v.norm() > 0.1 ? Vec3(v.normalized()) : Vec3(Vec3::UnitX());
  }
  Quat rotation() { return expRotation(vector(3.0)).normalized(); }
  template <typename T>
  T pick(std::initializer_list<T> of) {
    return *(of.begin() + below(static_cast<int>(of.size())));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace grashof::fuzz
