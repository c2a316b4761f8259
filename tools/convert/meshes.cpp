#include "tools/convert/meshes.h"

#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof::convert {

std::string MeshFolder::file(const std::string& path, const TriangleMesh& mesh, const std::string& name) {
  std::string& known = files_[&mesh];
  if (!known.empty()) return known;
  std::string safe;
  for (const char c : name)
    safe += std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ? c : '_';
  const std::filesystem::path model(path);
  const std::string folder = model.stem().string() + "-meshes";
  std::error_code code;
  std::filesystem::create_directories(model.parent_path() / folder, code);
  std::string file = fmt::format("{}/{}-{}.stl", folder, safe, files_.size());
  const std::string full = (model.parent_path() / file).string();
  std::ofstream out(full, std::ios::binary);
  std::array<char, 80> header{};
  std::memcpy(header.data(), "grashof", 7);
  out.write(header.data(), header.size());
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  out.write(reinterpret_cast<const char*>(&count), 4);
  for (const std::array<int, 3>& t : mesh.triangles) {
    const Vec3 &a = mesh.vertices[static_cast<std::size_t>(t[0])],
               &b = mesh.vertices[static_cast<std::size_t>(t[1])],
               &c = mesh.vertices[static_cast<std::size_t>(t[2])];
    const Vec3 n = (b - a).cross(c - a).normalized();
    std::array<float, 12> facet{};
    std::size_t at = 0;
    for (const Vec3& v : {n, a, b, c})
      for (int i = 0; i < 3; ++i) facet[at++] = static_cast<float>(v[i]);
    out.write(reinterpret_cast<const char*>(facet.data()), sizeof facet);
    const std::uint16_t zero = 0;
    out.write(reinterpret_cast<const char*>(&zero), 2);
  }
  out.close();
  if (!out) throw FileError(full, "cannot be written (is there space?)");
  known = file;
  return file;
}

}  // namespace grashof::convert
