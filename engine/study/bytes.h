#pragma once
/// Private: numbers and texts as bytes, the same on all machines, and back with every size checked.

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace grashof::study {

class ByteWriter {
 public:
  void number(std::uint64_t x) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(x >> shift & 0xFF);
  }
  void real(double x) { number(std::bit_cast<std::uint64_t>(x)); }
  void text(std::string_view x) {
    number(x.size());
    bytes_ += x;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    const std::string_view word = take(8);
    std::uint64_t x = 0;
    for (std::size_t i = 0; i < 8; ++i) x |= std::uint64_t{static_cast<unsigned char>(word[i])} << 8 * i;
    return x;
  }
  double real() { return std::bit_cast<double>(number()); }
  std::string text() {
    const std::uint64_t size = number();
    return std::string(take(size));
  }
  /// A count of things that take at least `least` bytes each.
  std::uint64_t count(std::uint64_t least) {
    const std::uint64_t n = number();
    if (n > bytes_.size() / least) throw InputError("the message is damaged (a count does not fit)");
    return n;
  }
  bool done() const { return bytes_.empty(); }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size()) throw InputError("the message is damaged (it ends too early)");
    const std::string_view part = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return part;
  }
  std::string_view bytes_;
};

}  // namespace grashof::study
