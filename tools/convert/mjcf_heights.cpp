// Height fields: of a PNG, of MuJoCo's own format, or written out.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "tools/convert/grey_image.h"
#include "tools/convert/mjcf_features.h"
#include "tools/convert/mjcf_reader.h"

namespace grashof::convert {

using xml::Element;

namespace {

constexpr int kMostSamples = 1'000'000;  // of a height field of a scenario
constexpr double kSameSpacing = 1e-9;    // relative

/// Elevations as a file has them, the row of the least y first.
struct Elevations {
  int rows = 0, columns = 0;
  std::vector<double> values;
};

/// MuJoCo's own format: two counts (int), then rows of numbers (float).
Elevations readOwnFormat(const std::string& path) {
  const std::string bytes = readInputFile(path, 8u + 4u * kMostSamples, "a height field of MuJoCo");
  std::array<std::int32_t, 2> counts{};
  const auto bad = [&] { return InputError(path + ": is no height field of MuJoCo (save it as PNG)"); };
  if (bytes.size() < sizeof counts) throw bad();
  std::memcpy(counts.data(), bytes.data(), sizeof counts);
  if (counts[0] < 1 || counts[1] < 1 || counts[0] > kMostSamples || counts[1] > kMostSamples / counts[0])
    throw bad();
  const std::size_t number = static_cast<std::size_t>(counts[0]) * static_cast<std::size_t>(counts[1]);
  if (bytes.size() != sizeof counts + 4 * number) throw bad();
  Elevations e{counts[0], counts[1], {}};
  for (std::size_t i = 0; i < number; ++i) {
    float value = 0.0F;
    std::memcpy(&value, bytes.data() + sizeof counts + 4 * i, 4);
    if (!std::isfinite(value)) throw bad();
    e.values.push_back(value);
  }
  return e;
}

/// An image, and a list in a file, begin at the top.
Elevations upsideDown(const Elevations& e) {
  Elevations turned = e;
  for (int r = 0; r < e.rows; ++r)
    std::copy_n(e.values.begin() + static_cast<std::ptrdiff_t>(r) * e.columns, e.columns,
                turned.values.begin() + static_cast<std::ptrdiff_t>(e.rows - 1 - r) * e.columns);
  return turned;
}

/// Two triangles for each cell of a grid whose cells are no squares.
std::shared_ptr<const TriangleMesh> meshOf(const Elevations& e, double stepX, double stepY) {
  auto mesh = std::make_shared<TriangleMesh>();
  for (int r = 0; r < e.rows; ++r)
    for (int c = 0; c < e.columns; ++c)
      mesh->vertices.emplace_back((c - 0.5 * (e.columns - 1)) * stepX, (r - 0.5 * (e.rows - 1)) * stepY,
                                  e.values[static_cast<std::size_t>(r) * static_cast<std::size_t>(e.columns) +
                                           static_cast<std::size_t>(c)]);
  for (int r = 0; r + 1 < e.rows; ++r)
    for (int c = 0; c + 1 < e.columns; ++c) {
      const int i = r * e.columns + c;
      mesh->triangles.push_back({i, i + 1, i + e.columns});
      mesh->triangles.push_back({i + 1, i + e.columns + 1, i + e.columns});
    }
  return mesh;
}

}  // namespace

void MjcfReader::readHeights(Element& e) {
  document_->fill(e, "");
  const std::string file = e.text("file");
  const std::string name = e.text("name", std::filesystem::path(file).stem().string());
  const int rows = e.integer("nrow", 0, 0, kMostSamples), columns = e.integer("ncol", 0, 0, kMostSamples);
  const auto size = e.numbers("size", {4});
  const auto given = xml::parseNumbers(e.has("elevation") ? e.text("elevation") : "");
  e.text("content_type");
  noteMjcf(e, report_);
  HeightField field;
  Elevations elevations{rows, columns, {}};
  if (size.size() != 4 || !(size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0)) {
    e.error("size needs four lengths > 0: half the extent along x and y, height, thickness below (m)");
  } else if (!file.empty()) {
    try {
      const std::string place = assetFile(file);
      if (place.empty()) {
        missing_.add(e.where(), file, missingMesh(file));
      } else if (std::filesystem::path(place).extension() == ".png") {
        const GreyImage image = readGreyPng(place);
        elevations = upsideDown({image.height, image.width, image.values});
      } else {
        elevations = readOwnFormat(place);
      }
    } catch (const InputError& error) {
      missing_.add(e.where(), file, error.what());
    }
  } else if (!given || rows < 1 || columns < 1 || columns > kMostSamples / rows) {
    e.error(fmt::format("a height field needs a file, or nrow and ncol of at most {} samples", kMostSamples));
  } else {
    elevations.values = *given;
    elevations.values.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    if (!given->empty() && given->size() != elevations.values.size())
      e.error(fmt::format("elevation has {} numbers, but nrow and ncol say {}", given->size(),
                          elevations.values.size()));
    elevations = upsideDown(elevations);
  }
  if (!elevations.values.empty() && (elevations.rows < 2 || elevations.columns < 2))
    e.error("a height field has two rows and two columns at least");
  else if (!elevations.values.empty())
    takeElevations(elevations.rows, elevations.columns, elevations.values, size, field);
  heightFields_[prefix_ + name] = field;
}

/// Whatever their unit, the lowest elevation is at the origin of the geom and the highest at `size`.
void MjcfReader::takeElevations(int rows, int columns, const std::vector<double>& values,
                                const std::vector<double>& size, HeightField& field) {
  Elevations e{rows, columns, values};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double least = *low, range = *high - *low;
  field.thickness = size[2] + size[3];  // of the highest place: nothing touches below the field
  for (double& z : e.values) z = range > 0.0 ? (z - least) / range * size[2] : 0.0;
  const double stepX = 2.0 * size[0] / (columns - 1), stepY = 2.0 * size[1] / (rows - 1);
  if (std::abs(stepX - stepY) <= kSameSpacing * stepX)
    field.grid = std::make_shared<const HeightGrid>(HeightGrid{columns, rows, stepX, std::move(e.values)});
  else
    field.mesh = meshOf(e, stepX, stepY);
}

bool MjcfReader::takeHeights(Element& e, Shape& shape) {
  const std::string name = e.requiredText("hfield");
  const auto at = heightFields_.find(prefix_ + name);
  if (at == heightFields_.end()) {
    if (!name.empty()) e.error(fmt::format("there is no <hfield name=\"{}\"> among the assets", name));
    return false;
  }
  shape.heights = at->second.grid;
  shape.mesh = at->second.mesh;
  shape.thickness = at->second.thickness;
  shape.type = shape.heights ? ShapeType::HeightField : ShapeType::Mesh;
  return shape.heights || shape.mesh;
}

}  // namespace grashof::convert
