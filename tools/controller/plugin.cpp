#include "tools/controller/plugin.h"

#include <array>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/channels.h"
#include "engine/model/user_frames.h"
#include "tools/controller/grashof_controller.h"
#include "tools/shared_library.h"

namespace grashof {

struct ControllerPlugin::Loaded {
  SharedLibrary file;
  const std::string& library = file.path();
  const std::string& argument = file.argument();
  const grashof_controller_table* table = nullptr;
  bool started = false;
  void* self = nullptr;

  grashof_view view{};
  std::vector<std::string> actuators;
  std::vector<const char*> bodyNames, jointNames, actuatorNames;
  std::vector<int> actuatorCoordinate;
  std::vector<double> positions, quaternions;  // packed, as Pose is not

  explicit Loaded(const std::string& text) : file("--controller", text) {}
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() {
    if (started && table->stop) table->stop(self);
  }

  void describe(World& world) {
    const Model& model = world.model();
    const State& state = std::as_const(world).state();
    for (const Body& body : model.bodies) bodyNames.push_back(body.name.c_str());
    for (const Joint& joint : model.joints) jointNames.push_back(joint.name.c_str());
    for (const auto& [joint, coordinate] : world.actuators()) {
      actuators.push_back(coordinateName(model, joint, coordinate));
      actuatorCoordinate.push_back(model.coordinateStart[joint] + coordinate);
    }
    for (const std::string& name : actuators) actuatorNames.push_back(name.c_str());
    positions.resize(3 * model.bodies.size());
    quaternions.resize(4 * model.bodies.size());
    view.timestep = model.step.timestep;
    view.bodies = static_cast<int>(model.bodies.size());
    view.joints = static_cast<int>(model.joints.size());
    view.coordinates = model.coordinates();
    view.actuators = static_cast<int>(actuators.size());
    view.body_names = bodyNames.data();
    view.joint_names = jointNames.data();
    view.actuator_names = actuatorNames.data();
    view.coordinate_start = model.coordinateStart.data();
    view.actuator_coordinate = actuatorCoordinate.data();
    view.positions = positions.data();
    view.quaternions = quaternions.data();
    view.twists = state.twists.empty() ? nullptr : state.twists[0].data();
    view.coordinate = state.coordinates.data();
    view.control = world.controls().data();
    view.wrench = world.wrenches().empty() ? nullptr : world.wrenches()[0].data();
  }

  void update(World& world) {
    const State& state = std::as_const(world).state();
    view.time = state.time;
    for (std::size_t b = 0; b < state.poses.size(); ++b) {
      const Pose& pose = state.poses[b];
      std::copy_n(pose.position.data(), 3, &positions[3 * b]);
      std::copy_n(pose.rotation.coeffs().data(), 4, &quaternions[4 * b]);
    }
    view.rate = world.rates().data();
    view.effort = world.efforts().data();
  }
};

ControllerPlugin::ControllerPlugin(const std::string& text) : loaded_(std::make_shared<Loaded>(text)) {
  Loaded& l = *loaded_;
  using Entry = const grashof_controller_table* (*)();
  l.table = l.file.function<Entry>("grashof_controller", "tools/controller/grashof_controller.h")();
  if (!l.table || l.table->version < 1 || l.table->version > GRASHOF_CONTROLLER_VERSION)
    throw InputError(
        fmt::format("--controller {}: is for version {} of the interface, not 1 to {} (compile it again)",
                    l.library, l.table ? l.table->version : 0, GRASHOF_CONTROLLER_VERSION));
  if (!l.table->start || !l.table->control)
    throw InputError(fmt::format("--controller {}: needs the functions start and control", l.library));
}

void ControllerPlugin::start(World& world) const {
  Loaded& l = *loaded_;
  l.describe(world);
  l.update(world);
  std::array<char, 512> error{};
  l.self = l.table->start(&l.view, l.argument.c_str(), error.data(), static_cast<int>(error.size()) - 1);
  if (error[0] != 0)
    throw InputError(fmt::format("--controller {}: {}", l.library, std::string(error.data())));
  l.started = true;
}

void ControllerPlugin::operator()(World& world) const {
  Loaded& l = *loaded_;
  if (!l.started) start(world);
  l.update(world);
  l.table->control(l.self, &l.view);
}

bool ControllerPlugin::hasMemory() const {
  // Tables of version 1 end before these functions.
  const grashof_controller_table& table = *loaded_->table;
  return table.version >= 2 && table.save && table.restore;
}

std::vector<char> ControllerPlugin::save() const {
  const Loaded& l = *loaded_;
  std::vector<char> memory;
  int size = l.table->save(l.self, nullptr, 0);
  if (size > 0) {
    memory.resize(static_cast<std::size_t>(size));
    size = l.table->save(l.self, memory.data(), size);
  }
  if (size != static_cast<int>(memory.size()))
    throw InputError(
        fmt::format("--controller {}: save() returns {}, and then {}", l.library, memory.size(), size));
  return memory;
}

void ControllerPlugin::restore(World& world, const std::vector<char>& memory) const {
  const Loaded& l = *loaded_;
  start(world);
  if (l.table->restore(l.self, memory.data(), static_cast<int>(memory.size())) != 0)
    throw InputError(
        fmt::format("--controller {}: does not restore the {} bytes of the checkpoint (is it of "
                    "another controller?)",
                    l.library, memory.size()));
}

}  // namespace grashof
