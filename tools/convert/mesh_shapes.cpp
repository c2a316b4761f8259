#include "tools/convert/mesh_shapes.h"

#include <algorithm>

#include <fmt/format.h>

#include "tools/convert/simple_hull.h"

namespace grashof::convert {

void MissingMeshes::add(const Where& where, const std::string& name, const std::string& message) {
  missing_.push_back({where, name, message});
}

void MissingMeshes::conclude(const char* counted, const char* leftOut, bool refused, const char* cure,
                             std::vector<Diagnostic>& found, Report& report) const {
  if (missing_.empty()) return;
  const Missing& first = missing_.front();
  const std::size_t others = missing_.size() - 1;
  if (!refused) {
    report.leftOut.push_back(others == 0
                                 ? fmt::format("{}: {}", leftOut, first.name)
                                 : fmt::format("{} {}: {} and others", missing_.size(), leftOut, first.name));
    return;
  }
  std::string message = first.message;
  if (others > 0) message += fmt::format("; and so on, {} {} in all", missing_.size(), counted);
  message += fmt::format(" ({})", cure);
  found.push_back({first.where.file, first.where.line, first.where.element, message});
}

bool hasSize(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Box:
    case ShapeType::Ellipsoid:
      return shape.size.minCoeff() > 0.0;
    case ShapeType::Sphere:
    case ShapeType::Capsule:
      return shape.radius > 0.0;
    case ShapeType::Cylinder:
      return shape.radius > 0.0 && shape.length > 0.0;
    default:
      return true;
  }
}

bool MeshShapes::read(const Where& where, const std::string& name, const Vec3& scale, Shape& shape) {
  try {
    const std::string path = findFile(model_, name, options_);
    if (path.empty()) {
      missing_.add(where, name, missingMesh(name));
      return false;
    }
    shape.mesh = importMesh(path, scale);
    shape.type = ShapeType::Mesh;
    if (shape.collides) {
      shape.type = ShapeType::Hull;
      SimpleHull simple = simpleHull(shape.mesh->vertices);
      hullError_ = std::max(hullError_.value_or(0.0), simple.error);
      shape.mesh = std::make_shared<TriangleMesh>(std::move(simple.hull));
    }
  } catch (const InputError& error) {
    missing_.add(where, name, error.what());
    return false;
  }
  return true;
}

void MeshShapes::conclude(std::vector<Diagnostic>& found, Report& report) const {
  if (hullError_)
    report.approximated.push_back(
        *hullError_ > 0.0
            ? fmt::format("collision meshes by convex hulls of few vertices, within {:.2g} m", *hullError_)
            : "collision meshes by their convex hulls");
  missing_.conclude("shapes", "shapes whose mesh is not there or cannot be used",
                    options_.strict && !options_.skipMissingMeshes, "without --strict they are left out",
                    found, report);
}

}  // namespace grashof::convert
