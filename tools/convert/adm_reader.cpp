#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/input_file.h"
#include "engine/base/utf8.h"
#include "tools/convert/adm_context.h"
#include "tools/convert/formats.h"
#include "tools/convert/source.h"

namespace grashof::convert {
namespace {

constexpr std::uintmax_t kLargestDataset = 64u << 20;

/// What the title says of the name: ADAMS/View writes it there.
std::string modelName(const std::string& title, const std::string& path, Report& report) {
  const auto colon = title.find(':');
  std::string name(admTrimmed(colon == std::string::npos ? std::string_view()
                                                         : std::string_view(title).substr(colon + 1)));
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';  // no character of XML
  if (name.empty()) name = std::filesystem::path(path).stem().string();
  return name.empty() ? "model" : scenarioName(name, report);
}

[[noreturn]] void throwFound(std::vector<Diagnostic> found) {
  std::stable_sort(found.begin(), found.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
  throw InputError(std::move(found));
}

/// A first line that is meant as a statement is none.
void checkTitle(const std::string& title, const std::string& path) {
  const auto slash = title.find('/');
  if (slash == std::string::npos) return;
  const std::string word = admCapitals(admTrimmed(title.substr(0, slash)));
  for (const char* keyword : {"PART", "MARKER", "UNITS", "JOINT", "ACCGRAV"})
    if (word == keyword)
      throw InputError(std::vector<Diagnostic>{
          {path, 1, word, "the first line of a dataset is its title, no statement (put a title above it)"}});
}

}  // namespace

bool isAdm(const std::string& path) {
  const std::string ending = admCapitals(std::filesystem::path(path).extension().string());
  return ending == ".ADM";
}

Scenario readAdm(const std::string& path, const AdmOptions& options, Report& report) {
  bool assumed = false;
  const Utf8Text read = utf8OfText(readInputFile(path, kLargestDataset, "an Adams/Solver dataset"), assumed);
  if (!read.defect.empty()) throw InputError(std::vector<Diagnostic>{{path, read.line, {}, read.defect}});
  if (assumed) report.assumed.push_back("the dataset is no UTF-8: its letters are those of Windows-1252");
  const std::string& text = read.text;
  AdmContext c(path, options.duration, options.strict, report);
  std::string title;
  const AdmStatements all = readAdmStatements(text, path, title, c.found, report);
  checkTitle(title, path);
  c.builder.name() = modelName(title, path, report);
  for (const AdmStatement& s : all)
    if (const AdmArgument* f = s.keyword == "VARIABLE" ? s.find("FUNCTION") : nullptr;
        f && !f->values.empty())
      c.variables.emplace(s.id, f->values[0]);
  readAdmUnits(c, all);
  readAdmParts(c, all);
  if (std::none_of(c.parts.begin(), c.parts.end(), [](const auto& p) { return !p.second.ground; }) &&
      c.found.empty())
    c.found.push_back({path, 0, "", "has no PART that moves (is it an Adams/Solver dataset?)"});
  if (!c.found.empty()) throwFound(std::move(c.found));
  readAdmJoints(c, all);
  readAdmMotions(c, all);
  readAdmCouplings(c, all);
  readAdmForces(c, all);
  readAdmVectorForces(c, all);
  if (!c.found.empty()) throwFound(std::move(c.found));
  Scenario scenario;
  scenario.name = c.builder.name();
  scenario.duration = options.duration;
  scenario.model = assembledAdm(c);
  report.assumed.push_back(
      fmt::format("a dataset does not say how long it runs: {:g} s (--duration)", options.duration));
  if (c.unmet > 0)
    report.warnings.push_back(
        fmt::format("{} of its statements do not act: the motion differs (see what is left out)", c.unmet));
  return scenario;
}

}  // namespace grashof::convert
