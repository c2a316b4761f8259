#pragma once
/// Objects that a call uses while the interpreter runs other threads.

#include <vector>

#include <pybind11/pybind11.h>

#include "engine/world.h"

namespace grashof::python {

/// Marks objects as in use for its life: checkFree() refuses them to all but threads that entered them. Make
/// it before the interpreter is released, so that it ends after that is held again; all else here needs the
/// interpreter, too, but for Entered.
class InUse {
 public:
  /// Throws CallError where one of the objects is in use already, and not by this thread.
  explicit InUse(std::vector<const void*> objects);
  ~InUse();
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  std::vector<const void*> objects_;
};

/// Lets the thread that makes it use an object that is in use, as for the callbacks of its steps.
class Entered {
 public:
  explicit Entered(const void* object);
  ~Entered();
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
};

/// Throws CallError if the object is in use and this thread did not enter it.
void checkFree(const void* object);
/// Whether anything is in use.
bool anyInUse();
/// Whether the object is, by whichever thread.
bool inUse(const void* object);

inline void checkUsable(const World& world) { checkFree(&world); }

/// Refuses an object in use wherever Python hands it to a function, a property or a method: every entry goes
/// through here.
template <typename Object>
class GuardedCaster : public pybind11::detail::type_caster_base<Object> {
  using Base = pybind11::detail::type_caster_base<Object>;

 public:
  bool load(pybind11::handle source, bool convert) {
    if (!Base::load(source, convert)) return false;
    if (Base::value) checkUsable(*static_cast<const Object*>(Base::value));
    return true;
  }
};

}  // namespace grashof::python

namespace pybind11::detail {

template <>
class type_caster<grashof::World> : public grashof::python::GuardedCaster<grashof::World> {};

}  // namespace pybind11::detail
