#include "tools/convert/urdf_features.h"

#include <array>

#include <fmt/format.h>

namespace grashof::convert {
namespace {

constexpr Treatment kUrdfTaken = Treatment::Taken, kUrdfNoEffect = Treatment::NoEffect,
                    kUrdfLeftOut = Treatment::LeftOut;

constexpr auto kUrdfFeatures = std::to_array<Feature>({
    {"robot", kUrdfTaken, "name link joint loop transmission ros2_control", "<loop> is of URDF+"},
    {"robot", kUrdfNoEffect, "version material", ""},
    {"robot link joint", kUrdfLeftOut, "gazebo", "for Gazebo alone"},
    {"robot", kUrdfLeftOut, "sensor", "channels of a scenario measure"},
    // Links
    {"link", kUrdfTaken, "name inertial collision visual", ""},
    {"link", kUrdfNoEffect, "type", ""},
    {"inertial", kUrdfTaken, "origin mass inertia", "slightly impossible ones are repaired"},
    {"mass", kUrdfTaken, "value", ""},
    {"inertia", kUrdfTaken, "ixx ixy ixz iyy iyz izz", ""},
    {"origin", kUrdfTaken, "xyz rpy quat_xyzw", ""},
    {"collision", kUrdfTaken, "name origin geometry", "meshes are convex hulls"},
    {"visual", kUrdfTaken, "name origin geometry", ""},
    {"collision visual", kUrdfNoEffect, "material verbose", ""},
    {"collision", kUrdfLeftOut, "contact_coefficients", "contacts are rigid"},
    {"geometry", kUrdfTaken, "box cylinder capsule sphere mesh", ""},
    {"box", kUrdfTaken, "size", ""},
    {"cylinder capsule", kUrdfTaken, "radius length", ""},
    {"sphere", kUrdfTaken, "radius", ""},
    {"mesh", kUrdfTaken, "filename scale", ""},
    // Joints
    {"joint", kUrdfTaken, "name type origin parent child axis limit dynamics joint_properties mimic", ""},
    {"joint", kUrdfNoEffect, "calibration dont_collapse", ""},
    {"joint", kUrdfLeftOut, "safety_controller", "soft limits are a controller's"},
    {"parent child", kUrdfTaken, "link", ""},
    {"axis", kUrdfTaken, "xyz", ""},
    {"limit", kUrdfTaken, "lower upper", ""},
    {"limit", kUrdfLeftOut, "effort velocity acceleration deceleration jerk",
     "motors follow their motion whatever it takes"},
    {"dynamics joint_properties", kUrdfTaken, "damping friction", ""},
    {"mimic", kUrdfTaken, "joint multiplier offset", ""},
    // Motors
    {"transmission", kUrdfTaken, "joint", "its joints are motors"},
    {"transmission", kUrdfNoEffect, "name type actuator mechanicalReduction motorTorqueConstant", ""},
    {"transmission/joint", kUrdfTaken, "name", ""},
    {"transmission/joint", kUrdfNoEffect, "hardwareInterface role offset mechanicalReduction", ""},
    {"ros2_control", kUrdfTaken, "joint", "those with a command interface are motors"},
    {"ros2_control", kUrdfNoEffect, "name type rw_rate is_async hardware sensor gpio transmission", ""},
    {"ros2_control/joint", kUrdfTaken, "name command_interface", ""},
    {"ros2_control/joint", kUrdfNoEffect, "state_interface param limits mimic", ""},
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
