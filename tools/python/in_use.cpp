/// Marks of objects in use.

#include "tools/python/in_use.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/error.h"

namespace grashof::python {
namespace {

/// How often each object is marked. Whoever holds the interpreter may read and change it.
std::map<const void*, int>& marks() {
  static std::map<const void*, int> all;
  return all;
}

/// The objects that the present thread has entered, the last one last.
std::vector<const void*>& entered() {
  thread_local std::vector<const void*> all;
  return all;
}

}  // namespace

bool anyInUse() { return !marks().empty(); }
bool inUse(const void* object) { return marks().contains(object); }

void checkFree(const void* object) {
  if (!marks().contains(object)) return;
  const auto& own = entered();
  if (std::find(own.begin(), own.end(), object) != own.end()) return;
  throw CallError(
      "is in use by another call that has not returned, as step() in another thread (wait for it, or make "
      "one "
      "for each thread)");
}

InUse::InUse(std::vector<const void*> objects) : objects_(std::move(objects)) {
  for (const void* object : objects_) checkFree(object);
  for (const void* object : objects_) ++marks()[object];
}

InUse::~InUse() {
  for (const void* object : objects_)
    if (const auto at = marks().find(object); at != marks().end() && --at->second == 0) marks().erase(at);
}

Entered::Entered(const void* object) { entered().push_back(object); }
Entered::~Entered() { entered().pop_back(); }

}  // namespace grashof::python
