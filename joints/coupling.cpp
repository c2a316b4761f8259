#include "joints/coupling.h"

namespace grashof {

void Coupling::closeProfile() {
  const std::vector<double> x = profile.times, y = profile.values;
  const std::size_t n = x.size();  // the last sample repeats the first, one period later
  period = x.back() - x.front();
  const auto before = [&](std::size_t k) { return k % (n - 1); };
  for (std::size_t k = 1; k <= 2; ++k) {
    const std::size_t back = before(10 * (n - 1) - k), ahead = before(k);
    const double turnsBack = std::ceil(static_cast<double>(k) / static_cast<double>(n - 1));
    const double turnsAhead = std::floor(static_cast<double>(k) / static_cast<double>(n - 1));
    profile.times.insert(profile.times.begin(), x[back] - turnsBack * period);
    profile.values.insert(profile.values.begin(), y[back]);
    profile.times.push_back(x[ahead] + (1.0 + turnsAhead) * period);
    profile.values.push_back(y[ahead]);
  }
}

}  // namespace grashof
