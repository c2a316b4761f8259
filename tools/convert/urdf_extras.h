#pragma once
/// What URDF files say in the words of other programs: Gazebo's blocks, Bullet's <contact>, Drake's and
/// MuJoCo's elements.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/scenario/xml_element.h"
#include "tools/convert/surfaces.h"

namespace grashof::convert {

/// The text of an element or its attribute `value`: both are written.
std::string wordsOf(xml::Element& e);
/// The number of such an element; wrong ones are errors of the file.
std::optional<double> numberOf(xml::Element& e, xml::Range range = xml::kAny);
/// Whether such an element says true.
bool saysTrue(xml::Element& e);

class UrdfExtras {
 public:
  using Names = std::map<std::string, int>;

  /// Keeps references; `links` and `joints`: indices in `tree` by the names of the file.
  UrdfExtras(Tree& tree, const Names& links, const Names& joints, Report& report)
      : tree_(tree), links_(links), joints_(joints), report_(report) {}

  /// <contact> in the link of this index, which may not be in the tree yet.
  void readContact(xml::Element& e, int link);
  /// <gazebo>, after all links and joints.
  void readGazebo(xml::Element& e);
  /// <drake:collision_filter_group>.
  void readFilterGroup(xml::Element& e);
  /// Gives shapes their materials and keeps links apart, once all is read.
  void finish();

 private:
  /// What is said of the surface of a link.
  struct Surface {
    std::optional<double> friction, across, restitution, rolling, spinning, stiffness, damping;
    std::optional<Vec3> direction;
    bool ofGazebo = false;
  };
  /// The links of a filter group, and the groups that they do not touch.
  struct FilterGroup {
    std::vector<int> members;
    std::vector<std::string> ignored;
  };

  void readGazeboLink(xml::Element& e, int link);
  void readGazeboJoint(xml::Element& e, int joint);
  void giveMaterials();
  SurfaceWords wordsFor(const Surface& s, const SurfaceWords& usual);
  void keepApart(int a, int b);

  Tree& tree_;
  const Names &links_, &joints_;
  Report& report_;
  std::map<int, Surface> surfaces_;  // by link
  std::vector<int> alone_;           // links that touch none of the others
  std::map<std::string, FilterGroup> groups_;
};

}  // namespace grashof::convert
