#include "engine/study/study_file.h"

#include <filesystem>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "engine/base/input_file.h"
#include "engine/scenario/xml_defect.h"
#include "engine/scenario/xml_element.h"

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

void readChild(xml::Element& root, xml::Element& e, StudyDefinition& definition) {
  const std::string tag = e.tag();
  if (tag == "param") {
    readParam(e, definition);
  } else if (tag == "measure") {
    readMeasure(e, definition);
  } else if (tag == "set") {
    const std::string path = e.requiredText("path");
    definition.set.push_back({path, e.requiredText("value")});
  } else {
    return root.unknownChild(e, {"param", "measure", "set"});
  }
  e.finishLeaf();
}

}  // namespace

StudyDefinition readStudyFile(const std::string& path) {
  const std::string text = readInputFile(path, kLargestStudy, "a study or a scenario");
  tinyxml2::XMLDocument document;
  document.Parse(text.data(), text.size());
  if (document.Error())
    throw InputError(
        std::vector<Diagnostic>{{path, document.ErrorLineNum(), {}, xml::xmlDefect(document, text)}});
  StudyDefinition definition;
  auto* const element = document.RootElement();
  if (!element || std::string_view(element->Name()) != "study") {
    definition.scenario = path;  // whatever else it is, the reader of scenarios says
    return definition;
  }
  std::vector<Diagnostic> found;
  xml::Element root(*element, path, {}, found);
  definition.name = root.text("name", std::filesystem::path(path).stem().string());
  const std::filesystem::path scenario(root.requiredText("scenario"));
  definition.scenario =
      scenario.is_absolute()
          ? scenario.string()
          : (std::filesystem::path(path).parent_path() / scenario).lexically_normal().string();
  if (root.has("design")) definition.design = static_cast<Design>(root.choice("design", 0, designNames()));
  definition.runs = static_cast<std::uint64_t>(root.integer("runs", 0, 1, static_cast<int>(kMostRuns)));
  definition.seed = static_cast<std::uint64_t>(root.integer("seed", 1, 0));
  root.finish();
  for (xml::Element& e : root.children()) readChild(root, e, definition);
  if (!found.empty()) throw InputError(std::move(found));
  return definition;
}

}  // namespace grashof::study
