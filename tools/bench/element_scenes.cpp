#include "tools/bench/element_scenes.h"

#include <functional>

#include <fmt/format.h>

namespace grashof::bench {
namespace {

constexpr int kElements = 8;
constexpr double kSpacing = 0.1;  // m

using Element = std::function<std::string(int)>;

std::string scenario(const std::string& content) {
  return "<scenario name=\"elements\"><options timestep=\"0.001\" duration=\"10\"/>" + content +
         "</scenario>";
}

std::string bodyName(int i) { return i < 0 ? "world" : fmt::format("b{}", i); }

/// Links that hang from the world, each from the one before.
std::string chain(const Element& element) {
  std::string content;
  for (int i = 0; i < kElements; ++i) {
    content += fmt::format(
        R"(<body name="{}" position="0 0 {}"><inertial mass="0.1" inertia="1e-4 1.2e-4 1.1e-4"/></body>)",
        bodyName(i), -kSpacing * (i + 1));
    content += element(i);
  }
  return scenario(content);
}

/// Wheels on axles in the world, each coupled with the one before. `axle`: what stands in the axles of the
/// coupled ones.
std::string wheels(const Element& element, const std::string& axle = "") {
  std::string content;
  for (int i = 0; i <= kElements; ++i) {
    content += fmt::format(
        R"(<body name="{0}" position="{1} 0 0" angular-velocity="0 {2} 0"><inertial mass="0.1" inertia="1e-3 2e-3 1e-3"/></body>
        <joint name="a{3}" type="revolute" follower="{0}" position="{1} 0 0" axis="0 1 0">{4}</joint>)",
        bodyName(i), 2.0 * kSpacing * i, i % 2 == 0 ? 3.0 : -3.0, i, i > 0 ? axle : "");
    if (i > 0) content += element(i);
  }
  return scenario(content);
}

/// Attributes of an element between the places of two bodies of a chain.
std::string ends(int i) {
  return i == 0 ? R"(body1="world" point1="0 0 0" body2="b0")"
                : fmt::format(R"(body1="b{}" body2="b{}")", i - 1, i);
}

Element joint(const std::string& type) {
  return [type](int i) {
    return fmt::format(R"(<joint name="j{}" type="{}" base="{}" follower="{}" position="0 0 {}"/>)", i, type,
                       bodyName(i - 1), bodyName(i), -kSpacing * i);
  };
}

Element between(const std::string& tag, const std::string& attributes, const std::string& content = "") {
  return [=](int i) {
    return fmt::format("<{0} name=\"e{1}\" {2} {3}>{4}</{0}>", tag, i, ends(i), attributes, content);
  };
}

Element cable(const std::string& attributes) {
  return [attributes](int i) {
    const std::string start =
        i == 0 ? R"(<point position="0 0 0"/>)" : fmt::format(R"(<point body="b{}"/>)", i - 1);
    return fmt::format(R"(<cable name="e{0}" {1}>{2}<point body="b{0}"/></cable>)", i, attributes, start);
  };
}

Element coupling(const std::string& attributes) {
  return [attributes](int i) {
    return fmt::format(R"(<coupling name="c{0}" type="gear" joint-a="a{0}" joint-b="a{1}" ratio="-1" {2}/>)",
                       i, i - 1, attributes);
  };
}

std::string rod(int i) {
  return fmt::format(
      R"(<joint name="j{0}" type="distance" base="{1}" follower="{2}"><base-frame/><follower-frame/></joint>)",
      i, bodyName(i - 1), bodyName(i));
}

}  // namespace

std::vector<ElementScene> elementScenes() {
  const Element bushing = [](int i) {
    return fmt::format(
        R"(<bushing name="e{}" base="{}" follower="{}" position="0 0 {}" stiffness="1e5 1e5 1e5 100 100 100" damping="10 10 10 0.1 0.1 0.1"/>)",
        i, bodyName(i - 1), bodyName(i), -kSpacing * i);
  };
  const Element linear = [](int i) {
    return fmt::format(
        R"(<coupling name="c{0}" type="linear"><term joint="a{0}" coefficient="1"/><term joint="a{1}" coefficient="1"/></coupling>)",
        i, i - 1);
  };
  const Element tendon = [](int i) {
    return fmt::format(
        R"(<tendon name="c{0}" stiffness="1e4" damping="1"><term joint="a{0}" coefficient="0.1"/><term joint="a{1}" coefficient="0.1"/></tendon>)",
        i, i - 1);
  };
  return {
      {"6 rows/joint fixed", chain(joint("fixed"))},
      {"6 rows/bushing", chain(bushing)},
      {"1 row/joint distance", chain(rod)},
      {"1 row/spring", chain(between("spring", R"(stiffness="1e5" damping="10" length="0.1")"))},
      {"1 row/force with a table",
       chain(between("force", "", R"(<table over="length" samples="0 1e4 0.1 0 0.2 -1e4"/>)"))},
      {"1 row/cable", chain(cable(R"(stiffness="1e5" damping="10" length="0.1")"))},
      {"1 row/cable, inextensible", chain(cable(R"(inextensible="true" length="0.1")"))},
      {"1 row between coordinates/gear", wheels(coupling(""))},
      {"1 row between coordinates/linear", wheels(linear)},
      {"1 row between coordinates/tendon", wheels(tendon)},
      {"1 row between coordinates/gear with backlash", wheels(coupling(R"(backlash="0.01")"))},
      {"2 rows on coordinates/gear, axles with dry friction",
       wheels(coupling(""), R"(<dynamics friction="0.01"/>)")},
      {"2 rows on coordinates/gear with losses", wheels(coupling(R"(efficiency="0.9")"))},
  };
}

}  // namespace grashof::bench
