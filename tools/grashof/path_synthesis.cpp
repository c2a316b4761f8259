#include "tools/grashof/path_synthesis.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/fourbar_path.h"
#include "engine/base/output_file.h"
#include "engine/results/run_folder.h"
#include "engine/study/path.h"
#include "tools/grashof/drawing/curves.h"
#include "tools/grashof/exit_code.h"
#include "tools/grashof/interruption.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/result_name.h"

namespace grashof {
namespace {

constexpr std::size_t kLinkagesShown = 10;
constexpr int kCurveSamples = 720;

/// Whether the crank turns all round.
bool turnsRound(const SynthesizedFourBar& s) {
  const PathFourBar& f = s.linkage;
  return s.kind == "double crank" || (s.kind == "crank-rocker" && f.crank < f.rocker);
}

/// A scenario of the linkage in the plane y = 0: a turn of the crank in a second, or the way from the first
/// point to the last one. The coupler's frame is at the coupler point.
std::string scenarioOf(const SynthesizedFourBar& s) {
  const PathFourBar& f = s.linkage;
  const double travel = turnsRound(s) ? std::copysign(2.0 * std::numbers::pi, s.travel) : s.travel;
  std::string text = fmt::format(
      "<!-- A {}, found by grashof optimize: its coupler point, the origin of the body coupler, passes the "
      "points of a "
      "path, the first at the start. Largest distance from them: {} m. -->\n"
      "<scenario name=\"linkage\">\n  <options timestep=\"0.001\" duration=\"1\"/>\n",
      s.kind, s.error);
  const auto parameter = [&](const char* name, const std::string& value) {
    text += fmt::format("  <parameter name=\"{}\" value=\"{}\"/>\n", name, value);
  };
  const auto number = [](double x) { return fmt::format("{}", x); };
  parameter("crank", number(f.crank));
  parameter("coupler", number(f.coupler));
  parameter("rocker", number(f.rocker));
  parameter("A0x", number(f.crankPivot.x()));
  parameter("A0z", number(f.crankPivot.y()));
  parameter("B0x", number(f.rockerPivot.x()));
  parameter("B0z", number(f.rockerPivot.y()));
  text += "  <!-- The coupler point: along the coupler from its crank pin A towards B, and across. -->\n";
  parameter("along", number(f.point.x()));
  parameter("across", number(f.point.y()));
  text += "  <!-- At the start: A, then B on its side of the line from A to B0, then P. -->\n";
  parameter("start", number(s.start));
  parameter("travel", number(travel));
  parameter("Ax", "A0x + crank*cos(start)");
  parameter("Az", "A0z + crank*sin(start)");
  parameter("square", "(B0x-Ax)^2 + (B0z-Az)^2");
  parameter("share", "0.5*(1 + (coupler^2 - rocker^2)/square)");
  parameter("side", fmt::format("{}sqrt(coupler^2/square - share^2)", s.branch > 0 ? "" : "-"));
  parameter("Bx", "Ax + share*(B0x-Ax) - side*(B0z-Az)");
  parameter("Bz", "Az + share*(B0z-Az) + side*(B0x-Ax)");
  parameter("Px", "Ax + (along*(Bx-Ax) - across*(Bz-Az))/coupler");
  parameter("Pz", "Az + (along*(Bz-Az) + across*(Bx-Ax))/coupler");
  parameter("t", "0.05*max(coupler, rocker)");
  return text +
         "  <!-- A turn about +y is one from z to x. -->\n"
         R"xml(  <motion name="turn" type="series" samples="0 0 1 -travel"/>
  <body name="crank" from="A0x 0 A0z" to="Ax 0 Az"><shape type="box" size="length t t" mass="1" collides="false"/></body>
  <body name="coupler" position="Px 0 Pz">
    <shape type="capsule" from="(Ax-Px) 0 (Az-Pz)" to="(Bx-Px) 0 (Bz-Pz)" radius="t/2" mass="1" collides="false"/>
    <shape type="sphere" radius="t/2" mass="0.1" collides="false"/>
  </body>
  <body name="rocker" from="B0x 0 B0z" to="Bx 0 Bz"><shape type="box" size="length t t" mass="1" collides="false"/></body>
  <joint name="A0" type="revolute" follower="crank" position="A0x 0 A0z" axis="0 1 0"><actuator type="motion" motion="turn"/></joint>
  <joint name="A" type="revolute" base="crank" follower="coupler" position="Ax 0 Az" axis="0 1 0"/>
  <joint name="B" type="revolute" base="coupler" follower="rocker" position="Bx 0 Bz" axis="0 1 0"/>
  <joint name="B0" type="revolute" follower="rocker" position="B0x 0 B0z" axis="0 1 0"/>
  <expect><check channel="residual.joint" max="1e-9"/></expect>
</scenario>
)xml";
}

std::string linkageTable(const std::vector<SynthesizedFourBar>& found) {
  std::string text =
      "error,kind,one_branch,in_order,frame,crank,coupler,rocker,A0x,A0z,B0x,B0z,along,across,start_rad,"
      "branch\n";
  for (const SynthesizedFourBar& s : found) {
    const PathFourBar& f = s.linkage;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", s.error, s.kind,
                        s.oneBranch ? "yes" : "no", s.inOrder ? "yes" : "no", f.frame(), f.crank, f.coupler,
                        f.rocker, f.crankPivot.x(), f.crankPivot.y(), f.rockerPivot.x(), f.rockerPivot.y(),
                        f.point.x(), f.point.y(), s.start, s.branch);
  }
  return text;
}

/// Both branches of the curve, and the points.
void drawPath(const PathFourBar& f, const std::vector<Vec2>& points, const std::string& path) {
  std::vector<Curve> curves;
  for (const int branch : {1, -1}) {
    Curve curve;
    curve.name = branch > 0 ? "branch +1" : "branch -1";
    for (int k = 0; k <= kCurveSamples; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / kCurveSamples;
      if (const auto pose = fourBarPose(f, angle, branch)) {
        curve.input.push_back(angle);
        curve.points.emplace_back(pose->point.x(), 0.0, pose->point.y());
      }
    }
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  Curve given;
  given.name = "points";
  for (const Vec2& p : points) {
    given.input.push_back(0.0);
    given.points.emplace_back(p.x(), 0.0, p.y());
  }
  curves.push_back(std::move(given));
  drawCurves(path, curves);
}

nlohmann::ordered_json linkageJson(const PathFourBar& f) {
  return {{"frame", f.frame()},
          {"crank", f.crank},
          {"coupler", f.coupler},
          {"rocker", f.rocker},
          {"crank_pivot", {f.crankPivot.x(), f.crankPivot.y()}},
          {"rocker_pivot", {f.rockerPivot.x(), f.rockerPivot.y()}},
          {"point", {f.point.x(), f.point.y()}},
          {"kind", fourBarKind(lengthsOf(f))}};
}

void printLinkage(const char* what, const PathFourBar& f) {
  fmt::print(
      "  {}: frame {:.7g}, crank {:.7g}, coupler {:.7g}, rocker {:.7g}, point {:.7g} {:.7g}; pivots {:.7g} "
      "{:.7g} and {:.7g} {:.7g}; {}\n",
      what, f.frame(), f.crank, f.coupler, f.rocker, f.point.x(), f.point.y(), f.crankPivot.x(),
      f.crankPivot.y(), f.rockerPivot.x(), f.rockerPivot.y(), fourBarKind(lengthsOf(f)));
}

}  // namespace

int synthesizeFourBar(const PathSynthesisArguments& a) {
  std::vector<Vec2> points;
  for (const std::vector<double>& row : study::readPoints(a.points, {2}, "a CSV file of points: x,z in m"))
    points.emplace_back(row[0], row[1]);
  const std::string path = a.out + "/" + resultName(a.points);
  RunFolder folder(path);
  folder.hold();
  std::vector<SynthesizedFourBar> found;
  {
    const Interruption interruption;
    ProgressBar bar(resultName(a.points), !a.quiet && !a.json, "starts");
    SynthesisOptions options;
    options.starts = a.starts;
    options.goOn = [&](std::uint64_t done) {
      bar.show(static_cast<double>(done) / static_cast<double>(a.starts), static_cast<std::int64_t>(done));
      return Interruption::name().empty();
    };
    found = synthesizePath(points, options);
    if (!Interruption::name().empty()) {
      fmt::print(stderr, "grashof: interrupted by {}; nothing is written\n", Interruption::name());
      return Interruption::exitCode();
    }
  }
  if (found.empty()) {
    fmt::print(stderr, "grashof: no linkage was found (try more --starts)\n");
    return kFailed;
  }
  const PathFourBar& best = found.front().linkage;
  const std::array<PathFourBar, 2> cognates = cognatesOf(best);
  saveText(path + "/linkages.csv", linkageTable(found));
  saveText(path + "/linkage.xml", scenarioOf(found.front()));
  drawPath(best, points, path + "/curve.svg");
  if (a.json) {
    nlohmann::ordered_json j = {{"points", points.size()}, {"starts", a.starts}};
    for (const SynthesizedFourBar& s : found) {
      nlohmann::ordered_json one = linkageJson(s.linkage);
      one["error"] = s.error;
      one["one_branch"] = s.oneBranch;
      one["in_order"] = s.inOrder;
      j["linkages"].push_back(std::move(one));
    }
    for (const PathFourBar& f : cognates) j["cognates"].push_back(linkageJson(f));
    printJson(j);
    return kDone;
  }
  fmt::print("{} linkages for {} points from {} starts\n", found.size(), points.size(), a.starts);
  fmt::print("  {:>10} {:<14} {:>10} {:>9} {:>10} {:>10} {:>10} {:>10}\n", "error m", "kind", "one branch",
             "in order", "frame", "crank", "coupler", "rocker");
  for (std::size_t i = 0; i < std::min(found.size(), kLinkagesShown); ++i) {
    const SynthesizedFourBar& s = found[i];
    fmt::print("  {:>10.2e} {:<14} {:>10} {:>9} {:>10.6g} {:>10.6g} {:>10.6g} {:>10.6g}\n", s.error, s.kind,
               s.oneBranch ? "yes" : "no", s.inOrder ? "yes" : "no", s.linkage.frame(), s.linkage.crank,
               s.linkage.coupler, s.linkage.rocker);
  }
  printLinkage("first", best);
  for (const PathFourBar& f : cognates) printLinkage("cognate", f);
  fmt::print("  results: {}/linkages.csv, linkage.xml, curve.svg\n", path);
  return kDone;
}

}  // namespace grashof
