#pragma once
/// What fuzz targets share: input as a file, and the errors that an input may cause.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>

#include "engine/base/error.h"
#include "engine/model/model_builder.h"
#include "solvers/solver.h"

namespace grashof::fuzz {

using Bytes = std::span<const std::uint8_t>;

inline std::string textOf(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

/// Calls `f`. Errors that an input may cause are how it is refused. Any other, such as a CallError, goes on
/// to the fuzzer, which reports it.
template <typename F>
void refusable(F&& f) {
  try {
    f();
  } catch (const InputError&) {
  } catch (const FileError&) {
  } catch (const AssemblyError&) {
  } catch (const DivergedError&) {
  }
}

/// A folder for the life of the process; files in it are written anew for every input.
class InputFolder {
 public:
  InputFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "grashof-fuzz-XXXXXX").string();
    if (!mkdtemp(pattern.data())) std::abort();
    path_ = pattern;
  }
  ~InputFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  InputFolder(const InputFolder&) = delete;
  InputFolder& operator=(const InputFolder&) = delete;

  /// Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  std::string write(const std::string& name, Bytes bytes) const { return write(name, textOf(bytes)); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The longest edge or diameter of a shape, m.
inline double extentOf(const Shape& shape) {
  if (shape.type == ShapeType::Box) return shape.size.maxCoeff();
  if (shape.type == ShapeType::Ellipsoid) return 2.0 * shape.size.maxCoeff();
  return shape.type == ShapeType::Sphere ? 2.0 * shape.radius : std::max(2.0 * shape.radius, shape.length);
}

/// Whether steps of the model are quick under sanitizers.
inline bool isSmall(const Model& model) {
  if (model.bodies.size() > 10 || model.joints.size() > 16 || model.shapes.size() > 12) return false;
  std::size_t size = model.forces.size() + model.bushings.size();
  for (const Shape& shape : model.shapes) {
    if (shape.mesh) size += shape.mesh->triangles.size();
    if (shape.heights) size += shape.heights->heights.size();
    const double edges = shape.resolution > 0.0 ? extentOf(shape) / shape.resolution : 0.0;
    size += static_cast<std::size_t>(std::min(edges * edges, 1e6));  // facets of patches
  }
  return size <= 300;
}

/// The model with a bound on what its solver may take.
inline std::shared_ptr<const Model> withQuickSolver(const Model& model) {
  constexpr int kIterations = 100;
  ModelBuilder builder(model);
  builder.solver().maxIterations = std::min(builder.solver().maxIterations, kIterations);
  return builder.build();
}

}  // namespace grashof::fuzz
