/// Recorded runs as arrays.

#include <string>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/results/trajectory.h"
#include "tools/python/bind.h"

namespace grashof::python {
namespace {

py::object contactsOf(const Trajectory& trajectory) {
  const auto& contacts = trajectory.contactPoints();
  if (!contacts)
    throw InputError(fmt::format(
        "{}: its contacts were not recorded (run with --contacts, or set <output contacts=\"true\"/>)",
        trajectory.file()));
  const auto n = static_cast<py::ssize_t>(contacts->all.size());
  py::array_t<int> bodies(std::vector<py::ssize_t>{n, 2}), modes(n);
  py::array_t<double> points = table(n, 3), normals = table(n, 3), slips = table(n, 3),
                      impulses = table(n, 3), gaps(n);
  for (py::ssize_t k = 0; k < n; ++k) {
    const ContactPoint& c = contacts->all[static_cast<std::size_t>(k)];
    bodies.mutable_at(k, 0) = c.bodyA;
    bodies.mutable_at(k, 1) = c.bodyB;
    gaps.mutable_at(k) = c.gap;
    modes.mutable_at(k) = static_cast<int>(c.mode);
    for (int i = 0; i < 3; ++i) {
      points.mutable_at(k, i) = c.point[i];
      normals.mutable_at(k, i) = c.normal[i];
      slips.mutable_at(k, i) = c.slip[i];
      impulses.mutable_at(k, i) = c.impulse[i];
    }
  }
  py::array_t<py::ssize_t> start(static_cast<py::ssize_t>(contacts->start.size()));
  for (std::size_t r = 0; r < contacts->start.size(); ++r)
    start.mutable_at(static_cast<py::ssize_t>(r)) = static_cast<py::ssize_t>(contacts->start[r]);
  py::dict d;
  d["times"] = arrayOf(trajectory.times());
  d["timestep"] = trajectory.timestep();
  d["body_names"] = trajectory.bodies();
  d["start"] = start;
  d["bodies"] = bodies;
  d["points"] = points;
  d["normals"] = normals;
  d["gaps"] = gaps;
  d["slips"] = slips;
  d["impulses"] = impulses;
  d["modes"] = modes;
  return record("RecordedContacts", d);
}

/// Poses of all records and bodies: positions (n, bodies, 3) and quaternions x y z w (n, bodies, 4).
py::tuple poses(const Trajectory& t) {
  const auto n = static_cast<py::ssize_t>(t.records()), bodies = static_cast<py::ssize_t>(t.bodies().size());
  py::array_t<double> positions(std::vector<py::ssize_t>{n, bodies, 3}),
      quaternions(std::vector<py::ssize_t>{n, bodies, 4});
  for (py::ssize_t r = 0; r < n; ++r)
    for (py::ssize_t b = 0; b < bodies; ++b) {
      const Pose pose = t.pose(static_cast<std::size_t>(r), static_cast<std::size_t>(b));
      for (int i = 0; i < 3; ++i) positions.mutable_at(r, b, i) = pose.position[i];
      for (int i = 0; i < 4; ++i) quaternions.mutable_at(r, b, i) = pose.rotation.coeffs()[i];
    }
  return py::make_tuple(positions, quaternions);
}

}  // namespace

void bindResults(py::module_& module) {
  py::class_<Trajectory>(module, "Trajectory", "The recorded values of a run; see grashof.Result.")
      .def(py::init([](const PathArgument& path) { return std::make_unique<Trajectory>(path); }),
           py::arg("path"))
      .def_property_readonly("file", &Trajectory::file)
      .def_property_readonly("name", &Trajectory::model)
      .def_property_readonly("scenario", &Trajectory::scenario)
      .def_property_readonly("timestep", &Trajectory::timestep)
      .def_property_readonly("times", [](const Trajectory& t) { return arrayOf(t.times()); })
      .def_property_readonly("bodies", &Trajectory::bodies)
      .def_property_readonly("joints", &Trajectory::joints)
      .def_property_readonly("channels", &Trajectory::channels)
      .def("unit", &Trajectory::unit, "Unit of a channel; empty: it has none.")
      .def("series",
           [](const Trajectory& t, const std::string& channel) { return arrayOf(t.series(channel)); })
      .def("redundant", &Trajectory::redundant)
      .def("poses", &poses)
      .def("contacts", &contactsOf);
  module.def(
      "read_contacts", [](const PathArgument& result) { return contactsOf(Trajectory(result)); },
      py::arg("result"),
      "All contacts of a run recorded with --contacts, from its folder or trajectory.h5. Those of "
      "record r are the rows start[r] to start[r + 1] of bodies (m, 2; -1: the world), points, normals "
      "(from the first body into the second), gaps, slips (m/s, of the second body's surface), "
      "impulses (N·s a step, on the second body) and modes (0 open, 1 sticking, 2 sliding); world "
      "axes. Also times (of the records), timestep and body_names.");
}

}  // namespace grashof::python
