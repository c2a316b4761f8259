#include "tools/convert/source.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/utf8.h"
#include "engine/scenario/xml_defect.h"
#include "tools/convert/foreign_mesh.h"

namespace grashof::convert {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 64u << 20;

[[noreturn]] void fail(const std::string& file, int line, const std::string& message) {
  throw InputError(std::vector<Diagnostic>{{file, line, {}, message}});
}

bool inside(const fs::path& folder, const fs::path& file) {
  const fs::path relative = fs::weakly_canonical(file).lexically_relative(fs::weakly_canonical(folder));
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

XmlFile::XmlFile(const std::string& path) : path_(path) {
  std::error_code code;
  const auto size = fs::file_size(path, code);
  if (code || !fs::is_regular_file(path, code))
    fail(path, 0, "cannot be read (is the path right, and a file?)");
  if (size > kLargestFile) fail(path, 0, "larger than 64 MiB (is it a model?)");
  std::ifstream file(path, std::ios::binary);
  parse(std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()));
}

XmlFile::XmlFile(std::string path, const std::string& text) : path_(std::move(path)) { parse(text); }

void XmlFile::parse(const std::string& content) {
  const Utf8Text utf8 = utf8OfXml(content);
  if (!utf8.defect.empty()) fail(path_, utf8.line, utf8.defect);
  const std::string& text = utf8.text;
  const auto entity = text.find("<!ENTITY");
  if (entity != std::string::npos)
    fail(path_,
         1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(entity), '\n')),
         "declares entities, which are not expanded (write their contents out)");
  if (const xml::XmlDefect defect = xml::parseXml(document_, text); !defect.message.empty())
    fail(path_, defect.line, defect.message);
  if (!document_.RootElement()) fail(path_, 0, "holds no element");
}

xml::Element XmlFile::root(std::vector<Diagnostic>& found) {
  return {*document_.RootElement(), path_, {}, found};
}

namespace {

/// Folders of an environment variable in which entries are separated by colons.
std::vector<fs::path> foldersOf(const char* variable) {
  std::vector<fs::path> folders;
  const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  std::stringstream entries(value ? value : "");
  for (std::string entry; std::getline(entries, entry, ':');)
    if (!entry.empty()) folders.emplace_back(entry);
  return folders;
}

fs::path folderOf(const std::string& model) {
  const fs::path folder = fs::path(model).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

/// The folders above a model, the nearest first, with its own.
std::vector<fs::path> foldersAbove(const std::string& model) {
  std::vector<fs::path> folders;
  std::error_code code;
  for (fs::path folder = fs::weakly_canonical(fs::absolute(folderOf(model)), code);;
       folder = folder.parent_path()) {
    folders.push_back(folder);
    if (folder == folder.parent_path()) return folders;
  }
}

/// Where a package may be: folders of its name above the model and beside those, then where ROS and Gazebo
/// look.
std::vector<fs::path> foldersOfPackage(const std::string& model, const std::string& package) {
  std::vector<fs::path> found;
  for (const fs::path& folder : foldersAbove(model)) {
    if (folder.filename() == package) found.push_back(folder);
    found.push_back(folder / package);
  }
  for (const char* variable : {"ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH", "SDF_PATH"})
    for (const fs::path& folder : foldersOf(variable)) {
      if (folder.filename() == package) found.push_back(folder);
      found.push_back(folder / package);
    }
  for (const fs::path& prefix : foldersOf("AMENT_PREFIX_PATH")) found.push_back(prefix / "share" / package);
  return found;
}

/// Below which folders a model's meshes may lie: its package, or the folder above its own.
fs::path packageOf(const std::string& model) {
  const std::vector<fs::path> above = foldersAbove(model);
  std::error_code code;
  for (const fs::path& folder : above)
    if (fs::exists(folder / "package.xml", code)) return folder;
  // Not the root of all files.
  return above.size() > 2 ? above[1] : above[0];
}

/// What `name` means, if `wanted` is true of it.
std::string findPath(const std::string& model, const std::string& name, const FileOptions& options,
                     bool (*wanted)(const fs::path&)) {
  std::vector<fs::path> folders = {folderOf(model)};
  for (const std::string& folder : options.folders) folders.emplace_back(folder);
  std::vector<fs::path> tails;
  const bool packaged = name.starts_with("package://"), modelled = name.starts_with("model://");
  std::string package;
  if (packaged || modelled) {
    std::string rest = name.substr(packaged ? 10 : 8);
    rest.erase(0, rest.find_first_not_of('/'));  // package:///PACKAGE/PATH is written, too
    const auto slash = rest.find('/');
    package = rest.substr(0, slash);
    if (slash != std::string::npos && slash + 1 < rest.size()) tails.emplace_back(rest.substr(slash + 1));
    if (!rest.empty()) tails.emplace_back(rest);
  } else {
    tails.emplace_back(name.starts_with("file://") ? name.substr(7) : name);
  }
  std::vector<fs::path> allowed = folders;
  allowed.push_back(packageOf(model));
  for (const fs::path& folder : folders)
    for (const fs::path& tail : tails) {
      const fs::path file = tail.is_absolute() ? tail : folder / tail;
      if (std::none_of(allowed.begin(), allowed.end(), [&](const fs::path& f) { return inside(f, file); }))
        throw InputError(fmt::format(
            "'{}' lies outside the folder of the model (name its folder with --path if that is meant)",
            name));
      if (wanted(file)) return file.string();
    }
  if (package.empty()) return {};
  const fs::path inPackage = tails.size() == 2 ? tails[0] : fs::path();
  for (const fs::path& folder : foldersOfPackage(model, package)) {
    const fs::path file = inPackage.empty() ? folder : folder / inPackage;
    if (inside(folder, file) && wanted(file)) return file.string();
  }
  return {};
}

}  // namespace

std::string findFile(const std::string& model, const std::string& name, const FileOptions& options) {
  return findPath(model, name, options, [](const fs::path& path) {
    std::error_code code;
    return fs::is_regular_file(path, code);
  });
}

std::string findFileOrFolder(const std::string& model, const std::string& name, const FileOptions& options) {
  return findPath(model, name, options, [](const fs::path& path) {
    std::error_code code;
    return fs::exists(path, code);
  });
}

std::string missingMesh(const std::string& name) {
  return fmt::format(
      "the mesh '{}' is not there (say where with --path, or by ROS_PACKAGE_PATH, AMENT_PREFIX_PATH or "
      "GAZEBO_MODEL_PATH)",
      name);
}

std::shared_ptr<const TriangleMesh> importMesh(const std::string& path, const Vec3& scale) {
  std::string ending = fs::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  auto mesh = std::make_shared<TriangleMesh>();
  if (ending == ".obj" || ending == ".stl") {
    *mesh = *readMesh(path, 1.0);
  } else {
    *mesh = foreignMesh(path);
  }
  for (Vec3& v : mesh->vertices) v = v.cwiseProduct(scale);
  // A mirrored mesh has its triangles inside out.
  if (scale.prod() < 0.0)
    for (std::array<int, 3>& t : mesh->triangles) std::swap(t[1], t[2]);
  return mesh;
}

std::string scenarioName(const std::string& name, Report& report) {
  std::string clean = name;
  for (char& c : clean)
    if (std::string_view("[]=\"<>\n\t").find(c) != std::string_view::npos) c = '_';
  if (clean == "world") clean = "world_";
  if (clean != name) report.assumed.push_back(fmt::format("'{}' is called '{}'", name, clean));
  return clean;
}

}  // namespace grashof::convert
