#include "engine/results/trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/results/hdf5_id.h"

namespace grashof {
namespace {

/// Reads datasets and attributes of one file. Every defect is an InputError with the path of the file.
class TrajectoryFile {
 public:
  explicit TrajectoryFile(std::string path) : path_(std::move(path)) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported by fail(), not printed
    file_ = {H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose};
    if (!file_.valid()) fail("cannot be read as HDF5 (is it the trajectory.h5 of a run, and complete?)");
  }
  [[noreturn]] void fail(const std::string& message) const { throw InputError(path_ + ": " + message); }

  bool has(const char* name) const {
    const std::string text = name;
    const auto slash = text.find('/');
    if (slash != std::string::npos && H5Lexists(file_, text.substr(0, slash).c_str(), H5P_DEFAULT) <= 0)
      return false;
    return H5Lexists(file_, name, H5P_DEFAULT) > 0;
  }

  /// Numbers of a dataset, one row per record. Its further dimensions have `width` entries in all.
  std::vector<double> numbers(const char* name, std::size_t width) const {
    const Hdf5Id data = open(name);
    const Hdf5Id space{H5Dget_space(data), &H5Sclose};
    std::array<hsize_t, H5S_MAX_RANK> shape{};
    const int rank = H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    hsize_t columns = 1;
    for (int i = 1; i < rank; ++i) columns *= shape[static_cast<std::size_t>(i)];
    if (rank < 1 || columns != width)
      fail(fmt::format("'{}' has {} columns instead of {} (was it changed by another program?)", name,
                       columns, width));
    const H5T_class_t kind = H5Tget_class(Hdf5Id{H5Dget_type(data), &H5Tclose});
    if (kind != H5T_FLOAT && kind != H5T_INTEGER) fail(fmt::format("'{}' holds no numbers", name));
    std::vector<double> values(shape[0] * columns);
    if (!values.empty() && H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
      fail(fmt::format("'{}' cannot be read (is the file damaged?)", name));
    return values;
  }

  std::vector<std::string> texts(const char* name) const {
    const Hdf5Id data = open(name);
    const Hdf5Id space{H5Dget_space(data), &H5Sclose};
    const Hdf5Id type{H5Dget_type(data), &H5Tclose};
    if (H5Tis_variable_str(type) <= 0) fail(fmt::format("'{}' holds no names", name));
    const hssize_t size = H5Sget_simple_extent_npoints(space);
    std::vector<char*> raw(static_cast<std::size_t>(std::max<hssize_t>(size, 0)), nullptr);
    if (!raw.empty() && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0)
      fail(fmt::format("'{}' cannot be read (is the file damaged?)", name));
    std::vector<std::string> all;
    all.reserve(raw.size());
    for (const char* text : raw) all.emplace_back(text ? text : "");
    if (!raw.empty()) H5Dvlen_reclaim(type, space, H5P_DEFAULT, raw.data());
    return all;
  }

  std::string attribute(const char* name) const {
    const Hdf5Id at{H5Aopen(file_, name, H5P_DEFAULT), &H5Aclose};
    if (!at.valid()) return {};
    const Hdf5Id type{H5Aget_type(at), &H5Tclose};
    char* raw = nullptr;
    if (H5Tis_variable_str(type) <= 0 || H5Aread(at, type, static_cast<void*>(&raw)) < 0 || !raw) return {};
    std::string text = raw;
    H5free_memory(raw);
    return text;
  }

  double numberAttribute(const char* name) const {
    const Hdf5Id at{H5Aopen(file_, name, H5P_DEFAULT), &H5Aclose};
    double value = 0.0;
    if (!at.valid() || H5Aread(at, H5T_NATIVE_DOUBLE, &value) < 0) return 0.0;
    return value;
  }

 private:
  Hdf5Id open(const char* name) const {
    if (!has(name)) fail(fmt::format("has no '{}' (is it the trajectory.h5 of a run?)", name));
    Hdf5Id data{H5Dopen2(file_, name, H5P_DEFAULT), &H5Dclose};
    if (!data.valid()) fail(fmt::format("'{}' is no dataset", name));
    return data;
  }

  std::string path_;
  Hdf5Id file_;
};

std::string pathOf(const std::string& path) {
  std::error_code code;
  return std::filesystem::is_directory(path, code) ? path + "/trajectory.h5" : path;
}

}  // namespace

Trajectory::Trajectory(const std::string& path) : file_(pathOf(path)) {
  const TrajectoryFile file(file_);
  if (file.attribute("format") != "grashof-trajectory")
    file.fail("is no trajectory (its attribute 'format' says otherwise)");
  model_ = file.attribute("model");
  timestep_ = file.numberAttribute("timestep");
  bodies_ = file.texts("bodies/names");
  joints_ = file.texts("joints/names");
  if (file.has("joints/types")) types_ = file.texts("joints/types");
  types_.resize(joints_.size());
  for (const double x : file.numbers("joints/coordinate_start", 1))
    coordinateStart_.push_back(static_cast<int>(x));
  if (coordinateStart_.size() != joints_.size() + 1 || coordinateStart_.front() != 0 ||
      !std::is_sorted(coordinateStart_.begin(), coordinateStart_.end()))
    file.fail("'joints/coordinate_start' does not fit the joints");
  const std::size_t nb = bodies_.size(), nj = joints_.size();
  const auto nq = static_cast<std::size_t>(coordinateStart_.back());
  times_ = file.numbers("time", 1);
  // A run that was killed while writing may leave its last records in some of the datasets only.
  std::size_t records = times_.size();
  const auto read = [&](const char* name, std::size_t width) {
    std::vector<double> values = file.numbers(name, width);
    if (width > 0) records = std::min(records, values.size() / width);
    return values;
  };
  pose_ = read("bodies/pose", 7 * nb);
  twist_ = read("bodies/twist", 6 * nb);
  coordinates_ = read("joints/coordinates", nq);
  if (file.has("joints/effort")) effort_ = read("joints/effort", nq);
  reaction_ = read("joints/reaction", 6 * nj);
  energy_ = read("energy", 5);
  residuals_ = read("residuals", 4);
  solver_ = read("solver", 4);
  times_.resize(records);
  if (records == 0) file.fail("holds no record (was the run stopped before its first?)");
  addScalars();
  addBodies();
  addJoints();
}

void Trajectory::addScalars() {
  columns_.push_back({"time", &Trajectory::times_, 1, 0});
  constexpr std::array<const char*, 5> energies = {"kinetic", "potential", "elastic", "total", "drift"};
  constexpr std::array<const char*, 4> residuals = {"joint", "limit", "penetration", "solver"};
  constexpr std::array<const char*, 4> counts = {"solver.iterations", "solver.factorizations",
                                                 "contacts.count", "solver.method"};
  for (std::size_t i = 0; i < energies.size(); ++i)
    columns_.push_back({std::string("energy.") + energies[i], &Trajectory::energy_, 5, i});
  for (std::size_t i = 0; i < residuals.size(); ++i)
    columns_.push_back({std::string("residual.") + residuals[i], &Trajectory::residuals_, 4, i});
  for (std::size_t i = 0; i < counts.size(); ++i) columns_.push_back({counts[i], &Trajectory::solver_, 4, i});
}

void Trajectory::addBodies() {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const std::string name = "body." + bodies_[b] + ".";
    const std::size_t pose = 7 * bodies_.size(), twist = 6 * bodies_.size();
    for (std::size_t i = 0; i < 3; ++i)
      columns_.push_back({fmt::format("{}position.{}", name, "xyz"[i]), &Trajectory::pose_, pose, 7 * b + i});
    for (std::size_t i = 0; i < 4; ++i)
      columns_.push_back(
          {fmt::format("{}quaternion.{}", name, "wxyz"[i]), &Trajectory::pose_, pose, 7 * b + 3 + i});
    for (std::size_t i = 0; i < 3; ++i)
      columns_.push_back(
          {fmt::format("{}velocity.{}", name, "xyz"[i]), &Trajectory::twist_, twist, 6 * b + i});
    for (std::size_t i = 0; i < 3; ++i)
      columns_.push_back(
          {fmt::format("{}angular-velocity.{}", name, "xyz"[i]), &Trajectory::twist_, twist, 6 * b + 3 + i});
    columns_.push_back({name + "speed", &Trajectory::twist_, twist, 6 * b, true});
  }
}

void Trajectory::addJoints() {
  const auto nq = static_cast<std::size_t>(coordinateStart_.back());
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const std::string name = "joint." + joints_[j] + ".";
    const auto start = static_cast<std::size_t>(coordinateStart_[j]);
    const std::size_t freedoms = static_cast<std::size_t>(coordinateStart_[j + 1]) - start;
    for (std::size_t i = 0; i < freedoms; ++i)
      columns_.push_back({fmt::format("{}q.{}", name, i), &Trajectory::coordinates_, nq, start + i});
    if (const JointType* type = findJointType(types_[j]); type && type->freeDirections().size() == freedoms)
      for (const bool angle : {true, false})
        for (std::size_t i = 0; i < freedoms; ++i) {
          if (isRotation(type->freeDirections()[i]) != angle) continue;
          columns_.push_back(
              {name + (angle ? "angle" : "displacement"), &Trajectory::coordinates_, nq, start + i});
          break;
        }
    if (!effort_.empty())
      for (std::size_t i = 0; i < freedoms; ++i)
        columns_.push_back({fmt::format("{}effort.{}", name, i), &Trajectory::effort_, nq, start + i});
    const std::size_t width = 6 * joints_.size();
    for (std::size_t i = 0; i < 3; ++i)
      columns_.push_back(
          {fmt::format("{}force.{}", name, "xyz"[i]), &Trajectory::reaction_, width, 6 * j + i});
    for (std::size_t i = 0; i < 3; ++i)
      columns_.push_back(
          {fmt::format("{}moment.{}", name, "xyz"[i]), &Trajectory::reaction_, width, 6 * j + 3 + i});
    columns_.push_back({name + "reaction", &Trajectory::reaction_, width, 6 * j, true});
  }
}

std::vector<std::string> Trajectory::channels() const {
  std::vector<std::string> names;
  for (const Column& c : columns_) names.push_back(c.name);
  return names;
}

std::vector<double> Trajectory::series(const std::string& channel) const {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const Column& c) { return c.name == channel; });
  if (found == columns_.end()) {
    std::string like;
    const std::string start = channel.substr(0, channel.rfind('.'));
    for (const Column& c : columns_)
      if (c.name.starts_with(start) && like.size() < 300) like += " " + c.name;
    throw InputError(fmt::format("{}: channel '{}' was not recorded ({}; 'grashof info' lists all)", file_,
                                 channel,
                                 like.empty() ? "no body or joint is called so" : "there are" + like));
  }
  const std::vector<double>& table = this->*(found->values);
  std::vector<double> values;
  values.reserve(records());
  for (std::size_t r = 0; r < records(); ++r) {
    const double* x = &table[r * found->width + found->first];
    values.push_back(found->norm ? std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) : *x);
  }
  return values;
}

Pose Trajectory::pose(std::size_t record, std::size_t body) const {
  const double* p = &pose_[7 * (record * bodies_.size() + body)];
  return {Vec3(p[0], p[1], p[2]), Quat(p[3], p[4], p[5], p[6])};
}

}  // namespace grashof
