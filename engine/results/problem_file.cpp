#include "engine/results/problem_file.h"

#include "engine/base/output_file.h"
#include "engine/results/fclib_local.h"
#include "engine/results/hdf5_file.h"
#include "engine/results/problem_groups.h"

namespace grashof {
namespace {

void writeContent(Hdf5Writer& file, const std::string& title, const DualProblem& problem,
                  const Solution* solution) {
  file.text("fclib_local/info/title", title);
  file.text("fclib_local/info/description",
            "One step of a Grashof simulation. W, q: contacts alone; group grashof: with joints and limits.");
  file.text("fclib_local/info/math_info", "u = W r + q, contact rows (n, t, o), impulses in N s");
  writeFclibLocal(file, problem, solution);
  if (!problem.inertia.empty()) writeProblemGroups(file, problem);
  file.flush();
}

}  // namespace

ProblemFile readProblem(const std::string& path) {
  const Hdf5Reader file(path, "the FCLIB layout, local form");
  ProblemFile result;
  result.problem = file.has("grashof") ? readProblemGroups(file) : readFclibLocal(file, result.notes);
  return result;
}

void writeProblem(const std::string& path, const std::string& title, const DualProblem& problem,
                  const Solution* solution) {
  const std::string fresh = path + ".new";
  {
    Hdf5Writer file(fresh);
    writeContent(file, title, problem, solution);
  }
  replaceFile(fresh, path);
}

}  // namespace grashof
