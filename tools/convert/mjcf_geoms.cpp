#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "tools/convert/mjcf_axes.h"
#include "tools/convert/mjcf_features.h"
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
/// Of two points the first length is the half width either way across.
Vec3 halfLengths(const GeomSize& size) {
  const std::vector<double>& l = size.lengths;
  return size.fromTo ? Vec3(l[0], l[0], size.half) : Vec3(l[0], l[1], l[2]);
}
void takeRadii(const GeomSize& size, Shape& shape) { shape.size = halfLengths(size); }
void takeBox(const GeomSize& size, Shape& shape) { shape.size = 2.0 * halfLengths(size); }

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
    {"ellipsoid", ShapeType::Ellipsoid, 3, 1, &takeRadii},
    {"cylinder", ShapeType::Cylinder, 2, 1, &takeRadiusAndLength},
    {"box", ShapeType::Box, 3, 1, &takeBox},
    {"mesh", ShapeType::Hull, 0, 0, nullptr},
    {"sdf", ShapeType::Mesh, 0, 0, nullptr},
}};
constexpr int kHeights = 1, kSphere = 2, kMesh = 7;  // in kGeomKinds

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

bool MjcfReader::readShape(Element& e, Shape& shape, VolumeProperties& volume, Pose& pose) {
  std::vector<std::string> kinds;
  kinds.reserve(kGeomKinds.size());
  for (const GeomKind& kind : kGeomKinds) kinds.emplace_back(kind.name);
  const bool named = e.has("mesh");
  const int type = e.has("type") ? e.choice("type", kSphere, kinds) : named ? kMesh : kSphere;
  const GeomKind& kind = kGeomKinds[static_cast<std::size_t>(type)];
  const GeomSize size = readSize(e, document_->place(e));
  pose = size.pose;
  shape.type = kind.type;
  if (type == kMesh) return takeMesh(e, shape, volume);
  if (type == kHeights) return takeHeights(e, shape);
  if (!kind.take) {
    countLeftOut(fmt::format("geoms of type {}", kind.name), "give them as meshes");
    return false;
  }
  if (named && kind.type != ShapeType::Plane) {
    Pose inMesh;
    if (!fitToMesh(e, shape, inMesh)) return false;
    pose = pose * inMesh;
  } else {
    if (!enoughLengths(e, kind, size)) return false;
    kind.take(size, shape);
  }
  volume = volumeProperties(shape);
  return true;
}

void MjcfReader::readGeom(Element& e, int link, const Pose& outer, const std::string& childClass) {
  document_->fill(e, childClass);
  Shape shape;
  if (e.has("name")) shape.name = scenarioName(prefix_ + e.text("name") + suffix_, report_);
  VolumeProperties volume;
  Pose pose;
  const bool known = readShape(e, shape, volume, pose);
  shape.pose = outer * pose;
  double mass = e.number("mass", -1.0), density = e.number("density", 1000.0, xml::kNotNegative);
  const int group = e.integer("group", 0);
  if (group < compiler_.groupRange[0] || group > compiler_.groupRange[1]) mass = 0.0;
  if (known) readContact(e, link, shape);
  const auto belt = e.numbers("surfacevel", {1, 2, 3, 4, 5, 6});
  if (known) takeBelt(belt, shape);
  for (const char* unused :
       {"class", "fitscale", "contype", "conaffinity", "condim", "priority", "friction", "solref", "solimp",
        "solmix", "margin", "gap", "mesh", "hfield", "fromto", "size"})
    e.text(unused);  // of shapes that are left out as a whole
  noteMjcf(e, report_);
  enter(kGeoms, e, known ? addShape(std::move(shape), volume, link, mass, density) : -1);
}

/// `velocity`: of the surface, m/s along the axes of the geom, then rad/s about its origin.
void MjcfReader::takeBelt(const std::vector<double>& velocity, Shape& shape) {
  Vec3 along = Vec3::Zero(), about = Vec3::Zero();
  for (std::size_t i = 0; i < velocity.size(); ++i)
    (i < 3 ? along : about)[static_cast<int>(i % 3)] = velocity[i];
  const bool mesh = shape.type == ShapeType::Hull || shape.type == ShapeType::Mesh;
  if (!about.isZero(0.0) || (mesh && !along.isZero(0.0)))
    Report::once(report_.leftOut, "surfaces that turn, and those of meshes that move (surfacevel)");
  if (!mesh) shape.surfaceVelocity = along;
}

int MjcfReader::addShape(Shape shape, VolumeProperties p, int link, double mass, double density) {
  const bool heights = shape.type == ShapeType::HeightField || shape.type == ShapeType::Mesh;
  if (link >= 0 && (shape.type == ShapeType::Plane || heights)) {
    if (!standsStill(link)) {
      Report::once(report_.leftOut, fmt::format("{0} on bodies that move ({0} belong to the world)",
                                                heights ? "height fields" : "planes"));
      return -1;
    }
    shape.pose = zeroPose(link) * shape.pose;
    link = kWorldLink;
  }
  std::vector<Shape>& shapes =
      link < 0 ? tree_.worldShapes : tree_.links[static_cast<std::size_t>(link)].shapes;
  geoms_.push_back({link, shapes.size()});
  if (link < 0) {
    shape.body = kWorld;
    shapes.push_back(std::move(shape));
    return static_cast<int>(geoms_.size()) - 1;
  }
  const Mat3 r = shape.pose.rotation.toRotationMatrix();
  Pose frame = shape.pose;
  if (shape.type == ShapeType::Hull) frame = frame * Pose{p.center, principalAxes(p.inertia)};
  p.center = shape.pose * p.center;
  p.inertia = r * p.inertia * r.transpose();
  if (p.volume > 0.0) geomMasses_.push_back({link, mass >= 0.0 ? mass : density * p.volume, p, frame});
  shapes.push_back(std::move(shape));
  return static_cast<int>(geoms_.size()) - 1;
}

}  // namespace grashof::convert
