/// Scenarios, bodies and joints as Python sees them.

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/dynamics/channels.h"
#include "engine/dynamics/kinematics/control_map.h"
#include "engine/model/user_frames.h"
#include "engine/run.h"
#include "engine/scenario/writer.h"
#include "tools/python/bind.h"

namespace grashof::python {

namespace {

/// A value as attributes are written: truths, numbers and texts, and lists and arrays of them with blanks.
std::string attributeText(const py::handle& value) {
  if (py::isinstance<py::str>(value)) return py::str(value);
  const std::string type = py::str(py::type::handle_of(value).attr("__name__"));
  if (type == "bool" || type == "bool_")
    return py::cast<bool>(py::bool_(py::reinterpret_borrow<py::object>(value))) ? "true" : "false";
  // Arrays and numbers of NumPy as lists and numbers of Python.
  if (py::hasattr(value, "tolist")) return attributeText(value.attr("tolist")());
  if (!py::isinstance<py::sequence>(value) || py::isinstance<py::bytes>(value)) return py::str(value);
  std::string all;
  for (const py::handle item : py::reinterpret_borrow<py::sequence>(value))
    all += (all.empty() ? "" : " ") + attributeText(item);
  return all;
}

}  // namespace

std::vector<Override> overridesOf(const py::dict& set) {
  std::vector<Override> all;
  for (const auto& [key, value] : set) all.push_back({py::str(key), attributeText(value)});
  return all;
}

namespace {

Source load(const PathArgument& given, const py::dict& set) {
  const std::string& path = given;
  Source source;
  source.overrides = overridesOf(set);
  source.scenario = readScenario(path, source.overrides);
  source.path = std::filesystem::absolute(path).string();
  std::ifstream file(path, std::ios::binary);
  source.text =
      utf8OfXml(std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>())).text;
  return source;
}

Source parse(const std::string& text, const PathArgument& given, const py::dict& set) {
  const std::string& path = given;
  Source source;
  source.overrides = overridesOf(set);
  // A text of Python is UTF-8, whatever its first line says of a file: the mark tells.
  const char* mark = "\xEF\xBB\xBF";
  source.text = utf8OfXml(text.starts_with(mark) ? text : mark + text).text;
  source.scenario = parseScenario(source.text, path, source.overrides);
  source.path = std::filesystem::absolute(path).string();
  return source;
}

py::list names(const auto& items) {
  py::list all;
  for (const auto& item : items) all.append(item.name);
  return all;
}

py::array_t<double> vectorOf(const Vec3& v) { return py::array_t<double>(3, v.data()); }

py::object bodyOf(const Source& s, const std::string& name) {
  const int at = s.scenario.model->findBody(name);
  if (at < 0) throw unknownName("body", name, s.scenario.model->bodies);
  const Body& body = s.scenario.model->bodies[static_cast<std::size_t>(at)];
  py::array_t<double> inertia = table(3, 3);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) inertia.mutable_at(r, c) = body.inertia(r, c);
  py::dict d;
  d["index"] = at;
  d["name"] = body.name;
  d["mass"] = body.mass;
  d["inertia"] = inertia;
  d["frame_position"] = vectorOf(body.userFrame.position);
  d["frame_quaternion"] = py::array_t<double>(4, body.userFrame.rotation.coeffs().data());
  return record("BodyInfo", d);
}

py::object jointOf(const Source& s, const std::string& name) {
  const Model& model = *s.scenario.model;
  const int at = model.findJoint(name);
  if (at < 0) throw unknownName("joint", name, model.joints);
  const Joint& joint = model.joints[static_cast<std::size_t>(at)];
  const auto bodyName = [&](int b) -> py::object {
    return b < 0 ? py::object(py::none())
                 : py::object(py::str(model.bodies[static_cast<std::size_t>(b)].name));
  };
  py::dict d;
  d["index"] = at;
  d["name"] = joint.name;
  d["type"] = std::string(joint.type->name());
  d["base"] = bodyName(joint.base);
  d["follower"] = bodyName(joint.follower);
  const int start = model.coordinateStart[at], end = model.coordinateStart[at + 1];
  d["coordinates"] = py::slice(start, end, 1);
  py::list limits;
  for (const JointCoordinate& axis : joint.coordinates)
    limits.append(py::make_tuple(axis.limit.lower, axis.limit.upper));
  d["limits"] = limits;
  return record("JointInfo", d);
}

py::dict parametersOf(const Source& s) {
  constexpr const char* kSpreads[] = {"normal", "uniform", "triangular"};
  py::dict all;
  for (const Parameter& p : s.scenario.parameters) {
    py::dict d;
    d["value"] = p.value;
    d["unit"] = p.unit;
    d["below"] = p.below;
    d["above"] = p.above;
    d["spread"] = kSpreads[static_cast<std::size_t>(p.spread)];
    all[py::str(p.name)] = record("ParameterInfo", d);
  }
  return all;
}

py::list controlNames(const Model& model) {
  py::list all;
  const ControlMap controls(model);
  for (std::size_t c = 0; c < controls.size(); ++c) all.append(controls.name(c));
  return all;
}

using ScenarioClass = py::class_<Source, std::shared_ptr<Source>>;

void bindProperties(ScenarioClass& scenario) {
  scenario
      .def(py::pickle(
          [](const Source& s) {
            py::list set;
            for (const Override& o : s.overrides) set.append(py::make_tuple(o.path, o.value));
            return py::make_tuple(s.text, s.path, set);
          },
          [](const py::tuple& state) {
            py::dict set;
            for (const auto& o : state[2].cast<py::list>()) {
              const auto pair = o.cast<py::tuple>();
              set[pair[0]] = pair[1];
            }
            return parse(state[0].cast<std::string>(), {state[1].cast<std::string>()}, set);
          }))
      .def_property_readonly(
          "name", [](const Source& s) { return s.scenario.name; }, "Name in reports.")
      .def_property_readonly(
          "path", [](const Source& s) { return s.path; },
          "Absolute path of the file; for text, of where it would be.")
      .def_property_readonly(
          "duration", [](const Source& s) { return s.scenario.duration; }, "s")
      .def_property_readonly(
          "timestep", [](const Source& s) { return s.scenario.model->step.timestep; }, "s")
      .def_property_readonly(
          "gravity", [](const Source& s) { return vectorOf(s.scenario.model->gravity); }, "m/s², world axes")
      .def_property_readonly(
          "bodies", [](const Source& s) { return names(s.scenario.model->bodies); },
          "Names of all bodies, in the order of the rows of World.positions.")
      .def_property_readonly(
          "joints", [](const Source& s) { return names(s.scenario.model->joints); },
          "Names of all joints, in the order of the rows of World.reactions().")
      .def_property_readonly(
          "actuators", [](const Source& s) { return controlNames(*s.scenario.model); },
          "Names of World.controls, in their order: those of <control> elements, then JOINT or "
          "JOINT.COORDINATE of all other actuators.")
      .def_property_readonly(
          "forces",
          [](const Source& s) {
            py::list all;
            for (const ForceElement& force : s.scenario.model->forces) all.append(force.name);
            return all;
          },
          "Names of all springs, gas springs, forces, cables and tendons, in the order of World.forces.")
      .def_property_readonly("parameters", &parametersOf,
                             "The <parameter>s of the file and the deviations that its <tolerance>s allow, "
                             "by name: value, unit, below, above "
                             "(bounds of the tolerance, from the value) and spread.");
}

void bindMethods(ScenarioClass& scenario) {
  scenario
      .def("body", &bodyOf, py::arg("name"),
           "index, name, mass (kg), inertia (3×3, kg·m², about the centre of mass), frame_position and "
           "frame_quaternion (x y z w) of the frame in which the body was described, in the CoM frame.")
      .def("joint", &jointOf, py::arg("name"),
           "index, name, type, base and follower (names; None: the world), coordinates (slice of "
           "World.coordinates), limits (lower, upper of each; m, rad).")
      .def(
          "write", [](const Source& s, const PathArgument& path) { writeScenario(s.scenario, path); },
          py::arg("path"),
          "Writes the scenario as XML that reads back to the same model, with its parameters and "
          "expressions.")
      .def("__repr__", [](const Source& s) {
        return fmt::format("<grashof.Scenario '{}': {} bodies, {} joints>", s.scenario.name,
                           s.scenario.model->bodies.size(), s.scenario.model->joints.size());
      });
}

}  // namespace

void bindScenario(py::module_& module) {
  ScenarioClass scenario(module, "Scenario",
                         "A model, how long to run it, what to record and what to expect. Immutable.");
  bindProperties(scenario);
  bindMethods(scenario);
  module.def("load", &load, py::arg("path"), py::arg("set") = py::dict(),
             "Reads a scenario file. `set`: attributes to override, as in {'options.timestep': 5e-4}, and "
             "parameters, as in "
             "{'param.L': 0.12}.");
  module.def("parse", &parse, py::arg("text"), py::arg("path") = "scenario.xml", py::arg("set") = py::dict(),
             "Reads a scenario from XML text. `path` names it in messages; files it includes are looked for "
             "beside it.");
}

}  // namespace grashof::python
