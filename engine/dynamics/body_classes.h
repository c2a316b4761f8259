#pragma once
/// Which bodies can be moved at once where rows are differentiated by differences.

#include <Eigen/SparseCore>
#include <span>
#include <vector>

#include "contacts/contact.h"
#include "engine/model/model.h"

namespace grashof {

/// Classes of bodies no two of which share a row with each other or with one more body: all bodies of a class
/// can be moved at once, and what changes belongs to the one that is near.
class BodyClasses {
 public:
  struct Class {
    std::vector<int> bodies;
    std::vector<int> owner;  ///< of each body the one of the class that shares a row with it; -1: none does
  };

  /// Of the rows of joints, couplings and these contacts.
  BodyClasses(const Model& model, std::span<const Contact> contacts);
  std::span<const Class> all() const { return classes_; }

 private:
  std::vector<Class> classes_;
};

/// A body of each of the six components of all twists.
std::vector<int> bodiesOfTwists(std::size_t bodies);

/// Adds a slope by component `component` of the pose (0 to 5) or twist (6 to 11) of all bodies of a class:
/// column 6 b + component, or 6 (bodies + b) + component - 6, of the body b near the entry. `place`: a body
/// of each entry.
void addSlope(const BodyClasses::Class& moved, int component, const VecX& values, std::span<const int> place,
              std::vector<Eigen::Triplet<double>>& entries);

}  // namespace grashof
