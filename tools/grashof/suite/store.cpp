#include "tools/grashof/suite/store.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/results/hdf5_file.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/result_name.h"
#include "tools/grashof/suite/statistics.h"

namespace grashof {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

// One list of names for JSON, CSV and HDF5.
template <typename S, typename F>
void eachField(S& s, F&& field) requires std::is_same_v<std::remove_const_t<S>, SampleInfo> {
  field("step", s.step);
  field("bodies", s.bodies);
  field("joint_rows", s.jointRows);
  field("limits", s.limits);
  field("contacts", s.contacts);
  field("sticking", s.sticking);
  field("sliding", s.sliding);
  field("rank", s.rank);
  field("joint_density", s.jointDensity);
  field("contact_density", s.contactDensity);
  field("total_density", s.totalDensity);
  field("condition", s.condition);
  field("softening", s.softening);
  field("category", s.category);
}

template <typename M, typename F>
void eachField(M& m, F&& field) requires std::is_same_v<std::remove_const_t<M>, Measurement> {
  field("solver", m.solver);
  field("sample", m.sample);
  field("warm", m.warm);
  field("accuracy", m.accuracy);
  field("solved", m.solved);
  field("iterations", m.iterations);
  field("factorizations", m.factorizations);
  field("seconds", m.seconds);
  field("penetration_joints", m.violation.joints);
  field("penetration_limits", m.violation.limits);
  field("penetration_contacts", m.violation.contacts);
  field("primal", m.residuals.primal);
  field("dual", m.residuals.dual);
  field("complementarity", m.residuals.complementarity);
  field("natural_map", m.residuals.naturalMap);
}

template <typename P, typename F>
void eachField(P& p, F&& field) requires std::is_same_v<std::remove_const_t<P>, Progression> {
  field("solver", p.solver);
  field("sample", p.sample);
  field("iterations", p.iterations);
  field("natural_map", p.naturalMap);
}

template <typename R, typename F>
void eachField(R& r, F&& field) requires std::is_same_v<std::remove_const_t<R>, RunInfo> {
  field("steps", r.steps);
  field("bodies", r.bodies);
  field("joints", r.joints);
  field("rows", r.rows);
  field("mass_ratio", r.massRatio);
  field("joint_residual", r.jointResidual);
  field("mean_penetration", r.meanPenetration);
  field("max_penetration", r.maxPenetration);
  field("unsolved", r.unsolved);
  field("real_time_factor", r.realTimeFactor);
  field("divergence", r.divergence);
}

template <typename T>
Json toJson(const T& value) {
  Json j;
  eachField(value, [&](const char* name, const auto& x) { j[name] = x; });
  return j;
}

template <typename T>
T fromJson(const Json& j) {
  T value;
  eachField(value, [&](const char* name, auto& x) {
    const Json& given = j.at(name);
    if constexpr (std::is_same_v<std::decay_t<decltype(x)>, double>)
      // JSON has no word for infinity and NaN.
      x = given.is_null() ? std::numeric_limits<double>::quiet_NaN() : given.get<double>();
    else
      given.get_to(x);
  });
  return value;
}

template <typename T>
Json listToJson(const std::vector<T>& list) {
  Json j = Json::array();
  for (const T& x : list) j.push_back(toJson(x));
  return j;
}

template <typename T>
void appendFromJson(const Json& j, std::vector<T>& list) {
  for (const Json& x : j) list.push_back(fromJson<T>(x));
}

Json planToJson(const SuitePlan& plan) {
  Json j;
  for (const std::string& system : plan.systems) j["systems"].push_back(resultName(system));
  j["solvers"] = plan.solvers;
  j["timesteps"] = plan.timesteps;
  j["samples"] = plan.samples;
  j["duration"] = plan.duration;
  j["iterations"] = plan.iterations;
  return j;
}

std::optional<Json> readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  try {
    return Json::parse(in);
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: is not valid JSON ({}): delete the file to measure this part again",
                                 path, error.what()));
  }
}

[[noreturn]] void refusePart(const std::string& path, const std::string& why) {
  throw InputError(fmt::format("{}: {} (delete it, and it is measured again)", path, why));
}

/// Calls `read`, which takes what it expects from the JSON of the file `path`.
void readPart(const std::string& path, const std::function<void()>& read) {
  try {
    read();
  } catch (const Json::exception& error) {
    refusePart(path, std::string("is no part of a suite: ") + error.what());
  }
}

/// Refuses what was measured with another solver, or on a sample that the unit has not.
void checkOrigin(const std::string& path, const std::string& found, int sample, const std::string& solver,
                 const SuiteUnit& unit) {
  if (found != solver) refusePart(path, "is of solver " + found);
  if (sample < 0 || static_cast<std::size_t>(sample) >= unit.samples.size())
    refusePart(path, fmt::format("names sample {} of {}", sample, unit.samples.size()));
}

/// A table of records with the same fields, flattened over units.
struct StoredTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;

  template <typename T>
  void add(const SuiteUnit& unit, const T& record) {
    std::vector<Json> row = {unit.system, unit.timestep};
    std::vector<std::string> names = {"system", "timestep"};
    eachField(record, [&](const char* field, const auto& x) {
      names.emplace_back(field);
      row.emplace_back(x);
    });
    columns = std::move(names);
    rows.push_back(std::move(row));
  }
};

std::string csvOf(const StoredTable& table) {
  std::string text = fmt::format("{}\n", fmt::join(table.columns, ","));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::string cell = row[i].is_string() ? row[i].get<std::string>() : row[i].dump();
      if (cell.find_first_of(",\"\n") != std::string::npos) {
        for (std::size_t at = 0; (at = cell.find('"', at)) != std::string::npos; at += 2)
          cell.insert(at, 1, '"');
        cell.insert(0, 1, '"');
        cell += '"';
      }
      text += i == 0 ? "" : ",";
      text += cell;
    }
    text += '\n';
  }
  return text;
}

/// Least, quartiles and greatest of each measure, by solver, category and start.
Json statisticsOf(const SuitePlan& plan, const std::vector<SuiteUnit>& units) {
  Json all = Json::array();
  for (const std::string& solver : plan.solvers)
    for (const char* category : kCategories)
      for (const bool warm : {false, true}) {
        std::map<std::string, std::vector<double>> measures;
        std::size_t samples = 0, solved = 0;
        for (const SuiteUnit& unit : units)
          for (const Measurement& m : unit.measurements) {
            if (m.solver != solver || m.warm != warm || unit.samples[m.sample].category != category) continue;
            ++samples;
            solved += m.solved;
            eachField(m, [&](const std::string& name, const auto& x) {
              using T = std::decay_t<decltype(x)>;
              if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int>)
                if (name != "sample") measures[name].push_back(x);
            });
          }
        if (samples == 0) continue;
        Json entry = {{"solver", solver},
                      {"category", category},
                      {"warm", warm},
                      {"samples", samples},
                      {"solved", solved}};
        for (auto& [name, values] : measures) {
          entry["mean_and_deviation"][name] = meanAndDeviation(values);
          entry["least_quartiles_greatest"][name] = fiveNumbers(std::move(values));
        }
        all.push_back(std::move(entry));
      }
  return all;
}

/// One group a table, one dataset a column.
void writeHdf5(const std::string& path, const std::vector<StoredTable>& tables) {
  const std::string fresh = path + ".new";
  {
    Hdf5Writer file(fresh);
    for (const StoredTable& table : tables)
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const std::string name = table.name + "/" + table.columns[c];
        std::vector<std::string> strings;
        std::vector<double> numbers;
        for (const auto& row : table.rows)
          if (row[c].is_string())
            strings.push_back(row[c].get<std::string>());
          else
            numbers.push_back(row[c].is_boolean() ? double(row[c].get<bool>()) : row[c].get<double>());
        if (strings.empty())
          file.reals(name.c_str(), numbers);
        else
          file.texts(name.c_str(), strings);
      }
    file.flush();
  }
  replaceFile(fresh, path);
}

}  // namespace

std::string SuiteUnit::name() const { return fmt::format("{}@{:g}", system, timestep); }

SuiteStore::SuiteStore(std::string folder, const SuitePlan& plan) : folder_(std::move(folder)) {
  std::error_code failed;
  fs::create_directories(folder_ + "/parts", failed);
  if (failed) throw FileError(folder_, "cannot be made (" + failed.message() + ")");
  const std::string path = folder_ + "/plan.json";
  const Json wanted = planToJson(plan);
  const auto found = readFile(path);
  if (found && *found != wanted)
    throw InputError(folder_ +
                     " holds results of a run with other arguments (its plan.json has them): delete it, or "
                     "choose another --out");
  if (!found) saveText(path, jsonText(wanted));
}

bool SuiteStore::readSamples(SuiteUnit& unit) const {
  const std::string path = folder_ + "/" + samplesFile(unit);
  const auto j = readFile(path);
  if (!j) return false;
  RunInfo run;
  std::vector<SampleInfo> samples;
  readPart(path, [&] {
    run = fromJson<RunInfo>(j->at("run"));
    appendFromJson(j->at("samples"), samples);
  });
  unit.run = run;
  unit.samples = std::move(samples);
  return true;
}

void SuiteStore::writeSamples(const SuiteUnit& unit) const {
  const Json j = {{"run", toJson(unit.run)}, {"samples", listToJson(unit.samples)}};
  saveText(folder_ + "/" + samplesFile(unit), jsonText(j));
}

bool SuiteStore::readSolver(const std::string& solver, SuiteUnit& unit) const {
  const std::string path = folder_ + "/" + solverFile(unit, solver);
  const auto j = readFile(path);
  if (!j) return false;
  std::vector<Measurement> measurements;
  std::vector<Progression> progressions;
  readPart(path, [&] {
    appendFromJson(j->at("measurements"), measurements);
    appendFromJson(j->at("progressions"), progressions);
  });
  for (const Measurement& m : measurements) checkOrigin(path, m.solver, m.sample, solver, unit);
  for (const Progression& p : progressions) checkOrigin(path, p.solver, p.sample, solver, unit);
  unit.measurements.insert(unit.measurements.end(), measurements.begin(), measurements.end());
  unit.progressions.insert(unit.progressions.end(), progressions.begin(), progressions.end());
  return true;
}

void SuiteStore::writeSolver(const std::string& solver, const SuiteUnit& unit) const {
  const Json j = {{"measurements", listToJson(unit.measurements)},
                  {"progressions", listToJson(unit.progressions)}};
  saveText(folder_ + "/" + solverFile(unit, solver), jsonText(j));
}

std::string SuiteStore::samplesFile(const SuiteUnit& unit) {
  return fmt::format("parts/{}.json", unit.name());
}

std::string SuiteStore::solverFile(const SuiteUnit& unit, const std::string& solver) {
  return fmt::format("parts/{}.{}.json", unit.name(), solver);
}

bool SuiteStore::has(const std::string& name) const {
  std::error_code code;
  return fs::exists(folder_ + "/" + name, code);
}

void SuiteStore::writeText(const std::string& name, const std::string& text) const {
  saveText(folder_ + "/" + name, text);
}

void SuiteStore::writeResults(const SuitePlan& plan, const std::vector<SuiteUnit>& units) const {
  std::vector<StoredTable> tables = {
      {"runs", {}, {}}, {"samples", {}, {}}, {"measurements", {}, {}}, {"progressions", {}, {}}};
  Json all;
  all["plan"] = planToJson(plan);
  for (const SuiteUnit& unit : units) {
    tables[0].add(unit, unit.run);
    for (const SampleInfo& x : unit.samples) tables[1].add(unit, x);
    for (const Measurement& x : unit.measurements) tables[2].add(unit, x);
    for (const Progression& x : unit.progressions) tables[3].add(unit, x);
    all["units"].push_back({{"system", unit.system},
                            {"timestep", unit.timestep},
                            {"run", toJson(unit.run)},
                            {"samples", listToJson(unit.samples)},
                            {"measurements", listToJson(unit.measurements)},
                            {"progressions", listToJson(unit.progressions)}});
  }
  all["statistics"] = statisticsOf(plan, units);
  for (const StoredTable& table : tables) saveText(folder_ + "/" + table.name + ".csv", csvOf(table));
  saveText(folder_ + "/results.json", jsonText(all));
  writeHdf5(folder_ + "/results.h5", tables);
}

}  // namespace grashof
