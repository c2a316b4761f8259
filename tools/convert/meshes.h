#pragma once
/// Meshes written beside a model.

#include <map>
#include <string>

#include "contacts/shape.h"

namespace grashof::convert {

class MeshFolder {
 public:
  /// Writes the mesh once, as binary STL, into `NAME-meshes/` beside the model `path`, and returns its path
  /// relative to the model. Throws FileError when it cannot be written.
  std::string file(const std::string& path, const TriangleMesh& mesh, const std::string& name);

 private:
  std::map<const TriangleMesh*, std::string> files_;
};

}  // namespace grashof::convert
