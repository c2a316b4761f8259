#include "tools/convert/sdf_document.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sdf/Error.hh>
#include <sdf/ParserConfig.hh>

#include <fmt/format.h>

#include "tools/convert/sdf_includes.h"
#include "tools/convert/sdf_plain.h"

namespace grashof::convert {
namespace {

/// What a user may do about an error of the library.
const char* cureOf(sdf::ErrorCode code) {
  switch (code) {
    case sdf::ErrorCode::DUPLICATE_NAME:
      return "names differ within a model";
    case sdf::ErrorCode::RESERVED_NAME:
      return "choose another name";
    case sdf::ErrorCode::ATTRIBUTE_MISSING:
    case sdf::ErrorCode::ELEMENT_MISSING:
      return "add it";
    case sdf::ErrorCode::URI_INVALID:
    case sdf::ErrorCode::URI_LOOKUP:
      return "say where with --path, or by GAZEBO_MODEL_PATH, GZ_SIM_RESOURCE_PATH or SDF_PATH";
    case sdf::ErrorCode::MODEL_WITHOUT_LINK:
      return "a model that is not static has a link";
    case sdf::ErrorCode::JOINT_CHILD_LINK_INVALID:
    case sdf::ErrorCode::JOINT_PARENT_LINK_INVALID:
      return "name a link, a frame, or as the parent the world";
    case sdf::ErrorCode::JOINT_PARENT_SAME_AS_CHILD:
      return "parent and child differ";
    case sdf::ErrorCode::FRAME_ATTACHED_TO_INVALID:
    case sdf::ErrorCode::POSE_RELATIVE_TO_INVALID:
      return "name a frame, link, joint or model";
    default:
      return "see the specification of SDF";
  }
}

std::string oneLine(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text;
}

/// What the library printed about the first error, without where in its own source; empty: nothing.
std::string firstPrinted(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto error = line.find("Error [");
    const auto start = error == std::string::npos ? error : line.find(']', error);
    if (start == std::string::npos) continue;
    std::string message = line.substr(start + 1);
    while (message.starts_with("\033")) message.erase(0, message.find('m') + 1);
    message.erase(0,
                  message.find_first_not_of(' ') == std::string::npos ? 0 : message.find_first_not_of(' '));
    return oneLine(message);
  }
  return {};
}

/// The errors of the library without those that only tell which elements are around one. `printed`: what it
/// said beside them.
void addErrors(const sdf::Errors& errors, const std::string& path, const std::string& printed,
               std::vector<Diagnostic>& found) {
  std::vector<std::string> places;
  for (const sdf::Error& error : errors) {
    if (error.Code() == sdf::ErrorCode::LINK_INERTIA_INVALID) continue;
    const std::string place = error.XmlPath().value_or("");
    const bool around = error.Message().starts_with("Error reading element") ||
                        error.Message().starts_with("Unable to read file");
    if (around && std::any_of(places.begin(), places.end(),
                              [&](const std::string& inner) { return inner.starts_with(place); }))
      continue;
    places.push_back(place);
    std::string message = oneLine(error.Message());
    if (const std::string why = firstPrinted(printed); around && !why.empty()) message += ": " + why;
    found.push_back({error.FilePath().value_or(path), error.LineNumber().value_or(0), place,
                     fmt::format("{} ({})", message, cureOf(error.Code()))});
  }
}

/// Makes the library find what `uri` names at `place`, before it looks in the present folder. It replaces the
/// beginning of a name by a folder.
void addPlace(const std::string& uri, const std::string& place, sdf::ParserConfig& config) {
  const std::filesystem::path path(place);
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    config.AddURIPath(uri, place);
    return;
  }
  const std::string file = path.filename().string();
  config.AddURIPath(uri.substr(0, uri.size() - std::min(file.size(), uri.size())),
                    std::filesystem::absolute(path).parent_path().string());
}

}  // namespace

SdfSilence::SdfSilence()
    : error_(std::cerr.rdbuf(captured_.rdbuf())), output_(std::cout.rdbuf(captured_.rdbuf())) {}

SdfSilence::~SdfSilence() {
  std::cerr.rdbuf(error_);
  std::cout.rdbuf(output_);
}

sdf::Root loadSdf(const std::string& path, const FileOptions& options, std::vector<Diagnostic>& found,
                  Report& report) {
  sdf::Root root;
  const std::map<std::string, std::string> includes = findSdfIncludes(path, options, found);
  if (!found.empty()) return root;
  const SdfSilence silence;
  sdf::ParserConfig config;
  for (const auto& [uri, place] : includes) addPlace(uri, place, config);
  try {
    // The library takes the bytes of a file as they are.
    const Utf8Text text = sdfText(path);
    const sdf::Errors errors =
        text.encoding.empty() ? root.Load(path, config) : root.LoadSdfString(text.text, config);
    addErrors(errors, path, silence.text(), found);
    if (found.empty()) return root;
    // Once more without what no motion depends on.
    Report told = report;
    std::vector<Diagnostic> left;
    sdf::Root plain;
    addErrors(plain.LoadSdfString(plainSdf(path, told), config), path, silence.text(), left);
    if (!left.empty()) return root;
    found.clear();
    report = std::move(told);
    return plain;
  } catch (const std::exception& error) {
    found.push_back({path, 0, {}, fmt::format("{} (see the specification of SDF)", oneLine(error.what()))});
  }
  return root;
}

}  // namespace grashof::convert
