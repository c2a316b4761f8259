#pragma once
/// Shapes from mesh files, and one report of those that are not there.

#include <optional>
#include <string>
#include <vector>

#include "contacts/shape.h"
#include "engine/base/error.h"
#include "engine/model/defects.h"
#include "tools/convert/source.h"

namespace grashof::convert {

/// Meshes that are not there or cannot be used, and other shapes that cannot be. All of a file make one
/// diagnostic or one line of the report.
class MissingMeshes {
 public:
  /// `where`: of the shape or mesh; `name`: as the file gives it; `message`: what is wrong.
  void add(const Where& where, const std::string& name, const std::string& message);
  /// Reports them, as an error if they are `refused`, whose message ends with `cure`. `counted`: what was
  /// added, in the plural; `leftOut`: the same with what is wrong.
  void conclude(const char* counted, const char* leftOut, bool refused, const char* cure,
                std::vector<Diagnostic>& found, Report& report) const;

 private:
  struct Missing {
    Where where;
    std::string name, message;
  };
  std::vector<Missing> missing_;
};

/// Whether a box, ball, cylinder, capsule or ellipsoid has an extent in all directions; others do. Without
/// one a shape marks a place.
bool hasSize(const Shape& shape);

/// Reads the meshes of shapes of one model: those that collide as simple hulls.
class MeshShapes {
 public:
  MeshShapes(std::string model, const FileOptions& options) : model_(std::move(model)), options_(options) {}
  /// Gives `shape` the mesh `name`; false: it is not there or cannot be used, which conclude() reports.
  bool read(const Where& where, const std::string& name, const Vec3& scale, Shape& shape);
  void conclude(std::vector<Diagnostic>& found, Report& report) const;

 private:
  std::string model_;
  const FileOptions& options_;
  std::optional<double> hullError_;  ///< m; none without collision meshes
  MissingMeshes missing_;
};

}  // namespace grashof::convert
