#include "tools/convert/grey_image.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include <fmt/format.h>
#include <zlib.h>

#include "engine/base/error.h"
#include "engine/base/input_file.h"

namespace grashof::convert {
namespace {

constexpr std::uint32_t kLargestSide = 1u << 20;
constexpr std::size_t kMostPoints = 1'000'000;
constexpr std::uintmax_t kLargestImage = 64u << 20;

struct PngHeader {
  std::uint32_t width = 0, height = 0;
  unsigned depth = 0, color = 0, interlace = 0;
  std::size_t channels() const { return color == 0 ? 1 : color == 4 ? 2 : color == 2 ? 3 : 4; }
  std::size_t pixel() const { return channels() * depth / 8; }  // bytes
  std::size_t row() const { return pixel() * width; }
};

std::uint32_t bigEndian(const std::string& bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
  return n;
}

/// Of the neighbours to the left, above and above to the left the one that is nearest to left + above -
/// corner.
int paeth(int left, int above, int corner) {
  const int p = left + above - corner;
  const int a = std::abs(p - left), b = std::abs(p - above), c = std::abs(p - corner);
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/// Undoes the filter of each row, whose first byte says which it is. False: there is no such filter.
bool unfilter(const PngHeader& header, std::vector<unsigned char>& data) {
  const std::size_t row = header.row(), pixel = header.pixel();
  for (std::size_t y = 0; y < header.height; ++y) {
    unsigned char* now = data.data() + y * (row + 1);
    const unsigned char* before = y > 0 ? now - row : nullptr;  // of the row above, behind its filter's byte
    const unsigned filter = *now++;
    if (filter > 4) return false;
    for (std::size_t i = 0; i < row; ++i) {
      const int left = i >= pixel ? now[i - pixel] : 0, above = before ? before[i] : 0;
      const int corner = before && i >= pixel ? before[i - pixel] : 0;
      const std::array<int, 5> guess = {0, left, above, (left + above) / 2, paeth(left, above, corner)};
      now[i] = static_cast<unsigned char>(now[i] + guess[filter]);
    }
  }
  return true;
}

}  // namespace

GreyImage readGreyPng(const std::string& path) {
  const std::string bytes = readInputFile(path, kLargestImage, "a PNG image");
  const auto fail = [&](const char* why) -> InputError {
    return InputError(fmt::format("{}: {}", path, why));
  };
  constexpr std::size_t kSignature = 8, kChunk = 12;  // a chunk: length, name, content, checksum
  if (!bytes.starts_with("\x89PNG\r\n\x1a\n")) throw fail("is no PNG image (save the heights as PNG)");
  PngHeader header;
  std::string packed;
  for (std::size_t at = kSignature; at + kChunk <= bytes.size();) {
    const std::size_t length = bigEndian(bytes, at);
    if (length > bytes.size() - at - kChunk) throw fail("ends within the image (is it whole?)");
    const std::string name = bytes.substr(at + 4, 4);
    const std::size_t content = at + 8;
    if (name == "IHDR" && length == 13) {
      header.width = bigEndian(bytes, content);
      header.height = bigEndian(bytes, content + 4);
      header.depth = static_cast<unsigned char>(bytes[content + 8]);
      header.color = static_cast<unsigned char>(bytes[content + 9]);
      header.interlace = static_cast<unsigned char>(bytes[content + 12]);
    } else if (name == "IDAT") {
      packed.append(bytes, content, length);
    } else if (name == "IEND") {
      break;
    }
    at += kChunk + length;
  }
  const bool known = header.color == 0 || header.color == 2 || header.color == 4 || header.color == 6;
  if ((header.depth != 8 && header.depth != 16) || !known || header.interlace != 0)
    throw fail(
        "is a PNG with a palette, with less than 8 bits or interlaced (save it as grey of 8 or 16 bits)");
  if (header.width == 0 || header.height == 0 || header.width > kLargestSide ||
      header.height > kLargestSide || static_cast<std::size_t>(header.width) * header.height > kMostPoints)
    throw fail("has no points, or more than a million (make the image smaller)");
  std::vector<unsigned char> data((header.row() + 1) * header.height);
  uLongf size = data.size();
  const int result =
      uncompress(data.data(), &size, reinterpret_cast<const Bytef*>(packed.data()), packed.size());
  if (result != Z_OK || size != data.size() || !unfilter(header, data))
    throw fail("holds an image that is damaged (save it again)");
  GreyImage image{static_cast<int>(header.width), static_cast<int>(header.height), {}};
  image.values.reserve(static_cast<std::size_t>(header.width) * header.height);
  const std::size_t sample = header.depth / 8, colors = header.channels() >= 3 ? 3 : 1;
  for (std::size_t y = 0; y < header.height; ++y)
    for (std::size_t x = 0; x < header.width; ++x) {
      const unsigned char* at = data.data() + y * (header.row() + 1) + 1 + x * header.pixel();
      double sum = 0.0;
      for (std::size_t c = 0; c < colors; ++c, at += sample)
        sum += sample == 2 ? 256.0 * at[0] + at[1] : at[0];
      image.values.push_back(sum / static_cast<double>(colors) / (sample == 2 ? 65535.0 : 255.0));
    }
  return image;
}

}  // namespace grashof::convert
