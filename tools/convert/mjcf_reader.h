#pragma once
/// Private: reads an MJCF model into a tree of links. mjcf_reader.cpp: settings, bodies, joints;
/// mjcf_geoms.cpp: shapes, masses, materials; mjcf_relations.cpp: equalities, actuators, keyframes.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/convert/formats.h"
#include "tools/convert/mjcf_document.h"

namespace grashof::convert {

class MjcfReader {
 public:
  MjcfReader(const std::string& path, const FileOptions& options, const std::string& keyframe, Report& report)
      : path_(path),
        options_(options),
        keyframe_(keyframe),
        report_(report),
        document_(path, options, found_) {
    tree_.file = path;
  }

  Tree read();

 private:
  struct GeomMass {
    int link = 0;
    double mass = 0.0;
    VolumeProperties properties;  // in the link's frame, per unit density
  };

  // mjcf_reader.cpp
  void readCompiler(xml::Element& e);
  void readOption(xml::Element& e);
  std::string unique(xml::Element& e, const char* kind, int count);
  /// The bodies, geoms and frames inside an element; `pose`: of a <frame> around them.
  void readChildren(xml::Element& e, int link, const Pose& pose, const std::string& childClass);
  void readBody(xml::Element& e, int parent, const Pose& outer, const std::string& outerClass);
  void readInertial(xml::Element& e, Link& link);
  void readJoint(xml::Element& e, int parent, int child, const Pose& inParent, const std::string& childClass);
  /// Springs, dampers and limits of a joint of `type`; angles and lengths count from `reference`.
  JointCoordinate readCoordinate(xml::Element& e, int type, double reference);
  void giveCoordinates(xml::Element& e, int type, const JointCoordinate& own, LinkJoint& joint);

  // mjcf_geoms.cpp
  void readAssets(xml::Element& section);
  void readGeom(xml::Element& e, int link, const Pose& outer, const std::string& childClass);
  bool takeMesh(xml::Element& e, Shape& shape);
  /// What the shape touches, and its friction.
  void readContact(xml::Element& e, Shape& shape);
  /// Gives a shape to its link (-1: the world). `mass`: kg, negative: by `density`, kg/m³.
  void addShape(Shape shape, int link, double mass, double density);
  /// Mass of the geoms of a link without <inertial>.
  void addGeomMass(int index, bool inertialGiven);
  /// boundmass, boundinertia, balanceinertia, settotalmass of the compiler.
  void boundInertias();
  int frictionMaterial(double friction);
  /// MuJoCo takes the larger friction of two; surfaces say so where a mean would differ. The first is the
  /// default.
  void materials();

  // mjcf_relations.cpp
  int bodyOf(xml::Element& e, const char* attribute, bool required);
  int jointOf(xml::Element& e, const char* attribute);
  /// Pose of a link with all coordinates zero.
  Pose zeroPose(int link) const;
  void readEqualities(xml::Element& section);
  void readActuators(xml::Element& section);
  /// Effort limits are the same both ways here.
  void limitEffort(Actuator& a, const std::string& name, const char* attribute,
                   const std::vector<double>& range, double gear);
  void readContacts(xml::Element& section);
  void readKeyframe(const std::vector<xml::Element>& sections);

  std::string path_;
  const FileOptions& options_;
  std::string keyframe_;
  Report& report_;
  std::vector<Diagnostic> found_;
  Tree tree_;
  MjcfDocument document_;
  bool autoLimits_ = true, balance_ = false;
  std::string meshFolder_;
  int fromGeoms_ = 2, geoms_ = 0;  // inertiafromgeom: never, always, where there is no <inertial>
  double leastMass_ = 0.0, leastInertia_ = 0.0, totalMass_ = -1.0;
  std::map<std::string, std::shared_ptr<const TriangleMesh>> meshes_;
  std::vector<std::string> missing_;
  std::vector<std::size_t> virtual_;
  std::vector<GeomMass> geomMasses_;
  std::map<std::string, double> references_;
  std::vector<double> frictions_;
};

}  // namespace grashof::convert
