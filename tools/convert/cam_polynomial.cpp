#include "tools/convert/cam_polynomial.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace grashof::convert {
namespace {

constexpr int kPoints = 400;
constexpr double kExact = 1e-6;  // of the rise of the profile

}  // namespace

std::optional<CamPolynomial> camPolynomial(const Coupling& cam, double centre) {
  if (cam.period != 0.0 || cam.profile.times.size() < 2) return std::nullopt;
  const double low = cam.profile.times.front(), high = cam.profile.times.back();
  const double scale = std::max(high - centre, centre - low);  // powers of numbers up to 1
  if (!(scale > 0.0)) return std::nullopt;
  Eigen::Matrix<double, Eigen::Dynamic, 5> powers(kPoints + 1, 5);
  Eigen::VectorXd values(kPoints + 1);
  for (int i = 0; i <= kPoints; ++i) {
    const double q = low + (high - low) * i / kPoints, x = (q - centre) / scale;
    for (int p = 0; p < 5; ++p) powers(i, p) = std::pow(x, p);
    values[i] = cam.value(q);
  }
  const Eigen::Matrix<double, 5, 1> fit = powers.colPivHouseholderQr().solve(values);
  const double rise = values.maxCoeff() - values.minCoeff();
  if (!((powers * fit - values).cwiseAbs().maxCoeff() <= kExact * std::max(rise, 1e-3))) return std::nullopt;
  CamPolynomial polynomial;
  for (int p = 0; p < 5; ++p)
    polynomial.coefficients[static_cast<std::size_t>(p)] = fit[p] / std::pow(scale, p);
  return polynomial;
}

}  // namespace grashof::convert
