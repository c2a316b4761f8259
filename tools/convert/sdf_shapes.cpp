#include <algorithm>
#include <cmath>
#include <limits>
#include <sdf/Box.hh>
#include <sdf/Capsule.hh>
#include <sdf/Cylinder.hh>
#include <sdf/Ellipsoid.hh>
#include <sdf/Geometry.hh>
#include <sdf/Mesh.hh>
#include <sdf/Plane.hh>
#include <sdf/Sphere.hh>

#include <fmt/format.h>

#include "tools/convert/sdf_math.h"
#include "tools/convert/sdf_reader.h"

namespace grashof::convert {

namespace {

/// A number in an element that libsdformat 12 does not know, of which it keeps texts; not a number: it is
/// none.
double numberIn(const sdf::ElementPtr& e, const char* tag, double usual) {
  if (!e->HasElement(tag)) return usual;
  const sdf::ParamPtr value = e->GetElement(tag)->GetValue();
  const auto numbers = xml::parseNumbers(value ? value->GetAsString() : "");
  return numbers && numbers->size() == 1 ? numbers->front() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void SdfReader::readCollision(const sdf::Collision& collision, const Where& link, const std::string& name,
                              std::vector<Shape>& shapes, bool fixed) {
  const Where where =
      whereIs(collision.Element(), fmt::format("{}/collision[{}]", link.element, collision.Name()));
  Shape shape;
  shape.pose = poseOf(collision.SemanticPose(), "", where);
  if (const sdf::ElementPtr surface = collision.Element()->FindElement("surface"))
    readSurface(surface, where, shape);
  if (!collision.Geom() || !readGeometry(*collision.Geom(), where, shape, fixed)) return;
  shape.name = unique(scenarioName(name + "_" + collision.Name(), report_), shapeNames_);
  shapes.push_back(std::move(shape));
}

void SdfReader::readVisual(const sdf::Visual& visual, const Where& link, const std::string& name,
                           std::vector<Shape>& shapes) {
  const Where where = whereIs(visual.Element(), fmt::format("{}/visual[{}]", link.element, visual.Name()));
  Shape shape;
  shape.collides = false;
  shape.pose = poseOf(visual.SemanticPose(), "", where);
  if (!visual.Geom() || visual.Geom()->Type() == sdf::GeometryType::PLANE ||
      !readGeometry(*visual.Geom(), where, shape, false))
    return;
  shape.name = unique(scenarioName(name + "_" + visual.Name(), report_), shapeNames_);
  shapes.push_back(std::move(shape));
}

bool SdfReader::readGeometry(const sdf::Geometry& g, const Where& where, Shape& shape, bool fixed) {
  const auto take = [&](ShapeType type, const Vec3& size, double radius, double length) {
    shape.type = type;
    shape.size = size;
    shape.radius = radius;
    shape.length = length;
    if (!(size.minCoeff() >= 0.0 && radius >= 0.0 && length >= 0.0)) {
      error(where, "the lengths of a shape must be >= 0 (m)");
      return false;
    }
    if (hasSize(shape)) return true;
    sizeless_.add(where, where.element, "the shape has no size (give it lengths > 0)");
    return false;
  };
  const Vec3 ones = Vec3::Ones();
  if (g.BoxShape()) return take(ShapeType::Box, vectorOf(g.BoxShape()->Size()), 1.0, 1.0);
  if (g.SphereShape()) return take(ShapeType::Sphere, ones, g.SphereShape()->Radius(), 1.0);
  if (const sdf::Cylinder* c = g.CylinderShape())
    return take(ShapeType::Cylinder, ones, c->Radius(), c->Length());
  if (const sdf::Capsule* c = g.CapsuleShape())
    return take(ShapeType::Capsule, ones, c->Radius(), c->Length());
  if (g.EllipsoidShape()) return take(ShapeType::Ellipsoid, vectorOf(g.EllipsoidShape()->Radii()), 1.0, 1.0);
  if (const sdf::ElementPtr cone = g.Element() ? g.Element()->FindElement("cone") : nullptr)
    return take(ShapeType::Cone, ones, numberIn(cone, "radius", 1.0), numberIn(cone, "length", 1.0));
  if (g.MeshShape())
    return meshes_.read(where, g.MeshShape()->Uri(), vectorOf(g.MeshShape()->Scale()), shape);
  if (!g.PlaneShape()) return false;
  if (!fixed) {
    report_.leftOut.push_back(fmt::format("plane {} (only what is static has planes)", where.element));
    return false;
  }
  const Vec3 normal = vectorOf(g.PlaneShape()->Normal());
  if (!(normal.norm() > 1e-9)) {
    error(where, "the normal of the plane has no length (give a direction)");
    return false;
  }
  shape.type = ShapeType::Plane;
  shape.pose.rotation = shape.pose.rotation * rotationBetween(Vec3::UnitZ(), normal.normalized());
  return true;
}

void SdfReader::readSurface(const sdf::ElementPtr& surface, const Where& where, Shape& shape) {
  SurfaceWords words{.damping = 1.0};  // as SDF where the file is silent
  const auto inside = [](const sdf::ElementPtr& e, const char* tag) {
    return e ? e->FindElement(tag) : nullptr;
  };
  if (const sdf::ElementPtr ode = inside(inside(surface, "friction"), "ode")) {
    const double mu = ode->Get<double>("mu", words.friction).first;
    const double mu2 = ode->HasElement("mu2") ? ode->Get<double>("mu2", mu).first : mu;
    const Vec3 along =
        vectorOf(ode->Get<ignition::math::Vector3d>("fdir1", ignition::math::Vector3d::Zero).first);
    const bool directed = along.allFinite() && along.norm() > 1e-9;
    setFriction(words, mu, mu2, directed, report_);
    if (words.across != words.friction) shape.frictionDirection = along;
  }
  if (const sdf::ElementPtr bounce = inside(surface, "bounce")) {
    words.restitution = bounce->Get<double>("restitution_coefficient", 0.0).first;
    if (!(words.restitution >= 0.0 && words.restitution <= 1.0))
      error(where, "restitution_coefficient must lie in [0, 1]"), words.restitution = 0.0;
  }
  const sdf::ElementPtr contact = inside(surface, "contact");
  if (const sdf::ElementPtr ode = inside(contact, "ode")) {
    if (const double kp = ode->Get<double>("kp", 0.0).first; ode->HasElement("kp") && kp > 0.0)
      words.stiffness = kp;
    if (ode->HasElement("kd")) words.damping = std::max(ode->Get<double>("kd", 1.0).first, 0.0);
  }
  shape.material = surfaces_.materialOf(words, tree_);
  if (contact) {
    const auto bits = contact->Get<unsigned int>("collide_bitmask", 0xffffu).first;
    if (contact->HasElement("collide_bitmask")) shape.group = shape.mask = bits;
    if (contact->Get<bool>("collide_without_contact", false).first || shape.mask == 0) shape.collides = false;
  }
}

}  // namespace grashof::convert
