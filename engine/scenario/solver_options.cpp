#include "engine/scenario/solver_options.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/model/solver_checks.h"
#include "engine/scenario/reader.h"

namespace grashof {
namespace {

constexpr std::string_view kPrefix = "solver.";
// What a caller says apart, by arguments of its own.
constexpr std::array<std::string_view, 4> kApart = {"name", "tolerance", "tolerance-kind", "max-iterations"};

}  // namespace

SolverOptions solverOptions(const std::vector<Override>& values) {
  tinyxml2::XMLDocument document;
  tinyxml2::XMLElement& solver = *document.NewElement("solver");
  document.InsertEndChild(&solver);
  for (const Override& value : values) {
    const std::string_view path = value.path;
    if (!path.starts_with(kPrefix))
      throw InputError(fmt::format(
          "{}: only attributes of the solver can be set here, as solver.penalty-step", value.path));
    if (std::find(kApart.begin(), kApart.end(), path.substr(kPrefix.size())) != kApart.end())
      throw InputError(fmt::format("{}: has an argument of its own here", value.path));
    solver.SetAttribute(value.path.substr(kPrefix.size()).c_str(), value.value.c_str());
  }
  std::vector<Diagnostic> found;
  auto context = std::make_shared<xml::Context>();
  context->notes = std::make_shared<xml::ReadingNotes>();
  xml::Element element(solver, "solver options", "solver", found, std::move(context));
  SolverOptions options;
  xml::readSolverOptions(element, options);
  Defects defects;
  checkSolver(options, element.where(), defects);
  for (Diagnostic& defect : found) defects.report(std::move(defect));
  if (defects.count() > 0) throw InputError(defects.sorted());
  return options;
}

}  // namespace grashof
