#include "tools/convert/sdf_features.h"

#include <array>

namespace grashof::convert {
namespace {

constexpr Treatment kSdfTaken = Treatment::Taken, kSdfNoEffect = Treatment::NoEffect,
                    kSdfLeftOut = Treatment::LeftOut;

constexpr auto kSdfFeatures = std::to_array<Feature>({
    // The file
    {"sdf", kSdfTaken, "version world model", "the first world, or a model by itself"},
    {"sdf", kSdfLeftOut, "actor", "actors do not obey forces"},
    {"sdf world link", kSdfNoEffect, "light", ""},
    {"world", kSdfTaken, "name gravity physics include model frame joint", ""},
    {"world", kSdfNoEffect, "audio magnetic_field atmosphere gui scene spherical_coordinates road", ""},
    {"world", kSdfLeftOut, "wind", "no fluid"},
    {"world", kSdfLeftOut, "state", "the poses of the models count"},
    {"world", kSdfLeftOut, "population", "populations are not made"},
    {"world", kSdfLeftOut, "actor", "actors do not obey forces"},
    {"world model visual include", kSdfLeftOut, "plugin", "plugins are not run"},
    {"include", kSdfTaken, "uri name static pose placement_frame merge", ""},
    {"physics", kSdfTaken, "max_step_size", ""},
    {"physics", kSdfNoEffect,
     "name default type real_time_factor real_time_update_rate max_contacts ode bullet simbody dart",
     "solvers differ"},
    // Models and links
    {"model", kSdfTaken, "name static self_collide pose placement_frame frame link joint model include", ""},
    {"model", kSdfNoEffect, "canonical_link allow_auto_disable", ""},
    {"model link", kSdfLeftOut, "enable_wind", "no fluid"},
    {"model", kSdfLeftOut, "gripper", "what is gripped is not fixed to the hand"},
    {"frame", kSdfTaken, "name attached_to pose", ""},
    {"pose", kSdfTaken, "relative_to rotation_format degrees", ""},
    {"link", kSdfTaken, "name pose inertial collision visual gravity self_collide", ""},
    {"link", kSdfLeftOut, "kinematic", "links obey forces"},
    {"link", kSdfLeftOut, "velocity_decay", "no drag"},
    {"inertial", kSdfTaken, "auto density", "of the shapes of the link"},
    {"link joint", kSdfLeftOut, "sensor", "channels of a scenario measure"},
    {"link", kSdfNoEffect, "must_be_base_link projector audio_sink audio_source battery particle_emitter",
     ""},
    {"inertial", kSdfTaken, "mass pose inertia", ""},
    {"collision", kSdfTaken, "density", "of links with inertial auto"},
    {"inertia", kSdfTaken, "ixx ixy ixz iyy iyz izz", ""},
    // Shapes
    {"collision", kSdfTaken, "name pose geometry surface", ""},
    {"collision", kSdfNoEffect, "laser_retro max_contacts", ""},
    {"visual", kSdfTaken, "name pose geometry", ""},
    {"visual", kSdfNoEffect, "cast_shadows laser_retro transparency visibility_flags meta material", ""},
    {"geometry", kSdfTaken, "box sphere cylinder capsule ellipsoid cone plane mesh", ""},
    {"geometry", kSdfNoEffect, "empty", ""},
    {"geometry", kSdfLeftOut, "heightmap image", "height fields"},
    {"geometry", kSdfLeftOut, "polyline", "extruded outlines"},
    {"box", kSdfTaken, "size", ""},
    {"sphere", kSdfTaken, "radius", ""},
    {"cylinder capsule cone", kSdfTaken, "radius length", ""},
    {"ellipsoid", kSdfTaken, "radii", ""},
    {"plane", kSdfTaken, "normal", "of links that stand still, for contacts"},
    {"plane", kSdfLeftOut, "size", "planes have no end"},
    {"mesh", kSdfTaken, "uri scale", "shapes are convex hulls"},
    {"mesh", kSdfLeftOut, "submesh", "the whole mesh is taken"},
    {"surface", kSdfTaken, "friction bounce contact", "of a pair the smaller values"},
    {"surface", kSdfLeftOut, "soft_contact", "bodies are rigid"},
    {"surface/friction", kSdfTaken, "ode", ""},
    {"surface/friction", kSdfNoEffect, "bullet", ""},
    {"surface/friction", kSdfLeftOut, "torsional", "torsional-friction of the scenario has it"},
    {"friction/ode", kSdfTaken, "mu mu2 fdir1", "along and across fdir1; without it their mean"},
    {"friction/ode", kSdfLeftOut, "slip1 slip2", "what sticks does not creep"},
    {"surface/bounce", kSdfTaken, "restitution_coefficient", ""},
    {"surface/bounce", kSdfLeftOut, "threshold", "every impact bounces"},
    {"surface/contact", kSdfTaken, "collide_bitmask collide_without_contact", ""},
    {"surface/contact", kSdfLeftOut, "category_bitmask collide_without_contact_bitmask",
     "collide_bitmask says what touches"},
    {"surface/contact", kSdfTaken, "ode", ""},
    {"surface/contact", kSdfLeftOut, "poissons_ratio elastic_modulus", "kp and kd say how contacts yield"},
    {"contact/ode", kSdfTaken, "kp kd", "springs and dampers from 1e9 N/m down"},
    {"contact/ode", kSdfNoEffect, "soft_cfm soft_erp max_vel min_depth", ""},
    {"surface/contact", kSdfNoEffect, "bullet", ""},
    // Joints
    {"joint", kSdfTaken,
     "name type parent child pose axis axis2 gearbox_ratio gearbox_reference_body thread_pitch "
     "screw_thread_pitch physics",
     ""},
    {"axis axis2", kSdfTaken, "xyz limit dynamics", "not of ball and fixed joints"},
    {"axis", kSdfTaken, "mimic", "of joints with one axis, as are those that they follow"},
    {"axis2", kSdfLeftOut, "mimic", "joints with two axes follow no other"},
    {"mimic", kSdfTaken, "joint multiplier offset reference", ""},
    {"mimic", kSdfLeftOut, "axis", "it is the only one"},
    {"xyz", kSdfTaken, "expressed_in", ""},
    {"axis/limit axis2/limit", kSdfTaken, "lower upper", ""},
    {"axis/limit", kSdfTaken, "effort velocity", "of a motor, which --all-motors makes"},
    {"axis2/limit", kSdfLeftOut, "effort velocity", "motors are on joints with one axis"},
    {"axis/limit axis2/limit", kSdfLeftOut, "stiffness dissipation", "limits are rigid"},
    {"dynamics", kSdfTaken, "damping friction spring_reference spring_stiffness", ""},
    {"joint/physics", kSdfNoEffect, "simbody provide_feedback", ""},
    {"joint/physics", kSdfLeftOut, "ode", "joints and limits are rigid"},
});

}  // namespace

std::span<const Feature> sdfFeatures() { return kSdfFeatures; }

}  // namespace grashof::convert
