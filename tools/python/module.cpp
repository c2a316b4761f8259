/// The Python module grashof._core.

#include "engine/base/version.h"
#include "tools/python/bind.h"

PYBIND11_MODULE(_core, module) {
  module.doc() = "Bindings of the engine; use the package grashof, which adds what is written in Python.";
  module.attr("__version__") = grashof::version();
  grashof::python::bindErrors(module);
  grashof::python::bindScenario(module);
  grashof::python::bindProblem(module);
  grashof::python::bindWorld(module);
  grashof::python::bindBatch(module);
  grashof::python::bindAnalysis(module);
  grashof::python::bindMinimal(module);
  grashof::python::bindContactInverseDynamics(module);
  grashof::python::bindStudy(module);
  grashof::python::bindResults(module);
}
