#include "tools/grashof/viewer/model_json.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "contacts/mesh_topology.h"
#include "tools/grashof/viewer/packing.h"

namespace grashof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 10> kShapeTypes = {"plane", "box",       "sphere", "capsule", "cylinder",
                                                     "cone",  "ellipsoid", "mesh",   "mesh",    "mesh"};
constexpr std::array<const char*, 5> kCouplingKinds = {"gear", "screw", "rack", "cam", "linear"};

Json jsonOf(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json jsonOf(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }
Json jsonOf(std::span<const Direction> directions) {
  Json j = Json::array();
  for (const Direction d : directions) j.push_back(index(d));
  return j;
}

/// Edges and axes of the solid box that has the body's inertia.
Json boxOf(const Body& body) {
  const Eigen::SelfAdjointEigenSolver<Mat3> axes(body.inertia);
  const Vec3& moments = axes.eigenvalues();
  Vec3 edges;
  for (int i = 0; i < 3; ++i)
    edges[i] = std::sqrt(std::max(0.0, 6.0 * (moments.sum() - 2.0 * moments[i]) / body.mass));
  Mat3 turn = axes.eigenvectors();
  if (turn.determinant() < 0.0) turn.col(0) = -turn.col(0);
  return {{"size", jsonOf(edges)}, {"quaternion", jsonOf(Quat(turn))}};
}

Json bodiesJson(const Model& model) {
  Json all = Json::array();
  for (const Body& body : model.bodies)
    all.push_back({{"name", body.name}, {"mass", body.mass}, {"box", boxOf(body)}});
  return all;
}

Json jointsJson(const Model& model) {
  Json all = Json::array();
  for (const Joint& joint : model.joints) {
    const bool driven =
        std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                    [](const JointCoordinate& c) { return c.actuator.kind != Actuator::Kind::None; });
    all.push_back({{"name", joint.name},
                   {"type", joint.type->name()},
                   {"base", joint.base},
                   {"follower", joint.follower},
                   {"position", jsonOf(joint.followerFrame.position)},
                   {"quaternion", jsonOf(joint.followerFrame.rotation)},
                   {"basePosition", jsonOf(joint.baseFrame.position)},
                   {"baseQuaternion", jsonOf(joint.baseFrame.rotation)},
                   {"free", jsonOf(joint.type->freeDirections())},
                   {"driven", driven}});
  }
  return all;
}

Json jsonOf(const std::vector<CoordinateTerm>& terms) {
  Json all = Json::array();
  for (const CoordinateTerm& t : terms)
    all.push_back({{"joint", t.joint}, {"coordinate", t.coordinate}, {"coefficient", t.coefficient}});
  return all;
}

/// The rates of the coordinates of a coupling, of which a weighted sum is zero; of a cam its two coordinates.
std::vector<CoordinateTerm> termsOf(const Coupling& c) {
  std::vector<CoordinateTerm> terms = {{c.jointA, c.coordinateA, 1.0}, {c.jointB, c.coordinateB, -c.ratio}};
  for (const CoordinateTerm& t : c.more) terms.push_back({t.joint, t.coordinate, -t.coefficient});
  return terms;
}

Json couplingsJson(const Model& model) {
  Json all = Json::array();
  for (const Coupling& c : model.couplings)
    all.push_back({{"name", c.name},
                   {"kind", kCouplingKinds[static_cast<std::size_t>(c.kind)]},
                   {"terms", jsonOf(termsOf(c))},
                   {"ratio", c.ratio},
                   {"belt", c.mesh.kind == Mesh::Kind::Belt ? c.mesh.radius : 0.0}});
  return all;
}

/// Tendons over joint coordinates alone: belts and chains, with their wheels.
Json beltsJson(const Model& model) {
  Json all = Json::array();
  for (const ForceElement& e : model.forces)
    if (e.path.empty() && e.terms.size() > 1) all.push_back({{"name", e.name}, {"terms", jsonOf(e.terms)}});
  return all;
}

/// The lines of force elements between two points; points in the CoM frames. Cables are drawn straight from
/// the centre of one pulley to that of the next.
Json linesJson(const Model& model) {
  Json all = Json::array();
  for (const ForceElement& e : model.forces)
    if (e.onSum())
      for (std::size_t i = 1; i < e.path.size(); ++i) {
        if (e.path[i].begins) continue;
        all.push_back({{"name", e.name},
                       {"cable", true},
                       {"bodies", {e.path[i - 1].body, e.path[i].body}},
                       {"points", {jsonOf(e.path[i - 1].position), jsonOf(e.path[i].position)}}});
      }
    else if (!e.onJoint())
      all.push_back({{"name", e.name},
                     {"cable", false},
                     {"bodies", {e.bodyA, e.bodyB}},
                     {"points", {jsonOf(e.pointA), jsonOf(e.pointB)}}});
  return all;
}

/// Vertices to 1e-6 of what they span.
Json meshJson(const TriangleMesh& mesh) {
  double most = 1e-12;
  std::vector<std::uint32_t> corners;
  for (const Vec3& v : mesh.vertices) most = std::max(most, v.cwiseAbs().maxCoeff());
  for (const auto& t : mesh.triangles)
    for (const int i : t) corners.push_back(static_cast<std::uint32_t>(i));
  const PackedColumn column{0.0, 1e-6 * most};
  const std::array<PackedColumn, 3> columns = {column, column, column};
  return {{"vertices", packTable(mesh.vertices.size(), columns,
                                 [&](std::size_t r, std::size_t c) {
                                   return mesh.vertices[r][static_cast<Eigen::Index>(c)];
                                 })},
          {"triangles", packIntegers(corners)}};
}

/// Adds `meshes` and `shapes`, which name their meshes by number; shapes may share one.
void addShapes(const Model& model, Json& j) {
  j["meshes"] = Json::array();
  std::map<const void*, std::size_t> known;
  const auto meshIndex = [&](const void* key, const TriangleMesh& mesh) {
    const auto [at, added] = known.emplace(key, known.size());
    if (added) j["meshes"].push_back(meshJson(mesh));
    return at->second;
  };
  j["shapes"] = Json::array();
  for (const Shape& shape : model.shapes) {
    Json s = {{"type", kShapeTypes[static_cast<std::size_t>(shape.type)]},
              {"body", shape.body},
              {"position", jsonOf(shape.pose.position)},
              {"quaternion", jsonOf(shape.pose.rotation)},
              {"size", jsonOf(shape.size)},
              {"radius", shape.radius},
              {"length", shape.length},
              {"collides", shape.collides}};
    if (!shape.color.empty()) s["color"] = shape.color;
    if (shape.mesh) s["mesh"] = meshIndex(shape.mesh.get(), *shape.mesh);
    if (shape.heights) s["mesh"] = meshIndex(shape.heights.get(), surfaceOf(*shape.heights));
    j["shapes"].push_back(std::move(s));
  }
}

/// A box along the axes.
struct Extent {
  Vec3 low = Vec3::Constant(1e300), high = -low;
  void add(const Vec3& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  double size() const { return std::clamp((high - low).norm(), 1e-3, 1e6); }
};

/// How far a shape reaches from its origin at most.
double reachOf(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Box:
      return 0.5 * shape.size.norm();
    case ShapeType::Ellipsoid:
      return shape.size.maxCoeff();
    case ShapeType::Sphere:
      return shape.radius;
    case ShapeType::Plane:
    case ShapeType::HeightField:
      return 0.0;
    case ShapeType::Hull:
    case ShapeType::Mesh: {
      double most = 0.0;
      for (const Vec3& v : shape.mesh->vertices) most = std::max(most, v.norm());
      return most;
    }
    default:
      return shape.radius + 0.5 * shape.length;
  }
}

/// What bodies and joints span at the start.
Extent extentOf(const Model& model) {
  Extent extent;
  for (const Body& body : model.bodies) extent.add(body.initialPose.position);
  for (const Joint& joint : model.joints)
    extent.add(model.bodies[joint.follower].initialPose * joint.followerFrame.position);
  for (const Shape& shape : model.shapes)
    if (shape.body >= 0) {
      const Vec3 center = model.bodies[shape.body].initialPose * shape.pose.position;
      const double reach = 0.7 * reachOf(shape);
      extent.add(center - Vec3::Constant(reach));
      extent.add(center + Vec3::Constant(reach));
    }
  return extent;
}

}  // namespace

Json modelJson(const Model& model) {
  Json j = {{"bodies", bodiesJson(model)},
            {"joints", jointsJson(model)},
            {"couplings", couplingsJson(model)},
            {"belts", beltsJson(model)},
            {"lines", linesJson(model)}};
  addShapes(model, j);
  const Extent extent = extentOf(model);
  j["center"] = jsonOf(Vec3(0.5 * (extent.low + extent.high)));
  j["size"] = extent.size();
  j["low"] = extent.low.z();
  return j;
}

double sizeOf(const Model& model) { return extentOf(model).size(); }

}  // namespace grashof
