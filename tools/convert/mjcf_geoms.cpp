#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

namespace {

/// How large a geom is, and where.
struct GeomSize {
  std::vector<double> lengths;  ///< m, as in `size`: MuJoCo's are half lengths
  bool fromTo = false;          ///< given by two points, of which `lengths` has the extent across
  double half = 0.0;            ///< m, half of the length along z
  Pose pose;                    ///< in the body's frame
};

void takePlane(const GeomSize& /*size*/, Shape& /*shape*/) {}
void takeRadius(const GeomSize& size, Shape& shape) { shape.radius = size.lengths[0]; }
void takeRadiusAndLength(const GeomSize& size, Shape& shape) {
  shape.radius = size.lengths[0];
  shape.length = 2.0 * size.half;
}
void takeRadii(const GeomSize& size, Shape& shape) {
  shape.size = Vec3(size.lengths[0], size.lengths[1], size.lengths[2]);
}
void takeBox(const GeomSize& size, Shape& shape) {
  const std::vector<double>& l = size.lengths;
  shape.size = size.fromTo ? Vec3(2.0 * l[0], 2.0 * (l.size() > 2 ? l[1] : l[0]), 2.0 * size.half)
                           : Vec3(2.0 * l[0], 2.0 * l[1], 2.0 * l[2]);
}

/// What a type of geom becomes.
struct GeomKind {
  const char* name;
  ShapeType type;
  std::size_t lengths;                    ///< that `size` must have
  std::size_t fromToLengths;              ///< that it must have besides two points
  void (*take)(const GeomSize&, Shape&);  ///< null: not by lengths
};
constexpr std::array<GeomKind, 9> kGeomKinds = {{
    {"plane", ShapeType::Plane, 0, 0, &takePlane},
    {"hfield", ShapeType::HeightField, 0, 0, nullptr},
    {"sphere", ShapeType::Sphere, 1, 1, &takeRadius},
    {"capsule", ShapeType::Capsule, 2, 1, &takeRadiusAndLength},
    {"ellipsoid", ShapeType::Ellipsoid, 3, 3, &takeRadii},
    {"cylinder", ShapeType::Cylinder, 2, 1, &takeRadiusAndLength},
    {"box", ShapeType::Box, 3, 1, &takeBox},
    {"mesh", ShapeType::Hull, 0, 0, nullptr},
    {"sdf", ShapeType::Mesh, 0, 0, nullptr},
}};
constexpr int kSphere = 2, kMesh = 7;  // in kGeomKinds

/// Reads `size` and `fromto`. `pose`: what the other attributes say; two points say it instead.
GeomSize readSize(Element& e, const Pose& pose) {
  GeomSize size;
  size.pose = pose;
  size.lengths = e.numbers("size", {1, 2, 3});
  size.half = size.lengths.size() > 1 ? size.lengths[1] : 0.0;
  const auto fromTo = e.numbers("fromto", {6});
  size.fromTo = !fromTo.empty();
  if (!size.fromTo) return size;
  const Vec3 a(fromTo[0], fromTo[1], fromTo[2]), b(fromTo[3], fromTo[4], fromTo[5]);
  size.half = 0.5 * (b - a).norm();
  if (!(size.half > 0.0)) e.error("the two points of fromto coincide");
  // The z axis of the geom points from the second to the first point.
  size.pose = {0.5 * (a + b), rotationBetween(Vec3::UnitZ(), a - b)};
  return size;
}

/// Whether the geom has the lengths that its kind needs; tells the reader when not.
bool enoughLengths(Element& e, const GeomKind& kind, const GeomSize& size) {
  const std::size_t needed = size.fromTo ? kind.fromToLengths : kind.lengths;
  for (std::size_t i = 0; i < needed; ++i)
    if (size.lengths.size() <= i || !(size.lengths[i] > 0.0)) {
      e.error(fmt::format("size needs {} lengths > 0 (m)", needed));
      return false;
    }
  return true;
}

}  // namespace

void MjcfReader::readAssets(Element& section) {
  for (Element e : section.children()) {
    if (e.tag() != "mesh") {
      Report::once(report_.leftOut, "<" + e.tag() + "> in <asset>");
      continue;
    }
    document_.fill(e, "");
    const std::string file = e.text("file");
    const std::string name = e.text("name", std::filesystem::path(file).stem().string());
    const Vec3 scale = e.vector("scale", Vec3::Ones());
    const auto vertices = xml::parseNumbers(e.has("vertex") ? e.text("vertex") : "");
    e.text("class");
    noteUnread(e, {}, report_);
    try {
      if (!file.empty()) {
        const std::string path =
            findFile(path_, meshFolder_.empty() ? file : meshFolder_ + "/" + file, options_);
        if (path.empty()) {
          if (!options_.skipMissingMeshes) e.error(missingMesh(file));
          missing_.push_back(name);
        } else {
          meshes_[name] = importMesh(path, scale);
        }
      } else if (vertices && vertices->size() >= 12 && vertices->size() % 3 == 0) {
        std::vector<Vec3> points;
        for (std::size_t i = 0; i < vertices->size(); i += 3)
          points.push_back(Vec3((*vertices)[i], (*vertices)[i + 1], (*vertices)[i + 2]).cwiseProduct(scale));
        meshes_[name] = std::make_shared<TriangleMesh>(convexHull(points));
      } else {
        e.error("a mesh needs a file, or a vertex list of at least four points");
      }
    } catch (const InputError& error) {
      e.error(error.what());
    }
  }
}

void MjcfReader::readGeom(Element& e, int link, const Pose& outer, const std::string& childClass) {
  document_.fill(e, childClass);
  std::vector<std::string> kinds;
  kinds.reserve(std::size(kGeomKinds));
  for (const GeomKind& kind : kGeomKinds) kinds.emplace_back(kind.name);
  const GeomKind& kind =
      kGeomKinds[static_cast<std::size_t>(e.choice("type", e.has("mesh") ? kMesh : kSphere, kinds))];
  Shape shape;
  const std::string owner = link < 0 ? "world" : tree_.links[static_cast<std::size_t>(link)].name;
  shape.name = e.has("name") ? e.text("name") : fmt::format("{}_geom{}", owner, ++geoms_);
  const GeomSize size = readSize(e, document_.place(e));
  bool known = true;
  if (kind.take) {
    shape.type = kind.type;
    known = enoughLengths(e, kind, size);
    if (known) kind.take(size, shape);
  } else if (&kind == &kGeomKinds[kMesh]) {
    known = takeMesh(e, shape);
  } else {
    Report::once(report_.leftOut, fmt::format("geoms of type {}", kind.name));
    known = false;
  }
  shape.pose = outer * size.pose;
  const double mass = e.number("mass", -1.0), density = e.number("density", 1000.0, xml::kNotNegative);
  readContact(e, shape);
  noteUnread(e, {}, report_);
  if (known) addShape(std::move(shape), link, mass, density);
}

void MjcfReader::readContact(Element& e, Shape& shape) {
  const int groups = e.integer("contype", 1, 0, 0x7fffffff),
            touches = e.integer("conaffinity", 1, 0, 0x7fffffff);
  shape.collides = groups != 0 || touches != 0;
  shape.group = static_cast<std::uint32_t>(groups);
  shape.mask = static_cast<std::uint32_t>(touches);
  if (shape.collides && groups != touches) {
    shape.group = shape.mask = static_cast<std::uint32_t>(groups | touches);
    Report::once(report_.approximated, "geoms whose contype and conaffinity differ touch by both");
  }
  const auto friction = e.numbers("friction", {1, 2, 3});
  shape.material = frictionMaterial(friction.empty() ? 1.0 : friction[0]);
  for (const char* ignored : {"class", "rgba", "material", "group", "user"}) e.text(ignored);
  for (const char* soft : {"solref", "solimp", "solmix", "priority", "margin", "gap", "condim"})
    if (e.has(soft)) {
      e.text(soft);
      Report::once(report_.leftOut,
                   fmt::format("{} of geoms (contacts are rigid, with Coulomb friction)", soft));
    }
}

void MjcfReader::addShape(Shape shape, int link, double mass, double density) {
  if (link < 0) {
    shape.body = kWorld;
    tree_.worldShapes.push_back(std::move(shape));
    return;
  }
  if (shape.type == ShapeType::Plane) {
    Report::once(report_.leftOut, "planes on bodies (planes belong to the world)");
    return;
  }
  VolumeProperties p = volumeProperties(shape);
  const Mat3 r = shape.pose.rotation.toRotationMatrix();
  p.center = shape.pose * p.center;
  p.inertia = r * p.inertia * r.transpose();
  if (p.volume > 0.0) geomMasses_.push_back({link, mass >= 0.0 ? mass : density * p.volume, p});
  tree_.links[static_cast<std::size_t>(link)].shapes.push_back(std::move(shape));
}

bool MjcfReader::takeMesh(Element& e, Shape& shape) {
  const std::string name = e.requiredText("mesh");
  if (std::find(missing_.begin(), missing_.end(), name) != missing_.end()) {
    Report::once(report_.leftOut, "shapes whose mesh is not there: " + name);
    return false;
  }
  const auto mesh = meshes_.find(name);
  if (mesh == meshes_.end()) {
    if (!name.empty()) e.error(fmt::format("there is no <mesh name=\"{}\"> among the assets", name));
    return false;
  }
  shape.type = ShapeType::Hull;
  shape.mesh = std::make_shared<TriangleMesh>(convexHull(mesh->second->vertices));
  Report::once(report_.approximated, "meshes by their convex hulls");
  return true;
}

void MjcfReader::addGeomMass(int index, bool inertialGiven) {
  if (fromGeoms_ == 0 || (fromGeoms_ == 2 && inertialGiven)) return;
  Link& link = tree_.links[static_cast<std::size_t>(index)];
  Vec3 moment = Vec3::Zero();
  link.mass = 0.0;
  for (const GeomMass& g : geomMasses_)
    if (g.link == index) {
      link.mass += g.mass;
      moment += g.mass * g.properties.center;
    }
  link.center = link.mass > 0.0 ? Vec3(moment / link.mass) : Vec3::Zero();
  link.inertia.setZero();
  for (const GeomMass& g : geomMasses_)
    if (g.link == index) {
      const Vec3 arm = g.properties.center - link.center;
      link.inertia += g.mass / g.properties.volume * g.properties.inertia +
                      g.mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    }
}

void MjcfReader::boundInertias() {
  double total = 0.0;
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    Link& link = tree_.links[i];
    if (std::find(virtual_.begin(), virtual_.end(), i) != virtual_.end()) continue;
    link.mass = std::max(link.mass, leastMass_);
    if (leastInertia_ > 0.0 || balance_) {
      const Eigen::SelfAdjointEigenSolver<Mat3> eigen(link.inertia);
      Vec3 p = eigen.eigenvalues().cwiseMax(leastInertia_);
      if (balance_ && p[0] + p[1] < p[2]) p.setConstant(p.mean());
      link.inertia = eigen.eigenvectors() * p.asDiagonal() * eigen.eigenvectors().transpose();
    }
    total += link.mass;
  }
  if (totalMass_ > 0.0 && total > 0.0)
    for (Link& link : tree_.links) {
      link.mass *= totalMass_ / total;
      link.inertia *= totalMass_ / total;
    }
}

int MjcfReader::frictionMaterial(double friction) {
  for (std::size_t i = 0; i < frictions_.size(); ++i)
    if (frictions_[i] == friction) return static_cast<int>(i);
  frictions_.push_back(friction);
  return static_cast<int>(frictions_.size()) - 1;
}

void MjcfReader::materials() {
  if (frictions_.empty()) frictions_.push_back(1.0);
  for (std::size_t i = 0; i < frictions_.size(); ++i)
    tree_.materials.push_back(
        {i == 0 ? "default" : fmt::format("friction-{:g}", frictions_[i]), 1000.0, {frictions_[i], 0.0, {}}});
  for (std::size_t i = 0; i < frictions_.size(); ++i)
    for (std::size_t k = i + 1; k < frictions_.size(); ++k)
      tree_.surfaces[{static_cast<int>(i), static_cast<int>(k)}] = {
          std::max(frictions_[i], frictions_[k]), 0.0, {}};
}

}  // namespace grashof::convert
