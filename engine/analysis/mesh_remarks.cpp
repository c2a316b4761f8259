#include "engine/analysis/mesh_remarks.h"

#include <algorithm>

#include <fmt/format.h>

#include "contacts/mesh_defects.h"
#include "engine/base/listed.h"

namespace grashof {
namespace {

constexpr std::size_t kNamedMeshes = 5;

/// As in "mesh 'floor' of the world", of all shapes with one mesh.
std::string namesOf(const Model& model, const std::vector<const Shape*>& shapes) {
  std::vector<std::string> names;
  for (const Shape* shape : shapes)
    if (names.size() < kNamedMeshes)
      names.push_back(fmt::format(
          "'{}' of {}", shape->name,
          shape->body < 0 ? std::string("the world")
                          : "body '" + model.bodies[static_cast<std::size_t>(shape->body)].name + "'"));
  return fmt::format(
      "mesh {}{}", joined(names),
      shapes.size() > kNamedMeshes ? fmt::format(" and {} more", shapes.size() - kNamedMeshes) : "");
}

/// What is wrong with a mesh, and what follows; empty for a solid.
std::string describe(const MeshDefects& d, bool moving) {
  const char* mass = moving ? ", and a mass by its volume is wrong (give the body an <inertial>)" : "";
  if (d.turned > 0)
    return fmt::format(
        "has {} edges along which triangles look to different sides: those that look inwards catch nothing "
        "from outside{} (turn them: counter-clockwise seen from outside)",
        d.turned, mass);
  if (d.insideOut)
    return fmt::format(
        "is inside out: its triangles look inwards, so that it catches what is inside and nothing from "
        "outside{} (turn them: counter-clockwise seen from outside)",
        mass);
  if (d.open > 0)
    return fmt::format(
        "is open, {} edges have one triangle: it has one side, and catches only what comes from where its "
        "triangles are seen counter-clockwise{}",
        d.open, mass);
  if (d.shared > 0)
    return fmt::format(
        "has {} edges with more than two triangles: which of them is outside is not known there, and "
        "contacts at these edges are doubtful (part the solids)",
        d.shared);
  if (d.crossing > 0)
    return fmt::format(
        "crosses itself in {} triangles: what lies inside makes contacts, too{} (unite the solids, or make "
        "each a shape of its own)",
        d.crossing, mass);
  return {};
}

}  // namespace

std::vector<std::string> meshRemarks(const Model& model) {
  std::vector<std::string> remarks;
  std::vector<const TriangleMesh*> done;
  for (const Shape& shape : model.shapes) {
    const TriangleMesh* mesh = shape.mesh.get();
    if (shape.type != ShapeType::Mesh || !shape.collides || !mesh) continue;
    if (std::find(done.begin(), done.end(), mesh) != done.end()) continue;
    done.push_back(mesh);
    std::vector<const Shape*> same;
    bool moving = false;
    for (const Shape& other : model.shapes)
      if (other.mesh.get() == mesh && other.type == ShapeType::Mesh && other.collides) {
        same.push_back(&other);
        moving = moving || other.body >= 0;
      }
    const std::string text = describe(meshDefects(*mesh), moving);
    if (!text.empty()) remarks.push_back(namesOf(model, same) + " " + text);
  }
  return remarks;
}

}  // namespace grashof
