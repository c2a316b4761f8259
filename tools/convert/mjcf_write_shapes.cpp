#include <cmath>

#include <fmt/format.h>

#include "tools/convert/impedance.h"
#include "tools/convert/mjcf_writer.h"
#include "tools/convert/tidy.h"

namespace grashof::convert {

void MjcfWriter::writeMeshes() {
  bool open = false;
  for (const Shape& shape : model_.shapes) {
    if (!shape.mesh || (shape.type != ShapeType::Hull && shape.type != ShapeType::Mesh)) continue;
    if (meshNames_.contains(shape.mesh.get())) continue;
    if (!open) out_.open("asset");
    open = true;
    const std::string name = unique("mesh", shape.name);
    meshNames_[shape.mesh.get()] = name;
    out_.open("mesh")
        .attribute("name", name)
        .attribute("file", meshes_.file(path_, *shape.mesh, shape.name))
        .close();
  }
  if (open) out_.close();
}

std::vector<std::string> MjcfWriter::bodiesOf(const ShapeSet& set) const {
  if (!set.link.empty()) return {linkBodies_.at(set)};
  std::vector<std::string> all = {bodyName(set.body)};
  for (const auto& [link, name] : linkBodies_)
    if (link.body == set.body) all.push_back(name);
  return all;
}

void MjcfWriter::writeShapes(int body) {
  writeShapesOf({body, {}});
  for (const auto& [link, name] : linkBodies_) {
    if (link.body != body) continue;
    out_.open("body").attribute("name", name);
    writeShapesOf(link);
    out_.close();
  }
}

bool MjcfWriter::writeForm(const Shape& shape) {
  std::string type, size;
  const double half = 0.5 * shape.length;
  switch (shape.type) {
    case ShapeType::Plane:
      type = "plane", size = "0 0 1";
      break;
    case ShapeType::Box:
      type = "box", size = tidyNumbers({0.5 * shape.size.x(), 0.5 * shape.size.y(), 0.5 * shape.size.z()});
      break;
    case ShapeType::Sphere:
      type = "sphere", size = tidyNumbers({shape.radius});
      break;
    case ShapeType::Capsule:
      type = "capsule", size = tidyNumbers({shape.radius, half});
      break;
    case ShapeType::Cylinder:
      type = "cylinder", size = tidyNumbers({shape.radius, half});
      break;
    case ShapeType::Ellipsoid:
      type = "ellipsoid", size = tidyNumbers({shape.size.x(), shape.size.y(), shape.size.z()});
      break;
    case ShapeType::Hull:
    case ShapeType::Mesh:
      type = "mesh";
      break;
    case ShapeType::Cone:
    case ShapeType::HeightField:
      return false;
  }
  out_.attribute("type", type);
  if (!size.empty()) out_.attribute("size", size);
  if (type == "mesh") {
    out_.attribute("mesh", meshNames_.at(shape.mesh.get()));
    if (shape.type == ShapeType::Mesh && shape.collides)
      Report::once(report_.approximated, "meshes collide by their convex hulls in MuJoCo");
  }
  return true;
}

void MjcfWriter::writeShapesOf(const ShapeSet& set) {
  const int body = set.body;
  for (std::size_t i = 0; i < model_.shapes.size(); ++i) {
    const Shape& shape = model_.shapes[i];
    const bool apart = linkBodies_.contains({shape.body, shape.link});
    if (body != shape.body || (apart ? shape.link : std::string()) != set.link) continue;
    if (shape.type == ShapeType::Cone || shape.type == ShapeType::HeightField) {
      report_.leftOut.push_back(fmt::format("shape {} (MJCF has no such shape)", shape.name));
      continue;
    }
    out_.open("geom").attribute("name", shapeNames_[i]);
    writeForm(shape);
    if (body >= 0 && !set.link.empty()) out_.attribute("mass", 0.0);  // the body around it has the mass
    place(body < 0 ? shape.pose
                   : model_.bodies[static_cast<std::size_t>(body)].userFrame.inverse() * shape.pose);
    writeSurface(i);
    out_.close();
  }
}

void MjcfWriter::writeFriction(const SurfacePair& s, bool pair) {
  const bool turning = s.torsionalFriction > 0.0 || s.rollingFriction > 0.0;
  const double spin = turning ? s.torsionalFriction : 0.005, roll = turning ? s.rollingFriction : 0.0001;
  const int condim = condimOf(s);
  if (pair || condim != 3) out_.attribute("condim", condim);
  out_.attribute("friction", pair ? tidyNumbers({s.friction, s.friction, spin, roll, roll})
                                  : tidyNumbers({s.friction, spin, roll}));
}

void MjcfWriter::writeSurface(std::size_t index) {
  const Shape& shape = model_.shapes[index];
  const SurfacePair& own = model_.surface(shape.material, shape.material);
  writeFriction(own, false);
  if (shape.collides) {
    // That of the plan, which stands for this one.
    softness(own.softness.kind == Softness::Kind::Impedance ? plan_.shapes[index] : own.softness, "solref",
             "solimp", "contacts");
    if (plan_.mix[index] != 1.0) out_.attribute("solmix", tidy(plan_.mix[index]));
    // Contacts act at the sum of two.
    if (model_.stabilization.margin < 0.0) out_.attribute("margin", tidy(-0.5 * model_.stabilization.margin));
    if (own.softness.kind == Softness::Kind::Impedance && own.softness.mobility > 0.0)
      Report::once(report_.approximated, "impedances of contacts count the inertia of their bodies alone");
  }
  out_.attribute("contype", static_cast<int>(shape.collides ? shape.group & 0x7fffffffu : 0u));
  out_.attribute("conaffinity", static_cast<int>(shape.collides ? shape.mask & 0x7fffffffu : 0u));
}

/// What materials have and geoms have not, by the names of the materials that shapes use.
void MjcfWriter::reportSurfaces() {
  std::set<int> used;
  for (const Shape& shape : model_.shapes)
    if (shape.collides) used.insert(shape.material);
  std::set<std::string> bouncing, yielding, sticking, anisotropic;
  const auto nameOf = [&](int material) { return model_.materials[static_cast<std::size_t>(material)].name; };
  for (const int a : used)
    for (const int b : used) {
      if (b < a) continue;
      const SurfacePair& pair = model_.surface(a, b);
      const std::string name = a == b ? nameOf(a) : nameOf(a) + " with " + nameOf(b);
      if (pair.restitution > 0.0 && !pair.softness.soft()) bouncing.insert(name);
      if (pair.law.yields()) yielding.insert(name);
      if (pair.staticRatio > 1.0) sticking.insert(name);
      if (pair.frictionAcross) anisotropic.insert(name);
    }
  const auto tell = [&](const char* what, const std::set<std::string>& names, const char* why) {
    leaveOut(what, {names.begin(), names.end()}, why);
  };
  tell("restitution of", bouncing, " (MuJoCo has none)");
  tell("contact laws of", yielding, " (its contacts are impedances)");
  tell("static friction of", sticking, "");
  tell("friction across the friction direction of", anisotropic, "");
  leaveOut("friction and softness of", plan_.lost, " (MuJoCo takes the larger friction and mixes softness)");
}

void MjcfWriter::writeSite(const SitePoint& p) {
  if (!(p.radius > 0.0)) {
    out_.open("site").attribute("name", p.name).attribute("pos", tidy(p.position, size_)).close();
    return;
  }
  out_.open("geom").attribute("name", p.name).attribute("type", p.sphere ? "sphere" : "cylinder");
  out_.attribute("size", p.sphere ? tidyNumbers({p.radius}) : tidyNumbers({p.radius, 0.1 * p.radius}));
  place({p.position, rotationBetween(Vec3::UnitZ(), p.axis)});
  out_.attribute("mass", 0.0).attribute("contype", 0).attribute("conaffinity", 0).close();
  if (!p.sideName.empty())
    out_.open("site").attribute("name", p.sideName).attribute("pos", tidy(p.sidePosition, size_)).close();
}

void MjcfWriter::writeSites(int body) {
  for (const auto& [element, points] : sites_)
    for (const SitePoint& p : points)
      if (p.body == body) writeSite(p);
  for (const Rod& rod : rods_)
    for (const SitePoint& p : rod.sites)
      if (p.body == body) writeSite(p);
  for (const auto& [wrench, p] : wrenchSites_)
    if (p.body == body) writeSite(p);
  if (body < 0 && !axesSite_.empty()) writeSite({axesSite_, kWorld});
}

}  // namespace grashof::convert
