#include "tools/controller/plugin.h"

#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/channels.h"
#include "engine/model/user_frames.h"
#include "tools/controller/grashof_controller.h"
#include "tools/shared_library.h"

namespace grashof {
namespace {

constexpr int kMostMemory = 64 << 20;  // bytes that a controller may keep between two steps

}  // namespace

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
    if (!started || !table->stop) return;
    try {
      table->stop(self);
    } catch (...) {
      // All is written; what a controller throws now has nothing to end.
    }
  }

  /// Calls one of the functions of the library, whose exceptions end the run as wrong input does.
  template <typename Call>
  auto call(const char* function, const Call& calling) const {
    try {
      return calling();
    } catch (const std::exception& error) {
      throw InputError(fmt::format("--controller {}: {}() throws: {}", library, function, error.what()));
    } catch (...) {
      throw InputError(fmt::format("--controller {}: {}() throws (catch it there)", library, function));
    }
  }

  /// Throws InputError for what no step can be made with.
  void check(World& world) const {
    const auto refuse = [&](const std::string& what) {
      throw InputError(
          fmt::format("--controller {}: {} at {:.6g} s (numbers must be finite; a control may be "
                      "NaN for none)",
                      library, what, view.time));
    };
    const std::span<const double> controls = std::as_const(world).controls();
    for (std::size_t c = 0; c < controls.size(); ++c)
      if (std::isinf(controls[c])) refuse(fmt::format("the control of '{}' is infinite", actuators[c]));
    for (std::size_t b = 0; b < world.wrenches().size(); ++b)
      if (!world.wrenches()[b].allFinite())
        refuse(fmt::format("the wrench on body '{}' is not finite", world.model().bodies[b].name));
  }

  void describe(World& world) {
    const Model& model = world.model();
    const State& state = std::as_const(world).state();
    for (const Body& body : model.bodies) bodyNames.push_back(body.name.c_str());
    for (const Joint& joint : model.joints) jointNames.push_back(joint.name.c_str());
    const ControlMap& controls = world.controlMap();
    for (std::size_t c = 0; c < controls.size(); ++c) {
      actuators.push_back(controls.name(c));
      actuatorCoordinate.push_back(coordinateOf(world, c));
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

  /// The coordinate that a control moves; of a named one -1 where that is not one alone.
  static int coordinateOf(World& world, std::size_t control) {
    const Model& model = world.model();
    const auto place = [&](int joint, int coordinate) {
      return model.coordinateStart[static_cast<std::size_t>(joint)] + coordinate;
    };
    if (control < model.controls.size()) {
      const std::vector<ControlTarget>& targets = model.controls[control].targets;
      return targets.size() == 1 && targets[0].element < 0 ? place(targets[0].joint, targets[0].coordinate)
                                                           : -1;
    }
    for (const auto& [joint, coordinate] : world.actuators())
      if (coordinateName(model, joint, coordinate) == world.controlMap().name(control))
        return place(joint, coordinate);
    return -1;
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
  l.self = l.call("start", [&] {
    return l.table->start(&l.view, l.argument.c_str(), error.data(), static_cast<int>(error.size()) - 1);
  });
  if (error[0] != 0)
    throw InputError(fmt::format("--controller {}: {}", l.library, std::string(error.data())));
  l.started = true;
}

void ControllerPlugin::operator()(World& world) const {
  Loaded& l = *loaded_;
  if (!l.started) start(world);
  l.update(world);
  l.call("control", [&] { l.table->control(l.self, &l.view); });
  l.check(world);
}

bool ControllerPlugin::hasMemory() const {
  // Tables of version 1 end before these functions.
  const grashof_controller_table& table = *loaded_->table;
  return table.version >= 2 && table.save && table.restore;
}

std::vector<char> ControllerPlugin::save() const {
  const Loaded& l = *loaded_;
  std::vector<char> memory;
  int size = l.call("save", [&] { return l.table->save(l.self, nullptr, 0); });
  if (size > kMostMemory)
    throw InputError(fmt::format("--controller {}: save() returns {} bytes, at most {} can be kept",
                                 l.library, size, kMostMemory));
  if (size > 0) {
    memory.resize(static_cast<std::size_t>(size));
    size = l.call("save", [&] { return l.table->save(l.self, memory.data(), size); });
  }
  if (size != static_cast<int>(memory.size()))
    throw InputError(
        fmt::format("--controller {}: save() returns {}, and then {}", l.library, memory.size(), size));
  return memory;
}

void ControllerPlugin::restore(World& world, const std::vector<char>& memory) const {
  const Loaded& l = *loaded_;
  start(world);
  const int refused = l.call(
      "restore", [&] { return l.table->restore(l.self, memory.data(), static_cast<int>(memory.size())); });
  if (refused != 0)
    throw InputError(
        fmt::format("--controller {}: does not restore the {} bytes of the checkpoint (is it of "
                    "another controller?)",
                    l.library, memory.size()));
}

}  // namespace grashof
