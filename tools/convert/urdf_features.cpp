#include "tools/convert/urdf_features.h"

#include <array>

#include <fmt/format.h>

namespace grashof::convert {
namespace {

constexpr Treatment kUrdfTaken = Treatment::Taken, kUrdfNoEffect = Treatment::NoEffect,
                    kUrdfLeftOut = Treatment::LeftOut;

constexpr auto kUrdfFeatures = std::to_array<Feature>({
    {"robot", kUrdfTaken,
     "name link joint loop transmission ros2_control gazebo mujoco drake:collision_filter_group",
     "<loop> is of URDF+"},
    {"robot", kUrdfNoEffect, "version material", ""},
    {"link joint", kUrdfLeftOut, "gazebo", "its place is in the robot"},
    {"robot", kUrdfLeftOut, "sensor", "channels of a scenario measure"},
    // Links
    {"link", kUrdfTaken, "name inertial collision visual contact", ""},
    {"link", kUrdfNoEffect, "type", ""},
    {"inertial", kUrdfTaken, "origin mass inertia", "slightly impossible ones are repaired"},
    {"mass", kUrdfTaken, "value", ""},
    {"inertia", kUrdfTaken, "ixx ixy ixz iyy iyz izz", ""},
    {"origin", kUrdfTaken, "xyz rpy quat_xyzw", ""},
    {"collision", kUrdfTaken, "name origin geometry", "meshes are convex hulls"},
    {"visual", kUrdfTaken, "name origin geometry", ""},
    {"collision visual", kUrdfNoEffect, "material verbose", ""},
    {"collision", kUrdfLeftOut, "contact_coefficients", "contacts are rigid"},
    {"contact", kUrdfTaken,
     "lateral_friction rolling_friction spinning_friction restitution stiffness damping", "Bullet's"},
    {"contact", kUrdfNoEffect, "friction_anchor", ""},
    {"contact", kUrdfLeftOut, "inertia_scaling contact_cfm contact_erp", "of Bullet's solver"},
    {"geometry", kUrdfTaken, "box cylinder capsule sphere mesh", ""},
    {"box", kUrdfTaken, "size", ""},
    {"cylinder capsule", kUrdfTaken, "radius length", ""},
    {"sphere", kUrdfTaken, "radius", ""},
    {"mesh", kUrdfTaken, "filename scale", ""},
    // Joints
    {"joint", kUrdfTaken, "name type origin parent child axis limit dynamics joint_properties mimic", ""},
    {"joint", kUrdfNoEffect, "calibration dont_collapse", ""},
    {"joint", kUrdfLeftOut, "safety_controller", "soft limits are for a controller to keep"},
    {"parent child", kUrdfTaken, "link", ""},
    {"axis", kUrdfTaken, "xyz", ""},
    {"limit", kUrdfTaken, "lower upper", ""},
    {"limit", kUrdfTaken, "effort velocity", "of its motor, if there is one"},
    {"limit", kUrdfLeftOut, "acceleration deceleration jerk drake:acceleration",
     "motors follow their motion whatever it takes"},
    {"dynamics joint_properties", kUrdfTaken, "damping friction", ""},
    {"mimic", kUrdfTaken, "joint multiplier offset", ""},
    // Motors
    {"transmission", kUrdfTaken, "joint actuator", "its joints are motors"},
    {"transmission", kUrdfNoEffect, "name type plugin motorTorqueConstant", ""},
    {"transmission/joint", kUrdfTaken, "name mechanicalReduction mechanical_reduction", ""},
    {"transmission/joint", kUrdfNoEffect, "hardwareInterface role offset", ""},
    {"transmission/actuator", kUrdfTaken, "mechanicalReduction drake:gear_ratio drake:rotor_inertia",
     "of its gear and rotor"},
    {"transmission/actuator", kUrdfNoEffect, "name role hardwareInterface offset motorTorqueConstant", ""},
    {"ros2_control", kUrdfTaken, "joint transmission", "those with a command interface are motors"},
    {"ros2_control", kUrdfNoEffect, "name type rw_rate is_async hardware sensor gpio", ""},
    {"ros2_control/joint", kUrdfTaken, "name command_interface", ""},
    {"ros2_control/joint", kUrdfNoEffect, "state_interface param limits mimic", ""},
    // Of other programs
    {"gazebo", kUrdfTaken, "reference mu mu1 mu2 fdir1 kp kd selfCollide self_collide turnGravityOff gravity",
     "of links; of two surfaces the smaller values"},
    {"gazebo", kUrdfTaken, "springStiffness springReference", "of joints"},
    {"gazebo", kUrdfNoEffect,
     "material visual implicitSpringDamper provideFeedback disableFixedJointLumping preserveFixedJoint "
     "maxContacts minDepth maxVel",
     ""},
    {"gazebo", kUrdfLeftOut, "sensor", "channels of a scenario measure"},
    {"gazebo", kUrdfLeftOut, "plugin", "plugins are not run"},
    {"gazebo", kUrdfLeftOut, "static", "links without a parent are fixed, joints are not"},
    {"gazebo", kUrdfLeftOut, "dampingFactor", "no drag"},
    {"gazebo", kUrdfLeftOut, "stopCfm stopErp stopKp stopKd fudgeFactor cfmDamping",
     "joints and limits are rigid"},
    {"drake:collision_filter_group", kUrdfTaken,
     "name ignore drake:member drake:ignored_collision_filter_group", ""},
    {"mujoco", kUrdfTaken, "compiler", ""},
    {"mujoco", kUrdfNoEffect, "size visual statistic", ""},
    {"compiler", kUrdfTaken, "meshdir strippath", ""},
    {"compiler", kUrdfNoEffect,
     "fusestatic discardvisual balanceinertia autolimits angle coordinate eulerseq convexhull usethread", ""},
    {"compiler", kUrdfLeftOut, "boundmass boundinertia settotalmass inertiafromgeom inertiagrouprange",
     "masses are those of the links"},
    // Loops
    {"loop", kUrdfTaken, "name type predecessor successor axis", ""},
    {"predecessor successor", kUrdfTaken, "link origin", ""},
});

}  // namespace

std::span<const Feature> urdfFeatures() { return kUrdfFeatures; }

void noteUrdf(const xml::Element& e, Report& report, const std::string& name) {
  const std::string element = name.empty() ? e.tag() : name;
  const auto note = [&](const std::string& what, const Feature* feature) {
    if (feature && feature->treatment == kUrdfNoEffect) return;
    Report::once(report.leftOut,
                 what + (feature && feature->treatment == kUrdfLeftOut ? fmt::format(" ({})", feature->note)
                                                                       : std::string()));
  };
  for (const std::string& attribute : e.unread())
    if (!attribute.starts_with("xmlns"))  // of xacro's namespaces
      note(fmt::format("attribute {} of <{}>", attribute, e.tag()),
           findFeature(kUrdfFeatures, element, attribute));
  for (const xml::Element& child : e.children()) {
    const Feature* feature = findFeature(kUrdfFeatures, element, child.tag());
    if (feature && feature->treatment == kUrdfTaken) continue;
    note(fmt::format("<{}> in <{}>", child.tag(), e.tag()), feature);
  }
}

}  // namespace grashof::convert
