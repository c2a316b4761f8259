// Attributes of forces, force elements, constraints on velocities and controls.
#include "engine/scenario/words.h"

namespace grashof::xml {
namespace {

constexpr Attribute kWrench[] = {
    {"name", "text", "", "", ""},
    {"body", "text", "", "required", ""},
    {"force", "vector", "N", "`0 0 0`", "at least one"},
    {"torque", "vector", "N m", "`0 0 0`", "at least one"},
    {"point", "vector", "m", "its origin", "where the force acts, in the body's frame"},
    {"frame", "world|body", "", "`world`", "axes of force and torque: `world`, or `body`, turning with it"},
    {"motion", "text", "", "1", "factor in time"},
};
constexpr Attribute kEnds[] = {
    {"name", "text", "", "required", ""},
    {"body1", "text", "", "`world`", "body or `world`"},
    {"body2", "text", "", "required", "body or `world`, another than body1"},
    {"point1 point2", "vector", "m", "`0 0 0`", "in the frames of the bodies"},
};
constexpr Attribute kSpring[] = {
    {"stiffness", "notNegative", "N/m", "0", ""},
    {"damping", "notNegative", "N s/m", "0", ""},
    {"length", "number", "m", "the distance at the start",
     "at which the spring's force is the preload: its free length if that is 0"},
    {"preload", "number", "N", "0", "force at `length`; without a stiffness: a constant force"},
    {"unilateral", kWords<ForceSide>, "", "`none`",
     "`tension`: pulls only, as a rope; `compression`: pushes only, as a bump stop; the damper acts while "
     "the "
     "spring does, and never turns its force round"},
};
constexpr Attribute kGasSpring[] = {
    {"length", "positive checked", "m", "required", "extended"},
    {"force", "positive checked", "N", "required", "there"},
    {"compressed-length", "positive checked", "m", "required", ""},
    {"compressed-force", "positive checked", "N", "", "there, larger than `force`; this or `progression`"},
    {"progression", "positive checked", "", "", "`compressed-force` over `force`"},
    {"exponent", "positive", "", "1", "n: 1 for slow motion, 1.4 for fast motion of nitrogen"},
    {"damping", "notNegative", "N s/m", "0", "viscous"},
};
constexpr Attribute kForce[] = {
    {"name", "text", "", "required", ""},
    {"body1 body2", "text", "", "", "as of a spring"},
    {"point1 point2", "vector", "m", "", "as of a spring"},
    {"joint", "text", "", "", "instead of bodies"},
    {"coordinate", "whole", "", "0", "of the joint, from 0"},
    {"motion", "text", "N, N m", "none", "name of a `<motion>`: the commanded force"},
    {"stiffness", "notNegative", "N/m, N m/rad", "0", "as of a spring"},
    {"damping", "notNegative", "N s/m, N m s/rad", "0", "as of a spring"},
    {"preload", "number", "N, N m", "0", "as of a spring"},
    {"length", "number", "m, rad", "the distance at the start; 0",
     "as of a spring; of a joint: the coordinate at which it has its preload"},
};
constexpr Attribute kTable[] = {
    {"over", "length|speed", "", "required",
     "`length` (of a joint: the coordinate) or `speed` (its rate; positive while it grows)"},
    {"samples", "numbers", "", "", "`x0 force0 x1 force1 …`, x increasing; m, rad, m/s, rad/s and N, N m"},
    {"file column", "text", "", "", "CSV instead of samples, as of a series motion: x in the first column"},
};
constexpr Attribute kCable[] = {
    {"name", "text", "", "required", "of its own among the force elements"},
    {"stiffness", "notNegative", "N/m", "0", "of the whole cable"},
    {"damping", "notNegative", "N s/m", "0",
     "against its stretching and shortening while it is taut; needs a stiffness"},
    {"length", "number", "m", "that of the path at the start, with drums at 0",
     "at which the tension is the pretension: the free length if that is 0"},
    {"pretension", "number", "N", "0", "tension at `length`; without a stiffness: a constant tension"},
    {"inextensible", "truth", "", "`false`",
     "never longer than `length`, as a limit; what is too long comes in at 0.01 m/s; without stiffness, "
     "damping and pretension. What becomes taut loses the energy of stretching"},
    {"unilateral", kWords<ForceSide>, "", "`tension`",
     "`tension`: pulls only; `none`: also pushes, as the tendons of MuJoCo do; `compression`: pushes only, "
     "and is never shorter than `length` where it is inextensible"},
    {"impedance reference mobility", "", "", "rigid",
     "of what is inextensible: how it yields, see softness; with `unilateral=\"none\"` it keeps its "
     "`length`"},
    {"compliance erp cfm", "", "", "refused", ""},
    {"motion", "text", "", "", "name of a `<motion>`, see `command`"},
    {"command", kWords<SumCommand>, "N or m", "`tension`",
     "what the motion is: `tension`, which adds to the law's (values below 0 count as 0), or `length`, "
     "instead of `length`: a winch"},
};
constexpr Attribute kPoint[] = {
    {"body", "text", "", "`world`", "body or `world`"},
    {"position", "vector", "m", "`0 0 0`", "in its frame"},
    {"divisor", "number", "", "none",
     "another branch begins here; the one before ends at the point before. The length of the cable is the "
     "sum of those of its branches, each over its divisor (which may be negative), and so is the tension in "
     "a branch: a block and tackle without its blocks. Without friction"},
};
constexpr Attribute kPulley[] = {
    {"body", "text", "", "`world`", "body or `world`"},
    {"position", "vector", "m", "`0 0 0`", "of any point of the axis, in its frame"},
    {"axis", "vector", "", "`0 0 1`", "in its frame"},
    {"radius", "positive", "m", "required", ""},
    {"friction", "notNegative", "", "0",
     "μ between cable and surface: tensions up to e^{μ φ} to 1 over an arc φ (capstan); up to 6 such pulleys "
     "a cable"},
    {"sense", "positive|negative", "", "`positive`",
     "`positive`: the cable turns about the axis by the right-hand rule; `negative`"},
    {"turns", "whole", "", "0", "whole turns besides"},
};
constexpr Attribute kSphere[] = {
    {"body", "text", "", "`world`", "body or `world`"},
    {"position", "vector", "m", "`0 0 0`", "of the centre, in its frame"},
    {"radius", "positive", "m", "required", ""},
    {"friction", "notNegative", "", "0", "as of a pulley"},
};
constexpr Attribute kDrum[] = {
    {"joint", "text", "", "required", ""},
    {"coordinate", "whole", "", "0", "of the joint, from 0"},
    {"radius", "positive checked", "m", "required", ""},
    {"sense", "positive|negative", "", "`positive`",
     "`positive` or `negative`: unwinds as the coordinate grows"},
};
constexpr Attribute kTendon[] = {
    {"name", "text", "", "required", "of its own among the force elements"},
    {"motion", "text", "", "none",
     "as of a cable; a commanded tension may be negative unless `unilateral` says otherwise"},
    {"command", kWords<SumCommand>, "", "`tension`",
     "as of a cable; a commanded tension may be negative unless `unilateral` says otherwise"},
    {"stiffness damping", "notNegative", "SI: N/m, N s/m, N", "0", "as of a cable"},
    {"pretension", "number", "SI: N/m, N s/m, N", "0", "as of a cable"},
    {"length", "number", "SI: m", "0", "value of x at which the tension is the pretension"},
    {"unilateral", kWords<ForceSide>, "", "`none`",
     "`none`: a spring, damper and commanded tension of either sign; `tension`: pulls only; `compression`: "
     "pushes only"},
    {"inextensible", "truth", "", "`false`",
     "x never beyond `length`, to the side that `unilateral` names; to both sides with an impedance, else it "
     "is a `<coupling type=\"linear\">`"},
    {"impedance reference mobility", "", "", "rigid", "as of a cable"},
    {"compliance erp cfm", "", "", "refused", ""},
    {"pressure-angle", "notNegative", "rad", "no teeth", "as of a gear; of two terms"},
    {"helix-angle", "number", "rad", "no teeth", "as of a gear; of two terms"},
    {"belt-radius", "positive", "m", "no belt",
     "as of a gear; the radius at its first term, which is its coefficient"},
    {"slack-tension", "notNegative", "N", "no belt",
     "as of a gear; the radius at its first term, which is its coefficient"},
};
constexpr Attribute kBushing[] = {
    {"name", "text", "", "required", ""},
    {"base", "text", "", "`world`", "body or `world`"},
    {"follower", "text", "", "required", "body"},
    {"position axis axis2 quaternion rpy", "", "", "",
     "of both frames, in the world; or `<base-frame>` and `<follower-frame>`"},
    {"stiffness", "stiffness", "SI: N/m, N m/rad", "0",
     "6 numbers (x y z, about x y z), or all 36, row by row: symmetric, without negative eigenvalues"},
    {"damping", "stiffness", "SI: N s/m, N m s/rad", "0", "the same"},
    {"preload", "six", "SI: N, N m", "0", "force and moment at q = 0"},
};
constexpr Attribute kRolling[] = {
    {"name", "text", "", "required", "of its own among the force elements"},
    {"base", "text", "", "`world`", "body or `world`, with the plane"},
    {"follower", "text", "", "required", "body"},
    {"point", "vector", "m", "`0 0 0`", "centre of the disc or ball, in its frame"},
    {"axis", "vector", "", "`0 0 0`", "of the disc, in its frame; `0 0 0`: a ball"},
    {"radius", "positive", "m", "required", ""},
    {"normal", "vector", "", "`0 0 1`", "of the plane, in the base's frame"},
};
constexpr Attribute kKnifeEdge[] = {
    {"name", "text", "", "required", "as of `<rolling>`"},
    {"base", "text", "", "`world`", "as of `<rolling>`"},
    {"follower", "text", "", "required", "as of `<rolling>`"},
    {"point", "vector", "m", "`0 0 0`", "of the edge, in the follower's frame"},
    {"across", "vector", "", "required", "direction in which it cannot move, in the follower's frame"},
};
constexpr Attribute kControl[] = {
    {"name", "text", "", "required", ""},
    {"lower upper", "number", "SI: its own", "none", "values beyond count as these"},
    {"start", "number", "SI: its own", "0",
     "what it counts as while another control on the same actuator has a value, and this one none"},
};
constexpr Attribute kDrive[] = {
    {"joint", "text", "", "", "whose actuator; or `element`"},
    {"coordinate", "whole", "", "0", "of the joint, from 0"},
    {"element", "text", "", "", "a force, cable or tendon: moves its commanded force, which pushes apart"},
    {"gain", "number", "SI", "1", "SI unit of the reference per unit of the control, in every file"},
    {"offset", "number", "SI", "0", "reference at value 0, in SI units"},
};

}  // namespace

void addElements(std::vector<ElementType>& all) {
  all.insert(all.end(), {{"wrench", {kWrench}},
                         {"spring", {kEnds, kSpring}},
                         {"gas-spring", {kEnds, kGasSpring}},
                         {"force", {kForce}, "table"},
                         {"table", {kTable}},
                         {"cable", {kCable}, "point pulley sphere drum", 2},
                         {"point", {kPoint}},
                         {"pulley", {kPulley}},
                         {"sphere", {kSphere}},
                         {"drum", {kDrum}},
                         {"tendon", {kTendon}, "term", 1},
                         {"bushing", {kBushing}, "base-frame follower-frame"},
                         {"rolling", {kRolling}},
                         {"knife-edge", {kKnifeEdge}},
                         {"control", {kControl}, "drive"},
                         {"drive", {kDrive}}});
}

}  // namespace grashof::xml
