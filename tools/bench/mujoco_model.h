#pragma once
/// What both comparisons with MuJoCo need of it; builds with 2.2.2 and with 3.x.

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <mujoco/mujoco.h>

namespace grashof::bench {

struct DeleteMujoco {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};

using MujocoModel = std::unique_ptr<mjModel, DeleteMujoco>;
using MujocoData = std::unique_ptr<mjData, DeleteMujoco>;

/// The model of an MJCF file. Throws std::runtime_error with MuJoCo's words. Buffers in memory have another
/// interface in each version, files have the same.
inline MujocoModel loadMujoco(const std::string& path) {
  mju_user_warning = [](const char*) {};  // else it writes a file where it runs
  std::array<char, 1000> error{};
  MujocoModel model(mj_loadXML(path.c_str(), nullptr, error.data(), static_cast<int>(error.size())));
  if (!model) throw std::runtime_error(fmt::format("{}: MuJoCo refuses it: {}", path, error.data()));
  return model;
}

/// True once a state was not finite, which MuJoCo resets to the start.
inline bool mujocoDiverged(const mjData& data) {
  for (const int kind : {mjWARN_BADQPOS, mjWARN_BADQVEL, mjWARN_BADQACC})
    if (data.warning[kind].number > 0) return true;
  return false;
}

/// As "MuJoCo 3.12.1", of the library that runs.
inline std::string mujocoName() { return fmt::format("MuJoCo {}", mj_versionString()); }

}  // namespace grashof::bench
