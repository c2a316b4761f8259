#include "engine/scenario/attributes.h"

#include <set>

#include <tinyxml2.h>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/scenario/xml_defect.h"

namespace grashof {
namespace {

/// Appends the attributes of the children of `parent`, whose path is `start`.
void collect(const tinyxml2::XMLElement& parent, const std::string& start, std::size_t most,
             std::vector<Override>& found) {
  std::set<std::string> taken;  // paths of elements: others of the same path are out of reach
  for (auto* child = parent.FirstChildElement(); child; child = child->NextSiblingElement()) {
    const char* const name = child->Attribute("name");
    std::string path = start + child->Name();
    // Without a name the path leads to the first of this tag, whether that has a name or not.
    if (!taken.insert(path).second && !name) continue;
    if (name) {
      path += "[" + std::string(name) + "]";
      if (std::string(name).find(']') != std::string::npos || !taken.insert(path).second) continue;
    }
    for (auto* attribute = child->FirstAttribute(); attribute; attribute = attribute->Next()) {
      if (found.size() >= most) return;
      if (std::string(attribute->Name()) != "name")
        found.push_back({path + "." + attribute->Name(), attribute->Value()});
    }
    collect(*child, path + ".", most, found);
  }
}

}  // namespace

std::vector<Override> attributesOf(const std::string& path, std::size_t most) {
  const std::string text = readInputFile(path, kLargestScenario, "a scenario");
  tinyxml2::XMLDocument document;
  if (const xml::XmlDefect defect = xml::parseXml(document, text); !defect.message.empty())
    throw InputError(std::vector<Diagnostic>{{path, defect.line, {}, defect.message}});
  std::vector<Override> found;
  if (document.RootElement()) collect(*document.RootElement(), "", most, found);
  return found;
}

}  // namespace grashof
