#pragma once
/// What the tests of MJCF share: conversion of a text, and MuJoCo beside it where it is installed.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/model/user_frames.h"
#include "tests/tools/converted.h"

#ifdef GRASHOF_MUJOCO
#include <mujoco/mujoco.h>
#endif

namespace grashof::test {

using FromMjcf = Converted;

/// Converts a file, writes the scenario and reads it back: what converts must load.
inline FromMjcf fromMjcfFile(const std::string& path, const std::string& keyframe = {},
                             const convert::FileOptions& options = {}) {
  FromMjcf made;
  made.scenario =
      convert::buildScenario(convert::readMjcf(path, options, keyframe, made.report), {}, made.report);
  made.readBack();
  return made;
}

/// The same of the elements inside <mujoco>.
inline FromMjcf fromMjcfText(const std::string& inner, const std::string& keyframe = {},
                             const convert::FileOptions& options = {}) {
  const ScratchFolder folder;
  return fromMjcfFile(folder.write("model.xml", "<mujoco>" + inner + "</mujoco>"), keyframe, options);
}

/// What is wrong with these elements; empty when they convert.
inline std::string mjcfError(const std::string& inner, const convert::FileOptions& options = {}) {
  try {
    fromMjcfText(inner, "", options);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// First coordinate of a joint at the start, m or rad.
inline double coordinateAtStart(const Model& model, const std::string& joint) {
  const State state = model.initialState();
  std::vector<JointGeometry> geometry(model.joints.size());
  evaluateJoints(model, state.poses, state.coordinates, geometry);
  const int j = model.findJoint(joint);
  REQUIRE_MESSAGE(j >= 0, joint);
  return geometry[static_cast<std::size_t>(j)].coordinate[0];
}
#ifdef GRASHOF_MUJOCO

struct Mujoco {
  explicit Mujoco(const std::string& path) {
    char error[1000] = "";
    model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
    REQUIRE_MESSAGE(model, error);
    data = mj_makeData(model);
  }
  ~Mujoco() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;
  /// Origin of a body's frame in the world.
  Vec3 origin(const std::string& name) const {
    const int b = mj_name2id(model, mjOBJ_BODY, name.c_str());
    REQUIRE(b > 0);
    return {data->xpos[3 * b], data->xpos[3 * b + 1], data->xpos[3 * b + 2]};
  }
  mjModel* model;
  mjData* data;
};

/// Largest distance between the two engines' places of a frame, over MuJoCo's bodies.
inline double apart(const Model& model, const State& state, const Mujoco& mujoco) {
  double worst = 0.0;
  for (int b = 1; b < mujoco.model->nbody; ++b) {
    const std::string name = mj_id2name(mujoco.model, mjOBJ_BODY, b);
    const int ours = model.findBody(name);
    if (ours < 0) continue;  // it is welded to another one
    worst = std::max(worst, (userPose(model, state, ours).position - mujoco.origin(name)).norm());
  }
  return worst;
}

/// Runs both for `time` s and returns how far bodies are apart then, over how far they moved.
inline double afterMotion(const Model& model, Mujoco& mujoco, double time) {
  Simulator simulator(model);
  mj_forward(mujoco.model, mujoco.data);
  const State start = simulator.state();
  REQUIRE(apart(model, start, mujoco) <= 1e-12);
  double path = 0.0;
  while (simulator.state().time < time - 1e-9) {
    simulator.step();
    for (const Vec6& u : simulator.state().twists) path = std::max(path, u.head<3>().norm() * time);
  }
  // Counted: where MuJoCo diverges it begins anew.
  const long steps = std::lround((time - mujoco.data->time) / mujoco.model->opt.timestep);
  for (long i = 0; i < steps; ++i) mj_step(mujoco.model, mujoco.data);
  mj_forward(mujoco.model, mujoco.data);
  return apart(model, simulator.state(), mujoco) / path;
}

#endif

}  // namespace grashof::test
