/// Many worlds of one scenario, stepped side by side.

#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/dynamics/channels.h"
#include "engine/world.h"
#include "tools/python/bind.h"

namespace grashof::python {
namespace {

class Batch {
 public:
  explicit Batch(const std::vector<std::shared_ptr<Source>>& sources) {
    if (sources.empty()) throw py::value_error("a batch needs at least one world");
    for (const auto& source : sources) worlds_.push_back(std::make_unique<World>(source->scenario.model));
    const World& first = *worlds_[0];
    actuators_ = first.controls().size();
    coordinates_ = first.state().coordinates.size();
    bodies_ = first.model().bodies.size();
    for (std::size_t w = 0; w < size(); ++w)
      if (worlds_[w]->controls().size() != actuators_ ||
          worlds_[w]->state().coordinates.size() != coordinates_ ||
          worlds_[w]->model().bodies.size() != bodies_)
        throw py::value_error(
            fmt::format("world {} has other numbers of actuators, joint coordinates or bodies than world 0: "
                        "their values are rows of one array",
                        w));
    controls_.assign(size() * actuators_, std::numeric_limits<double>::quiet_NaN());
    values_.assign(size() * coordinates_, 0.0);
    rates_.assign(size() * coordinates_, 0.0);
    gather();
  }

  std::size_t size() const { return worlds_.size(); }
  /// The batch and its worlds.
  std::vector<const void*> used() const {
    std::vector<const void*> all = {this};
    for (const auto& world : worlds_) all.push_back(world.get());
    return all;
  }
  World& at(std::size_t i) { return *worlds_[i]; }

  void step(std::int64_t steps, int threads) {
    if (steps < 0) throw py::value_error("steps must not be negative");
    const InUse use(used());
    const py::gil_scoped_release release;
    onThreads(threads, [&](std::size_t w) {
      std::copy_n(&controls_[w * actuators_], actuators_, worlds_[w]->controls().begin());
      advance(*worlds_[w], steps);
    });
    gather();
  }

  /// Row r of `controls` is held for `steps` steps, then the results are taken: (worlds, rows, columns) each.
  py::object rollout(const py::array_t<double, py::array::c_style | py::array::forcecast>& controls,
                     std::int64_t steps, const std::vector<std::string>& channels, int threads) {
    if (steps < 1) throw py::value_error("steps must be at least 1");
    if (controls.ndim() != 3 || controls.shape(0) != static_cast<py::ssize_t>(size()) ||
        controls.shape(2) != static_cast<py::ssize_t>(actuators_))
      throw py::value_error(fmt::format(
          "controls must have the shape ({}, rows, {}): worlds, rows, actuators", size(), actuators_));
    const py::ssize_t rows = controls.shape(1);
    const auto table = [&](std::size_t columns) {
      return py::array_t<double>(std::vector<py::ssize_t>{static_cast<py::ssize_t>(size()), rows,
                                                          static_cast<py::ssize_t>(columns)});
    };
    py::array_t<double> coordinates = table(coordinates_), rates = table(coordinates_),
                        values = table(channels.size());
    std::vector<std::vector<Channel>> found(size());
    for (std::size_t w = 0; w < size(); ++w)
      for (const std::string& name : channels) found[w].push_back(findChannel(worlds_[w]->model(), name));
    const double* given = controls.data();
    double *q = coordinates.mutable_data(), *v = rates.mutable_data(), *c = values.mutable_data();
    {
      const InUse use(used());
      const py::gil_scoped_release release;
      onThreads(threads, [&](std::size_t w) {
        World& world = *worlds_[w];
        for (py::ssize_t r = 0; r < rows; ++r) {
          const std::size_t row = w * static_cast<std::size_t>(rows) + static_cast<std::size_t>(r);
          std::copy_n(given + row * actuators_, actuators_, world.controls().begin());
          advance(world, steps);
          take(world, found[w], q + row * coordinates_, v + row * coordinates_, c + row * channels.size());
        }
        const auto last = world.controls();
        std::copy(last.begin(), last.end(), controls_.begin() + static_cast<std::ptrdiff_t>(w * actuators_));
      });
      gather();
    }
    py::dict d;
    d["coordinates"] = coordinates;
    d["rates"] = rates;
    d["channels"] = values;
    return record("Rollout", d);
  }

  std::vector<py::bytes> save() {
    std::vector<py::bytes> all;
    for (const auto& world : worlds_) all.push_back(saved(*world));
    return all;
  }

  void restore(const std::vector<std::string>& states, const std::vector<std::size_t>& which) {
    if (states.size() != which.size())
      throw py::value_error(fmt::format("{} states for {} worlds", states.size(), which.size()));
    for (std::size_t i = 0; i < which.size(); ++i) {
      checkIndex(which[i]);
      World& world = *worlds_[which[i]];
      python::restore(world, states[i]);
      const auto controls = world.controls();
      std::copy(controls.begin(), controls.end(),
                controls_.begin() + static_cast<std::ptrdiff_t>(which[i] * actuators_));
    }
    gather();
  }

  /// Sum of the contact forces (N, world axes) on each body over the last step.
  py::array_t<double> contactForces() const {
    py::array_t<double> all(
        std::vector<py::ssize_t>{static_cast<py::ssize_t>(size()), static_cast<py::ssize_t>(bodies_), 3});
    std::fill_n(all.mutable_data(), all.size(), 0.0);
    for (std::size_t w = 0; w < size(); ++w) {
      const Simulator& s = worlds_[w]->simulator();
      double* of = all.mutable_data() + 3 * w * bodies_;
      for (std::size_t k = 0; k < s.contacts().size(); ++k) {
        const Contact& contact = s.contacts()[k];
        const Vec3 force = s.contactForce(static_cast<int>(k));
        for (int i = 0; i < 3; ++i) {
          if (contact.bodyA >= 0) of[3 * contact.bodyA + i] -= force[i];
          if (contact.bodyB >= 0) of[3 * contact.bodyB + i] += force[i];
        }
      }
    }
    return all;
  }

  void reset(const std::vector<std::size_t>& which) {
    for (const std::size_t w : which) {
      checkIndex(w);
      worlds_[w]->reset();
      std::fill_n(&controls_[w * actuators_], actuators_, std::numeric_limits<double>::quiet_NaN());
    }
    gather();
  }

  std::vector<bool> diverged() const {
    std::vector<bool> all;
    for (const auto& world : worlds_) all.push_back(world->simulator().diverged().has_value());
    return all;
  }

  static py::array_t<double> arrayOf(const py::object& self, std::vector<double> Batch::*values,
                                     std::size_t columns) {
    auto& batch = self.cast<Batch&>();
    return view((batch.*values).data(), static_cast<py::ssize_t>(batch.size()),
                static_cast<py::ssize_t>(columns), static_cast<py::ssize_t>(columns * sizeof(double)), self);
  }
  static py::array_t<double> controls(const py::object& self) {
    return arrayOf(self, &Batch::controls_, self.cast<Batch&>().actuators_);
  }
  static py::array_t<double> coordinates(const py::object& self) {
    return readOnly(arrayOf(self, &Batch::values_, self.cast<Batch&>().coordinates_));
  }
  static py::array_t<double> rates(const py::object& self) {
    return readOnly(arrayOf(self, &Batch::rates_, self.cast<Batch&>().coordinates_));
  }

 private:
  void checkIndex(std::size_t w) const {
    if (w >= size()) throw py::index_error(fmt::format("no world {} in a batch of {}", w, size()));
  }

  static void advance(World& world, std::int64_t steps) {
    const Entered entered(&world);  // for its callback
    for (std::int64_t i = 0; i < steps && !world.simulator().diverged(); ++i) world.step();
  }

  /// What a world shows after its step; NaN once it has diverged.
  static void take(World& world, const std::vector<Channel>& channels, double* coordinates, double* rates,
                   double* values) {
    const auto& q = std::as_const(world).state().coordinates;
    const auto v = world.rates();
    if (world.simulator().diverged()) {
      const double none = std::numeric_limits<double>::quiet_NaN();
      std::fill_n(coordinates, q.size(), none);
      std::fill_n(rates, v.size(), none);
      std::fill_n(values, channels.size(), none);
      return;
    }
    std::copy(q.begin(), q.end(), coordinates);
    std::copy(v.begin(), v.end(), rates);
    for (std::size_t i = 0; i < channels.size(); ++i) values[i] = channels[i](world.simulator());
  }

  /// Calls use(w) for every world, the calls spread over threads. Needs no interpreter.
  template <typename Use>
  void onThreads(int threads, Use use) {
    if (threads < 1) throw py::value_error("threads must be at least 1");
    if (!arena_ || threads_ != threads) arena_.emplace(threads_ = threads);
    arena_->execute([&] { parallelFor(size(), 1, use); });
  }

  void gather() {
    for (std::size_t w = 0; w < size(); ++w) {
      const auto rates = worlds_[w]->rates();
      std::copy(rates.begin(), rates.end(), rates_.begin() + static_cast<std::ptrdiff_t>(w * coordinates_));
      const auto& q = std::as_const(*worlds_[w]).state().coordinates;
      std::copy(q.begin(), q.end(), values_.begin() + static_cast<std::ptrdiff_t>(w * coordinates_));
    }
  }

  std::vector<std::unique_ptr<World>> worlds_;
  std::size_t actuators_ = 0, coordinates_ = 0, bodies_ = 0;
  std::vector<double> controls_, values_, rates_;  // one row a world
  std::optional<tbb::task_arena> arena_;
  int threads_ = 0;
};

/// A batch cannot be used while one of its worlds is.
void checkUsable(const Batch& batch) {
  if (!anyInUse()) return;
  for (const void* object : batch.used()) checkFree(object);
}

}  // namespace
}  // namespace grashof::python

namespace pybind11::detail {

template <>
class type_caster<grashof::python::Batch> : public grashof::python::GuardedCaster<grashof::python::Batch> {};

}  // namespace pybind11::detail

namespace grashof::python {
namespace {

std::vector<std::size_t> worldsOf(const Batch& batch, const py::object& which) {
  if (!which.is_none()) return which.cast<std::vector<std::size_t>>();
  std::vector<std::size_t> all(batch.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

void bindBatch(py::module_& module) {
  py::class_<Batch>(
      module, "Batch",
      "Worlds that are stepped side by side, each with the result it would have alone, whatever the number "
      "of "
      "threads: `count` of one scenario, or one of each scenario of a list, which may differ in all but the "
      "numbers of bodies, joint coordinates and actuators.")
      .def(py::init([](const std::shared_ptr<Source>& scenario, std::size_t count) {
             return std::make_unique<Batch>(std::vector(count, scenario));
           }),
           py::arg("scenario"), py::arg("count"))
      .def(py::init<const std::vector<std::shared_ptr<Source>>&>(), py::arg("scenarios"))
      .def("__len__", &Batch::size)
      .def(
          "__getitem__",
          [](Batch& b, py::ssize_t i) -> World& {
            const auto n = static_cast<py::ssize_t>(b.size());
            if (i < 0) i += n;
            if (i < 0 || i >= n) throw py::index_error();
            return b.at(static_cast<std::size_t>(i));
          },
          py::return_value_policy::reference_internal, py::arg("index"))
      .def("step", &Batch::step, py::arg("steps") = 1, py::arg("threads") = 1,
           "Makes `steps` steps in every world that has not diverged, on `threads` threads, without holding "
           "the interpreter. Controls of the worlds are taken from `controls`.")
      .def("rollout", &Batch::rollout, py::arg("controls"), py::arg("steps") = 1,
           py::arg("channels") = std::vector<std::string>(), py::arg("threads") = 1,
           "Holds controls[:, r] for `steps` steps each and returns what follows: coordinates, rates and "
           "channels as arrays (worlds, rows, columns). NaN from the row on in which a world diverged.")
      .def(
          "reset", [](Batch& b, const py::object& which) { b.reset(worldsOf(b, which)); },
          py::arg("which") = py::none(), "Back to the start: all worlds, or those listed.")
      .def("save", &Batch::save, "One World.save() a world.")
      .def(
          "restore",
          [](Batch& b, const std::vector<std::string>& states, const py::object& which) {
            b.restore(states, worldsOf(b, which));
          },
          py::arg("states"), py::arg("which") = py::none(),
          "World.restore() of all worlds, or of those listed, with their controls.")
      .def_property_readonly(
          "contact_forces", &Batch::contactForces,
          "(worlds, bodies, 3): sum of the contact forces on each body over the last step, "
          "N, world axes.")
      .def_property_readonly("diverged", &Batch::diverged, "One bool a world.")
      .def_property_readonly("controls", &Batch::controls,
                             "(worlds, actuators): writable; NaN: as the scenario says.")
      .def_property_readonly("coordinates", &Batch::coordinates,
                             "(worlds, coordinates) after the last step or reset; m, rad.")
      .def_property_readonly("rates", &Batch::rates,
                             "(worlds, coordinates) after the last step or reset; m/s, rad/s.");
}

}  // namespace grashof::python
