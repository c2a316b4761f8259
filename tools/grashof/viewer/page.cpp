#include "tools/grashof/viewer/page.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "engine/base/error.h"
#include "tools/grashof/json_output.h"

namespace grashof {
namespace {

/// The page without data: beside an installed program, else where it was built.
std::string emptyPage() {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  fs::path path = program.parent_path() / "../share/grashof/viewer.html";
  if (code || !fs::exists(path, code)) path = GRASHOF_VIEWER;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw InputError(path.string() +
                     ": cannot be read (it belongs to the viewer: install the program again)");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Puts `value` in the place of `mark`, once.
void fill(std::string& page, std::string_view mark, const std::string& value) {
  const auto at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), value);
}

}  // namespace

std::string pageAround(const std::string& title, const nlohmann::ordered_json& data) {
  // In a script "<" is escaped, so that no name can end it.
  const std::string json = jsonLine(data);
  std::string text, safeTitle;
  text.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  for (const char c : title) safeTitle += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  std::string page = emptyPage();
  fill(page, "@DATA@", text);
  fill(page, "@TITLE@", safeTitle);
  return page;
}

std::string pageOfRuns(const std::string& title, const std::vector<const ViewPage*>& runs) {
  nlohmann::ordered_json data;
  for (const ViewPage* run : runs) data["runs"].push_back(run->runJson());
  return pageAround(title, data);
}

}  // namespace grashof
