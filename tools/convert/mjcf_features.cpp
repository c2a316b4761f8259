#include "tools/convert/mjcf_features.h"

#include <array>

#include <fmt/format.h>

namespace grashof::convert {
namespace {

constexpr Treatment kTaken = Treatment::Taken, kNoEffect = Treatment::NoEffect, kLeftOut = Treatment::LeftOut;

constexpr const char* kActuators = "motor position velocity general";

constexpr auto kFeatures = std::to_array<Feature>({
    // The file
    {"mujoco", kTaken, "model", ""},
    {"include", kTaken, "file", "anywhere"},
    {"default", kTaken, "class", "several at the top add up"},
    {"visual statistic size custom extension option/custom", kNoEffect, "", ""},
    {"sensor", kLeftOut, "", "channels of a scenario measure"},
    {"deformable", kLeftOut, "", "bodies are rigid"},
    {"compiler", kTaken,
     "angle eulerseq meshdir assetdir inertiafromgeom autolimits boundmass boundinertia balanceinertia "
     "settotalmass inertiagrouprange strippath exactmeshinertia coordinate fitaabb alignfree",
     "coordinate global is an error"},
    {"compiler", kNoEffect, "convexhull discardvisual fusestatic usethread saveinertial texturedir", ""},
    {"lengthrange", kNoEffect, "", ""},
    {"option", kTaken, "timestep gravity integrator", "RK4 as auto, all others as euler"},
    {"option", kTaken, "cone impratio", "cones are round; how contacts yield follows both"},
    {"option", kTaken, "actuatorgroupdisable", "actuators of these groups give no force"},
    {"option", kLeftOut, "wind density viscosity magnetic", "no fluid, no magnetism"},
    {"option", kLeftOut, "o_margin o_solref o_solimp o_friction", "contacts have their own"},
    {"option", kNoEffect,
     "apirate jacobian solver iterations tolerance ls_iterations ls_tolerance noslip_iterations "
     "noslip_tolerance mpr_iterations mpr_tolerance ccd_iterations ccd_tolerance sdf_iterations "
     "sdf_initpoints sleep_tolerance collision",
     "solvers differ; friction cones are round"},
    {"flag", kTaken,
     "constraint equality frictionloss limit contact passive spring damper gravity clampctrl filterparent "
     "actuation sleep",
     ""},
    {"flag", kLeftOut, "override", "contacts have their own"},
    {"flag", kNoEffect,
     "warmstart refsafe sensor midphase nativeccd eulerdamp autoreset island energy fwdinv invdiscrete "
     "multiccd sensornoise",
     ""},
    // Bodies
    {"body", kTaken, "name childclass pos quat axisangle xyaxes zaxis euler gravcomp", ""},
    {"body", kTaken, "mocap", "stays where it is"},
    {"body", kTaken, "sleep", "init is reported where sleeping is enabled: what sleeps at the start moves"},
    {"body", kNoEffect, "user", ""},
    {"frame", kTaken, "name childclass pos quat axisangle xyaxes zaxis euler", ""},
    {"replicate", kTaken, "count offset euler sep childclass", "with all that refers to the copies"},
    {"attach", kTaken, "model body frame prefix", "with what refers to the body; options and keyframes stay"},
    {"inertial", kTaken, "pos quat axisangle xyaxes zaxis euler mass diaginertia fullinertia", ""},
    {"composite", kLeftOut, "", "in MuJoCo 3 write <replicate> for particles; of a cable its saved bodies"},
    {"flexcomp flex skin", kLeftOut, "", "bodies are rigid"},
    {"plugin", kLeftOut, "", "plugins are not run"},
    {"light camera", kNoEffect, "", ""},
    {"site", kTaken, "name class pos quat axisangle xyaxes zaxis euler fromto", "for equalities and tendons"},
    {"site", kNoEffect, "type group material size rgba user", ""},
    {"joint", kTaken,
     "name class type pos axis ref range limited solreflimit solimplimit stiffness springref damping "
     "springdamper armature frictionloss actuatorfrcrange actuatorfrclimited",
     ""},
    {"joint", kTaken, "margin", "limits act that much sooner"},
    {"joint", kLeftOut, "solreffriction solimpfriction", "dry friction is rigid"},
    {"joint", kLeftOut, "actuatorgravcomp", "gravcomp acts on the bodies"},
    {"joint freejoint", kNoEffect, "group user", ""},
    {"freejoint", kTaken, "name align",
     "align, and alignfree: the frame of a body without bodies inside is its inertial frame"},
    {"geom", kTaken, "surfacevel", "as a belt; surfaces that turn, and those of meshes, are left out"},
    {"geom", kTaken,
     "name class type size fromto mesh pos quat axisangle xyaxes zaxis euler mass density contype "
     "conaffinity "
     "condim priority friction solref solimp solmix group fitscale hfield",
     "condim 4 and 6: torsional and rolling friction have bounds apart from sliding"},
    {"geom", kTaken, "margin", "of two geoms the sum; where pairs differ planes and round geoms grow"},
    {"geom pair", kNoEffect, "gap", "of detection alone"},
    {"geom", kLeftOut, "shellinertia", "shapes are solid"},
    {"geom", kLeftOut, "fluidshape fluidcoef", "no fluid"},
    {"geom", kNoEffect, "material rgba user", ""},
    // Assets
    {"mesh", kTaken, "name class file vertex face scale refpos refquat inertia content_type",
     "shapes are convex hulls"},
    {"mesh", kTaken, "builtin params", "a plate is flat, and left out; of a wedge gamma is 0"},
    {"mesh", kNoEffect, "normal texcoord smoothnormal maxhullvert material octree", ""},
    {"texture material asset/skin", kNoEffect, "", ""},
    {"hfield", kTaken, "name file nrow ncol size elevation content_type",
     "the ground; of PNG, of MuJoCo's format or written out; what is inside is pushed out"},
    {"model", kTaken, "name file", "to attach"},
    {"model", kNoEffect, "content_type", ""},
    // Relations
    {"exclude", kTaken, "body1 body2", ""},
    {"exclude", kNoEffect, "name", ""},
    {"pair", kTaken, "class geom1 geom2 condim friction solref solimp",
     "friction: the first, third and fourth number"},
    {"pair", kTaken, "margin", "as of geoms"},
    {"pair", kLeftOut, "solreffriction", "friction yields as its contact"},
    {"pair", kNoEffect, "name", ""},
    {"connect weld", kTaken, "name class active body1 body2 site1 site2 anchor relpose solref solimp", ""},
    {"weld", kTaken, "torquescale", "a weld is two joints, of the place and of the orientation"},
    {"equality/joint", kTaken, "name class active joint1 joint2 polycoef solref solimp",
     "as couplings with an impedance; curves as cams, which are rigid; of one joint as limits"},
    {"equality/tendon", kTaken, "name class active tendon1 tendon2 polycoef solref solimp",
     "the same; of more than two joints, or of paths, without curves"},
    {"equality/flex equality/flexvert equality/flexstrain equality/distance", kLeftOut, "",
     "bodies are rigid"},
    {"fixed spatial", kTaken,
     "name class stiffness damping limited range frictionloss springlength solreflimit solimplimit",
     "as cables and tendons that push as they pull; friction of one joint alone"},
    {"fixed spatial", kLeftOut, "solreffriction solimpfriction actuatorfrcrange actuatorfrclimited",
     "tendons have none"},
    {"fixed", kTaken, "armature margin", "armature of one joint alone; limits act sooner by the margin"},
    {"spatial", kTaken, "margin", "limits act that much sooner"},
    {"spatial", kLeftOut, "armature", "cables have none"},
    {"fixed spatial", kNoEffect, "group user width material rgba", ""},
    {"fixed/joint", kTaken, "joint coef", ""},
    {"spatial/site", kTaken, "site", ""},
    {"spatial/geom", kTaken, "geom sidesite",
     "the side is that of the reference pose; those with the sidesite inside are left out"},
    {"pulley", kTaken, "divisor", "as branches of a cable"},
    {kActuators, kTaken,
     "name class joint jointinparent tendon gear ctrlrange ctrllimited forcerange forcelimited",
     "several on one joint add up"},
    {kActuators, kTaken, "site refsite",
     "as a wrench of the ctrl of the start, in the axes of the site or of a refsite that stands still"},
    {kActuators, kLeftOut, "body slidersite cranksite cranklength",
     "transmissions but joints, tendons and sites"},
    {kActuators, kLeftOut, "actlimited actrange actearly actdim delay nsample interp", "activations"},
    {"position", kTaken, "inheritrange", "of the range of a joint"},
    {"motor velocity general", kLeftOut, "inheritrange", "servos of a position have it"},
    {kActuators, kTaken, "group", "for actuatorgroupdisable"},
    {kActuators, kNoEffect, "user lengthrange", ""},
    {"intvelocity", kTaken,
     "name class joint jointinparent tendon site refsite gear kp kv ctrlrange ctrllimited forcerange "
     "forcelimited",
     "as a servo that stays at the activation of the start"},
    {"intvelocity", kLeftOut,
     "actlimited actrange actearly inheritrange delay nsample interp body slidersite cranksite cranklength",
     "activations"},
    {"intvelocity", kTaken, "group", "for actuatorgroupdisable"},
    {"intvelocity", kNoEffect, "user lengthrange", ""},
    {"damper cylinder muscle adhesion", kLeftOut, "", "counted, with what helps"},
    {"general", kTaken, "gaintype biastype gainprm biasprm dyntype dynprm",
     "fixed gains with no or affine bias; integrators stay at the activation of the start, filters act at "
     "once"},
    {"position", kTaken, "kp kv dampratio", ""},
    {"position", kLeftOut, "timeconst", "servos have no filter"},
    {"velocity", kTaken, "kv", ""},
    {"keyframe/key", kTaken, "name qpos qvel ctrl act time", "act: of integrators"},
    {"keyframe/key", kLeftOut, "mpos mquat", "mocap bodies"},
});

}  // namespace

std::span<const Feature> mjcfFeatures() { return kFeatures; }

void noteMjcf(const xml::Element& e, Report& report, const std::string& name) {
  const std::string element = name.empty() ? e.tag() : name;
  for (const std::string& attribute : e.unread()) {
    const Feature* feature = findFeature(kFeatures, element, attribute);
    if ((feature && feature->treatment == kNoEffect) || attribute.starts_with("xmlns")) continue;
    const bool known = feature && feature->treatment == kLeftOut;
    Report::once(report.leftOut, fmt::format("attribute {} of <{}>{}", attribute, e.tag(),
                                             known ? fmt::format(" ({})", feature->note) : ""));
  }
}

namespace {

/// What a composite is written as in MuJoCo 3; empty: the element is none, or of no known type.
std::string compositeCure(const xml::Element& e) {
  if (e.tag() != "composite" || !e.has("type")) return {};
  const std::string type = xml::Element(e).text("type");
  if (type == "particle") return "MuJoCo 3 has <replicate> for it: write a body with a free joint in one";
  if (type == "cable") return "save the compiled model: its bodies and ball joints are read";
  if (type == "rope" || type == "loop")
    return "MuJoCo 3 has <composite type=\"cable\"> for it: save the compiled model, whose bodies are read";
  if (type == "grid" || type == "cloth" || type == "box" || type == "cylinder" || type == "ellipsoid")
    return "MuJoCo 3 has <flexcomp> for it, which bends: bodies here are rigid";
  return {};
}

}  // namespace

void noteMjcfElement(const xml::Element& e, Report& report) {
  const Feature* feature = findFeature(kFeatures, e.tag(), "");
  if (feature && feature->treatment == kNoEffect) return;
  std::string name = e.tag(), note = feature ? feature->note : "";
  if (const std::string cure = compositeCure(e); !cure.empty()) {
    name += fmt::format(" type=\"{}\"", xml::Element(e).text("type"));
    note = cure;
  }
  Report::once(report.leftOut, fmt::format("<{}>{}", name, note.empty() ? "" : fmt::format(" ({})", note)));
}

}  // namespace grashof::convert
