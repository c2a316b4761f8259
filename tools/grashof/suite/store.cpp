#include "tools/grashof/suite/store.h"

#include <filesystem>
#include <fstream>
#include <functional>

#include <fmt/format.h>
#include <fmt/os.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/results/hdf5_id.h"
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
  field("rank", s.rank);
  field("condition", s.condition);
  field("softening", s.softening);
  field("category", s.category);
}

template <typename M, typename F>
void eachField(M& m, F&& field) requires std::is_same_v<std::remove_const_t<M>, Measurement> {
  field("solver", m.solver);
  field("sample", m.sample);
  field("warm", m.warm);
  field("solved", m.solved);
  field("iterations", m.iterations);
  field("factorizations", m.factorizations);
  field("seconds", m.seconds);
  field("penetration", m.penetration);
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
  eachField(value, [&](const char* name, auto& x) { j.at(name).get_to(x); });
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
  for (const std::string& system : plan.systems) j["systems"].push_back(fs::path(system).stem().string());
  j["solvers"] = plan.solvers;
  j["timesteps"] = plan.timesteps;
  j["samples"] = plan.samples;
  j["duration"] = plan.duration;
  j["iterations"] = plan.iterations;
  return j;
}

/// Whole or not at all: a file of another name takes the place of the old one at once.
void replaceFile(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  {
    std::ofstream out(fresh, std::ios::binary);
    out << text;
    if (!out.flush()) throw FileError(path, "cannot be written (is the disk full, or the folder not yours?)");
  }
  std::error_code failed;
  fs::rename(fresh, path, failed);
  if (failed) throw FileError(path, "cannot be written (" + failed.message() + ")");
}

std::optional<Json> readFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  try {
    return Json::parse(in);
  } catch (const Json::exception& error) {
    throw InputError(
        fmt::format("{}: no JSON ({}); delete it, and it is measured again", path, error.what()));
  }
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
        for (auto& [name, values] : measures)
          entry["least_quartiles_greatest"][name] = fiveNumbers(std::move(values));
        all.push_back(std::move(entry));
      }
  return all;
}

void checkHdf5(herr_t status) {
  if (status < 0) throw FileError("results.h5", "cannot be written (is the disk full?)");
}

Hdf5Id madeHdf5(hid_t id, Hdf5Id::Close close) {
  checkHdf5(id < 0 ? -1 : 0);
  return {id, close};
}

/// One group a table, one dataset a column.
void writeHdf5(const std::string& path, const std::vector<StoredTable>& tables) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Hdf5Id file = madeHdf5(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), &H5Fclose);
  const Hdf5Id string = madeHdf5(H5Tcopy(H5T_C_S1), &H5Tclose);
  checkHdf5(H5Tset_size(string, H5T_VARIABLE));
  checkHdf5(H5Tset_cset(string, H5T_CSET_UTF8));
  for (const StoredTable& table : tables) {
    const Hdf5Id group =
        madeHdf5(H5Gcreate2(file, table.name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose);
    const hsize_t size = table.rows.size();
    const Hdf5Id space = madeHdf5(H5Screate_simple(1, &size, nullptr), &H5Sclose);
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const bool text = size > 0 && table.rows[0][c].is_string();
      const hid_t type = text ? hid_t(string) : H5T_NATIVE_DOUBLE;
      const Hdf5Id data = madeHdf5(
          H5Dcreate2(group, table.columns[c].c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
          &H5Dclose);
      if (size == 0) continue;
      std::vector<const char*> strings;
      std::vector<double> numbers;
      for (const auto& row : table.rows)
        if (text)
          strings.push_back(row[c].get_ref<const std::string&>().c_str());
        else
          numbers.push_back(row[c].is_boolean() ? double(row[c].get<bool>()) : row[c].get<double>());
      const void* values = text ? static_cast<const void*>(strings.data()) : numbers.data();
      checkHdf5(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
    }
  }
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
  if (!found) replaceFile(path, wanted.dump(2) + "\n");
}

bool SuiteStore::readSamples(SuiteUnit& unit) const {
  const auto j = readFile(fmt::format("{}/parts/{}.json", folder_, unit.name()));
  if (!j) return false;
  unit.run = fromJson<RunInfo>(j->at("run"));
  appendFromJson(j->at("samples"), unit.samples);
  return true;
}

void SuiteStore::writeSamples(const SuiteUnit& unit) const {
  const Json j = {{"run", toJson(unit.run)}, {"samples", listToJson(unit.samples)}};
  replaceFile(fmt::format("{}/parts/{}.json", folder_, unit.name()), j.dump(1) + "\n");
}

bool SuiteStore::readSolver(const std::string& solver, SuiteUnit& unit) const {
  const auto j = readFile(fmt::format("{}/parts/{}.{}.json", folder_, unit.name(), solver));
  if (!j) return false;
  appendFromJson(j->at("measurements"), unit.measurements);
  appendFromJson(j->at("progressions"), unit.progressions);
  return true;
}

void SuiteStore::writeSolver(const std::string& solver, const SuiteUnit& unit) const {
  const Json j = {{"measurements", listToJson(unit.measurements)},
                  {"progressions", listToJson(unit.progressions)}};
  replaceFile(fmt::format("{}/parts/{}.{}.json", folder_, unit.name(), solver), j.dump(1) + "\n");
}

void SuiteStore::writeText(const std::string& name, const std::string& text) const {
  replaceFile(folder_ + "/" + name, text);
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
  for (const StoredTable& table : tables) replaceFile(folder_ + "/" + table.name + ".csv", csvOf(table));
  replaceFile(folder_ + "/results.json", all.dump(1) + "\n");
  writeHdf5(folder_ + "/results.h5", tables);
}

}  // namespace grashof
