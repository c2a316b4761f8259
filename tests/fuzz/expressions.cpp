// An expression is evaluated, by itself and as the value of attributes of a scenario: the first line is that
// of a number, the second that of a list, the third a unit, the fourth a name with expressions in braces.
#include <array>
#include <cmath>
#include <cstdlib>

#include "engine/base/expression.h"
#include "engine/scenario/scenario.h"
#include "engine/study/distribution.h"
#include "engine/study/measure.h"
#include "engine/study/study.h"
#include "tests/fuzz/target.h"

using namespace grashof;

namespace {

/// Text that may stand between single quotes of XML.
std::string xmlText(const std::string& text) {
  std::string safe;
  for (const char c : text)
    safe += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '\'' ? "&apos;" : std::string(1, c);
  return safe;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::textOf({data, size});
  std::array<std::string, 4> lines;
  std::size_t start = 0;
  for (std::string& line : lines) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    line = text.substr(start, end - start);
    start = std::min(end + 1, text.size());
  }
  for (const AngleUnit unit : {AngleUnit::Radian, AngleUnit::Degree}) {
    const Evaluation value = evaluate(
        lines[0], [](std::string_view name) { return name == "L" ? std::optional(0.5) : std::nullopt; },
        unit);
    if (value.defect.empty() ? !std::isfinite(value.value) : value.position > lines[0].size()) std::abort();
  }
  fuzz::refusable([&] { (void)study::parseDistribution(lines[0]).quantile(0.25); });
  fuzz::refusable([&] { (void)study::parseMeasure(lines[0]); });
  fuzz::refusable([&] {
    const Scenario scenario = parseScenario(
        "<scenario><parameter name='L' value='2'/><parameter name='M' value='" + xmlText(lines[0]) +
            "' unit='" + xmlText(lines[2]) + "' tolerance='" + xmlText(lines[1]) +
            "'/><replicate count='2'><body name='" + xmlText(lines[3]) + "' position='" + xmlText(lines[1]) +
            "'><inertial mass='" + xmlText(lines[0]) + "' inertia='1 1 1'/></body></replicate></scenario>",
        "fuzz.xml", {{"param.M", lines[2]}});
    (void)study::parseFactor(lines[3], scenario);
  });
  return 0;
}
