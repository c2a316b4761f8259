#pragma once
/// Controllers in shared libraries; the interface that they implement is grashof_controller.h.

#include <memory>
#include <string>
#include <vector>

#include "engine/world.h"

namespace grashof {

/// A loaded controller. Copies share it; the last one stops and unloads it.
class ControllerPlugin {
 public:
  /// `text`: LIBRARY or LIBRARY:ARGUMENT. Throws InputError when it cannot be loaded, is for another version
  /// of the interface, or lacks a function.
  explicit ControllerPlugin(const std::string& text);

  /// Called at the start of every step; starts the controller at the first. Throws InputError with its
  /// message when start() refuses.
  void operator()(World& world) const;

  /// Whether save() and restore() may be called.
  bool hasMemory() const;
  /// What the controller keeps between two steps. Throws InputError when it gives none.
  std::vector<char> save() const;
  /// Starts the controller with what save() gave. Throws InputError when it refuses it.
  void restore(World& world, const std::vector<char>& memory) const;

 private:
  struct Loaded;
  void start(World& world) const;
  std::shared_ptr<Loaded> loaded_;
};

}  // namespace grashof
