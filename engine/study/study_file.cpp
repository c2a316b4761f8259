#include "engine/study/study_file.h"

#include <filesystem>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "engine/base/input_file.h"
#include "engine/scenario/xml_defect.h"
#include "engine/scenario/xml_element.h"
#include "engine/study/search.h"

namespace grashof::study {
namespace {

constexpr std::uintmax_t kLargestStudy = std::uintmax_t{256} << 20;

void readParam(xml::Element& e, StudyDefinition& definition) {
  const std::string name = e.requiredText("name"), values = e.text("values"),
                    distribution = e.text("distribution");
  if (e.has("values") && e.has("distribution")) e.error("both values and distribution are given (keep one)");
  definition.params.push_back(!values.empty()         ? name + "=" + values
                              : !distribution.empty() ? name + "~" + distribution
                                                      : name);
}

void readMeasure(xml::Element& e, StudyDefinition& definition) {
  const std::string name = e.text("name"), of = e.requiredText("of");
  definition.measures.push_back(name.empty() ? of : name + "=" + of);
}

/// A path in the file of a study is seen from there.
std::string seenFrom(const std::string& file, const std::filesystem::path& path) {
  return path.is_absolute() ? path.string()
                            : (std::filesystem::path(file).parent_path() / path).lexically_normal().string();
}

void readConstraint(xml::Element& e, SearchTexts& search) {
  const std::string of = e.requiredText("of");
  if (!e.has("min") && !e.has("max")) e.error("has no bound (add min or max)");
  if (e.has("min")) search.constraints.push_back(fmt::format("{}>={}", of, e.number("min", 0.0)));
  if (e.has("max")) search.constraints.push_back(fmt::format("{}<={}", of, e.number("max", 0.0)));
}

/// Whether `e` is about a search; then it is read. One goal is enough.
bool readSearch(xml::Element& e, const std::string& file, SearchTexts& search) {
  const std::string tag = e.tag();
  if (tag == "constraint") {
    readConstraint(e, search);
    return true;
  }
  if (tag != "minimize" && tag != "maximize" && tag != "target") return false;
  if (!(search.minimize + search.maximize + search.target).empty())
    e.error("there is a goal already (keep one of <minimize>, <maximize>, <target>)");
  if (tag == "target") {
    const std::string point = e.requiredText("point");
    search.target = point + "=" + seenFrom(file, e.requiredText("file"));
  } else {
    (tag == "minimize" ? search.minimize : search.maximize) = e.requiredText("of");
  }
  return true;
}

void readChild(xml::Element& root, xml::Element& e, const std::string& file, StudyDefinition& definition,
               SearchTexts& search) {
  const std::string tag = e.tag();
  if (tag == "param") {
    readParam(e, definition);
  } else if (tag == "measure") {
    readMeasure(e, definition);
  } else if (tag == "set") {
    const std::string path = e.requiredText("path");
    definition.set.push_back({path, e.requiredText("value")});
  } else if (!readSearch(e, file, search)) {
    return root.unknownChild(e, {"param", "measure", "set", "minimize", "maximize", "target", "constraint"});
  }
  e.finishLeaf();
}

}  // namespace

StudyDefinition readStudyFile(const std::string& path, SearchTexts* search) {
  const std::string text = readInputFile(path, kLargestStudy, "a study or a scenario");
  tinyxml2::XMLDocument document;
  if (const xml::XmlDefect defect = xml::parseXml(document, text); !defect.message.empty())
    throw InputError(std::vector<Diagnostic>{{path, defect.line, {}, defect.message}});
  StudyDefinition definition;
  auto* const element = document.RootElement();
  if (!element || std::string_view(element->Name()) != "study") {
    definition.scenario = path;  // whatever else it is, the reader of scenarios says
    return definition;
  }
  std::vector<Diagnostic> found;
  xml::Element root(*element, path, {}, found);
  definition.name = root.text("name", std::filesystem::path(path).stem().string());
  definition.scenario = seenFrom(path, root.requiredText("scenario"));
  if (root.has("design")) definition.design = static_cast<Design>(root.choice("design", 0, designNames()));
  definition.runs = static_cast<std::uint64_t>(root.integer("runs", 0, 1, static_cast<int>(kMostRuns)));
  definition.seed = static_cast<std::uint64_t>(root.integer("seed", 1, 0));
  SearchTexts texts;
  texts.evaluations =
      static_cast<std::uint64_t>(root.integer("evaluations", 0, 1, static_cast<int>(kMostEvaluations)));
  if (root.has("method"))
    texts.method =
        searchMethodNames()[static_cast<std::size_t>(root.choice("method", 0, searchMethodNames()))];
  root.finish();
  for (xml::Element& e : root.children()) readChild(root, e, path, definition, texts);
  if (!found.empty()) throw InputError(std::move(found));
  if (search) *search = std::move(texts);
  return definition;
}

}  // namespace grashof::study
