#include "engine/scenario/write_source.h"

#include <filesystem>

#include <tinyxml2.h>

#include "engine/base/output_file.h"
#include "engine/scenario/xml_writer.h"

namespace grashof::xml {
namespace {

namespace fs = std::filesystem;

/// Names of files, seen from another folder.
void moveFiles(tinyxml2::XMLElement& element, const fs::path& from, const fs::path& to) {
  if (const char* const file = element.Attribute("file"); file && *file && !fs::path(file).is_absolute()) {
    const fs::path moved = (from / file).lexically_normal().lexically_proximate(to);
    element.SetAttribute("file", moved.generic_string().c_str());
  }
  for (auto* child = element.FirstChildElement(); child; child = child->NextSiblingElement())
    moveFiles(*child, from, to);
}

fs::path folderOf(const std::string& path) { return fs::absolute(path).lexically_normal().parent_path(); }

}  // namespace

bool saysAll(const Scenario& scenario) {
  const ScenarioSource& s = *scenario.source;
  return s.model == scenario.model.get() && s.name == scenario.name && s.duration == scenario.duration &&
         s.output == scenario.output && s.expectations == scenario.expectations.size();
}

void writeSource(const ScenarioSource& source, const std::string& path, const std::string& remark) {
  tinyxml2::XMLDocument document;
  document.Parse(source.text.data(), source.text.size());
  if (auto* root = document.RootElement()) {
    moveFiles(*root, folderOf(source.path), folderOf(path));
    if (!remark.empty()) {
      document.InsertFirstChild(document.NewComment(safeComment(remark).c_str()));
    }
  }
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  saveText(path, printer.CStr());
}

}  // namespace grashof::xml
