#pragma once
/// The numbers that an object keeps, saved and restored in one order by one function.

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/math.h"

namespace grashof {

/// Appends numbers to a vector, or takes them from there. A class with memory has `void archive(Archive&)`,
/// which names its members once for both directions. Numbers keep their bits; integers beyond 2⁵³ do not.
class Archive {
 public:
  /// Saves: appends to `numbers`.
  explicit Archive(std::vector<double>& numbers) : to_(&numbers) {}
  /// Restores from `numbers`.
  explicit Archive(std::span<const double> numbers) : from_(numbers) {}

  bool restores() const { return to_ == nullptr; }
  /// Call at the end of a restoration. Throws InputError when numbers are left.
  void finish() const {
    if (!from_.empty()) fail();
  }

  void operator()(double& x) {
    if (to_) {
      to_->push_back(x);
      return;
    }
    if (from_.empty()) fail();
    x = from_.front();
    from_ = from_.subspan(1);
  }
  template <std::integral Integer>
  void operator()(Integer& x) {
    constexpr auto kLower = static_cast<double>(std::numeric_limits<Integer>::lowest());
    constexpr auto kUpper = static_cast<double>(std::numeric_limits<Integer>::max());
    auto number = static_cast<double>(x);
    (*this)(number);
    if (!(std::abs(number) < 0x1p53) || number < kLower || number > kUpper || number != std::trunc(number))
      fail();
    x = static_cast<Integer>(number);
  }
  template <typename T>
  requires requires(T& x, Archive& a) { x.archive(a); }
  void operator()(T& x) { x.archive(*this); }
  template <int Rows, int Columns>
  void operator()(Eigen::Matrix<double, Rows, Columns>& x) {
    for (double& value : x.reshaped()) (*this)(value);
  }
  void operator()(Quat& q) { (*this)(q.coeffs()); }
  template <typename T, std::size_t Size>
  void operator()(std::array<T, Size>& x) {
    for (T& value : x) (*this)(value);
  }
  /// A vector whose size the model gives. Restoring throws InputError when it was saved with another.
  template <typename T>
  void sameSize(std::vector<T>& x) {
    std::size_t size = x.size();
    (*this)(size);
    if (size != x.size()) fail();
    for (T& value : x) (*this)(value);
  }
  /// A vector of any size.
  template <typename T>
  void operator()(std::vector<T>& x) {
    std::size_t size = x.size();
    (*this)(size);
    if (restores()) {
      if (size > from_.size()) fail();
      x.resize(size);
    }
    for (T& value : x) (*this)(value);
  }
  template <typename First, typename Second, typename... Others>
  void operator()(First& first, Second& second, Others&... others) {
    (*this)(first);
    (*this)(second, others...);
  }

 private:
  [[noreturn]] static void fail() {
    throw InputError("the saved numbers do not fit (they are of another model, or damaged)");
  }

  std::vector<double>* to_ = nullptr;
  std::span<const double> from_;
};

}  // namespace grashof
