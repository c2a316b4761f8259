#include "engine/analysis/loads.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/bearing_remarks.h"
#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/dynamics/channels.h"
#include "engine/model/user_frames.h"
#include "engine/scenario/display_units.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/loads_report.h"
#include "tools/grashof/commands/motor_report.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/exit_code.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/motion_clip.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/result_name.h"

namespace grashof {
namespace {

struct LoadsArguments {
  std::vector<std::string> set;  ///< of --set
  std::string file, clip, out;
  double duration = 0.0;
  double from = 0.0;  ///< s
  bool json = false, quiet = false;
};

using Json = nlohmann::ordered_json;

/// Numbers are printed in the units of the file, components of loads too.
void printJoints(const Model& model, const Loads& loads, const DisplayUnits& units) {
  const DisplayUnits::Shown moment = units.of("N m");
  const MissingBearingLoads missing = missingBearingLoads(model);
  fmt::print("  {:<24} {:>11} {:>10} {:>10} {:>11} {:>10} {:>10}   largest components, N and {}\n", "joint",
             "force N", "at", "rms N", "moment " + moment.unit, "at", "rms " + moment.unit, moment.unit);
  for (std::size_t i = 0; i < loads.joints.size(); ++i) {
    const JointLoad& l = loads.joints[i];
    std::string components;
    bool anyLoose = false;
    for (std::size_t c = 0; c < 6; ++c) {
      if (std::abs(l.component[c].value) < 1e-9) continue;
      anyLoose = anyLoose || !l.unique[c];
      components += fmt::format(" {}{}={:.4g}", kLoadComponents[c], l.unique[c] ? "" : "~",
                                c < 3 ? l.component[c].value : moment(l.component[c].value));
    }
    const std::string mark = missing.joints[i] ? (anyLoose ? "~+" : "+") : anyLoose ? "~" : " ";
    fmt::print("  {:<24} {:>10.4g}{} {:>10} {:>10.4g} {:>10.4g}{} {:>10} {:>10.4g}  {}\n",
               model.joints[i].name, l.force.value, mark, timeCode(l.force.time), l.forceRms,
               moment(l.moment.value), mark, timeCode(l.moment.time), moment(l.momentRms), components);
    if (l.blowForce.value > 0.0 || l.blowMoment.value > 0.0)
      fmt::print("    {:<22} {:>10.4g}  {:>10} {:>10} {:>10.4g}  {:>10}   impulses, N s and {} s\n", "blow",
                 l.blowForce.value, timeCode(l.blowForce.time), "", moment(l.blowMoment.value),
                 timeCode(l.blowMoment.time), moment.unit);
    const auto causes = possibleCauses(model, static_cast<int>(i));
    for (const LoadCause cause : causes) {
      const auto& [force, turning] = l.cause[static_cast<std::size_t>(cause)];
      if (causes.size() > 1 && std::max(force.value, turning.value) > 1e-9)
        fmt::print("    {:<22} {:>10.4g}  {:>10} {:>10} {:>10.4g}  {:>10}\n",
                   kLoadCauseNames[static_cast<std::size_t>(cause)], force.value, timeCode(force.time), "",
                   moment(turning.value), timeCode(turning.time));
    }
  }
}

void printCouplings(const Model& model, const Loads& loads, const DisplayUnits& units) {
  if (!loads.couplings.empty())
    fmt::print("  {:<24} {:>16} {:>11} {:>10} {:>10} {:>5}   on\n", "coupling", "type", "effort", "at", "rms",
               "unit");
  for (std::size_t k = 0; k < loads.couplings.size(); ++k) {
    const Coupling& c = model.couplings[k];
    const CouplingLoad& l = loads.couplings[k];
    const char* const mark = l.unique ? " " : "~";
    const DisplayUnits::Shown a = units.of(effortUnit(model, c.jointA, c.coordinateA)),
                              b = units.of(effortUnit(model, c.jointB, c.coordinateB));
    fmt::print("  {:<24} {:>16} {:>10.4g}{} {:>10} {:>10.4g} {:>5}   {}\n", c.name, couplingKind(c.kind),
               a(l.effortA.value), mark, timeCode(l.effortA.time), a(l.rmsA), a.unit,
               coordinateName(model, c.jointA, c.coordinateA));
    fmt::print("  {:<24} {:>16} {:>10.4g}{} {:>10} {:>10.4g} {:>5}   {}\n", "", "", b(l.effortB.value), mark,
               timeCode(l.effortB.time), b(l.rmsB), b.unit, coordinateName(model, c.jointB, c.coordinateB));
  }
}

void printDrives(const Model& model, const Loads& loads, const DisplayUnits& units) {
  if (!loads.drives.empty())
    fmt::print("  {:<24} {:>10} {:>10} {:>9} {:>5} {:>10} {:>5} {:>9} {:>9} {:>9} {:>9}\n", "drive", "effort",
               "at", "rms", "", "speed", "", "power W", "energy J", "back J", "at limit");
  for (const DriveLoad& d : loads.drives) {
    const DisplayUnits::Shown effort = units.of(effortUnit(model, d.joint, d.coordinate)),
                              speed = units.of(rateUnit(model, d.joint, d.coordinate));
    fmt::print(
        "  {:<24} {:>9.4g}{} {:>10} {:>9.4g} {:>5} {:>10.4g} {:>5} {:>9.4g} {:>9.4g} {:>9.4g} {:>7.3g} s\n",
        coordinateName(model, d.joint, d.coordinate), effort(d.effort.value), d.unique ? " " : "~",
        timeCode(d.effort.time), effort(d.effortRms), effort.unit, speed(d.speed.value), speed.unit,
        d.power.value, d.energy, d.returned, d.saturated);
  }
}

/// Blows, limits and contacts.
void printStops(const Model& model, const Loads& loads, const DisplayUnits& units) {
  if (!loads.blows.empty())
    fmt::print("  blows, whose impulses do not depend on the step; the loads above leave these steps out:\n");
  for (const Blow& b : loads.blows) {
    const DisplayUnits::Shown shown = units.of(blowUnit(model, b.place));
    fmt::print("    {:<36} {} {:.4g} {} at {}{}\n", blowName(model, b.place),
               b.place.kind == BlowKind::Motion ? "jumps by" : "up to", shown(b.impulse.value), shown.unit,
               timeCode(b.impulse.time), b.count > 1 ? fmt::format(", in {} steps", b.count) : "");
  }
  if (const std::string text = clashText(loads); !text.empty()) fmt::print("  {}\n", text);
  for (const LimitHit& h : loads.limits) {
    const DisplayUnits::Shown shown = units.of(effortUnit(model, h.joint, h.coordinate));
    fmt::print("  limit {} {} at {} to {}, {}{}\n", coordinateName(model, h.joint, h.coordinate),
               h.upper ? "upper" : "lower", timeCode(h.start), timeCode(h.end),
               h.clashes ? "a motion goes through it"
                         : fmt::format("up to {:.4g} {}", shown(h.effort.value), shown.unit),
               h.blow.value > 0.0
                   ? fmt::format(", with a blow of {:.4g} {} s", shown(h.blow.value), shown.unit)
                   : std::string());
  }
  for (const ContactPeriod& c : loads.contacts)
    fmt::print("  touch {} {} at {} to {}, up to {:.4g} N, at one contact {:.4g} N{}\n",
               bodyName(model, c.bodyA), bodyName(model, c.bodyB), timeCode(c.start), timeCode(c.end),
               c.force.value, c.single.value,
               c.blow.value > 0.0 ? fmt::format(", with a blow of {:.4g} N s", c.blow.value) : "");
}

void print(const Model& model, const Loads& loads, const DisplayUnits& units) {
  if (loads.degreeOfStaticIndeterminacy > 0)
    fmt::print("  {} reactions are not unique (marked ~): {}\n", loads.degreeOfStaticIndeterminacy,
               "distributed by the declared compliances; without any, by least squares");
  if (const MissingBearingLoads missing = missingBearingLoads(model); missing.any())
    fmt::print("  {}\n", missing.text());
  printJoints(model, loads, units);
  printCouplings(model, loads, units);
  printDrives(model, loads, units);
  printMotors(model, loads, units);
  printStops(model, loads, units);
}

/// One row a record: loads of all joints, efforts of all couplings, then effort, speed and power of all
/// drives, then torque, speed and current of all motors at their shafts.
class Table {
 public:
  Table(const std::string& path, const Model& model, const Loads& loads)
      : path_(path), out_(path), drives_(loads.drives) {
    out_ << "time";
    for (const Joint& joint : model.joints)
      for (const char* c : kLoadComponents) out_ << ",joint." << joint.name << '.' << c;
    for (const Coupling& coupling : model.couplings)
      for (const char* c : {"effort.a", "effort.b"}) out_ << ",coupling." << coupling.name << '.' << c;
    for (const DriveLoad& d : drives_)
      for (const char* c : {"effort", "speed", "power"})
        out_ << ",drive." << coordinateName(model, d.joint, d.coordinate) << '.' << c;
    for (const MotorLoad& m : loads.motors)
      for (const char* c : {"torque", "speed", "current"})
        out_ << ",motor." << coordinateName(model, m.joint, m.coordinate) << '.' << c;
    out_ << '\n';
  }
  void record(const Simulator& simulator) {
    const Model& model = simulator.model();
    out_ << fmt::format("{}", simulator.state().time);
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      const Vec6 r = simulator.jointReaction(static_cast<int>(j));
      for (int i = 0; i < 6; ++i) out_ << fmt::format(",{}", r[i]);
    }
    for (int k = 0; k < static_cast<int>(model.couplings.size()); ++k)
      out_ << fmt::format(",{},{}", simulator.loads().couplingEffortA(k),
                          simulator.loads().couplingEffortB(k));
    for (const DriveLoad& d : drives_) {
      const double effort =
          simulator.loads().effort(model.coordinateStart[d.joint] + d.coordinate, LoadCause::Drive);
      const double speed = coordinateRate(model.joints[static_cast<std::size_t>(d.joint)],
                                          simulator.geometry()[static_cast<std::size_t>(d.joint)]
                                              .coordinateRow[static_cast<std::size_t>(d.coordinate)],
                                          simulator.state().twists);
      out_ << fmt::format(",{},{},{}", effort, speed, effort * speed);
    }
    const MotorLedger& motors = simulator.motors();
    for (std::size_t k = 0; k < motors.count(); ++k) {
      const double torque = motorTorque(simulator, k);
      out_ << fmt::format(",{},{},{}", torque, motors.speed(k), motors.motor(k).current(torque));
    }
    out_ << '\n';
  }
  void close() {
    out_.close();
    if (!out_) throw FileError(path_, "cannot be written (is the disk full?)");
  }

 private:
  std::string path_;
  std::ofstream out_;
  std::vector<DriveLoad> drives_;
};

int loadsFile(const LoadsArguments& a) {
  Scenario scenario = readScenario(a.file, overridesOf(a.set));
  if (!a.clip.empty()) applyClip(scenario, a.clip);
  setDuration(scenario, a.duration);
  const std::string folder = a.out.empty() ? std::string() : a.out + "/" + resultName(a.file);
  std::optional<Table> table;
  ProgressBar bar(scenario.name, !a.quiet && !a.json);
  const std::int64_t every = scenario.output.stepsPerRecord(scenario.model->step.timestep);
  const auto openTable = [&](const Model& model) {
    if (folder.empty() || table) return;
    makeFolder(folder);
    table.emplace(folder + "/loads.csv", model, LoadsObserver(model).finish());
  };
  const LoadsRun run = runLoads(scenario, a.from, [&](const Simulator& s, std::int64_t i, std::int64_t n) {
    openTable(s.model());
    if (table && (i % every == 0 || i == n)) table->record(s);
    bar.show(static_cast<double>(i) / static_cast<double>(n), i);
    return true;
  });
  openTable(*run.model);
  const Model& model = *run.model;
  const Loads& loads = run.loads;
  Json j = {{"file", a.file}, {"clip", a.clip}};
  j.update(loadsJson(model, loads));
  if (run.divergence) j["diverged"] = {{"time_s", run.divergence->time}, {"reason", run.divergence->reason}};
  if (table) {
    table->close();
    saveText(folder + "/loads.json", jsonText(j));
    if (!loads.motors.empty()) saveText(folder + "/motors.csv", motorsCsv(model, loads));
  }
  if (a.json) {
    printJson(j);
  } else {
    fmt::print("{}: {}{:g} s, {} joints, {} drives, {} limit hits, {} touches\n", scenario.name,
               a.from > 0.0 ? fmt::format("{:g} to ", a.from) : "", loads.duration, loads.joints.size(),
               loads.drives.size(), loads.limits.size(), loads.contacts.size());
    print(model, loads, displayUnits(scenario));
    if (!folder.empty()) fmt::print("  results: {}\n", folder);
  }
  if (run.divergence) {
    fmt::print(stderr, "grashof: {}: diverged at {:.6g} s: {}\n", a.file, run.divergence->time,
               run.divergence->reason);
    return kDiverged;
  }
  return kDone;
}

}  // namespace

Command addLoads(CLI::App& app) {
  const auto a = std::make_shared<LoadsArguments>();
  CLI::App& command = *app.add_subcommand(
      "loads",
      "what joints, contacts and drives carry in a run: peaks and when, limit hits, touches, motors that are "
      "too small");
  command.add_option("SCENARIO", a->file, "scenario file (assets/schema.md)")->required();
  addOverrides(command, a->set);
  command.add_option("--clip", a->clip,
                     "CSV of motions to play: time, then columns named like the scenario's motions");
  command.add_option("--duration", a->duration, "simulated time, s")->check(positiveFinite());
  command.add_option("--from", a->from, "s; what ends before, as the transients of a start, is left out")
      ->check(notNegativeFinite());
  command.add_option("-o,--out", a->out,
                     "folder for loads.json, loads.csv and motors.csv (default: none are written)");
  command.add_flag("--json", a->json, "print results as JSON");
  command.add_flag("-q,--quiet", a->quiet, "no progress bar");
  return {&command, [a] { return loadsFile(*a); }};
}

}  // namespace grashof
