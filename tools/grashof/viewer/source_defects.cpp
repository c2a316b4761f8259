#include "tools/grashof/viewer/source_defects.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "engine/base/error.h"
#include "engine/base/utf8.h"

namespace grashof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostDefects = 50, kLongestLine = 300;
constexpr int kAround = 2;  // lines before and after

Json sourceOf(const Diagnostic& d) {
  Json lines = Json::array();
  std::ifstream file(d.file);
  std::string text;
  for (int n = 1; d.line > 0 && n <= d.line + kAround && std::getline(file, text); ++n)
    // Also of a file that is no UTF-8, or within a letter.
    if (bool assumed = false; n >= d.line - kAround)
      lines.push_back({{"line", n}, {"text", utf8OfText(text.substr(0, kLongestLine), assumed).text}});
  return lines;
}

}  // namespace

Json defectsJson(const std::exception& error) {
  Json all = Json::array();
  const auto* const input = dynamic_cast<const InputError*>(&error);
  if (!input)
    return {
        {{"file", ""}, {"line", 0}, {"element", ""}, {"message", error.what()}, {"source", Json::array()}}};
  for (const Diagnostic& d : input->diagnostics()) {
    if (all.size() == kMostDefects) break;
    all.push_back({{"file", d.file},
                   {"line", d.line},
                   {"element", d.element},
                   {"message", d.message},
                   {"source", sourceOf(d)}});
  }
  return all;
}

}  // namespace grashof
