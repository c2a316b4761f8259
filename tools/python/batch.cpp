/// Many worlds of one scenario, stepped side by side.

#include <optional>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/world.h"
#include "tools/python/bind.h"

namespace grashof::python {
namespace {

class Batch {
 public:
  Batch(const std::shared_ptr<Source>& source, std::size_t count) {
    if (count < 1) throw py::value_error("a batch needs at least one world");
    for (std::size_t i = 0; i < count; ++i)
      worlds_.push_back(std::make_unique<World>(source->scenario.model));
    const World& first = *worlds_[0];
    actuators_ = first.controls().size();
    coordinates_ = first.state().coordinates.size();
    controls_.assign(count * actuators_, std::numeric_limits<double>::quiet_NaN());
    values_.assign(count * coordinates_, 0.0);
    rates_.assign(count * coordinates_, 0.0);
    gather();
  }

  std::size_t size() const { return worlds_.size(); }
  World& at(std::size_t i) { return *worlds_[i]; }

  void step(std::int64_t steps, int threads) {
    if (steps < 0) throw py::value_error("steps must not be negative");
    if (threads < 1) throw py::value_error("threads must be at least 1");
    const py::gil_scoped_release release;
    for (std::size_t w = 0; w < size(); ++w)
      std::copy_n(&controls_[w * actuators_], actuators_, worlds_[w]->controls().begin());
    if (!arena_ || threads_ != threads) arena_.emplace(threads_ = threads);
    arena_->execute([&] {
      parallelFor(size(), 1, [&](std::size_t w) {
        World& world = *worlds_[w];
        for (std::int64_t i = 0; i < steps && !world.simulator().diverged(); ++i) world.step();
      });
    });
    gather();
  }

  void reset(const std::vector<std::size_t>& which) {
    for (const std::size_t w : which) {
      if (w >= size()) throw py::index_error(fmt::format("no world {} in a batch of {}", w, size()));
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
  void gather() {
    for (std::size_t w = 0; w < size(); ++w) {
      const auto rates = worlds_[w]->rates();
      std::copy(rates.begin(), rates.end(), rates_.begin() + static_cast<std::ptrdiff_t>(w * coordinates_));
      const auto& q = std::as_const(*worlds_[w]).state().coordinates;
      std::copy(q.begin(), q.end(), values_.begin() + static_cast<std::ptrdiff_t>(w * coordinates_));
    }
  }

  std::vector<std::unique_ptr<World>> worlds_;
  std::size_t actuators_ = 0, coordinates_ = 0;
  std::vector<double> controls_, values_, rates_;  // one row a world
  std::optional<tbb::task_arena> arena_;
  int threads_ = 0;
};

}  // namespace

void bindBatch(py::module_& module) {
  py::class_<Batch>(
      module, "Batch",
      "Worlds of one scenario that are stepped side by side, each with the result it would have "
      "alone, whatever the number of threads.")
      .def(py::init<const std::shared_ptr<Source>&, std::size_t>(), py::arg("scenario"), py::arg("count"))
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
      .def(
          "reset",
          [](Batch& b, const py::object& which) {
            std::vector<std::size_t> all;
            if (which.is_none())
              for (std::size_t i = 0; i < b.size(); ++i) all.push_back(i);
            else
              all = which.cast<std::vector<std::size_t>>();
            b.reset(all);
          },
          py::arg("which") = py::none(), "Back to the start: all worlds, or those listed.")
      .def_property_readonly("diverged", &Batch::diverged, "One bool a world.")
      .def_property_readonly("controls", &Batch::controls,
                             "(worlds, actuators): writable; NaN: as the scenario says.")
      .def_property_readonly("coordinates", &Batch::coordinates,
                             "(worlds, coordinates) after the last step or reset; m, rad.")
      .def_property_readonly("rates", &Batch::rates,
                             "(worlds, coordinates) after the last step or reset; m/s, rad/s.");
}

}  // namespace grashof::python
