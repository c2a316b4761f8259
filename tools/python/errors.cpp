/// Python's classes for the errors of the library.

#include "engine/base/error.h"
#include "tools/python/bind.h"

namespace grashof::python {
namespace {

/// Makes the class grashof.NAME, with `bases` before Exception in its order of resolution.
py::object makeClass(py::module_& module, const char* name, const py::tuple& bases, const char* doc) {
  py::dict body;
  body["__doc__"] = doc;
  body["__module__"] = "grashof";
  const py::object type = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(&PyType_Type));
  py::object made = type(name, bases, body);
  module.attr(name) = made;
  return made;
}

/// The classes live as long as the module, which is never unloaded.
struct Classes {
  py::handle input, file, assembly, call, diverged;
};
Classes classes;

void raise(py::handle type, const py::object& value) { PyErr_SetObject(type.ptr(), value.ptr()); }

void raiseInputError(const InputError& error) {
  const py::object value = classes.input(error.what());
  py::list all;
  for (const Diagnostic& d : error.diagnostics())
    all.append(py::make_tuple(d.file, d.line, d.element, d.message));
  value.attr("diagnostics") = all;
  raise(classes.input, value);
}

/// Raises the Python class of each of the library's errors; others are left to pybind11.
void translate(std::exception_ptr pointer) {  // NOLINT(performance-unnecessary-value-param): pybind11's
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const InputError& error) {
    raiseInputError(error);
  } catch (const FileError& error) {
    const py::object value = classes.file(error.what());
    value.attr("path") = error.path();
    raise(classes.file, value);
  } catch (const AssemblyError& error) {
    const py::object value = classes.assembly(error.what());
    value.attr("violation") = error.violation();
    raise(classes.assembly, value);
  } catch (const DivergedError& error) {
    const py::object value = classes.diverged(error.what());
    value.attr("time") = error.time();
    raise(classes.diverged, value);
  } catch (const CallError& error) {
    raise(classes.call, classes.call(error.what()));
  }
}

}  // namespace

void bindErrors(py::module_& module) {
  const py::object base = makeClass(module, "Error", py::make_tuple(py::handle(PyExc_Exception)),
                                    "Base of all errors that the engine raises.");
  const auto derived = [&](const char* name, PyObject* builtin, const char* doc) {
    return makeClass(module, name, py::make_tuple(base, py::handle(builtin)), doc).release();
  };
  classes.input = derived("InputError", PyExc_ValueError,
                          "Bad input. `diagnostics` lists all that was found wrong as (file, line, element, "
                          "message).");
  classes.file = derived("FileError", PyExc_OSError, "A file cannot be written. `path`: which.");
  classes.assembly = derived("AssemblyError", PyExc_RuntimeError,
                             "Bodies cannot be brought onto the joints. `violation`: what is left of the "
                             "worst joint, m or rad.");
  classes.call = derived("CallError", PyExc_ValueError,
                         "A call breaks its contract, as with a state of another model or a control that is "
                         "not finite; the object is as it was before.");
  classes.diverged = derived("Diverged", PyExc_RuntimeError,
                             "A step could not be made; the state is that before it. `time`: when, s.");
  py::register_exception_translator(&translate);
}

}  // namespace grashof::python
