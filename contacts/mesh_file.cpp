#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "contacts/mesh_topology.h"
#include "contacts/shape.h"
#include "engine/base/error.h"
#include "engine/base/input_file.h"

namespace grashof {
namespace {

constexpr std::uint64_t kLargestFile = 512ull << 20;

[[noreturn]] void fail(const std::string& path, int line, const std::string& message) {
  throw InputError(std::vector<Diagnostic>{{path, line, "mesh", message}});
}

TriangleMesh readObj(const std::string& path, const std::string& text) {
  TriangleMesh mesh;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string key;
    words >> key;
    if (key == "v") {
      Vec3 v;
      if (!(words >> v.x() >> v.y() >> v.z()))
        fail(path, number, "a vertex needs three finite numbers (as in: 0.1 0 -2)");
      mesh.vertices.push_back(v);
    } else if (key == "f") {
      std::vector<int> corners;
      std::string corner;
      while (words >> corner) {
        int index = 0;
        const auto [end, error] = std::from_chars(corner.data(), corner.data() + corner.size(), index);
        if (error != std::errc() || index == 0 || (*end != '\0' && *end != '/'))
          fail(path, number, "bad face corner '" + corner + "' (a vertex number, optionally with /)");
        index = index > 0 ? index - 1 : static_cast<int>(mesh.vertices.size()) + index;
        if (index < 0 || index >= static_cast<int>(mesh.vertices.size()))
          fail(path, number,
               "face refers to vertex " + corner + " (the file defines " +
                   std::to_string(mesh.vertices.size()) + " before it)");
        corners.push_back(index);
      }
      if (corners.size() < 3) fail(path, number, "a face needs at least three corners (remove it)");
      for (std::size_t i = 2; i < corners.size(); ++i)
        mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
    }
  }
  return mesh;
}

/// STL repeats each vertex in every triangle that has it.
void addTriangle(const std::array<Vec3, 3>& corners, TriangleMesh& mesh) {
  const int first = static_cast<int>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), corners.begin(), corners.end());
  mesh.triangles.push_back({first, first + 1, first + 2});
}

TriangleMesh readBinaryStl(const std::string& data) {
  TriangleMesh mesh;
  std::uint32_t count;
  std::memcpy(&count, data.data() + 80, 4);
  for (std::uint32_t t = 0; t < count; ++t) {
    float numbers[9];
    std::memcpy(numbers, data.data() + 84 + 50ull * t + 12, sizeof numbers);
    std::array<Vec3, 3> corners;
    for (int i = 0; i < 3; ++i) corners[i] = Vec3(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
    addTriangle(corners, mesh);
  }
  return mesh;
}

TriangleMesh readTextStl(const std::string& path, const std::string& text) {
  TriangleMesh mesh;
  std::istringstream lines(text);
  std::string line;
  std::array<Vec3, 3> corners;
  int corner = 0;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word != "vertex") continue;
    Vec3 v;
    if (!(words >> v.x() >> v.y() >> v.z()))
      fail(path, number, "a vertex needs three finite numbers (as in: 0.1 0 -2)");
    corners[corner] = v;
    if (++corner == 3) {
      addTriangle(corners, mesh);
      corner = 0;
    }
  }
  return mesh;
}

}  // namespace

std::shared_ptr<const TriangleMesh> readMesh(const std::string& path, double scale) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code))
    fail(path, 0, "cannot be read (does the file exist, and is it a regular one?)");
  if (std::filesystem::file_size(path, code) > kLargestFile)
    fail(path, 0, "larger than 512 MiB (a coarser mesh would do)");
  const std::string data = readInputFile(path, kLargestFile, "a mesh");
  const std::size_t size = data.size();

  auto mesh = std::make_shared<TriangleMesh>();
  std::uint32_t count = 0;
  if (size >= 84) std::memcpy(&count, data.data() + 80, 4);
  const bool obj = path.size() > 4 && (path.ends_with(".obj") || path.ends_with(".OBJ"));
  if (obj)
    *mesh = readObj(path, data);
  else if (size >= 84 && size == 84ull + 50ull * count)
    *mesh = readBinaryStl(data);
  else if (data.starts_with("solid"))
    *mesh = readTextStl(path, data);
  else
    fail(path, 0, "neither OBJ nor STL (an .obj, or an STL whose size fits its triangle count)");
  for (Vec3& v : mesh->vertices) {
    v *= scale;
    if (!v.allFinite()) fail(path, 0, "holds a vertex that is not finite (export it anew)");
  }
  *mesh = welded(*mesh);
  std::erase_if(mesh->triangles, [&](const std::array<int, 3>& t) {
    const Vec3 e = mesh->vertices[t[1]] - mesh->vertices[t[0]],
               f = mesh->vertices[t[2]] - mesh->vertices[t[0]];
    return e.cross(f).norm() <=
           1e-12 * std::max(e.squaredNorm(), f.squaredNorm());  // without area it has no normal
  });
  if (mesh->triangles.empty()) fail(path, 0, "holds no triangle (is it a mesh?)");
  return mesh;
}

}  // namespace grashof
