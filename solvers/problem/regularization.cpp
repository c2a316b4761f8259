#include "solvers/problem/regularization.h"

#include <algorithm>
#include <numbers>

namespace grashof {
namespace {

/// Mobilities of the tangents and of the normal, none of them zero.
struct Mobility {
  double tangent, normal;
};
Mobility mobilityOf(const DualProblem& problem, std::size_t index) {
  const Vec3 d = contactMobility(problem, index);
  const double least = d.norm() / std::numbers::sqrt3;
  return {std::max(0.5 * (d[0] + d[1]), least), std::max(d[2], least)};
}

}  // namespace

void regularize(const DualProblem& given, ContactModel model, const Regularization& regularization,
                std::span<const double> impulse, DualProblem& problem) {
  const double share = std::pow(0.5 * regularization.nearRigid / std::numbers::pi, 2);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    ContactBlock& contact = problem.contacts[k];
    double* r = &problem.compliance[contact.row];
    const Mobility w = mobilityOf(problem, k);
    double tangent = std::max(r[0], r[1]);
    if (model == ContactModel::Sap) {
      tangent = std::max(tangent, regularization.stiction * w.tangent);
      r[2] = std::max(r[2], share * w.normal);
    } else {
      if (r[2] == 0.0) r[2] = share * w.normal;
      // An unknown load of SIMILAR softens nothing.
      const bool lagged = model == ContactModel::Lagged && !impulse.empty();
      contact.stictionSpeed = stictionTolerance(given, k, regularization,
                                                laggedLoad(contact, lagged ? impulse[contact.row + 2] : 0.0));
    }
    r[0] = r[1] = tangent;
  }
}

double stictionTolerance(const DualProblem& problem, std::size_t index, const Regularization& regularization,
                         double load) {
  const ContactBlock& contact = problem.contacts[index];
  if (!regularization.impacts) return contact.stictionSpeed;
  const double impact =
      regularization.stiction * mobilityOf(problem, index).tangent * contact.friction * load;
  return std::max(contact.stictionSpeed, impact);
}

double lawVelocity(ContactModel model, std::span<const Vec6> twist, std::span<const double> impulse,
                   std::size_t index, const DualProblem& problem) {
  const ContactBlock& contact = problem.contacts[index];
  const Vec3 v = contact.velocity(twist);
  const bool associated = model == ContactModel::Ccp || model == ContactModel::Sap;
  if (!associated && model != ContactModel::Similar) return v[2];
  Vec2 slip = v.head<2>();
  for (int r = 0; r < 2; ++r)
    slip[r] += problem.bias[contact.row + r] + problem.compliance[contact.row + r] * impulse[contact.row + r];
  const double size = slip.norm();
  return v[2] - contact.friction * (associated ? size : softNorm(size, contact.stictionSpeed));
}

void setTangent(double v, std::size_t index, DualProblem& problem) {
  const ContactBlock& contact = problem.contacts[index];
  const NormalLaw::Tangent tangent = problem.laws[static_cast<std::size_t>(contact.law)].tangent(v);
  problem.bias[contact.row + 2] = tangent.bias;
  problem.compliance[contact.row + 2] = tangent.compliance;
}

void setTangents(ContactModel model, std::span<const Vec6> twist, std::span<const double> impulse,
                 DualProblem& problem) {
  for (std::size_t k = 0; k < problem.contacts.size(); ++k)
    if (problem.contacts[k].law >= 0) setTangent(lawVelocity(model, twist, impulse, k, problem), k, problem);
}

void setSolutionRows(const DualProblem& given, ContactModel model, const Regularization& regularization,
                     std::span<const Vec6> twist, std::span<const double> impulse, DualProblem& problem) {
  if (isRegularized(model)) regularize(given, model, regularization, impulse, problem);
  setTangents(model, twist, impulse, problem);
  // SAP makes laws softer, too, where they are too stiff; the others take them as they are.
  if (model == ContactModel::Sap) regularize(given, model, regularization, impulse, problem);
}

}  // namespace grashof
