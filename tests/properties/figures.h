#pragma once
/// Mechanisms on which properties of whole motions are tested.

#include <cstdlib>
#include <span>
#include <string>

#include <fmt/format.h>

#include "tests/support.h"

namespace grashof::test {

struct Figure {
  std::string name;
  Model model;
};

inline Model modelOf(const std::string& scenario) {
  return *readScenario(fmt::format("{}/assets/scenarios/{}.xml", sourceFolder(), scenario)).model;
}

/// A planar four-bar between ground and crank, rod and rocker: one loop, three redundant rows.
inline Model fourBar() { return modelOf("fourbar-fixed"); }

/// Five links of different mass on spherical joints, let go stretched out, each with a spin of its own.
inline Model swingingChain() {
  std::string text;
  for (int i = 0; i < 5; ++i)
    text += fmt::format(
        R"(<body name="link{}" position="{} 0 0" angular-velocity="{} 0 0">
             <inertial mass="{}" inertia="0.001 0.004 0.005"/></body>
           <joint name="pin{}" type="spherical" base="{}" follower="link{}" position="{} 0 0"/>)",
        i, 0.2 * i + 0.1, 3.0 - i, 1.0 + 0.3 * i, i, i == 0 ? "world" : fmt::format("link{}", i - 1), i,
        0.2 * i);
  return *scenarioOf(text).model;
}

/// A box that slides on rough ground without turning: four corners in contact.
inline Model slidingBox() {
  return *scenarioOf(R"(<material name="wood" friction="0.4"/>
    <shape name="ground" type="plane" material="wood"/>
    <body name="box" position="0.1 0.2 0.1" velocity="2 0.7 0">
      <shape type="box" size="0.4 0.3 0.2" mass="1.5" material="wood"/></body>)")
              .model;
}

/// A sled that slides and turns on rough ground, symmetric in y. It has three feet: on four, the share of
/// each in the weight, and with it the torque of their friction, would not be determined.
inline Model sled(double sideways = 0.7, double spin = 1.5) {
  return *scenarioOf(fmt::format(R"(<material name="wood" friction="0.4"/>
    <shape name="ground" type="plane" material="wood"/>
    <body name="sled" position="0.1 0 0.1" velocity="2 {} 0" angular-velocity="0 0 {}">
      <inertial mass="1.5" inertia="0.02 0.03 0.04"/>
      <shape name="left" type="sphere" radius="0.02" position="0.2 0.15 -0.08" material="wood"/>
      <shape name="right" type="sphere" radius="0.02" position="0.2 -0.15 -0.08" material="wood"/>
      <shape name="rear" type="sphere" radius="0.02" position="-0.2 0 -0.08" material="wood"/></body>)",
                                 sideways, spin))
              .model;
}

/// Six servos with bounded effort carry a platform: six loops.
inline Model stewartPlatform() { return modelOf("stewart-platform"); }

/// A wheel with spring, damper, dry friction, rotor and limit that a torque drives, and a bob hung from it.
inline Model drivenWheel() {
  return *scenarioOf(R"(<motion name="torque" type="sine" amplitude="3" frequency="2"/>
    <body name="wheel" position="0 0 0"><inertial mass="1" inertia="0.1 0.12 0.1"/></body>
    <body name="bob" position="0.3 0 -0.3"><inertial mass="0.5" inertia="0.01 0.01 0.01"/></body>
    <joint name="axle" type="revolute" base="world" follower="wheel" position="0 0 0" axis="0 1 0">
      <limit lower="-0.1" upper="0.1"/>
      <dynamics stiffness="4" damping="0.2" armature="0.05" friction="0.1"/>
      <actuator type="effort" motion="torque" effort-limit="2.5"/></joint>
    <joint name="hinge" type="revolute" base="wheel" follower="bob" position="0.3 0 0" axis="0 1 0">
      <dynamics damping="0.01"/></joint>)")
              .model;
}

inline std::vector<Figure> figures() {
  return {{"four-bar", fourBar()},
          {"chain", swingingChain()},
          {"sliding box", slidingBox()},
          {"sled", sled()},
          {"Stewart platform", stewartPlatform()},
          {"driven wheel", drivenWheel()}};
}

/// Steps until that many are done.
inline void stepTo(Simulator& simulator, int steps) {
  while (simulator.state().step < steps) {
    simulator.step();
    REQUIRE_MESSAGE(!simulator.diverged(), simulator.diverged()->reason);
  }
}

/// Largest difference of two poses: m, and of rotation rad.
inline double distance(const Pose& a, const Pose& b) {
  return std::max((a.position - b.position).cwiseAbs().maxCoeff(),
                  logRotation(a.rotation * b.rotation.conjugate()).norm());
}

/// Largest differences of two states of the same model.
struct StateDistance {
  double pose = 0.0;        ///< m, rad
  double twist = 0.0;       ///< m/s, rad/s
  double coordinate = 0.0;  ///< m, rad
};

inline StateDistance distance(const State& a, const State& b) {
  StateDistance d;
  for (std::size_t i = 0; i < a.poses.size(); ++i) {
    d.pose = std::max(d.pose, distance(a.poses[i], b.poses[i]));
    d.twist = std::max(d.twist, (a.twists[i] - b.twists[i]).cwiseAbs().maxCoeff());
  }
  for (std::size_t i = 0; i < a.coordinates.size(); ++i)
    d.coordinate = std::max(d.coordinate, std::abs(a.coordinates[i] - b.coordinates[i]));
  return d;
}

}  // namespace grashof::test
