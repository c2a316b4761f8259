#include <limits>

#include "contacts/shape.h"

namespace grashof {

double curvatureRadius(const Shape& shape, const Vec3& normal) {
  switch (shape.type) {
    case ShapeType::Sphere:
    case ShapeType::Capsule:
      return shape.radius;
    case ShapeType::Ellipsoid: {
      // With the distance h of the tangent plane from the centre, the Gaussian curvature is h⁴/(a b c)².
      const double squared = shape.size.cwiseProduct(normal).squaredNorm();
      return shape.size.prod() / squared;
    }
    default:
      return std::numeric_limits<double>::infinity();
  }
}

bool hasEdges(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Sphere:
    case ShapeType::Capsule:
    case ShapeType::Ellipsoid:
    case ShapeType::Plane:
    case ShapeType::HeightField:
      return false;
    default:
      return true;
  }
}

}  // namespace grashof
