// Attributes of what there is: materials, bodies, joints and what acts along their coordinates.
#include "engine/scenario/words.h"

namespace grashof::xml {
namespace {

constexpr Attribute kMaterial[] = {
    {"name", "text", "", "required", "`default` changes what shapes without a material are made of"},
    {"density", "positive", "kg/m^3", "1000", "of shapes that give a body its mass"},
    {"young-modulus", "notNegative", "SI: Pa", "none",
     "E, in place of `stiffness`: Hertz's law; excluded in `surface`"},
    {"poisson-ratio", "number", "", "0.3", "ν, above -1, up to 0.5; with `young-modulus`"},
    {"edge-radius", "notNegative", "m", "none",
     "radius of edges and corners, where no shape of a contact is round; with `young-modulus`"},
    {"hydroelastic-modulus", "positive checked", "SI: Pa", "none",
     "in place of both: shapes of the material touch by patches, see contact patches; excluded in `surface`"},
};
constexpr Attribute kSurface[] = {
    {"a b", "text", "", "`default`", "materials"},
    {"young-modulus", "notNegative", "SI: Pa", "refused", ""},
    {"poisson-ratio", "number", "", "refused", ""},
    {"edge-radius", "notNegative", "m", "refused", ""},
    {"hydroelastic-modulus", "positive checked", "SI: Pa", "refused", ""},
};
constexpr Attribute kSurfaceValues[] = {
    {"friction", "notNegative", "", "0.7",
     "Coulomb coefficient, up to 1e4; a pair has the geometric mean of its two"},
    {"friction-across", "notNegative", "", "`friction`",
     "the same across the `friction-direction` of a shape, along which `friction` holds (at least 1e-4 of "
     "the larger one counts)"},
    {"rolling-friction", "notNegative", "m", "0",
     "largest moment against rolling over the normal force; a pair has the larger of its two, also of the "
     "next three"},
    {"torsional-friction", "notNegative", "m", "0", "largest moment about the normal over the normal force"},
    {"static-ratio", "positive", "", "1", "friction at rest over friction of sliding, 1 or more"},
    {"stribeck-speed", "positive", "m/s", "0.01", "v_s of the fall from one to the other, exp(-(v/v_s)²)"},
    {"restitution", "share", "", "0", "Newton's, 0 … 1; a pair has the larger of its two"},
    {"compliance erp cfm impedance reference mobility", "", "", "rigid",
     "see softness; a pair has the softer of its two"},
    {"impedance-ratio", "positive checked", "", "1",
     "with `impedance` or `reference`: how much less a contact yields along its surface than along its "
     "normal"},
    {"stiffness", "notNegative", "SI: N/m^`exponent`", "none", "k of an elastic contact, see contact laws"},
    {"exponent", "positive", "", "1", "p of its force k x^p, 1 to 10"},
    {"hunt-crossley", "notNegative", "s/m", "0", "dissipation d"},
    {"relaxation-time", "notNegative", "s", "0",
     "dissipation τ; with `exponent` 1 or patches, and not with `hunt-crossley`"},
    {"tangential-stiffness", "notNegative", "N/m", "rigid",
     "of springs along the surface, in series with friction"},
    {"stiction-speed", "positive", "m/s", "1e-4",
     "slip that counts as sticking, of the solvers LAGGED and SIMILAR; a pair has the larger of its two"},
};
constexpr Attribute kBody[] = {
    {"name", "text", "", "required", ""},
    {"position quaternion rpy", "", "m, rad", "identity", "pose of the body's frame"},
    {"from to", "vector", "m", "none",
     "instead, of a link between two points: the frame stands in their middle and its x axis runs from the "
     "one to the other. In expressions of its children `length` is their distance: `<shape type=\"box\" "
     "size=\"length 0.02 0.02\"/>`"},
    {"velocity", "vector", "m/s", "`0 0 0`", "of the body's origin, world axes"},
    {"angular-velocity", "vector", "rad/s", "`0 0 0`", "world axes"},
};
constexpr Attribute kInertial[] = {
    {"mass", "positive", "kg", "required", "> 0"},
    {"inertia", "tensor", "kg m^2", "from the shapes, scaled to the mass",
     "`ixx iyy izz` or `ixx iyy izz ixy ixz iyz` about the centre of mass"},
    {"position", "vector", "m", "from the shapes; `0 0 0` with an inertia",
     "centre of mass, in the body's frame"},
    {"quaternion rpy", "", "", "identity", "axes of the inertia, in the body's frame"},
};
constexpr Attribute kShape[] = {
    {"name", "text", "", "numbered", "in reports"},
    {"type", kWords<ShapeType>, "", "required",
     "`plane` (z = 0, world only), `box`, `sphere`, `capsule`, `cylinder`, `cone`, `ellipsoid`, `hull`, "
     "`mesh`, `height-field` (world only)"},
    {"link", "text", "", "none",
     "part of the body, or of the world, that the shape belongs to, for `<exclude>`"},
    {"position quaternion rpy", "", "m, rad", "identity", "in the body's frame (in the world)"},
    {"from to", "vector", "m", "none",
     "instead, of capsule, cylinder, cone and box: ends of its z axis (of a capsule the centres of its "
     "caps), in place of `length`; a box then has two numbers as `size`, its edges across"},
    {"size", "vectorOrPair", "m", "required there", "box: edges; ellipsoid: semi-axes"},
    {"radius", "positive", "m", "required there", "sphere, capsule, cylinder, cone"},
    {"length", "positive", "m", "required there",
     "capsule: between the centres of its caps; cylinder, cone: height"},
    {"file", "text", "", "required there",
     "mesh, hull: OBJ or STL; height field: text, one row of heights a line, x along the row"},
    {"units", "text", "", "the scenario's unit of length, m without `units`",
     "mesh, hull: of the lengths in the file, such as `mm` (STL and OBJ name none)"},
    {"scale", "positive checked", "", "1", "mesh, hull: factor"},
    {"spacing", "positive", "m", "required there",
     "height field (at most 1 000 000 samples; it carries from above only, see `thickness`): distance "
     "between them"},
    {"material", "text", "", "`default`", ""},
    {"density", "positive", "kg/m^3", "the material's", "instead of the material's"},
    {"mass", "positive", "kg", "from the density", "instead of a density"},
    {"groups", "groups", "", "`0`", "collision groups it belongs to, 0 … 31"},
    {"touches", "groups", "", "all", "groups it may touch; both sides must agree"},
    {"collides", "truth", "", "`true`", "`false`: for mass and pictures only"},
    {"friction-direction", "vector", "", "none",
     "grain of the surface, in the shape's frame: `friction` holds along it, `friction-across` at right "
     "angles; of two such shapes that of the first counts"},
    {"color", "color", "", "by body", "in pictures, as in `#4e79a7`"},
    {"surface-velocity", "vector", "m/s", "`0 0 0`",
     "of a belt on the shape, in its frame: conveyors, tracks"},
    {"resolution", "positive checked", "m",
     "¼ of the largest extent of boxes, hulls and meshes, ⅙ of cylinders and cones, ⅕ of the radius of the "
     "others; at most 256 along an edge",
     "edges of the facets of its contact patches"},
    {"thickness", "positive checked", "m", "required there; 0",
     "of a plane with a `hydroelastic-modulus`: the depth at which the pressure is the modulus; of a height "
     "field or a mesh that is ground: a shape whose centre is below a face by less, along z, is pushed out "
     "through it"},
};
constexpr Attribute kJoint[] = {
    {"name", "text", "", "required", ""},
    {"type",
     "fixed|revolute|prismatic|cylindrical|universal|gimbal|spherical|planar|cartesian|point-on-line|point-"
     "on-plane|distance|free",
     "", "required", "see below"},
    {"base", "text", "", "`world`", "body or `world`"},
    {"follower", "text", "", "required", "body"},
    {"position", "vector", "m", "`0 0 0`", "point of the joint"},
    {"axis", "vector", "",
     "the world's x; a run warns where neither axes nor frames are given and the type has one",
     "its x axis (its z axis for `planar` and `point-on-plane`, the normal)"},
    {"axis2", "vector", "", "any", "its second axis, made perpendicular to the first"},
    {"quaternion rpy", "", "", "identity", "the whole frame, instead of axes"},
    {"length", "positive", "m", "distance of the ends", "distance joint: the rod's"},
    {"compliance erp cfm impedance reference mobility", "", "", "rigid",
     "of its constraints, see softness; soft joints are not projected"},
};
constexpr Attribute kBaseFrame[] = {
    {"position", "", "m", "`0 0 0`", ""},
    {"axis axis2 quaternion rpy", "", "", "identity", "as of the joint"},
};
constexpr Attribute kClearance[] = {
    {"radial", "positive checked", "m", "required", "radius of the hole less that of the pin"},
    {"journal-radius", "notNegative", "m", "0", "of the pin: arm of its friction"},
    {"friction", "notNegative", "", "0", "Coulomb coefficient"},
    {"restitution", "share", "", "0", "Newton's, 0 … 1"},
    {"compliance", "notNegative", "SI: m/N", "rigid", "see softness"},
    {"erp cfm impedance reference mobility", "", "", "refused", ""},
};
constexpr Attribute kLimit[] = {
    {"coordinate", "whole", "", "0", "which coordinate of the joint, from 0"},
    {"lower upper", "number", "m, rad", "none", "bounds, at least one"},
    {"compliance erp cfm impedance reference mobility", "", "", "rigid", "see softness"},
};
constexpr Attribute kDynamics[] = {
    {"coordinate", "whole", "", "0", "which coordinate of the joint, from 0"},
    {"stiffness", "notNegative", "N/m, N m/rad", "0", "spring"},
    {"rest", "number", "m, rad", "0", "coordinate where the spring is at rest"},
    {"damping", "notNegative", "N s/m, N m s/rad", "0", "viscous"},
    {"armature", "notNegative", "kg, kg m^2", "0", "reflected inertia of the drive"},
    {"friction", "notNegative", "N, N m", "0", "largest dry friction effort, in motion"},
    {"friction-coefficient", "notNegative", "", "0",
     "μ of the bearing or guide: friction of μ times what it carries across its axis, besides `friction`"},
    {"journal-radius", "notNegative", "m", "0", "of an angle: arm of that friction"},
    {"thrust-radius", "notNegative", "m", "0",
     "of an angle: mean radius of the collar that carries the axial force"},
    {"bearing-length", "notNegative", "m", "0",
     "distance of the two bearings that carry moments; without it moments cause no friction"},
    {"static-ratio", "positive", "", "1", "friction at rest over friction in motion, 1 or more"},
    {"stribeck-speed", "positive", "m/s, rad/s", "0.01",
     "speed of the fall from one to the other, exp(-(v/v_s)²)"},
};
constexpr Attribute kActuator[] = {
    {"coordinate", "whole", "", "0", "which coordinate of the joint, from 0"},
    {"type", kWords<Actuator::Kind>, "", "required",
     "`effort`: the motion is the effort; `position`, `velocity`: servo; `motion`: the coordinate follows "
     "exactly"},
    {"motion", "text", "", "required", "name of a `<motion>`"},
    {"motor", "text", "", "none: any effort at any speed", "name of a `<motor>`"},
    {"kp", "positive", "N/m, N m/rad", "required there", "position servo"},
    {"kd", "notNegative", "N s/m, N m s/rad", "0", "servo; required for `velocity`"},
    {"effort-limit", "positive", "N, N m", "none", "of effort and servos"},
};
constexpr Attribute kMotor[] = {
    {"name", "text", "", "required", ""},
    {"gear-ratio", "positive", "SI: , rad/m", "1",
     "turns of the shaft per turn of the coordinate, > 0; of a translation radians per metre"},
    {"efficiency", "efficiency", "", "1",
     "of the gear when the motor drives, in (0, 1]: friction in proportion to the effort; of prescribed "
     "motions used by `grashof loads`"},
    {"back-efficiency", "efficiency", "", "1",
     "of the gear when the load drives the motor, in (0, 1]: the same"},
    {"rotor-inertia", "notNegative", "kg m^2", "0",
     "of rotor and pinion; counts with the square of the ratio"},
    {"stall-torque", "positive", "N m", "torque-constant voltage / resistance, if given, else none",
     "at rest, at the voltage of the supply; without a no-load speed a limit"},
    {"no-load-speed", "positive", "rad/s", "voltage / torque-constant, if given, else none",
     "at which the torque at that voltage is 0"},
    {"torque-limit", "positive", "N m", "none",
     "largest torque, as of an amplifier; acts like the actuator's `effort-limit`"},
    {"speed-limit", "positive", "rad/s", "none",
     "largest speed that is allowed: a rating, which does not act"},
    {"rms-torque", "positive", "N m", "none", "largest continuous torque: a rating, which does not act"},
    {"torque-constant", "positive checked", "N m/A", "none",
     "torque per current (as N m/A the same number as V s/rad; a file in mm has it in N mm/A): for currents "
     "and heat"},
    {"resistance", "positive checked", "SI: Ω", "none", "of the winding: for heat"},
    {"voltage", "positive checked", "SI: V", "none", "of the supply, for the torque-speed line"},
};
constexpr Attribute kCoupling[] = {
    {"name", "text", "", "required", ""},
    {"type", kWords<CouplingKind>, "", "required",
     "`gear`: q_a = ratio q_b + offset; `screw`: displacement = pitch angle / 2π + offset; "
     "`rack-and-pinion`: x = radius angle + offset; `cam`: q_follower = profile(q_cam) + offset; `linear`: Σ "
     "coefficient q = offset over any number of coordinates"},
    {"joint-a joint-b", "text", "", "required there", "gear"},
    {"coordinate-a coordinate-b", "whole", "", "0", "gear: which coordinates, from 0"},
    {"ratio", "number", "", "required there", "gear; negative turns the other way"},
    {"joint", "text", "", "required there", "screw: a cylindrical joint"},
    {"pitch", "number", "m", "required there", "screw: advance per turn"},
    {"rack pinion", "text", "", "required there", "joints"},
    {"rack-coordinate pinion-coordinate", "whole", "", "0", "from 0"},
    {"radius", "number", "m", "required there", "pinion"},
    {"cam follower", "text", "", "required there", "cam: joints"},
    {"cam-coordinate follower-coordinate", "whole", "", "0", "from 0"},
    {"samples", "numbers", "SI: rad or m", "",
     "cam: its profile, `q0 lift0 q1 lift1 …`, q increasing; where the first and last lift are equal it "
     "repeats, else it is held beyond its ends"},
    {"file column", "text", "", "", "cam: the profile, as of a series motion"},
    {"interpolation", kWords<Interpolation>, "", "`cubic`", "cam: the profile, as of a series motion"},
    {"offset", "number", "SI: m, rad; linear: unit of coefficient times coordinate", "0", ""},
    {"backlash", "notNegative checked", "SI: m, rad", "0",
     "total play on coordinate a (linear: of the sum), not of cams. Two one-sided elements NAME-forward and "
     "NAME-backward then take the coupling's place (channels `element.NAME-forward.tension`)"},
    {"impedance reference mobility", "", "", "rigid",
     "how it yields, see softness; not of cams, nor with losses or backlash. An element of its name then "
     "takes the place of the coupling (channels `element.NAME.tension`), which is not projected and takes no "
     "freedom"},
    {"compliance erp cfm", "", "", "refused", ""},
    {"efficiency", "positive", "", "1",
     "gear, rack: share of the power that arrives at a when b drives, in (0, 1]"},
    {"back-efficiency", "share", "",
     "that of the same friction, 2 - 1/`efficiency`; where that is below 0, it locks itself",
     "the same at b when a drives, in [0, 1]"},
    {"pressure-angle", "notNegative", "rad", "no teeth",
     "gear of parallel axes, rack: of the teeth, 0 to 60°, the usual one is 20°; then the bearings carry the "
     "forces of the teeth, see below"},
    {"helix-angle", "number", "rad", "0",
     "gear, rack with `pressure-angle`: within ±60°; positive where the wheel of a (of a rack the pinion) is "
     "a right-hand thread"},
    {"belt-radius", "positive", "m", "no belt",
     "gear of parallel axes: it is a belt or chain over a pulley of this radius at a; that of b follows from "
     "the ratio. A ratio of wheels that turn against each other crosses it"},
    {"slack-tension", "notNegative", "N", "0", "belt: tension of its slack span"},
    {"friction-coefficient", "notNegative", "", "0", "screw: μ between the flanks"},
    {"thread-radius", "notNegative", "m", "required there", "screw with friction: mean radius of the thread"},
};
constexpr Attribute kTerm[] = {
    {"joint", "text", "", "required", ""},
    {"coordinate", "whole", "", "0", "of the joint, from 0"},
    {"coefficient", "number", "", "required", "not 0"},
};
constexpr Attribute kMotion[] = {
    {"name", "text", "", "required", ""},
    {"type", kWords<Signal::Kind>, "", "required",
     "`constant`, `sine` = offset + amplitude sin(2π frequency t + phase), `series`"},
    {"value", "number", "", "required there", "constant"},
    {"amplitude", "number", "", "required there", "sine"},
    {"frequency", "notNegative", "Hz", "required there", "sine"},
    {"phase", "number", "rad", "0", "sine"},
    {"offset", "number", "", "0", "sine"},
    {"ramp", "notNegative", "s", "0", "sine: time over which the amplitude grows from 0, smoothly"},
    {"unit", "text", "", "SI",
     "of `value`, `amplitude`, `offset` and the samples' values, such as `deg` or `N mm`"},
    {"samples", "numbers", "SI: s,", "",
     "series: `t0 v0 t1 v1 …`, times increasing; held before the first and after the last"},
    {"file", "text", "", "", "series: CSV, time in the first column, instead of samples"},
    {"column", "text", "", "the second", "series: heading, or number from 2 if there are no headings"},
    {"interpolation", kWords<Interpolation>, "", "`cubic`",
     "series: `cubic` (continuous rate, at rest at both ends; never beyond the samples, exact where they "
     "hold [Fritsch 1980]), `smooth` (the same without the limit on slopes: closer to samples of a smooth "
     "curve, overshoots where they hold) or `linear`"},
};

}  // namespace

void addBodies(std::vector<ElementType>& all) {
  all.insert(all.end(), {{"material", {kMaterial, kSurfaceValues}},
                         {"surface", {kSurface, kSurfaceValues}},
                         {"body", {kBody}, "inertial shape"},
                         {"inertial", {kInertial}},
                         {"shape", {kShape}},
                         {"joint", {kJoint}, "base-frame follower-frame clearance limit dynamics actuator"},
                         {"base-frame", {kBaseFrame}},
                         {"follower-frame", {kBaseFrame}},
                         {"clearance", {kClearance}},
                         {"limit", {kLimit}},
                         {"dynamics", {kDynamics}},
                         {"actuator", {kActuator}},
                         {"motor", {kMotor}},
                         {"coupling", {kCoupling}, "term"},
                         {"term", {kTerm}},
                         {"motion", {kMotion}}});
}

}  // namespace grashof::xml
