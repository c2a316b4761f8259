/// Worlds: stepping, states as arrays, controls, contacts, reactions.

#include "engine/world.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/channels.h"
#include "engine/run.h"
#include "tools/python/bind.h"

namespace grashof::python {
namespace {

using Self = py::object;

World& worldOf(const Self& self) { return self.cast<World&>(); }

void step(World& world, std::int64_t steps) {
  if (steps < 0) throw py::value_error("steps must not be negative");
  {
    if (inUse(&world))
      throw CallError(
          "step() within a callback of the step that is being made (set controls there, and return)");
    const InUse use({&world});
    const Entered entered(&world);
    const py::gil_scoped_release release;
    for (std::int64_t i = 0; i < steps && !world.simulator().diverged(); ++i) world.step();
  }
  if (const auto& d = world.simulator().diverged())
    throw DivergedError(fmt::format("diverged at {:.6g} s: {}", d->time, d->reason), d->time);
}

// Arrays are views that Python keeps and writes at any time, so from the first one on every step of the world
// compares its state with that of the step before. Worlds whose arrays nobody asked for compare nothing.
py::array_t<double> positions(const Self& self) {
  auto& poses = worldOf(self).watchedState().poses;
  return view(poses.empty() ? nullptr : poses[0].position.data(), static_cast<py::ssize_t>(poses.size()), 3,
              sizeof(Pose), self);
}

py::array_t<double> quaternions(const Self& self) {
  auto& poses = worldOf(self).watchedState().poses;
  return view(poses.empty() ? nullptr : poses[0].rotation.coeffs().data(),
              static_cast<py::ssize_t>(poses.size()), 4, sizeof(Pose), self);
}

py::array_t<double> twists(const Self& self) {
  auto& all = worldOf(self).watchedState().twists;
  return view(all.empty() ? nullptr : all[0].data(), static_cast<py::ssize_t>(all.size()), 6, sizeof(Vec6),
              self);
}

py::object contacts(const World& world) {
  const Simulator& s = world.simulator();
  const auto all = s.contacts();
  const auto n = static_cast<py::ssize_t>(all.size());
  py::array_t<int> bodies(std::vector<py::ssize_t>{n, 2});
  py::array_t<double> points = table(n, 3), forces = table(n, 3), gaps(n);
  py::array_t<double> frames(std::vector<py::ssize_t>{n, 3, 3});
  for (py::ssize_t k = 0; k < n; ++k) {
    const Contact& c = all[static_cast<std::size_t>(k)];
    bodies.mutable_at(k, 0) = c.bodyA;
    bodies.mutable_at(k, 1) = c.bodyB;
    gaps.mutable_at(k) = c.gap;
    const Vec3 force = s.contactForce(static_cast<int>(k));
    for (int i = 0; i < 3; ++i) {
      points.mutable_at(k, i) = c.point[i];
      forces.mutable_at(k, i) = force[i];
      for (int r = 0; r < 3; ++r) frames.mutable_at(k, r, i) = c.frame(r, i);
    }
  }
  py::dict d;
  d["bodies"] = bodies;
  d["points"] = points;
  d["frames"] = frames;
  d["gaps"] = gaps;
  d["forces"] = forces;
  return record("Contacts", d);
}

py::array_t<double> reactions(const World& world) {
  const auto joints = static_cast<py::ssize_t>(world.model().joints.size());
  py::array_t<double> all = table(joints, 6);
  for (py::ssize_t j = 0; j < joints; ++j) {
    const Vec6 r = world.simulator().jointReaction(static_cast<int>(j));
    for (int i = 0; i < 6; ++i) all.mutable_at(j, i) = r[i];
  }
  return all;
}

py::object loads(const World& world) {
  const Model& model = world.model();
  const JointLoads& all = world.simulator().loads();
  const auto joints = static_cast<py::ssize_t>(model.joints.size());
  const auto couplings = static_cast<py::ssize_t>(model.couplings.size());
  const auto causes = static_cast<py::ssize_t>(kLoadCauses.size());
  py::array_t<double> parts(std::vector<py::ssize_t>{joints, causes, 6}), efforts = table(couplings, 2);
  py::array_t<bool> redundant(std::vector<py::ssize_t>{joints, 6}), open(couplings);
  for (py::ssize_t j = 0; j < joints; ++j)
    for (int i = 0; i < 6; ++i) {
      redundant.mutable_at(j, i) = (all.redundant(static_cast<int>(j)) >> i & 1U) != 0;
      for (py::ssize_t c = 0; c < causes; ++c)
        parts.mutable_at(j, c, i) =
            all.joints()[static_cast<std::size_t>(j)].of(kLoadCauses[static_cast<std::size_t>(c)])[i];
    }
  for (py::ssize_t k = 0; k < couplings; ++k) {
    efforts.mutable_at(k, 0) = all.couplingEffortA(static_cast<int>(k));
    efforts.mutable_at(k, 1) = all.couplingEffortB(static_cast<int>(k));
    open.mutable_at(k) = all.couplingRedundant(static_cast<int>(k));
  }
  py::list names, couplingNames;
  for (const std::string_view name : kLoadCauseNames) names.append(std::string(name));
  for (const Coupling& c : model.couplings) couplingNames.append(c.name);
  py::dict d;
  d["causes"] = names;
  d["joints"] = parts;
  d["redundant"] = redundant;
  d["couplings"] = couplingNames;
  d["coupling_efforts"] = efforts;
  d["coupling_redundant"] = open;
  return record("Loads", d);
}

py::object energy(const World& world) {
  const Simulator& s = world.simulator();
  const Energy& e = s.report().energy;
  py::dict d;
  d["kinetic"] = e.kinetic;
  d["potential"] = e.potential;
  d["elastic"] = e.elastic;
  d["total"] = e.total();
  d["actuators"] = s.energyFlow().actuators;
  d["external"] = s.energyFlow().external;
  d["dissipated"] = s.energyFlow().dissipated;
  d["drift"] = s.energyDrift();
  return record("Energy", d);
}

py::object report(const World& world) {
  const StepReport& r = world.simulator().report();
  py::dict d;
  d["joint_residual"] = r.jointResidual;
  d["limit_violation"] = r.limitViolation;
  d["penetration"] = r.penetration;
  d["contacts"] = r.contacts;
  d["interval_rows"] = r.intervalRows;
  d["iterations"] = r.iterations;
  d["factorizations"] = r.factorizations;
  d["solver_residual"] = r.solverResidual;
  d["solved"] = r.status == SolveStatus::Solved;
  d["at_rounding"] = r.atRounding;
  d["worse_than_none"] = r.worseThanNone;
  return record("StepReport", d);
}

void onStep(const Self& self, const py::object& callback) {
  World& world = worldOf(self);
  if (callback.is_none()) {
    world.onStep({});
    return;
  }
  if (PyCallable_Check(callback.ptr()) == 0)
    throw py::type_error(
        fmt::format("on_step({}): needs a function of the world, or None", std::string(py::repr(callback))));
  // Both outlive this call; when the last copy goes, the interpreter must be held. The world is held weakly,
  // as it holds the callback.
  struct Kept {
    py::object callback, world;
    Kept(py::object f, py::object w) : callback(std::move(f)), world(std::move(w)) {}
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() {
      const py::gil_scoped_acquire acquire;
      callback = py::object();
      world = py::object();
    }
  };
  const auto kept = std::make_shared<Kept>(callback, py::weakref(self));
  world.onStep([kept](World&) {
    const py::gil_scoped_acquire acquire;
    kept->callback(kept->world());
  });
}

/// A world and the scenario that it was made of.
struct OwnedWorld : World {
  explicit OwnedWorld(std::shared_ptr<Source> s) : World(s->scenario.model), source(std::move(s)) {}
  std::shared_ptr<Source> source;
};

using ViewClass = py::class_<World>;

}  // namespace
}  // namespace grashof::python

namespace pybind11::detail {

template <>
class type_caster<grashof::python::OwnedWorld>
    : public grashof::python::GuardedCaster<grashof::python::OwnedWorld> {};

}  // namespace pybind11::detail

namespace grashof::python {
namespace {

/// Steps, saved states and the callback.
void bindStepping(ViewClass& world) {
  world
      .def(
          "step",
          [](const World&, double steps) {
            throw py::type_error(
                fmt::format("step({:g}): needs a whole number of steps, each of scenario.timestep", steps));
          },
          py::arg("steps"))
      .def("step", &step, py::arg("steps") = 1, py::prepend(),
           "Makes `steps` steps of scenario.timestep. Raises Diverged. Other Python threads run meanwhile.")
      .def("reset", &World::reset, "Back to the start; controls and wrenches are taken back.")
      .def("update", &World::update,
           "Takes over now what was written into positions, quaternions and twists, instead of in the next "
           "step: energies and rates are those of the new state, warm starts are forgotten.")
      .def("project", &World::project,
           "Moves bodies and velocities onto joints and drives by the least mass-weighted change.")
      .def("save", &saved,
           "All that the steps to come depend on, as bytes: state, controls, wrenches, warm start, energy "
           "balance. From here on this world and those that restore the bytes make the same bits.")
      .def("restore", &restore, py::arg("state"),
           "Continues from what save() of a world of the same model gave. Raises InputError for others.")
      .def("on_step", &onStep, py::arg("callback"),
           "Calls callback(world) at the start of every step, where it may set controls and wrenches; None: "
           "no "
           "more. What it raises, step() raises.");
}

/// Time, poses, twists and coordinates.
void bindState(ViewClass& world) {
  world
      .def_property_readonly(
          "time", [](const World& w) { return w.state().time; }, "s")
      .def_property_readonly(
          "step_count", [](const World& w) { return w.state().step; }, "Steps since the start.")
      .def_property_readonly(
          "timestep", [](const World& w) { return w.model().step.timestep; }, "s")
      .def_property_readonly("positions", &positions,
                             "(bodies, 3): centres of mass, m, world. The engine's own memory, writable.")
      .def_property_readonly("quaternions", &quaternions,
                             "(bodies, 4): x y z w, body to world. The engine's own memory, writable; "
                             "normalized when taken over.")
      .def_property_readonly(
          "twists", &twists,
          "(bodies, 6): velocity of the centre of mass (m/s) and angular velocity (rad/s), "
          "world axes. The engine's own memory, writable.")
      .def_property_readonly(
          "coordinates",
          [](const Self& self) {
            // Read-only, so the step need not look whether somebody has written here.
            const auto& q = std::as_const(worldOf(self)).state().coordinates;
            return readOnly(view(const_cast<double*>(q.data()), static_cast<py::ssize_t>(q.size()), self));
          },
          "(coordinates,): of all joints in order, m, rad; angles count whole turns. The "
          "engine's own memory, read-only: it follows from the poses.");
}

/// What drives and forces the bodies from outside.
void bindInputs(ViewClass& world) {
  world
      .def_property_readonly(
          "controls",
          [](const Self& self) {
            const auto c = worldOf(self).controls();
            return view(c.data(), static_cast<py::ssize_t>(c.size()), self);
          },
          "(actuators,): references of the actuators, or values of the scenario's <control> elements, held "
          "until "
          "changed; NaN: as the scenario says. The engine's own memory, writable.")
      .def_property_readonly(
          "wrenches",
          [](const Self& self) {
            const auto w = worldOf(self).wrenches();
            return view(w.empty() ? nullptr : w[0].data(), static_cast<py::ssize_t>(w.size()), 6,
                        sizeof(Vec6), self);
          },
          "(bodies, 6): force (N) and torque (N·m) at the centre of mass, world axes, held "
          "until changed. The engine's own memory, writable.")
      .def_property_readonly(
          "forces",
          [](const Self& self) {
            const auto f = worldOf(self).forces();
            return view(f.data(), static_cast<py::ssize_t>(f.size()), self);
          },
          "(force elements,): forces commanded besides their laws (N, N·m), held until changed; NaN: as the "
          "scenario says. The engine's own memory, writable.");
}

/// What the last step made: rates, efforts, reactions, contacts.
void bindResults(ViewClass& world) {
  world
      .def(
          "rates",
          [](World& w) {
            const auto r = w.rates();
            return py::array_t<double>(static_cast<py::ssize_t>(r.size()), r.data());
          },
          "(coordinates,): rates of all joint coordinates, m/s, rad/s.")
      .def(
          "efforts",
          [](World& w) {
            const auto e = w.efforts();
            return py::array_t<double>(static_cast<py::ssize_t>(e.size()), e.data());
          },
          "(actuators,): efforts over the last step, N or N·m; of a <control> that moves several actuators "
          "the "
          "one whose gains give the nearest to theirs, NaN of one that moves none.")
      .def("reactions", &reactions,
           "(joints, 6): load of each joint over the last step: force (N) and moment (N·m) of all causes on "
           "its "
           "follower, in the base's joint frame. The sum of loads()['joints'] over the causes.")
      .def("loads", &loads,
           "Loads of the last step by cause: causes (names), joints (joints, causes, 6), redundant (joints, "
           "6): "
           "components that statics leaves open; couplings (names), coupling_efforts (couplings, 2): on "
           "coordinates a and b, N or N·m, coupling_redundant.")
      .def("contacts", &contacts,
           "Contacts of the last step as arrays: bodies (n, 2; -1: world), points (n, 3), frames (n, 3, 3; "
           "columns t o n, n from the first body into the second), gaps (n,), forces (n, 3; on the second).");
}

/// The last problem, energies, residuals and channels.
void bindMeasures(ViewClass& world) {
  world
      .def(
          "problem", [](const World& w) { return problemObject(w.simulator().problem()); },
          "The dual problem of the last step, a copy.")
      .def(
          "impulses", [](const World& w) { return arrayOf(w.simulator().solution().impulse); },
          "(rows,): impulses of the last step's problem, N·s or N·m·s.")
      .def_property_readonly("energy", &energy,
                             "J: kinetic, potential, elastic, total; actuators, external, dissipated since "
                             "the start; drift: what no cause is known of.")
      .def_property_readonly("report", &report, "What the last step did: residuals, counts, solver effort.")
      .def_property_readonly(
          "diverged",
          [](const World& w) -> py::object {
            const auto& d = w.simulator().diverged();
            return d ? py::object(py::str(d->reason)) : py::object(py::none());
          },
          "Why the run can't go on; None while it can.")
      .def(
          "point",
          [](const World& w, const py::object& body, const std::array<double, 3>& at) {
            const auto b = static_cast<std::size_t>(bodyIndex(w.model(), body));
            const Vec3 point = w.state().poses[b] * (w.model().bodies[b].userFrame * Vec3(at.data()));
            return py::array_t<double>(3, point.data());
          },
          py::arg("body"), py::arg("point") = std::array<double, 3>{},
          "(3,): where a point of a body (name or index; m in its frame) is in the world, m.")
      .def(
          "channel",
          [](const World& w, const std::string& name) { return findChannel(w.model(), name)(w.simulator()); },
          py::arg("name"), "Present value of a recorded quantity, as 'joint.crank.angle' or 'energy.total'.")
      .def(
          "channels",
          [](const World& w) {
            py::dict units;
            const ModelChannels channels = channelsOf(w.model());
            for (const ChannelEntry& channel : channels.entries) units[py::str(channel.name)] = channel.unit;
            return units;
          },
          "The channels that runs record, but those of bodies that touch, with their units.");
}

/// What a pickled world consists of: its scenario and all that it goes on from.
py::tuple pickled(OwnedWorld& w) { return py::make_tuple(w.source, saved(w)); }

std::unique_ptr<OwnedWorld> unpickled(const py::tuple& state) {
  auto world = std::make_unique<OwnedWorld>(state[0].cast<std::shared_ptr<Source>>());
  restore(*world, state[1].cast<std::string>());
  return world;
}

}  // namespace

int bodyIndex(const Model& model, const py::object& body) {
  const auto count = static_cast<int>(model.bodies.size());
  if (py::isinstance<py::str>(body)) {
    const auto name = body.cast<std::string>();
    const int index = model.findBody(name);
    if (index < 0) throw unknownName("body", name, model.bodies);
    return index;
  }
  const int index = body.cast<int>();
  if (index < 0 || index >= count)
    throw CallError(fmt::format("no body {} (the model has {})", index, count));
  return index;
}

py::bytes saved(World& world) {
  const std::vector<double> numbers = world.save();
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)};
}

void restore(World& world, const std::string& bytes) {
  if (bytes.size() % sizeof(double) != 0) throw InputError("these bytes are not what save() of a world gave");
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  world.restore(numbers);
}

void bindWorld(py::module_& module) {
  // Shared by worlds of one's own and those of a batch.
  ViewClass view(module, "WorldView", "A world that something else owns; see World.");
  bindStepping(view);
  bindState(view);
  bindInputs(view);
  bindResults(view);
  bindMeasures(view);
  py::class_<OwnedWorld, World>(module, "World",
                                "A running scenario. Arrays are views of the engine's memory and stay valid "
                                "for the life of the world.")
      .def(py::init<std::shared_ptr<Source>>(), py::arg("scenario"))
      .def(py::init([](const std::string& file) -> std::unique_ptr<OwnedWorld> {
             throw py::type_error(fmt::format(
                 "World('{0}'): a world is made of a scenario: World(grashof.load('{0}'))", file));
           }),
           py::arg("scenario"))
      .def_property_readonly(
          "scenario", [](const OwnedWorld& w) { return w.source; }, "What it was made of.")
      .def(py::pickle(&pickled, &unpickled))
      .def("__repr__", [](const OwnedWorld& w) {
        return fmt::format("<grashof.World of '{}' at {:g} s>", w.source->scenario.name, w.state().time);
      });
}

}  // namespace grashof::python
