#include "tools/convert/soft_coupling.h"

namespace grashof::convert {

std::optional<Coupling> couplingOf(const ForceElement& element) {
  const ForceLaw& law = element.law;
  if (!law.rigid || law.side != ForceSide::Both || !element.path.empty() || element.terms.size() < 2)
    return std::nullopt;
  const CoordinateTerm &a = element.terms[0], &b = element.terms[1];
  Coupling c;
  c.name = element.name;
  c.kind = CouplingKind::Linear;
  c.jointA = a.joint;
  c.coordinateA = a.coordinate;
  c.jointB = b.joint;
  c.coordinateB = b.coordinate;
  c.ratio = -b.coefficient / a.coefficient;
  c.offset = law.length / a.coefficient;
  for (std::size_t i = 2; i < element.terms.size(); ++i) {
    CoordinateTerm term = element.terms[i];
    term.coefficient /= -a.coefficient;
    c.more.push_back(term);
  }
  return c;
}

}  // namespace grashof::convert
