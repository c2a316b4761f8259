// The part of ModelBuilder::build() for bodies and shapes: inertial data, centre-of-mass frames.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "contacts/shape_shell.h"
#include "engine/base/error.h"
#include "engine/model/body_mass.h"
#include "engine/model/model_content.h"

namespace grashof {
namespace {

using ShapeEntry = ModelContent::ShapeEntry;

/// Reports what is physically impossible about an inertia tensor.
void checkInertia(const Mat3& inertia, const Where& where, Defects& defects) {
  if (!inertia.allFinite())
    return defects.report(where, "the inertia tensor holds a number that is not finite (give six numbers)");
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia);
  const Vec3& i = eigen.eigenvalues();
  if (!(i[0] > 0.0))
    defects.report(
        where,
        fmt::format("the inertia tensor is not positive definite: principal moments {:.6g} {:.6g} {:.6g} "
                    "(order is ixx iyy izz ixy ixz iyz, kg m^2)",
                    i[0], i[1], i[2]));
  else if (i[0] + i[1] < i[2] * (1.0 - 1e-6))
    defects.report(
        where, fmt::format(
                   "the inertia tensor violates the triangle inequality: principal moments {:.6g} + {:.6g} < "
                   "{:.6g}, which no distribution of mass has (check the order ixx iyy izz ixy ixz iyz)",
                   i[0], i[1], i[2]));
}

/// The parts of a body that its shapes are, in its user's frame. Reports shapes that can't be such parts.
std::vector<MassPart> partsOf(const std::vector<const ShapeEntry*>& shapes, bool massGiven,
                              const std::vector<Material>& materials, Defects& defects) {
  std::vector<MassPart> parts;
  for (const ShapeEntry* entry : shapes) {
    const std::size_t before = defects.count();
    checkShape(entry->shape, entry->where, defects);
    if (entry->mass.mass) defects.number(entry->where, "mass", *entry->mass.mass, kPositive);
    if (entry->mass.density) defects.number(entry->where, "density", *entry->mass.density, kPositive);
    if (entry->shape.type == ShapeType::Plane || entry->shape.type == ShapeType::HeightField)
      defects.report(entry->where,
                     "a plane or height field can't be part of a body (put it under <scenario>: it belongs "
                     "to the world)");
    if (defects.count() > before) continue;
    const VolumeProperties p = placedVolume(entry->shape);
    if (!(p.volume > 0.0)) {
      // A closed mesh with its triangles inside out has a negative volume.
      if (!massGiven)
        defects.report(entry->where,
                       "the mesh encloses no positive volume (is it closed, with its triangles "
                       "counter-clockwise seen from outside? or give the body an <inertial>)");
      continue;
    }
    double density = entry->mass.density.value_or(
        materials[static_cast<std::size_t>(std::max(entry->shape.material, 0))].density);
    if (entry->mass.mass) density = *entry->mass.mass / p.volume;
    parts.push_back({density, p});
  }
  return parts;
}

/// Mass, centre and inertia by a definition and its parts; reports what is missing. The centre in the
/// user's frame.
std::optional<MassProperties> inertialData(const BodyDef& def, const std::vector<MassPart>& parts,
                                           Defects& defects) {
  const std::optional<InertialDef>& given = def.inertial;
  const std::size_t before = defects.count();
  std::optional<Vec3> center;
  if (given) {
    defects.number(given->where, "mass", given->mass, kPositive);
    defects.rotation(given->where, given->rotation);
    if (given->inertia) checkInertia(*given->inertia, given->where, defects);
    if (given->center) defects.vector(given->where, "position", *given->center);
    center = given->center;
    if (given->inertia && !center) center = Vec3::Zero();
  }
  if (defects.count() > before) return std::nullopt;
  if (parts.empty() && !given)
    defects.report(def.where, "has no mass (give it an <inertial>, or a <shape> with a volume)");
  else if (parts.empty() && !given->inertia)
    defects.report(def.where,
                   "has a mass but no inertia (give <inertial> an inertia, or the body a <shape>)");
  if (defects.count() > before) return std::nullopt;

  MassProperties sum = massProperties(parts, center);
  if (center) sum.center = *center;
  if (given && given->inertia) {
    const Mat3 r = given->rotation.toRotationMatrix();
    sum.inertia = r * *given->inertia * r.transpose();
  } else {
    sum.inertia = sum.inertia * (given ? given->mass / sum.mass : 1.0);
    checkInertia(sum.inertia, def.where, defects);
  }
  if (given) sum.mass = given->mass;
  return sum;
}

Body placeBody(const BodyDef& def, const std::vector<MassPart>& parts, bool partsComplete, Defects& defects) {
  Body body;
  body.name = def.name;
  const std::size_t before = defects.count();
  defects.pose(def.where, def.pose);
  defects.vector(def.where, "velocity", def.velocity);
  defects.vector(def.where, "angular-velocity", def.angularVelocity);
  const bool placed = defects.count() == before;
  // A body whose shapes are wrong is not blamed for having no mass.
  if (!partsComplete && !def.inertial) return body;
  const std::optional<MassProperties> data = inertialData(def, parts, defects);
  if (!data || !placed) return body;
  body.mass = data->mass;
  body.inertia = 0.5 * (data->inertia + data->inertia.transpose());
  body.userFrame.position = -data->center;
  body.initialPose = {def.pose * data->center, def.pose.rotation};
  body.initialTwist << def.velocity + def.angularVelocity.cross(def.pose.rotation * data->center),
      def.angularVelocity;
  return body;
}

void checkMade(const Body& body, const Where& where, Defects& defects) {
  const Where inertial{where.file, where.line, where.element + "/inertial"};
  defects.number(inertial, "mass", body.mass, kPositive);
  checkInertia(body.inertia, inertial, defects);
  defects.pose(where, body.initialPose);
  defects.vector(where, "velocity", body.initialTwist.head<3>());
  defects.vector(where, "angular-velocity", body.initialTwist.tail<3>());
}

/// `ofPatches`: of a pair of materials of which one has a hydroelastic modulus.
void checkContactLaw(const SurfacePair& s, bool ofPatches, const Where& where, Defects& defects) {
  const ContactLaw& law = s.law;
  defects.number(where, "stiffness", law.stiffness, kNotNegative);
  defects.number(where, "exponent", law.exponent, {1.0, 10.0, false});
  defects.number(where, "young-modulus", law.youngModulus, kNotNegative);
  defects.number(where, "poisson-ratio", law.poissonRatio, {-1.0, 0.5, false});
  if (law.poissonRatio == -1.0)
    defects.report(where, "poisson-ratio must be above -1 (0.3 is that of steel)");
  defects.number(where, "edge-radius", law.edgeRadius, kNotNegative);
  defects.number(where, "hydroelastic-modulus", law.hydroelasticModulus, kNotNegative);
  defects.number(where, "hunt-crossley", law.huntCrossley, kNotNegative);
  defects.number(where, "relaxation-time", law.relaxationTime, kNotNegative);
  defects.number(where, "tangential-stiffness", law.tangentialStiffness, kNotNegative);
  defects.number(where, "stiction-speed", law.stictionSpeed, kPositive);
  if (law.stiffness > 0.0 && law.youngModulus > 0.0)
    defects.report(where, "stiffness and young-modulus exclude each other (keep one)");
  if (law.hydroelastic() && (law.stiffness > 0.0 || law.youngModulus > 0.0))
    defects.report(where, "hydroelastic-modulus excludes stiffness and young-modulus (keep one)");
  if (law.exponent != 1.0 && !(law.stiffness > 0.0))
    defects.report(where, "exponent does nothing without stiffness (give it, in N/m^exponent)");
  if (law.huntCrossley > 0.0 && law.relaxationTime > 0.0)
    defects.report(where, "hunt-crossley and relaxation-time exclude each other (keep one)");
  if (law.huntCrossley > 0.0 && !law.yields() && !ofPatches)
    defects.report(where,
                   "hunt-crossley does nothing without stiffness, young-modulus or hydroelastic-modulus "
                   "(give one)");
  const bool linear = law.hydroelastic() || ofPatches || (law.stiffness > 0.0 && law.exponent == 1.0);
  if (law.relaxationTime > 0.0 && !linear)
    defects.report(where,
                   "relaxation-time needs a stiffness with exponent 1 or a hydroelastic-modulus (give one, "
                   "or hunt-crossley instead)");
  if (law.yields() && s.softness.soft())
    defects.report(where,
                   "stiffness, young-modulus or hydroelastic-modulus exclude compliance, impedance, "
                   "reference, erp and cfm (keep one)");
  if (law.tangentialStiffness > 0.0 && s.softness.kind == Softness::Kind::Impedance)
    defects.report(where, "tangential-stiffness and impedance exclude each other (keep one)");
  if (law.tangentialStiffness > 0.0 && (law.hydroelastic() || ofPatches))
    defects.report(where,
                   "tangential-stiffness is of points that stay the same, not of patches "
                   "(leave it out beside hydroelastic-modulus)");
}

/// What a <surface> of materials may not have where one of them is hydroelastic: another normal law.
void checkPatchSurface(const SurfacePair& s, const Where& where, Defects& defects) {
  if (s.law.stiffness > 0.0 || s.softness.soft())
    defects.report(where,
                   "one of these materials has a hydroelastic-modulus, which excludes stiffness, compliance, "
                   "impedance, reference, erp and cfm here (keep friction and dissipation)");
}

/// Where Young's modulus gives the stiffness some shape must be round, or its material have a radius for
/// edges.
void checkCurvatures(const ModelContent& content, const Model& model, Defects& defects) {
  const auto touching = [](const ShapeEntry& a, const ShapeEntry& b) {
    return a.body.value != b.body.value && (a.shape.group & b.shape.mask) != 0 &&
           (b.shape.group & a.shape.mask) != 0;
  };
  const auto round = [](const Shape& shape) { return std::isfinite(curvatureRadius(shape, Vec3::UnitZ())); };
  const auto lawOf = [&](int a, int b) {
    const auto given = model.surfacePairs.find(std::minmax(a, b));
    return given != model.surfacePairs.end()
               ? given->second.law
               : mixed(model.materials[static_cast<std::size_t>(a)].surface.law,
                       model.materials[static_cast<std::size_t>(b)].surface.law);
  };
  const bool hertz = std::any_of(model.materials.begin(), model.materials.end(),
                                 [](const Material& m) { return m.surface.law.hertz(); });
  for (std::size_t i = 0; hertz && i < content.shapes.size(); ++i) {
    const ShapeEntry& entry = content.shapes[i];
    const Shape& shape = entry.shape;
    if (!shape.collides || !hasEdges(shape)) continue;
    const auto bad = [&](const ShapeEntry& other) {
      if (!other.shape.collides || round(other.shape) || !touching(entry, other)) return false;
      if (!lawOf(shape.material, other.shape.material).hertz()) return false;
      const auto edge = [&](const Shape& s) {
        return hasEdges(s) ? model.materials[static_cast<std::size_t>(s.material)].surface.law.edgeRadius
                           : 0.0;
      };
      return edge(shape) == 0.0 && edge(other.shape) == 0.0;
    };
    if (std::any_of(content.shapes.begin(), content.shapes.end(), bad))
      defects.report(
          entry.where,
          "young-modulus needs a radius where this shape touches another one that is not round (give "
          "edge-radius to its material, or stiffness in place of young-modulus)");
  }
}

/// Modulus of the pressure field of a shape, by its material.
double modulusOf(const ShapeEntry& entry, const Model& model) {
  if (!usable(MaterialId{entry.shape.material}, model.materials.size())) return 0.0;
  return model.materials[static_cast<std::size_t>(entry.shape.material)].surface.law.hydroelasticModulus;
}

/// Shapes that are compliant need an inside.
void checkPressureFields(const ModelContent& content, const Model& model, Defects& defects) {
  for (const ShapeEntry& entry : content.shapes) {
    if (!(modulusOf(entry, model) > 0.0) || !entry.shape.collides) continue;
    const ShapeType type = entry.shape.type;
    if (type == ShapeType::HeightField)
      defects.report(entry.where,
                     "a height field has no pressure field (give it a material without "
                     "hydroelastic-modulus: it is rigid for the shapes that have one)");
    if (type == ShapeType::Plane && !(entry.shape.thickness > 0.0))
      defects.report(entry.where,
                     "a plane of a material with hydroelastic-modulus needs a thickness (m, the depth at "
                     "which the pressure is the modulus)");
    if (type != ShapeType::Mesh) continue;
    try {
      shellOf(entry.shape, 0.0, true);
    } catch (const InputError& error) {
      defects.report(entry.where, error.what());
    }
  }
}

}  // namespace

void placeMaterials(const ModelContent& content, Model& model, Defects& defects) {
  const auto checkPair = [&](const SurfacePair& s, bool ofPatches, const Where& where) {
    defects.number(where, "friction", s.friction, {0.0, kMostFriction, false});
    defects.number(where, "restitution", s.restitution, kShare);
    if (s.frictionAcross)
      defects.number(where, "friction-across", *s.frictionAcross, {0.0, kMostFriction, false});
    defects.number(where, "rolling-friction", s.rollingFriction, kNotNegative);
    defects.number(where, "torsional-friction", s.torsionalFriction, kNotNegative);
    defects.number(where, "static-ratio", s.staticRatio, {1.0, 1e3, false});
    defects.number(where, "stribeck-speed", s.stribeckSpeed, kPositive);
    checkSoftness(s.softness, where, defects);
    checkContactLaw(s, ofPatches, where, defects);
  };
  for (const auto& [material, where] : content.materials) {
    defects.number(where, "density", material.density, kPositive);
    checkPair(material.surface, false, where);
    model.materials.push_back(material);
  }
  for (const auto& [a, b, surface, where] : content.surfaces) {
    const std::size_t count = model.materials.size();
    const auto hydroelastic = [&](MaterialId id) {
      return usable(id, count) &&
             model.materials[static_cast<std::size_t>(id.value)].surface.law.hydroelastic();
    };
    const bool ofPatches = hydroelastic(a) || hydroelastic(b);
    checkPair(surface, ofPatches, where);
    if (ofPatches) checkPatchSurface(surface, where, defects);
    if (surface.law.hertz())
      defects.report(where, "young-modulus belongs to materials (give it there, or a stiffness here)");
    if (surface.law.hydroelastic())
      defects.report(where, "hydroelastic-modulus belongs to materials (give it there)");
    if (!usable(a, count) || !usable(b, count))
      defects.report(where, "needs two materials of this model (as addMaterial() gives them)");
    else if (!model.surfacePairs.emplace(std::minmax(a.value, b.value), surface).second)
      defects.report(where, "this pair of materials has been given already (keep one)");
  }
}

void placeBodies(const ModelContent& content, Model& model, Defects& defects) {
  std::vector<std::vector<const ShapeEntry*>> shapesOf(content.bodies.size());
  std::vector<bool> complete(content.bodies.size(), true);
  for (const ShapeEntry& entry : content.shapes) {
    if (entry.body == kWorldBody || !usable(entry.body, content.bodies.size()))
      checkShape(entry.shape, entry.where, defects);
    const bool material = usable(MaterialId{entry.shape.material}, content.materials.size());
    if (!material)
      defects.report(entry.where, fmt::format("material={}: there is no such material ({} are known)",
                                              entry.shape.material, content.materials.size()));
    if (!checkBody(entry.body, true, "body", content.bodies.size(), entry.where, defects)) continue;
    if (entry.body == kWorldBody) continue;
    if (material)
      shapesOf[static_cast<std::size_t>(entry.body.value)].push_back(&entry);
    else
      complete[static_cast<std::size_t>(entry.body.value)] = false;
  }
  if (defects.count() == 0) checkCurvatures(content, model, defects);
  if (defects.count() == 0) checkPressureFields(content, model, defects);
  for (std::size_t b = 0; b < content.bodies.size(); ++b) {
    const auto& [def, made] = content.bodies[b];
    const std::size_t before = defects.count();
    const auto parts = partsOf(shapesOf[b], made || def.inertial, model.materials, defects);
    if (made) {
      checkMade(*made, def.where, defects);
      model.bodies.push_back(*made);
    } else {
      const bool partsComplete = complete[b] && defects.count() == before;
      model.bodies.push_back(placeBody(def, parts, partsComplete, defects));
    }
  }
  for (const ShapeEntry& entry : content.shapes) {
    model.shapes.push_back(entry.shape);
    Shape& shape = model.shapes.back();
    shape.body = entry.body.value;
    shape.modulus = modulusOf(entry, model);
    if (entry.made || !usable(entry.body, model.bodies.size())) continue;
    const Body& body = model.bodies[static_cast<std::size_t>(entry.body.value)];
    if (content.bodies[static_cast<std::size_t>(entry.body.value)].made)
      shape.pose = body.userFrame * shape.pose;
    else
      shape.pose.position += body.userFrame.position;
  }
}

}  // namespace grashof
