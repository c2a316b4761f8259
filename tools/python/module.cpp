/// The Python module grashof._core.

#include "engine/base/error.h"
#include "tools/python/bind.h"

namespace {

namespace py = pybind11;

/// Python's class for InputError: a ValueError with a list of diagnostics.
py::object makeInputError(py::module_& module) {
  py::dict body;
  body["__doc__"] =
      "Bad input. `diagnostics` lists all that was found wrong as (file, line, element, message).";
  body["__module__"] = "grashof";
  const py::object type = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(&PyType_Type));
  py::object error = type("InputError", py::make_tuple(py::handle(PyExc_ValueError)), body);
  module.attr("InputError") = error;
  return error;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "Bindings of the engine; use the package grashof, which adds what is written in Python.";
  module.attr("__version__") = GRASHOF_VERSION;
  static py::handle inputError;  // lives as long as the module, which is never unloaded
  inputError = makeInputError(module).release();
  // NOLINTNEXTLINE(performance-unnecessary-value-param): the signature is pybind11's
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const grashof::InputError& error) {
      py::object value = inputError(error.what());
      py::list all;
      for (const grashof::Diagnostic& d : error.diagnostics())
        all.append(py::make_tuple(d.file, d.line, d.element, d.message));
      value.attr("diagnostics") = all;
      PyErr_SetObject(inputError.ptr(), value.ptr());
    } catch (const grashof::Error& error) {  // of calls and of mechanisms that do not go together
      py::object value = inputError(error.what());
      value.attr("diagnostics") = py::list();
      PyErr_SetObject(inputError.ptr(), value.ptr());
    }
  });
  grashof::python::bindScenario(module);
  grashof::python::bindProblem(module);
  grashof::python::bindWorld(module);
  grashof::python::bindBatch(module);
  grashof::python::bindAnalysis(module);
}
