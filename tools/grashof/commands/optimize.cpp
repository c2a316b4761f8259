#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/results/run_folder.h"
#include "engine/study/path.h"
#include "engine/study/search.h"
#include "engine/study/study_file.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/exit_code.h"
#include "tools/grashof/interruption.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/path_synthesis.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/result_name.h"
#include "tools/grashof/search_report.h"

namespace grashof {
namespace {

struct OptimizeArguments {
  std::string file, points, out = "results", minimize, maximize, target, method;
  std::vector<std::string> params, measures, constraints;
  RunOptions options;
  std::uint64_t evaluations = 0, starts = 20000;  ///< evaluations 0: those of the file, else 200
  std::int64_t seed = -1;
  double tolerance = 1e-6;
};

/// A parameter with a range `NAME=FROM:TO`, or the ladder `NAME=FROM:TO:COUNT` of a study, as one that is
/// distributed evenly; others as they are.
std::string rangeParam(const std::string& text) {
  std::vector<std::size_t> colons;
  std::size_t equals = std::string::npos;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '[' || text[i] == '(' ? 1 : text[i] == ']' || text[i] == ')' ? -1 : 0;
    if (depth != 0) continue;
    if (text[i] == '~' && equals == std::string::npos) return text;
    if (text[i] == '=' && equals == std::string::npos) equals = i;
    if (text[i] == ':' && equals != std::string::npos) colons.push_back(i);
  }
  if (equals == std::string::npos) return text;  // the tolerance of the file
  if (colons.empty() || colons.size() > 2)
    throw InputError(fmt::format("parameter '{}': needs a range FROM:TO (as in L=0.1:0.2)", text));
  const std::size_t end = colons.size() == 2 ? colons[1] : text.size();
  return fmt::format("{}~uniform({}, {})", text.substr(0, equals),
                     text.substr(equals + 1, colons[0] - equals - 1),
                     text.substr(colons[0] + 1, end - colons[0] - 1));
}

/// The name of the measure that a text says, which is added unless it is there: a name of one before it, or a
/// measure itself.
std::string nameOfMeasure(const std::string& text, std::vector<std::string>& measures) {
  for (const std::string& one : measures)
    if (one == text || study::parseMeasure(one).name == text) return study::parseMeasure(one).name;
  std::string name = study::parseMeasure(text).name;
  measures.push_back(text);
  return name;
}

study::SearchMethod methodOf(const OptimizeArguments& a, std::size_t factors) {
  const auto& names = study::searchMethodNames();
  if (!a.method.empty())
    return static_cast<study::SearchMethod>(std::find(names.begin(), names.end(), a.method) - names.begin());
  // BOBYQA interpolates in two dimensions or more, and knows no constraints.
  return a.constraints.empty() && factors > 1 ? study::SearchMethod::Bobyqa : study::SearchMethod::Cobyla;
}

/// What is to be made small: the text of its measure.
std::string goalText(const OptimizeArguments& a) {
  const int said = !a.minimize.empty() + !a.maximize.empty() + !a.target.empty();
  if (said != 1)
    throw InputError(said == 0 ? "nothing is to be optimized (add --minimize, --maximize or --target, as in "
                                 "--minimize peak:joint.crank.effort.0)"
                               : "--minimize, --maximize and --target are alternatives (keep one)");
  if (a.target.empty()) return a.minimize + a.maximize;
  const auto equals = a.target.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError("--target " + a.target + ": needs POINT=FILE (as in coupler:0.1,0,0.2=points.csv)");
  return fmt::format("miss=miss:{}@{}", a.target.substr(0, equals),
                     study::readTargets(a.target.substr(equals + 1)));
}

constexpr std::uint64_t kEvaluations = 200;

/// What is not said on the command line is as the file of the study has it.
void completeBy(const study::SearchTexts& file, OptimizeArguments& a) {
  if ((a.minimize + a.maximize + a.target).empty()) {
    a.minimize = file.minimize;
    a.maximize = file.maximize;
    a.target = file.target;
  }
  a.constraints.insert(a.constraints.begin(), file.constraints.begin(), file.constraints.end());
  if (a.method.empty()) a.method = file.method;
  if (a.evaluations == 0) a.evaluations = file.evaluations > 0 ? file.evaluations : kEvaluations;
}

/// What varies and is measured, from the file and the command line, which is completed by the file. `goal`
/// and `bounds` get the names of measures.
study::StudyDefinition searchDefinition(OptimizeArguments& a, std::string& goal,
                                        std::vector<study::BoundText>& bounds) {
  study::SearchTexts texts;
  study::StudyDefinition d = study::readStudyFile(a.file, &texts);
  completeBy(texts, a);
  const std::vector<Override> overrides = overridesOf(a.options);
  d.set.insert(d.set.end(), overrides.begin(), overrides.end());
  d.params.insert(d.params.end(), a.params.begin(), a.params.end());
  for (std::string& text : d.params) text = rangeParam(text);
  d.measures.insert(d.measures.end(), a.measures.begin(), a.measures.end());
  if (a.seed >= 0) d.seed = static_cast<std::uint64_t>(a.seed);
  goal = nameOfMeasure(goalText(a), d.measures);
  for (const std::string& text : a.constraints) {
    bounds.push_back(study::parseBound(text));
    bounds.back().measure = nameOfMeasure(bounds.back().measure, d.measures);
  }
  d.design = study::Design::Random;  // whose factors are ranges; its points are not asked for
  d.runs = study::kMostEvaluations;
  return d;
}

/// Prints what was found. Returns the exit code.
int finishSearch(const OptimizeArguments& a, const SearchOutcome& outcome, const study::Rows& rows,
                 const std::string& path) {
  const study::SearchResult& result = outcome.result;
  if (a.options.json) {
    printJson(searchJson(outcome));
  } else {
    fmt::print("{}", searchText(outcome));
    const std::uint64_t known = result.points.size() - result.made;
    if (known > 0) fmt::print("  {} evaluations were there already\n", known);
    fmt::print("  results: {}/evaluations.csv, search.json, optimize.html{}\n", path,
               result.best ? ", best.xml" : "");
  }
  if (!result.complete) {
    fmt::print(
        stderr,
        "grashof: {} of at most {} evaluations are made (interrupted by {}); the same command goes on\n",
        result.points.size(), a.evaluations, Interruption::name());
    return Interruption::exitCode();
  }
  if (result.best) return kDone;
  fmt::print(stderr, "grashof: no evaluation succeeded within the constraints; the first: {}\n",
             rows.ok(0) ? "outside of them" : rows.reason(0));
  return kFailed;
}

int optimize(OptimizeArguments a) {
  if (a.file.empty() == a.points.empty())
    throw InputError("optimize needs either FILE or --fourbar-path POINTS");
  if (!a.points.empty())
    return synthesizeFourBar({a.points, a.out, a.starts, a.options.json, a.options.quiet});
  std::string goalName;
  std::vector<study::BoundText> bounds;
  const study::Study study(searchDefinition(a, goalName, bounds));
  const auto measureOf = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find_if(study.measures().begin(), study.measures().end(),
                                                 [&](const study::Measure& m) { return m.name == name; }) -
                                    study.measures().begin());
  };
  study::Goal goal{measureOf(goalName), !a.maximize.empty(), {}};
  for (const study::BoundText& b : bounds) goal.bounds.push_back({measureOf(b.measure), b.upper, b.value});
  study::SearchOptions options;
  options.method = methodOf(a, study.factors().size());
  options.evaluations = a.evaluations;
  options.seed = study.definition().seed;
  options.tolerance = a.tolerance;

  checkSearch(study, goal, options);
  const std::string path = a.out + "/" + resultName(a.file);
  RunFolder folder(path);
  folder.hold();
  study::Rows rows = searchRows(study);
  study::Journal journal(path + "/search.journal", searchHash(study, goal, options), rows);
  const std::uint64_t before = rows.count();
  study::SearchResult result;
  {
    const Interruption interruption;
    ProgressBar bar(study.definition().name, !a.options.quiet && !a.options.json, "evaluations");
    options.stop = [] { return !Interruption::name().empty(); };
    options.progress = [&](std::uint64_t done) {
      if (done <= before) return;
      bar.show(static_cast<double>(done - before) / static_cast<double>(a.evaluations - before),
               static_cast<std::int64_t>(done - before));
    };
    result = search(study, goal, rows, journal, options);
  }
  study.checkUnchanged();
  const SearchOutcome outcome{study, goal, rows, options, result};
  writeSearch(outcome, path);
  return finishSearch(a, outcome, rows, path);
}

}  // namespace

Command addOptimize(CLI::App& app) {
  const auto a = std::make_shared<OptimizeArguments>();
  CLI::App& command = *app.add_subcommand(
      "optimize", "the values of parameters at which a measure of a scenario's run is least, or largest");
  command.add_option("FILE", a->file, "a scenario, or a study (assets/docs/studies.md)");
  command
      .add_option(
          "--param", a->params,
          "what varies, in which range: L=0.1:0.2, mu~loguniform(0.01,1) for a search by its logarithm, or L "
          "alone for the tolerance in the file; a <parameter>, or the path of an attribute. The search "
          "begins at the values of the file")
      ->allow_extra_args(false);
  command.add_option("--minimize", a->minimize,
                     "what is to be least: a measure as of sweep (peak:joint.A.effort.0), of a path "
                     "(straightness[0.2..0.7]:coupler:0.1,0,0), or the name of one");
  command.add_option("--maximize", a->maximize, "what is to be largest");
  command.add_option(
      "--target", a->target,
      "points that a point of a body is to pass: BODY=FILE or BODY:X,Y,Z=FILE, a CSV file of x,z or "
      "x,y,z (m), or t,x,y,z where the time counts (s)");
  command
      .add_option("--constraint", a->constraints,
                  "bound of a measure: 'max:joint.C.reaction<=100', 'transmission:B,C,D>=0.7', in SI units")
      ->allow_extra_args(false);
  command.add_option("--measure", a->measures, "what else to know of each run, as of sweep")
      ->allow_extra_args(false);
  command
      .add_option(
          "--method", a->method,
          "local: bobyqa (default), cobyla (default with constraints), sbplx; global: crs, isres (takes "
          "constraints), direct")
      ->check(CLI::IsMember(study::searchMethodNames()));
  command
      .add_option(
          "--evaluations", a->evaluations,
          "runs at most (default: those of the study, else 200); more of them go on with the same search")
      ->check(CLI::Range(std::uint64_t{1}, study::kMostEvaluations));
  command
      .add_option("--tolerance", a->tolerance,
                  "a local method ends with smaller steps, relative to the ranges")
      ->check(finiteBetween(1e-12, 0.1))
      ->capture_default_str();
  command.add_option("--search-seed", a->seed, "of the random numbers of crs and isres")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 31));
  command.add_option("-o,--out", a->out, "folder for results; what is there already is not made again")
      ->capture_default_str();
  command.add_option(
      "--fourbar-path", a->points,
      "instead of FILE: find planar four-bars whose coupler point passes these points, a CSV file of "
      "x,z (m), five or more; nine decide all lengths");
  command.add_option("--starts", a->starts, "of --fourbar-path: where the search for linkages begins")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))
      ->capture_default_str();
  addRunOptions(command, a->options);
  return {&command, [a] { return optimize(*a); }};
}

}  // namespace grashof
