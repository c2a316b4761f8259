#include "engine/dynamics/body_classes.h"

#include <algorithm>
#include <initializer_list>

namespace grashof {

BodyClasses::BodyClasses(const Model& model, std::span<const Contact> contacts) {
  const std::size_t bodies = model.bodies.size();
  std::vector<std::vector<int>> near(bodies);  // the bodies with which each shares rows, and itself
  const auto join = [&](std::initializer_list<int> joints) {
    std::vector<int> all;
    for (const int j : joints)
      for (const int b : {model.joints[static_cast<std::size_t>(j)].base,
                          model.joints[static_cast<std::size_t>(j)].follower})
        if (b >= 0) all.push_back(b);
    for (const int a : all)
      for (const int b : all) near[static_cast<std::size_t>(a)].push_back(b);
  };
  for (std::size_t b = 0; b < bodies; ++b) near[b].push_back(static_cast<int>(b));
  for (std::size_t j = 0; j < model.joints.size(); ++j) join({static_cast<int>(j)});
  for (const Coupling& c : model.couplings) {
    join({c.jointA, c.jointB});
    for (const CoordinateTerm& t : c.more) {
      join({c.jointA, t.joint});
      join({c.jointB, t.joint});
      for (const CoordinateTerm& u : c.more) join({u.joint, t.joint});
    }
  }
  for (const Contact& contact : contacts)
    if (contact.bodyA >= 0 && contact.bodyB >= 0) {
      near[static_cast<std::size_t>(contact.bodyA)].push_back(contact.bodyB);
      near[static_cast<std::size_t>(contact.bodyB)].push_back(contact.bodyA);
    }
  for (std::size_t b = 0; b < bodies; ++b) {
    const auto fits = [&](const Class& one) {
      return std::all_of(near[b].begin(), near[b].end(),
                         [&](int a) { return one.owner[static_cast<std::size_t>(a)] < 0; });
    };
    auto found = std::find_if(classes_.begin(), classes_.end(), fits);
    if (found == classes_.end()) {
      classes_.push_back({{}, std::vector<int>(bodies, -1)});
      found = classes_.end() - 1;
    }
    found->bodies.push_back(static_cast<int>(b));
    for (const int a : near[b]) found->owner[static_cast<std::size_t>(a)] = static_cast<int>(b);
  }
}

std::vector<int> bodiesOfTwists(std::size_t bodies) {
  std::vector<int> place;
  for (std::size_t b = 0; b < bodies; ++b) place.insert(place.end(), 6, static_cast<int>(b));
  return place;
}

void addSlope(const BodyClasses::Class& moved, int component, const VecX& values, std::span<const int> place,
              std::vector<Eigen::Triplet<double>>& entries) {
  const auto bodies = static_cast<int>(moved.owner.size());
  for (Eigen::Index r = 0; r < values.size(); ++r) {
    if (values[r] == 0.0) continue;
    const int body = moved.owner[static_cast<std::size_t>(place[static_cast<std::size_t>(r)])];
    entries.emplace_back(r, component < 6 ? 6 * body + component : 6 * (bodies + body) + component - 6,
                         values[r]);
  }
}

}  // namespace grashof
