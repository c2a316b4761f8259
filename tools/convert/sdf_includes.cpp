#include "tools/convert/sdf_includes.h"

#include <algorithm>
#include <filesystem>
#include <sdf/parser.hh>
#include <set>

#include <fmt/format.h>

#include "tools/convert/sdf_document.h"
#include "tools/convert/sdf_plain.h"

namespace grashof::convert {
namespace {

namespace fs = std::filesystem;

/// The SDF file at `place`, a file or a folder with a model.config; empty: there is none.
std::string modelAt(const std::string& place) {
  std::error_code code;
  if (place.empty() || !fs::is_directory(place, code)) return place;
  const SdfSilence silence;
  const std::string file = sdf::getModelFilePath(place);
  return fs::is_regular_file(file, code) ? file : std::string();
}

class IncludeSearch {
 public:
  IncludeSearch(const FileOptions& options, std::vector<Diagnostic>& found)
      : options_(options), found_(found) {}

  void file(const std::string& path) {
    std::error_code code;
    const std::string own = fs::weakly_canonical(path, code).string();
    if (!checked_.insert(own).second) return;
    open_.push_back(own);
    const XmlFile xml(path);
    if (const std::string encoding = sdfText(path).encoding; open_.size() > 1 && !encoding.empty())
      found_.push_back({path, 1, {}, fmt::format("is {} (save what is included as UTF-8)", encoding)});
    element(xml.rootElement(), path);
    open_.pop_back();
  }

  std::map<std::string, std::string> places;  ///< by what names them

 private:
  void element(const tinyxml2::XMLElement& e, const std::string& path) {
    for (const tinyxml2::XMLElement* child = e.FirstChildElement(); child;
         child = child->NextSiblingElement()) {
      if (std::string(child->Name()) == "include" && child->FirstChildElement("uri"))
        include(*child->FirstChildElement("uri"), path);
      else
        element(*child, path);
    }
  }

  void include(const tinyxml2::XMLElement& uri, const std::string& path) {
    const std::string name = uri.GetText() ? uri.GetText() : "";
    const auto error = [&](const std::string& message) {
      found_.push_back({path, uri.GetLineNum(), "include/uri", message});
    };
    try {
      const std::string place = name.empty() ? std::string() : findFileOrFolder(path, name, options_);
      const std::string next = modelAt(place);
      std::error_code code;
      places.emplace(name, place);
      if (next.empty())
        error(
            fmt::format("'{}' is not there, or is no model (say where with --path, or by GAZEBO_MODEL_PATH, "
                        "GZ_SIM_RESOURCE_PATH or SDF_PATH)",
                        name));
      else if (std::find(open_.begin(), open_.end(), fs::weakly_canonical(next, code).string()) !=
               open_.end())
        error(fmt::format("'{}' includes itself (remove one of the includes)", name));
      else
        file(next);
    } catch (const InputError& e) {
      error(e.what());
    }
  }

  const FileOptions& options_;
  std::vector<Diagnostic>& found_;
  std::set<std::string> checked_;
  std::vector<std::string> open_;  ///< files that include each other, the outermost first
};

}  // namespace

std::map<std::string, std::string> findSdfIncludes(const std::string& path, const FileOptions& options,
                                                   std::vector<Diagnostic>& found) {
  IncludeSearch search(options, found);
  search.file(path);
  return std::move(search.places);
}

}  // namespace grashof::convert
