#pragma once
/// Parts of the Python module, one function per file.

#include <memory>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "engine/base/spelling.h"
#include "engine/scenario/scenario.h"
#include "engine/world.h"
#include "solvers/solver.h"
#include "tools/python/in_use.h"

namespace grashof::python {

namespace py = pybind11;

void bindErrors(py::module_& module);
void bindScenario(py::module_& module);
void bindWorld(py::module_& module);
void bindBatch(py::module_& module);
void bindMinimal(py::module_& module);
void bindContactInverseDynamics(py::module_& module);
void bindProblem(py::module_& module);
void bindAnalysis(py::module_& module);
void bindStudy(py::module_& module);
void bindResults(py::module_& module);

/// A path that Python gives: text, bytes or a pathlib.Path.
struct PathArgument {
  std::string text;
  operator const std::string&() const { return text; }  // NOLINT: it is one
};

/// A scenario with the text from which it was read, so that it can be pickled.
struct Source {
  Scenario scenario;
  std::string text;  ///< XML
  std::string path;  ///< absolute; of the file, or of where a file of that text would be
  std::vector<Override> overrides;
};

/// What a dictionary of paths and values changes in a scenario.
std::vector<Override> overridesOf(const py::dict& set);

/// World::save() and restore() with bytes. restore() throws InputError for what no world saved.
py::bytes saved(World& world);
void restore(World& world, const std::string& bytes);

/// A problem as Python sees it: an independent copy.
py::object problemObject(const DualProblem& problem);

/// KeyError for a `name` that none of the `items` has: "no body 'crnk' (did you mean 'crank'?)".
template <typename Items>
py::key_error unknownName(const char* kind, const std::string& name, const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  const std::string near = closest(name, names);
  return py::key_error(fmt::format("no {} '{}' ({})", kind, name,
                                   !near.empty()   ? "did you mean '" + near + "'?"
                                   : names.empty() ? "there is none"
                                                   : fmt::format("there are {}", fmt::join(names, ", "))));
}

/// The body of a name or index. Throws KeyError for a name, and CallError for an index, that no body has.
int bodyIndex(const Model& model, const py::object& body);

/// The values as a class of grashof/records.py.
inline py::object record(const char* type, const py::dict& values) {
  return py::module_::import("grashof.records").attr(type)(values);
}

/// New array of `rows` × `columns` numbers.
inline py::array_t<double> table(py::ssize_t rows, py::ssize_t columns) {
  return py::array_t<double>(std::vector<py::ssize_t>{rows, columns});
}

/// View of memory that `owner` keeps alive: rows × columns numbers, `stride` bytes from row to row.
inline py::array_t<double> view(double* data, py::ssize_t rows, py::ssize_t columns, py::ssize_t stride,
                                const py::object& owner) {
  return py::array_t<double>({rows, columns}, {stride, static_cast<py::ssize_t>(sizeof(double))}, data,
                             owner);
}
inline py::array_t<double> view(double* data, py::ssize_t size, const py::object& owner) {
  return py::array_t<double>({size}, {static_cast<py::ssize_t>(sizeof(double))}, data, owner);
}

/// Makes an array read-only and returns it.
inline py::array_t<double> readOnly(py::array_t<double> array) {
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

/// A copy of numbers as an array.
template <typename T>
py::array_t<T> arrayOf(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

}  // namespace grashof::python

namespace pybind11::detail {

template <>
class type_caster<grashof::python::PathArgument> {
 public:
  PYBIND11_TYPE_CASTER(grashof::python::PathArgument, const_name("str | os.PathLike"));

  bool load(handle source, bool) {
    PyObject* encoded = nullptr;
    // Numbers and the like are no paths: another overload, or an error of the type.
    if (PyUnicode_FSConverter(source.ptr(), &encoded) == 0) {
      PyErr_Clear();
      return false;
    }
    value.text = reinterpret_steal<bytes>(encoded);
    return true;
  }
};

}  // namespace pybind11::detail
