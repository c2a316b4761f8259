#pragma once
/// The model whose checkpoints are fuzzed: a hinge with a limit, a spring, and bodies that touch the ground.

#include "engine/scenario/scenario.h"

namespace grashof::fuzz {

inline std::shared_ptr<const Model> checkpointModel() {
  return parseScenario(R"(<scenario name="kept"><material name="default" friction="0.6"/>
    <shape name="ground" type="plane"/>
    <motion name="beat" type="sine" amplitude="1" frequency="1"/>
    <body name="a" position="0 0 0.11"><inertial mass="1" inertia="0.01 0.01 0.01"/>
      <shape type="box" size="0.2 0.2 0.2"/></body>
    <body name="b" position="0.3 0 0.11"><inertial mass="2" inertia="0.02 0.02 0.02"/>
      <shape type="box" size="0.2 0.2 0.2"/></body>
    <joint name="hinge" type="revolute" base="a" follower="b" position="0.15 0 0.1" axis="0 1 0">
      <dynamics stiffness="3" damping="0.1" friction="0.05" armature="0.01"/>
      <limit lower="-0.2" upper="0.2"/><actuator type="effort" motion="beat"/></joint>
    <spring name="rope" body1="a" body2="b" stiffness="50" damping="1" unilateral="tension"/></scenario>)",
                       "checkpoint.xml")
      .model;
}

}  // namespace grashof::fuzz
