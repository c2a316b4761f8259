#pragma once
/// Files of foreign formats: XML with its checks, meshes beside it.

#include <memory>
#include <string>
#include <vector>

#include "engine/scenario/xml_element.h"
#include "tools/convert/tree.h"

namespace grashof::convert {

/// An argument that a xacro file is given.
struct XacroArgument {
  std::string name, value;
};

struct FileOptions {
  std::vector<std::string> folders;  ///< where packages and meshes may lie, beside the folder of the model
  bool strict = false;               ///< refuse URDF and SDF with shapes whose mesh is not there
  bool skipMissingMeshes = false;    ///< leave such shapes out of an MJCF, too, whose meshes give masses
  std::vector<XacroArgument> arguments;  ///< of a URDF that is written in xacro
};

/// An XML file in memory. Throws InputError when it cannot be read, is larger than 64 MiB, is not well
/// formed, or declares entities.
class XmlFile {
 public:
  explicit XmlFile(const std::string& path);
  /// Of a text, which messages call `path`.
  XmlFile(std::string path, const std::string& text);
  const std::string& path() const { return path_; }
  xml::Element root(std::vector<Diagnostic>& found);
  const tinyxml2::XMLElement& rootElement() const { return *document_.RootElement(); }

 private:
  void parse(const std::string& text);

  std::string path_;
  tinyxml2::XMLDocument document_;
};

/// The file that `name` means: `package://PACKAGE/PATH`, `model://PACKAGE/PATH`, `file://PATH`, or a path
/// relative to the model or to one of the folders. Packages are looked for above the model and beside the
/// folders there, then where ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, GAZEBO_MODEL_PATH, GZ_SIM_RESOURCE_PATH and
/// SDF_PATH say. Throws InputError when it lies outside `folders` and the model's package (below the next
/// package.xml above it, else below the folder above its own), and returns an empty string when there is no
/// such file.
std::string findFile(const std::string& model, const std::string& name, const FileOptions& options);
/// The same for a file or a folder.
std::string findFileOrFolder(const std::string& model, const std::string& name, const FileOptions& options);
/// The message for a mesh that findFile() does not find.
std::string missingMesh(const std::string& name);

/// Reads a mesh (OBJ and STL by the engine, other formats by Assimp), scaled. Throws InputError.
std::shared_ptr<const TriangleMesh> importMesh(const std::string& path, const Vec3& scale);

/// `name` with what a scenario does not allow in names replaced; a change is reported.
std::string scenarioName(const std::string& name, Report& report);

}  // namespace grashof::convert
