#pragma once
/// Images that stand for heights.

#include <string>
#include <vector>

namespace grashof::convert {

struct GreyImage {
  int width = 0, height = 0;
  std::vector<double> values;  ///< 0 (black) to 1, row by row from the top, x runs fastest
};

/// Reads a PNG of 8 or 16 bits, grey or coloured (the mean of the colours), not interlaced; transparency is
/// not read. Throws InputError for other files and for images of more than a million points.
GreyImage readGreyPng(const std::string& path);

}  // namespace grashof::convert
