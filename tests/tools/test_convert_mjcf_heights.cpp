// Height fields of MJCF: of images, of MuJoCo's own format, and written out; heights as in MuJoCo, where it
// is installed.
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "tests/tools/mjcf_support.h"
#include "tools/convert/grey_image.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine, test::fromMjcfFile, test::fromMjcfText, test::mjcfError;

namespace {

const std::string kBall = "<body name='ball' pos='0 0 2'><freejoint/><geom size='.1'/></body>";

std::string bytesOf(std::uint32_t n) {
  return {static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
          static_cast<char>(n)};
}

std::string chunk(const std::string& name, const std::string& content) {
  const std::string body = name + content;
  const auto sum = crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return bytesOf(static_cast<std::uint32_t>(content.size())) + body +
         bytesOf(static_cast<std::uint32_t>(sum));
}

/// A PNG of `rows`, each of the filter's byte and the filtered samples.
std::string png(int width, int depth, int color, const std::vector<std::vector<int>>& rows) {
  std::string raw;
  for (const auto& row : rows)
    for (const int b : row) raw += static_cast<char>(b);
  std::string packed(compressBound(raw.size()), '\0');
  uLongf size = packed.size();
  REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(raw.data()),
                   raw.size()) == Z_OK);
  packed.resize(size);
  const std::string header = bytesOf(static_cast<std::uint32_t>(width)) +
                             bytesOf(static_cast<std::uint32_t>(rows.size())) + static_cast<char>(depth) +
                             static_cast<char>(color) + std::string(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", packed) + chunk("IEND", "");
}

const Shape& groundOf(const test::FromMjcf& made) {
  for (const Shape& s : made.model().shapes)
    if (s.name == "ground") return s;
  FAIL("there is no ground");
  return made.model().shapes[0];
}

}  // namespace

TEST_CASE("a PNG has the grey that it was made of, under each of its filters") {
  const test::ScratchFolder folder;
  // Rows 10 20 30, then what each filter makes of 15 26 31 under it.
  const auto left = [](int filter) -> std::vector<int> {
    switch (filter) {
      case 0:
        return {0, 15, 26, 31};
      case 1:
        return {1, 15, 11, 5};
      case 2:
        return {2, 5, 6, 1};
      case 3:
        return {3, 10, 9, 3};  // half of the sum of left and above: 5, 17, 28
      default:
        return {4, 5, 6, 1};  // the nearest of left, above, corner: 10, 20, 30
    }
  };
  for (int filter = 0; filter <= 4; ++filter) {
    CAPTURE(filter);
    const GreyImage image = readGreyPng(folder.write("a.png", png(3, 8, 0, {{0, 10, 20, 30}, left(filter)})));
    REQUIRE(image.width == 3);
    REQUIRE(image.height == 2);
    const std::array<int, 6> grey = {10, 20, 30, 15, 26, 31};
    for (std::size_t i = 0; i < 6; ++i) CHECK(image.values[i] == doctest::Approx(grey[i] / 255.0));
  }
  const GreyImage deep =
      readGreyPng(folder.write("b.png", png(1, 16, 4, {{0, 1, 2, 255, 255}, {0, 255, 255, 0, 0}})));
  CHECK(deep.values[0] == doctest::Approx(258.0 / 65535.0));
  CHECK(deep.values[1] == doctest::Approx(1.0));
  CHECK(readGreyPng(folder.write("c.png", png(1, 8, 2, {{0, 30, 60, 90}}))).values[0] ==
        doctest::Approx(60.0 / 255.0));
}

TEST_CASE("damaged PNG is an error, never a crash") {
  const test::ScratchFolder folder;
  const std::string good = png(3, 8, 0, {{0, 1, 2, 3}, {4, 5, 6, 7}});
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    for (const std::string& text : {bad, good.substr(0, i)}) {
      try {
        const GreyImage image = readGreyPng(folder.write("bad.png", text));
        CHECK(image.values.size() ==
              static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
      } catch (const InputError&) {
      }
    }
  }
}

TEST_CASE("a height field is ground of its heights, its first row the one of the most y") {
  const auto made = fromMjcfText(
      "<asset><hfield name='h' nrow='2' ncol='3' size='2 1 .6 .1' elevation='5 6 7  8 9 5'/></asset>"
      "<worldbody><geom name='ground' type='hfield' hfield='h' pos='0 0 .5'/>" +
      kBall + "</worldbody>");
  const Shape& s = groundOf(made);
  REQUIRE(s.type == ShapeType::HeightField);
  CHECK(s.heights->columns == 3);
  CHECK(s.heights->spacing == doctest::Approx(2.0));
  const std::array<double, 6> heights = {0.45, 0.6, 0.0, 0.0, 0.15, 0.3};
  for (std::size_t i = 0; i < 6; ++i) CHECK(s.heights->heights[i] == doctest::Approx(heights[i]));
  CHECK(s.pose.position.z() == 0.5);
  CHECK(made.report.leftOut.empty());
  // Cells that are no squares are triangles.
  const auto stretched = fromMjcfText(
      "<asset><hfield name='h' nrow='2' ncol='3' size='2 3 .6 .1' elevation='5 6 7  8 9 5'/></asset>"
      "<worldbody><geom name='ground' type='hfield' hfield='h'/>" +
      kBall + "</worldbody>");
  const Shape& mesh = groundOf(stretched);
  REQUIRE(mesh.type == ShapeType::Mesh);
  CHECK(mesh.mesh->triangles.size() == 4);
  for (const auto& [i, j, k] : mesh.mesh->triangles) {
    const auto& v = mesh.mesh->vertices;
    const auto at = [&](int n) { return v[static_cast<std::size_t>(n)]; };
    CHECK((at(j) - at(i)).cross(at(k) - at(i)).z() > 0.0);
  }
}

TEST_CASE("a ball rests on the height of a field, of squares and of triangles") {
  for (const char* size : {"1 1 .3 .1", "1 2 .3 .1"}) {
    CAPTURE(std::string(size));
    // A table of the full height over the inner cells.
    const auto made = fromMjcfText(fmt::format(
        "<option timestep='1e-3'/><asset><hfield name='h' nrow='5' ncol='5' size='{}' elevation='0 0 0 0 0 0 "
        "1 1 1 0 0 1 1 1 0 0 1 1 "
        "1 0 0 0 0 0 0'/></asset><worldbody><body name='still'><geom name='ground' type='hfield' hfield='h' "
        "pos='0 0 "
        ".2'/></body><body name='ball' pos='.05 .06 .62'><freejoint/><geom size='.1'/></body></worldbody>",
        size));
    Simulator simulator(made.scenario.model);
    while (simulator.state().time < 1.0) simulator.step();
    CHECK(simulator.state().poses[0].position.z() == doctest::Approx(0.6).epsilon(1e-2));
    CHECK(std::abs(simulator.state().poses[0].position.x() - 0.05) < 1e-2);
  }
}

TEST_CASE("height fields that are wrong say what is") {
  const auto with = [](const std::string& attributes, const std::string& geom = "hfield='h'") {
    return "<asset><hfield name='h' " + attributes + "/></asset><worldbody><geom type='hfield' " + geom +
           "/>" + kBall + "</worldbody>";
  };
  CHECK(mjcfError(with("nrow='2' ncol='2'")).find("size needs four lengths") != std::string::npos);
  CHECK(mjcfError(with("size='1 1 1 1'")).find("needs a file, or nrow and ncol") != std::string::npos);
  CHECK(
      mjcfError(with("size='1 1 1 1' nrow='2' ncol='2' elevation='1 2 3'")).find("elevation has 3 numbers") !=
      std::string::npos);
  CHECK(mjcfError(with("size='1 1 1 1' nrow='1' ncol='4'")).find("two rows and two columns") !=
        std::string::npos);
  CHECK(mjcfError(with("size='1 1 1 1' nrow='2' ncol='2'", "hfield='g'"))
            .find("there is no <hfield name=\"g\">") != std::string::npos);
  CHECK(mjcfError(with("size='1 1 1 1' file='none.png'")).find("none.png") != std::string::npos);
  const auto moving = fromMjcfText(
      "<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset><worldbody><body "
      "name='b'><freejoint/><geom "
      "size='.1'/><geom type='hfield' hfield='h'/></body></worldbody>");
  CHECK(anyLine(moving.report.leftOut, "height fields on bodies that move"));
}

#ifdef GRASHOF_MUJOCO

TEST_CASE("height fields of files have MuJoCo's heights") {
  const test::ScratchFolder folder;
  std::string own(8, '\0');
  const std::array<std::int32_t, 2> counts = {3, 2};
  std::memcpy(own.data(), counts.data(), 8);
  for (const float z : {1.5F, -2.0F, 0.25F, 0.5F, 3.0F, 1.0F}) {
    std::array<char, 4> bytes{};
    std::memcpy(bytes.data(), &z, 4);
    own.append(bytes.data(), 4);
  }
  folder.write("own.hf", own);
  folder.write("image.png", png(3, 8, 0, {{0, 10, 200, 30}, {1, 70, 5, 5}, {2, 1, 2, 3}, {0, 9, 8, 7}}));
  for (const char* file : {"own.hf", "image.png"}) {
    CAPTURE(std::string(file));
    const std::string path = folder.write(
        "model.xml",
        fmt::format("<mujoco><asset><hfield name='h' file='{}' size='1 1.5 .4 .1'/></asset><worldbody><geom "
                    "name='ground' type='hfield' hfield='h'/>{}</worldbody></mujoco>",
                    file, kBall));
    const test::Mujoco mujoco(path);
    const Shape ground = groundOf(fromMjcfFile(path));
    const int rows = mujoco.model->hfield_nrow[0], columns = mujoco.model->hfield_ncol[0];
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) {
        const std::size_t i = static_cast<std::size_t>(r * columns + c);
        const double z = ground.heights ? ground.heights->heights[i] : ground.mesh->vertices[i].z();
        CHECK(z == doctest::Approx(0.4 * mujoco.model->hfield_data[i]).epsilon(1e-6));
      }
  }
}

#endif

TEST_CASE(
    "what starts inside a height field is pushed out and rests on it, whatever its shape and the cells") {
  for (const std::string ncol : {"3", "5"})
    for (const std::string geom :
         {"size='.03'", "type='box' size='.03 .03 .03'", "type='capsule' size='.02 .02'"})
      for (const double z : {0.1, 0.09, 0.06}) {
        CAPTURE(geom);
        CAPTURE(z);
        const std::string rows = ncol == "3" ? "0 0 0 0 1 0 0 0 0" : "0 0 0 0 0 0 .5 1 .5 0 0 0 0 0 0";
        const auto made = test::fromMjcfText(
            "<asset><hfield name='h' nrow='3' ncol='" + ncol + "' size='1 1 .2 .3' elevation='" + rows +
            "'/></asset><worldbody><geom type='hfield' hfield='h' friction='2'/><body pos='.5 0 " +
            std::to_string(z) + "'><freejoint/><geom " + geom + " friction='2'/></body></worldbody>");
        Simulator simulator(made.model());
        while (simulator.state().time < 0.3) simulator.step();
        const Vec3 place = simulator.state().poses[0].position;
        // Above the slope of 0.2, but for its rounding at the foot.
        CHECK(place.z() > 0.2 * (1.0 - place.x()));
      }
}
