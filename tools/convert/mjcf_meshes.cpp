#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "tools/convert/mjcf_axes.h"
#include "tools/convert/mjcf_built_in.h"
#include "tools/convert/mjcf_features.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

namespace {

constexpr double kNoVolume = 1e-15;                // m³
constexpr std::uintmax_t kLargestObj = 64u << 20;  // bytes, of one without faces

/// MuJoCo's own format: four counts, then vertices, normals, texture coordinates (float), faces (int).
std::shared_ptr<TriangleMesh> readMsh(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::array<std::int32_t, 4> counts{};
  const auto bad = [&] { return InputError(path + ": is no MSH file of MuJoCo (save the mesh as OBJ)"); };
  if (bytes.size() < sizeof counts) throw bad();
  std::memcpy(counts.data(), bytes.data(), sizeof counts);
  for (const std::int32_t n : counts)
    if (n < 0 || static_cast<std::size_t>(n) > bytes.size()) throw bad();
  const auto number = [](std::int32_t n) { return static_cast<std::size_t>(n); };
  const std::size_t floats = 3 * number(counts[0]) + 3 * number(counts[1]) + 2 * number(counts[2]);
  if (bytes.size() != sizeof counts + 4 * floats + 12 * number(counts[3])) throw bad();
  auto mesh = std::make_shared<TriangleMesh>();
  const char* at = bytes.data() + sizeof counts;
  for (std::size_t v = 0; v < number(counts[0]); ++v, at += 12) {
    std::array<float, 3> p{};
    std::memcpy(p.data(), at, 12);
    mesh->vertices.emplace_back(p[0], p[1], p[2]);
  }
  at = bytes.data() + sizeof counts + 4 * floats;
  for (std::size_t f = 0; f < number(counts[3]); ++f, at += 12) {
    std::array<std::int32_t, 3> t{};
    std::memcpy(t.data(), at, 12);
    for (const std::int32_t v : t)
      if (v < 0 || v >= counts[0]) throw bad();
    mesh->triangles.push_back({t[0], t[1], t[2]});
  }
  return mesh;
}

/// Area-weighted mean of the triangles.
Vec3 centreOfFaces(const TriangleMesh& mesh) {
  Vec3 sum = Vec3::Zero();
  double area = 0.0;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 &a = mesh.vertices[static_cast<std::size_t>(i)],
               &b = mesh.vertices[static_cast<std::size_t>(j)],
               &c = mesh.vertices[static_cast<std::size_t>(k)];
    const double twice = (b - a).cross(c - a).norm();
    sum += twice * (a + b + c) / 3.0;
    area += twice;
  }
  return area > 0.0 ? Vec3(sum / area) : sum;
}

/// What of a mesh has mass.
enum class MeshMass {
  Inside,     // what its triangles enclose
  Magnitude,  // the tetrahedra from an apex to the triangles, all as positive: those that are open or inside
              // out have a mass, and those that are not convex too much of it
  Surface,
};

MeshMass meshMassOf(const std::string& inertia) {
  if (inertia == "exact" || inertia == "convex") return MeshMass::Inside;
  return inertia == "shell" ? MeshMass::Surface : MeshMass::Magnitude;
}

/// Volume (of a surface: area), centre and inertia, as MuJoCo has them.
VolumeProperties massOfMesh(const TriangleMesh& mesh, MeshMass mode) {
  const bool surface = mode == MeshMass::Surface;
  const auto each = [&](const Vec3& apex, const auto& add) {
    for (const auto& [i, j, k] : mesh.triangles) {
      const Vec3 a = mesh.vertices[static_cast<std::size_t>(i)] - apex,
                 b = mesh.vertices[static_cast<std::size_t>(j)] - apex,
                 c = mesh.vertices[static_cast<std::size_t>(k)] - apex;
      const double volume = surface ? 0.5 * (b - a).cross(c - a).norm() : a.dot(b.cross(c)) / 6.0;
      add(mode == MeshMass::Magnitude ? std::abs(volume) : volume, a, b, c);
    }
  };
  VolumeProperties p;
  const Vec3 apex = centreOfFaces(mesh);
  Vec3 moment = Vec3::Zero();
  each(apex, [&](double volume, const Vec3& a, const Vec3& b, const Vec3& c) {
    p.volume += volume;
    moment += volume * (apex + (a + b + c) / (surface ? 3.0 : 4.0));
  });
  if (!(p.volume > kNoVolume)) return {};
  p.center = moment / p.volume;
  Mat3 second = Mat3::Zero();
  each(p.center, [&](double volume, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 s = a + b + c;
    second += volume / (surface ? 12.0 : 20.0) *
              (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  });
  p.inertia = second.trace() * Mat3::Identity() - second;
  return p;
}

/// The vertices and faces that an element lists; it tells of those that cannot be.
TriangleMesh listedMesh(Element& e) {
  TriangleMesh mesh;
  const auto vertices = xml::parseNumbers(e.has("vertex") ? e.text("vertex") : "");
  const auto faces = xml::parseNumbers(e.has("face") ? e.text("face") : "");
  if (!vertices || vertices->size() < 12 || vertices->size() % 3 != 0) {
    e.error("a mesh needs a file, or a vertex list of at least four points");
    return mesh;
  }
  for (std::size_t i = 0; i < vertices->size(); i += 3)
    mesh.vertices.emplace_back((*vertices)[i], (*vertices)[i + 1], (*vertices)[i + 2]);
  for (std::size_t i = 0; faces && i + 2 < faces->size(); i += 3) {
    std::array<int, 3> t{};
    for (std::size_t k = 0; k < 3; ++k) {
      t[k] = static_cast<int>((*faces)[i + k]);
      if (t[k] < 0 || static_cast<std::size_t>(t[k]) >= mesh.vertices.size()) {
        e.error(fmt::format("face has the index {}, but there are {} vertices", t[k], mesh.vertices.size()));
        t[k] = 0;
      }
    }
    mesh.triangles.push_back(t);
  }
  return mesh;
}

/// The points of an OBJ file that has no faces, of which the hull is meant; null: it is none.
std::shared_ptr<const TriangleMesh> verticesAlone(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (ending != ".obj") return nullptr;
  auto mesh = std::make_shared<TriangleMesh>();
  std::istringstream lines(readInputFile(path, kLargestObj, "an OBJ file"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string tag;
    words >> tag;
    if (tag == "f") return nullptr;
    Vec3 v = Vec3::Zero();
    if (tag != "v") continue;
    if (!(words >> v.x() >> v.y() >> v.z()) || !v.allFinite()) return nullptr;
    mesh->vertices.push_back(v);
  }
  return mesh->vertices.size() < 4 ? nullptr : mesh;
}

}  // namespace

void MjcfReader::readMesh(Element& e) {
  document_->fill(e, "");
  const std::string file = e.text("file");
  const std::string name = e.text("name", std::filesystem::path(file).stem().string());
  e.text("class");
  e.text("content_type");
  Mesh mesh;
  mesh.inertia = e.text("inertia", compiler_.exactMeshes ? "exact" : "legacy");
  const Vec3 scale = e.vector("scale", Vec3::Ones()), position = e.vector("refpos", Vec3::Zero());
  const auto turn = e.numbers("refquat", {4});
  auto own = std::make_shared<TriangleMesh>();
  if (e.has("builtin")) {
    try {
      *own =
          builtInMesh(e.text("builtin"), xml::parseNumbers(e.text("params")).value_or(std::vector<double>{}));
    } catch (const InputError& error) {
      e.error(error.what());
    }
  } else if (!file.empty()) {
    loadMesh(e, file, mesh);
    if (mesh.mesh) *own = *mesh.mesh;
  } else {
    const auto parts = document_->children(e);
    mesh.byPlugin =
        std::any_of(parts.begin(), parts.end(), [](const Element& p) { return p.tag() == "plugin"; });
    if (!mesh.byPlugin) *own = listedMesh(e);
  }
  for (const char* other : {"builtin", "params", "vertex", "face"}) e.text(other);  // that did not count
  noteMjcf(e, report_);
  if (!own->vertices.empty()) {
    Quat back = Quat::Identity();
    if (turn.size() == 4) back = Quat(turn[0], turn[1], turn[2], turn[3]).normalized().conjugate();
    for (Vec3& v : own->vertices) v = (back * Vec3(v - position)).cwiseProduct(scale);
    // A mirrored mesh has its triangles inside out.
    if (scale.prod() < 0.0)
      for (std::array<int, 3>& t : own->triangles) std::swap(t[1], t[2]);
    try {
      if (own->triangles.empty() && !own->vertices.empty()) *own = convexHull(own->vertices);
    } catch (const InputError&) {
      mesh.flat = true;
    }
    mesh.mesh = own;
  }
  meshes_[prefix_ + name] = std::move(mesh);
}

std::string MjcfReader::assetFile(const std::string& name) const {
  const std::filesystem::path given(name);
  const std::string local = compiler_.stripPath ? given.filename().string() : name;
  return findFile(
      document_->path(),
      compiler_.meshFolder.empty() || given.is_absolute() ? local : compiler_.meshFolder + "/" + local,
      options_);
}

void MjcfReader::loadMesh(Element& e, const std::string& file, Mesh& mesh) {
  std::string path;
  try {
    path = assetFile(file);
  } catch (const InputError& error) {  // outside of the folders
    missing_.add(e.where(), file, error.what());
    return;
  }
  if (path.empty()) {
    missing_.add(e.where(), file, missingMesh(file));
    return;
  }
  try {
    std::string ending = std::filesystem::path(path).extension().string();
    mesh.mesh = ending == ".msh" ? readMsh(path) : importMesh(path, Vec3::Ones());
  } catch (const InputError& error) {
    mesh.mesh = verticesAlone(path);
    if (!mesh.mesh) missing_.add(e.where(), file, error.what());
  }
}

bool MjcfReader::takeMesh(Element& e, Shape& shape, VolumeProperties& volume) {
  const std::string name = e.requiredText("mesh");
  const auto at = meshes_.find(prefix_ + name);
  if (at == meshes_.end()) {
    if (!name.empty()) e.error(fmt::format("there is no <mesh name=\"{}\"> among the assets", name));
    return false;
  }
  Mesh& mesh = at->second;
  if (mesh.byPlugin) countLeftOut("shapes of meshes that a plugin makes", "give them as files");
  if (!mesh.mesh) return false;
  if (!mesh.hull && !mesh.flat) try {
      mesh.hull = std::make_shared<TriangleMesh>(convexHull(mesh.mesh->vertices));
    } catch (const InputError&) {
      mesh.flat = true;
    }
  if (mesh.flat) {
    Report::once(report_.leftOut, fmt::format("shapes of mesh {}, which is flat", name));
    return false;
  }
  shape.type = ShapeType::Hull;
  shape.mesh = mesh.hull;
  volume = massOfMesh(mesh.inertia == "convex" ? *mesh.hull : *mesh.mesh, meshMassOf(mesh.inertia));
  Report::once(report_.approximated, "meshes touch as their convex hulls, as in MuJoCo");
  return true;
}

bool MjcfReader::fitToMesh(Element& e, Shape& shape, Pose& pose) {
  Shape hull;
  VolumeProperties volume;
  if (!takeMesh(e, hull, volume)) return false;
  const double scale = e.number("fitscale", 1.0, xml::kPositive);
  Vec3 half;  // of the box about the mesh, or of the box that has its inertia
  if (!(volume.volume > 0.0)) {
    Report::once(report_.leftOut, "shapes fitted to meshes without volume");
    return false;
  }
  // The largest moment is the first: the longest side is the last.
  const Quat axes = principalAxes(volume.inertia);
  const Mat3 r = axes.toRotationMatrix();
  const Vec3 moment = Mat3(r.transpose() * volume.inertia * r).diagonal() / volume.volume;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    half[i] = 0.5 * std::sqrt(std::max(6.0 * (moment[j] + moment[k] - moment[i]), 0.0));
  }
  pose = {volume.center, axes};
  if (compiler_.fitBoxes) {
    Vec3 low = Vec3::Constant(xml::kInfinity), high = -low;
    for (const Vec3& v : hull.mesh->vertices) {
      const Vec3 local = pose.inverse() * v;
      low = low.cwiseMin(local);
      high = high.cwiseMax(local);
    }
    half = 0.5 * (high - low);
    pose = pose * Pose{0.5 * (low + high), Quat::Identity()};
  }
  const double across = 0.5 * (half[0] + half[1]);
  switch (shape.type) {
    case ShapeType::Sphere:
      shape.radius = compiler_.fitBoxes ? half.maxCoeff() : half.mean();
      break;
    case ShapeType::Capsule:
      shape.radius = compiler_.fitBoxes ? std::max(half[0], half[1]) : across;
      shape.length = 2.0 * (compiler_.fitBoxes ? std::max(half[2] - shape.radius, 0.0)
                                               : std::max(half[2] - 0.5 * shape.radius, 0.0));
      break;
    case ShapeType::Cylinder:
      shape.radius = compiler_.fitBoxes ? std::max(half[0], half[1]) : across;
      shape.length = 2.0 * half[2];
      break;
    default:
      shape.size = shape.type == ShapeType::Box ? Vec3(2.0 * half) : half;
  }
  shape.radius *= scale;
  shape.length = std::max(shape.length * scale, 1e-9);
  shape.size *= scale;
  return true;
}

}  // namespace grashof::convert
