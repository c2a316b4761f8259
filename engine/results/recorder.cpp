#include "engine/results/recorder.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <hdf5.h>

#include "engine/base/error.h"
#include "engine/results/hdf5_id.h"

namespace grashof {
namespace {

constexpr hsize_t kChunk = 512;  // records held in memory, and per HDF5 chunk

/// As the constructor of Hdf5Id, for objects of a file that is written.
Hdf5Id created(hid_t id, Hdf5Id::Close close) {
  if (id < 0)
    throw FileError("trajectory.h5", "cannot be written (is the disk full, or the folder read-only?)");
  return {id, close};
}

void check(herr_t status) {
  if (status < 0) throw FileError("trajectory.h5", "cannot be written (is the disk full?)");
}

Hdf5Id stringType() {
  Hdf5Id type = created(H5Tcopy(H5T_C_S1), &H5Tclose);
  check(H5Tset_size(type, H5T_VARIABLE));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

void writeAttribute(hid_t at, const char* name, const std::string& value) {
  const Hdf5Id type = stringType();
  const Hdf5Id space = created(H5Screate(H5S_SCALAR), &H5Sclose);
  const Hdf5Id attribute = created(H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
  const char* text = value.c_str();
  check(H5Awrite(attribute, type, &text));
}

void writeAttribute(hid_t at, const char* name, double value) {
  const Hdf5Id space = created(H5Screate(H5S_SCALAR), &H5Sclose);
  const Hdf5Id attribute =
      created(H5Acreate2(at, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT), &H5Aclose);
  check(H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value));
}

void writeNames(hid_t group, const char* name, const std::vector<std::string>& items) {
  std::vector<const char*> names;
  names.reserve(items.size());
  for (const std::string& item : items) names.push_back(item.c_str());
  const Hdf5Id type = stringType();
  const hsize_t size = names.size();
  const Hdf5Id space = created(H5Screate_simple(1, &size, nullptr), &H5Sclose);
  const Hdf5Id data =
      created(H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Dclose);
  if (size > 0) check(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names.data()));
}

void writeIntegers(hid_t group, const char* name, const std::vector<int>& values) {
  const hsize_t size = values.size();
  const Hdf5Id space = created(H5Screate_simple(1, &size, nullptr), &H5Sclose);
  const Hdf5Id data = created(
      H5Dcreate2(group, name, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Dclose);
  check(H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
}

}  // namespace

struct Recorder::File {
  /// A dataset that grows along its first dimension.
  class Series {
   public:
    Series(hid_t group, const char* name, hid_t type, std::vector<hsize_t> shape)
        : type_(type), shape_(std::move(shape)) {
      shape_.insert(shape_.begin(), 0);
      std::vector<hsize_t> limit = shape_, chunk = shape_;
      limit[0] = H5S_UNLIMITED;
      chunk[0] = kChunk;
      for (hsize_t& c : chunk) c = std::max<hsize_t>(c, 1);
      const Hdf5Id space =
          created(H5Screate_simple(static_cast<int>(shape_.size()), shape_.data(), limit.data()), &H5Sclose);
      const Hdf5Id properties = created(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose);
      check(H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data()));
      check(H5Pset_shuffle(properties));
      check(H5Pset_deflate(properties, 1));
      data_ = created(H5Dcreate2(group, name, type_, space, H5P_DEFAULT, properties, H5P_DEFAULT), &H5Dclose);
    }

    void append(const void* values, hsize_t records) {
      std::vector<hsize_t> start(shape_.size(), 0), count = shape_;
      start[0] = shape_[0];
      count[0] = records;
      shape_[0] += records;
      check(H5Dset_extent(data_, shape_.data()));
      for (const hsize_t c : count)
        if (c == 0) return;
      const Hdf5Id target = created(H5Dget_space(data_), &H5Sclose);
      check(H5Sselect_hyperslab(target, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr));
      const Hdf5Id source =
          created(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), &H5Sclose);
      check(H5Dwrite(data_, type_, source, target, H5P_DEFAULT, values));
    }

   private:
    hid_t type_;
    std::vector<hsize_t> shape_;
    Hdf5Id data_;
  };

  Hdf5Id file;
  std::vector<Series>
      series;  // time, pose, twist, coordinates, effort, reaction, energy, residuals; then solver
  std::array<std::vector<double>, 8> real;
  std::vector<int> counts;
  hsize_t pending = 0;
};

Recorder::Recorder(const Scenario& scenario, const std::string& folder) {
  if (scenario.output.trajectory) createTrajectory(*scenario.model, folder + "/trajectory.h5");
  if (scenario.output.csv) createTable(scenario, folder + "/trajectory.csv");
}

void Recorder::createTrajectory(const Model& model, const std::string& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // errors are reported by check(), not printed
  file_ = std::make_unique<File>();
  file_->file = created(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), &H5Fclose);
  const hid_t root = file_->file;
  writeAttribute(root, "format", "grashof-trajectory");
  writeAttribute(root, "version", 1.0);
  writeAttribute(root, "model", model.name);
  writeAttribute(root, "timestep", model.step.timestep);
  const Hdf5Id bodies = created(H5Gcreate2(root, "bodies", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose);
  const Hdf5Id joints = created(H5Gcreate2(root, "joints", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), &H5Gclose);
  std::vector<std::string> bodyNames, jointNames, types;
  for (const Body& body : model.bodies) bodyNames.push_back(body.name);
  for (const Joint& joint : model.joints) {
    jointNames.push_back(joint.name);
    types.emplace_back(joint.type->name());
  }
  writeNames(bodies, "names", bodyNames);
  writeNames(joints, "names", jointNames);
  writeNames(joints, "types", types);
  writeIntegers(joints, "coordinate_start", model.coordinateStart);
  const hsize_t nb = model.bodies.size(), nj = model.joints.size();
  const auto nq = static_cast<hsize_t>(model.coordinates());
  const auto add = [&](hid_t group, const char* name, hid_t type, std::vector<hsize_t> shape) {
    file_->series.emplace_back(group, name, type, std::move(shape));
  };
  add(root, "time", H5T_NATIVE_DOUBLE, {});
  add(bodies, "pose", H5T_NATIVE_DOUBLE, {nb, 7});
  add(bodies, "twist", H5T_NATIVE_DOUBLE, {nb, 6});
  add(joints, "coordinates", H5T_NATIVE_DOUBLE, {nq});
  add(joints, "effort", H5T_NATIVE_DOUBLE, {nq});
  add(joints, "reaction", H5T_NATIVE_DOUBLE, {nj, 6});
  add(root, "energy", H5T_NATIVE_DOUBLE, {5});
  add(root, "residuals", H5T_NATIVE_DOUBLE, {4});
  add(root, "solver", H5T_NATIVE_INT, {4});
}

void Recorder::createTable(const Scenario& scenario, const std::string& path) {
  const Model& model = *scenario.model;
  csv_.open(path);
  if (!csv_) throw FileError(path, "cannot be written (is the folder read-only?)");
  std::vector<std::string> names = {"time"};
  for (const Body& body : model.bodies)
    for (const char* part : {"position.x", "position.y", "position.z", "quaternion.w", "quaternion.x",
                             "quaternion.y", "quaternion.z"})
      names.push_back("body." + body.name + "." + part);
  for (const Joint& joint : model.joints)
    for (int i = 0; i < joint.type->numDofs(); ++i)
      names.push_back(fmt::format("joint.{}.q.{}", joint.name, i));
  for (const char* name : {"energy.total", "energy.drift", "residual.joint", "solver.iterations"})
    names.emplace_back(name);
  names.insert(names.end(), scenario.output.channels.begin(), scenario.output.channels.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    channels_.push_back(findChannel(model, names[i]));
    csv_ << (i ? "," : "") << names[i];
  }
  csv_ << '\n';
}

Recorder::~Recorder() {
  try {
    flush();
  } catch (const FileError&) {
    // A destructor cannot report it; whoever needs to know calls flush() before.
  }
}

void Recorder::record(const Simulator& simulator) {
  if (csv_.is_open()) {
    for (std::size_t i = 0; i < channels_.size(); ++i)
      fmt::print(csv_, "{}{:.17g}", i ? "," : "", channels_[i](simulator));
    csv_ << '\n';
  }
  if (!file_) return;
  auto& [time, pose, twist, coordinates, effort, reaction, energy, residuals] = file_->real;
  const Model& model = simulator.model();
  const State& state = simulator.state();
  const StepReport& report = simulator.report();
  time.push_back(state.time);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Pose p = userPose(model, state, static_cast<int>(b));
    const Vec3 v = userVelocity(model, state, static_cast<int>(b));
    const Quat& q = p.rotation;
    pose.insert(pose.end(), {p.position.x(), p.position.y(), p.position.z(), q.w(), q.x(), q.y(), q.z()});
    const Vec6& u = state.twists[b];
    twist.insert(twist.end(), {v.x(), v.y(), v.z(), u[3], u[4], u[5]});
  }
  coordinates.insert(coordinates.end(), state.coordinates.begin(), state.coordinates.end());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    for (int i = 0; i < model.joints[j].type->numDofs(); ++i)
      effort.push_back(simulator.actuatorEffort(static_cast<int>(j), i));
    const Vec6 r = simulator.jointReaction(static_cast<int>(j));
    reaction.insert(reaction.end(), r.data(), r.data() + 6);
  }
  energy.insert(energy.end(), {report.energy.kinetic, report.energy.potential, report.energy.elastic,
                               report.energy.total(), simulator.energyDrift()});
  residuals.insert(residuals.end(),
                   {report.jointResidual, report.limitViolation, report.penetration, report.solverResidual});
  file_->counts.insert(file_->counts.end(), {report.iterations, report.factorizations, report.contacts,
                                             static_cast<int>(report.method)});
  if (++file_->pending >= kChunk) flush();
}

void Recorder::flush() {
  if (csv_.is_open()) {
    csv_.flush();
    if (!csv_) throw FileError("trajectory.csv", "cannot be written (is the disk full?)");
  }
  if (!file_ || file_->pending == 0) return;
  for (std::size_t i = 0; i < file_->real.size(); ++i) {
    file_->series[i].append(file_->real[i].data(), file_->pending);
    file_->real[i].clear();
  }
  file_->series.back().append(file_->counts.data(), file_->pending);
  file_->counts.clear();
  file_->pending = 0;
  check(H5Fflush(file_->file, H5F_SCOPE_LOCAL));
}

}  // namespace grashof
