/// Whole steps of models in MJCF, by Grashof, which converts them, and by MuJoCo, in turn.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tbb/global_control.h>

#include "engine/base/error.h"
#include "engine/dynamics/drive.h"
#include "tools/bench/mujoco_model.h"
#include "tools/convert/formats.h"

namespace grashof::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Outcome {
  double perStep = 0.0;        ///< s, wall clock
  double contacts = 0.0;       ///< mean of the steps
  double jointResidual = 0.0;  ///< m, rad, at worst
  int unsolved = 0;            ///< steps above the tolerance
  bool diverged = false;
};

Outcome runGrashof(const Model& model, long steps) {
  Simulator simulator(model);
  Outcome o;
  double contacts = 0.0;
  const DriveCounts made = drive(simulator, steps, [&](const Simulator& s, const DriveCounts&) {
    contacts += s.report().contacts;
    return true;
  });
  o.jointResidual = made.jointResidual;
  o.unsolved = static_cast<int>(made.unsolved);
  o.diverged = simulator.diverged().has_value();
  const auto count = static_cast<double>(std::max<std::int64_t>(made.steps, 1));
  o.perStep = made.seconds / count;
  o.contacts = contacts / count;
  return o;
}

Outcome runMujoco(const mjModel* model, int keyframe, long steps) {
  const MujocoData data(mj_makeData(model));
  if (keyframe >= 0) mj_resetDataKeyframe(model, data.get(), keyframe);
  Outcome o;
  double contacts = 0.0, seconds = 0.0;
  for (long i = 0; i < steps; ++i) {
    const auto before = Clock::now();
    mj_step(model, data.get());
    seconds += std::chrono::duration<double>(Clock::now() - before).count();
    contacts += data->ncon;
  }
  o.diverged = mujocoDiverged(*data) || data->warning[mjWARN_INERTIA].number > 0;
  o.perStep = seconds / static_cast<double>(steps);
  o.contacts = contacts / static_cast<double>(steps);
  return o;
}

/// RK4, and constraints as stiff as a step allows: solref at two of them.
void stiffen(mjModel& m) {
  m.opt.integrator = mjINT_RK4;
  const double least = 2.0 * m.opt.timestep;
  const auto set = [&](mjtNum* solref, mjtNum* solimp, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      solref[mjNREF * i] = least;
      solref[mjNREF * i + 1] = 1.0;
      solimp[mjNIMP * i] = solimp[mjNIMP * i + 1] = 0.9999;
      solimp[mjNIMP * i + 2] = 0.001;
    }
  };
  set(m.jnt_solref, m.jnt_solimp, m.njnt);
  set(m.geom_solref, m.geom_solimp, m.ngeom);
  set(m.pair_solref, m.pair_solimp, m.npair);
  set(m.eq_solref, m.eq_solimp, m.neq);
  set(m.tendon_solref_lim, m.tendon_solimp_lim, m.ntendon);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

struct Row {
  std::string name;
  std::size_t bodies = 0;
  double timestep = 0.0;  ///< s
  Outcome ours, theirs;   ///< of the last round, with the median time
};

struct Options {
  std::string keyframe;
  double duration = 2.0;  ///< s
  int repeat = 3;
  bool stiff = false;  ///< MuJoCo with stiffen()
};

/// Throws InputError or std::runtime_error for a file that either engine refuses.
Row compare(const std::string& path, const Options& options) {
  convert::Report report;
  const Scenario scenario =
      convert::buildScenario(convert::readMjcf(path, {}, options.keyframe, report), {}, report);
  const Model& model = *scenario.model;
  const MujocoModel theirs = loadMujoco(path);
  if (options.stiff) stiffen(*theirs);
  const int key =
      options.keyframe.empty() ? -1 : mj_name2id(theirs.get(), mjOBJ_KEY, options.keyframe.c_str());
  const long steps = std::max(1L, std::lround(options.duration / model.step.timestep));
  Row row{.name = std::filesystem::path(path).stem().string(),
          .bodies = model.bodies.size(),
          .timestep = model.step.timestep,
          .ours = {},
          .theirs = {}};
  std::vector<double> our, their;
  for (int r = 0; r < options.repeat; ++r) {
    row.ours = runGrashof(model, steps);
    row.theirs = runMujoco(theirs.get(), key, steps);
    our.push_back(row.ours.perStep);
    their.push_back(row.theirs.perStep);
  }
  row.ours.perStep = median(our);
  row.theirs.perStep = median(their);
  return row;
}

nlohmann::ordered_json jsonOf(const Row& row) {
  const auto side = [](const Outcome& o) {
    return nlohmann::ordered_json{{"step_s", o.perStep}, {"contacts", o.contacts}, {"diverged", o.diverged}};
  };
  nlohmann::ordered_json entry = {{"model", row.name},
                                  {"bodies", row.bodies},
                                  {"timestep_s", row.timestep},
                                  {"grashof", side(row.ours)},
                                  {"mujoco", side(row.theirs)}};
  entry["mujoco"]["version"] = mj_versionString();
  entry["grashof"]["joint_residual"] = row.ours.jointResidual;
  entry["grashof"]["unsolved"] = row.ours.unsolved;
  return entry;
}

void print(const Row& row) {
  fmt::print("{:<28} {:>6} {:>9.1f} {:>9.1f} {:>7.2f} {:>9.1f} {:>9.1f} {:>9.1f} {:>10.1e} {:>8}{}{}\n",
             row.name, row.bodies, 1e6 * row.ours.perStep, 1e6 * row.theirs.perStep,
             row.ours.perStep / row.theirs.perStep, row.timestep / row.ours.perStep, row.ours.contacts,
             row.theirs.contacts, row.ours.jointResidual, row.ours.unsolved,
             row.ours.diverged ? "  Grashof diverges" : "", row.theirs.diverged ? "  MuJoCo diverges" : "");
  std::fflush(stdout);
}

}  // namespace
}  // namespace grashof::bench

int main(int argc, char** argv) {
  CLI::App app(
      "Whole steps of models in MJCF, by Grashof and by MuJoCo in turn, with the file's own time step");
  std::vector<std::string> files;
  grashof::bench::Options options;
  app.add_option("FILE", files, "MJCF; a URDF or SDF is one after `grashof convert --to mjcf`")->required();
  app.add_option("--keyframe", options.keyframe, "Keyframe to start from (default: the model's own pose)");
  app.add_option("--duration", options.duration, "s")->check(CLI::PositiveNumber);
  app.add_option("--repeat", options.repeat, "Rounds through both engines; the median time counts")
      ->check(CLI::Range(1, 99));
  app.add_flag("--stiff", options.stiff,
               "MuJoCo with RK4 and constraints as stiff as a step allows (solref of two steps)");
  bool json = false;
  app.add_flag("--json", json, "Print JSON");
  CLI11_PARSE(app, argc, argv);
  const tbb::global_control oneThread(tbb::global_control::max_allowed_parallelism, 1);
  if (!json)
    fmt::print("Beside {}{}\n{:<28} {:>6} {:>9} {:>9} {:>7} {:>9} {:>9} {:>9} {:>10} {:>8}\n",
               grashof::bench::mujocoName(), options.stiff ? ", stiff, RK4" : "", "model", "bodies",
               "us a step", "MuJoCo", "ratio", "real time", "contacts", "MuJoCo", "joints m", "unsolved");
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  int code = 0;
  for (const std::string& file : files) {
    try {
      const grashof::bench::Row row = grashof::bench::compare(file, options);
      if (json)
        results.push_back(grashof::bench::jsonOf(row));
      else
        grashof::bench::print(row);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
      code = 2;
    }
  }
  if (json) fmt::print("{}\n", results.dump(2));
  return code;
}
