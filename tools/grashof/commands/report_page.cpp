#include "tools/grashof/commands/report_page.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "engine/scenario/display_units.h"
#include "engine/study/page_parts.h"
#include "tools/grashof/drawing/chart.h"
#include "tools/grashof/motion_clip.h"

namespace grashof {
namespace {

using ReportJson = nlohmann::ordered_json;
using InUnit = DisplayUnits::Shown;

constexpr int kShownModes = 12, kShownRates = 8;  // motions, and what moves with one

/// Not a number where JSON has none.
double numberOf(const ReportJson& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

constexpr double kNothing = 1e-9;  // m, m/s, N, N·m: what is smaller is rounding

double atLeast(double x, double least) { return std::abs(x) < least ? 0.0 : x; }

/// A number as it is shown, with its whole value for programs that read the page, in the same unit.
/// `least`: what is smaller, in SI, is shown as 0.
std::string numberCell(const ReportJson& value, const InUnit& shown = {}, double least = 0.0) {
  if (!std::isfinite(numberOf(value))) return "<td></td>";
  const auto x = value.get<double>();
  return value.is_number_integer()
             ? fmt::format("<td data-value=\"{0}\">{0}</td>", value.get<std::int64_t>())
             : fmt::format("<td data-value=\"{}\">{:.4g}</td>", shown(x), shown(atLeast(x, least)));
}

std::string textCell(const std::string& text) {
  return fmt::format("<td class=\"text\">{}</td>", escaped(text));
}

/// The time of a peak, as `1:02.345`.
std::string timeCell(const ReportJson& seconds) {
  return seconds.is_number() && seconds.get<double>() >= 0.0
             ? fmt::format("<td data-value=\"{}\">{}</td>", seconds.get<double>(),
                           timeCode(seconds.get<double>()))
             : "<td></td>";
}

/// A peak and when it was. `mark`: what stands behind its value, as ~ where statics leaves it open.
std::string peakCells(const ReportJson& peak, const InUnit& shown, const std::string& mark = "") {
  const auto x = peak["value"].get<double>();
  return fmt::format("<td data-value=\"{}\">{:.4g}{}</td>{}", shown(x), shown(atLeast(x, kNothing)), mark,
                     timeCell(peak["time_s"]));
}

/// The unit of a row whose numbers may be those of a length or of an angle.
InUnit unitOfRow(const ReportJson& row, const DisplayUnits& units, const char* key = "unit") {
  return units.of(row[key].get<std::string>());
}

/// A table, row by row.
class HtmlTable {
 public:
  /// Headings that begin with a blank are those of columns of text.
  HtmlTable(const char* id, const std::vector<std::string>& headings) {
    html_ = fmt::format("<div class=\"wide\"><table id=\"{}\"><thead><tr>", id);
    for (const std::string& heading : headings)
      html_ += heading.starts_with(' ') ? fmt::format("<th class=\"text\">{}</th>", heading.substr(1))
                                        : fmt::format("<th>{}</th>", heading);
    html_ += "</tr></thead><tbody>\n";
  }
  void row(const std::string& cells, bool warn = false) {
    html_ += fmt::format("<tr{}>{}</tr>\n", warn ? " class=\"warn\"" : "", cells);
    ++rows_;
  }
  /// Empty without rows.
  std::string html() const { return rows_ > 0 ? html_ + "</tbody></table></div>\n" : std::string(); }

 private:
  std::string html_;
  int rows_ = 0;
};

std::string sectionOf(const char* id, const char* title, const std::string& content, bool newPage = false) {
  if (content.empty()) return {};
  return fmt::format("<section id=\"{}\"{}><h2>{}</h2>\n{}</section>\n", id,
                     newPage ? " class=\"new-page\"" : "", title, content);
}

std::string fact(const char* name, const std::string& value, const char* kind = "") {
  return fmt::format("<div><span class=\"faint\">{}</span><b class=\"{}\">{}</b></div>", name, kind,
                     escaped(value));
}

std::string listOf(const ReportJson& texts) {
  std::string html;
  for (const ReportJson& text : texts) html += fmt::format("<li>{}</li>", escaped(text.get<std::string>()));
  return html.empty() ? html : "<ul>" + html + "</ul>\n";
}

/// Those that the scenario has written, and what every run is expected to do where it did not.
ReportJson notableExpectations(const ReportJson& all) {
  ReportJson some = ReportJson::array();
  for (const ReportJson& x : all)
    if (!x["passed"].get<bool>() || x["condition"] != "no divergence") some.push_back(x);
  return some;
}

/// What is most important, at the top.
std::string headHtml(const ReportJson& r) {
  const ReportJson& m = r["mobility"];
  std::string html = fmt::format(
      "<h1>{}</h1>\n<p class=\"faint\">{}{}: {} bodies, {} joints, {:g} s in steps of "
      "{:g} s, solver {}. Grashof {}.</p>\n<div class=\"facts\">",
      escaped(r["scenario"].get<std::string>()), escaped(r["file"].get<std::string>()),
      r["clip"].get<std::string>().empty() ? "" : ", played by " + escaped(r["clip"].get<std::string>()),
      r["bodies"].get<int>(), r["joints"].get<int>(), r["simulated_s"].get<double>(),
      r["timestep_s"].get<double>(), escaped(r["solver"].get<std::string>()),
      escaped(r["program"].get<std::string>()));
  html += fact("mobility", std::to_string(m["mobility"].get<int>()));
  html += fact("redundant constraints", std::to_string(m["redundant"].get<int>()));
  double force = 0.0;
  std::string joint;
  for (const ReportJson& j : r["loads"]["joints"])
    if (j["force"]["value"].get<double>() > force) {
      force = j["force"]["value"].get<double>();
      joint = j["joint"].get<std::string>();
    }
  if (!joint.empty()) html += fact("greatest joint force", fmt::format("{:.4g} N, {}", force, joint));
  std::size_t small = 0;
  for (const ReportJson& motor : r["loads"]["motors"]) small += motor["too_small"].get<bool>() ? 1 : 0;
  if (!r["loads"]["motors"].empty())
    html += fact("motors too small", fmt::format("{} of {}", small, r["loads"]["motors"].size()),
                 small > 0 ? "bad" : "good");
  html +=
      fact("joints open by at most", fmt::format("{:.2g} m, rad", numberOf(r["residuals"]["joint"]["max"])));
  if (const ReportJson expect = notableExpectations(r["expect"]); !expect.empty()) {
    std::size_t passed = 0;
    for (const ReportJson& x : expect) passed += x["passed"].get<bool>() ? 1 : 0;
    html += fact("expectations met", fmt::format("{} of {}", passed, expect.size()),
                 passed == expect.size() ? "good" : "bad");
  }
  html += fact("warnings", std::to_string(r["warnings"].size()), r["warnings"].empty() ? "good" : "bad");
  return html + "</div>\n";
}

std::string mobilityHtml(const ReportJson& m) {
  std::string html = fmt::format(
      "<p>{} freedoms of the bodies less {} constraint rows make {} (Kutzbach). The rows have rank {}: "
      "mobility "
      "<b>{}</b>, <b>{}</b> rows redundant.</p>\n",
      m["kutzbach"].get<int>() + m["rows"].get<int>(), m["rows"].get<int>(), m["kutzbach"].get<int>(),
      m["rank"].get<int>(), m["mobility"].get<int>(), m["redundant"].get<int>());
  const int nearby = m["mobility_nearby"].get<int>();
  if (nearby >= 0 && nearby < m["mobility"].get<int>())
    html += fmt::format(
        "<p class=\"bad\">The pose at the start is singular: nearby the mobility is {}.</p>\n", nearby);
  HtmlTable modes("modes", {"motion", " leads", " moves with it"});
  int number = 0;
  for (const ReportJson& mode : m["modes"]) {
    if (number == kShownModes) break;
    double largest = 1.0;
    for (const auto& [name, rate] : mode["rates"].items())
      largest = std::max(largest, std::abs(rate.get<double>()));
    std::string rest;
    int shown = 0;
    for (const auto& [name, rate] : mode["rates"].items())
      if (name != mode["leads"].get<std::string>() && std::abs(rate.get<double>()) > 1e-6 * largest &&
          ++shown <= kShownRates)
        rest += fmt::format("{}{} {:.4g}", rest.empty() ? "" : ", ", name, rate.get<double>());
    if (shown > kShownRates) rest += fmt::format(" and {} more", shown - kShownRates);
    modes.row(fmt::format("<td>{}</td>", ++number) + textCell(mode["leads"].get<std::string>()) +
              textCell(rest));
  }
  html += modes.html();
  if (const std::size_t all = m["modes"].size(); all > static_cast<std::size_t>(kShownModes))
    html +=
        fmt::format("<p class=\"faint\">The first {} of {} motions; a body that nothing holds has six.</p>\n",
                    kShownModes, all);
  HtmlTable shares("redundancy", {" joint", " type", "redundant", " isostatic with"});
  for (const ReportJson& j : m["joint"])
    if (j["redundancy"].get<double>() > 1e-9 || !j["release"].empty())
      shares.row(textCell(j["name"].get<std::string>()) + textCell(j["type"].get<std::string>()) +
                 numberCell(j["redundancy"]) + textCell(j["instead"].get<std::string>()));
  const std::string table = shares.html();
  return table.empty() ? html : html + "<h3>Redundancy</h3>\n" + table;
}

std::string reachHtml(const ReportJson& reach, const std::string& paths, const DisplayUnits& units) {
  const InUnit& length = units.length();
  const InUnit speed = units.of("m/s");
  const std::string to = "to, " + length.unit;
  HtmlTable table("reach", {" origin of", "x from", to, "y from", to, "z from", to, "speed, " + speed.unit});
  for (const ReportJson& body : reach) {
    std::string cells = textCell(body["body"].get<std::string>());
    for (std::size_t i = 0; i < 3; ++i)
      cells += numberCell(body["least_m"][i], length, kNothing) +
               numberCell(body["greatest_m"][i], length, kNothing);
    table.row(cells + numberCell(body["speed_m_s"], speed, kNothing));
  }
  return (paths.empty() ? "" : "<div class=\"charts one\">" + paths + "</div>\n") + table.html();
}

std::string chartsHtml(const std::vector<std::string>& charts) {
  std::string html;
  for (const std::string& chart : charts) html += chart + "\n";
  return html.empty() ? html : "<div class=\"charts\">" + html + "</div>\n";
}

/// Blows, limits and contacts.
std::string stopsHtml(const ReportJson& loads, const DisplayUnits& units) {
  std::string html;
  HtmlTable blows("blows", {" blow at", "impulse or jump", "at", " unit", "steps"});
  for (const ReportJson& b : loads["blows"]) {
    const InUnit shown = unitOfRow(b, units);
    blows.row(textCell(b["at"].get<std::string>()) +
              peakCells(b[b.contains("rate_jump") ? "rate_jump" : "impulse"], shown) + textCell(shown.unit) +
              numberCell(b["steps"]));
  }
  if (!loads["blows"].empty())
    html +=
        "<h3>Blows</h3>\n<p>Impulses, which do not depend on the step. The loads leave these steps "
        "out.</p>\n" +
        blows.html();
  if (loads["steps_left_out"].get<std::int64_t>() > 0)
    html += fmt::format(
        "<p class=\"bad\">Loads of {} steps are left out: a motion goes through its limit there, and what "
        "both "
        "press is without bound.</p>\n",
        loads["steps_left_out"].get<std::int64_t>());
  HtmlTable limits("limits", {" at its limit", " limit", "from", "to", "effort", "at", " unit"});
  for (const ReportJson& h : loads["limit_hits"])
    limits.row(textCell(h["coordinate"].get<std::string>()) + textCell(h["limit"].get<std::string>()) +
               timeCell(h["start_s"]) + timeCell(h["end_s"]) + peakCells(h["effort"], unitOfRow(h, units)) +
               textCell(unitOfRow(h, units).unit));
  if (!loads["limit_hits"].empty()) html += "<h3>Limits</h3>\n" + limits.html();
  HtmlTable touches("touches",
                    {" body", " touches", "from", "to", "normal force, N", "at", "at one contact, N"});
  for (const ReportJson& c : loads["collisions"])
    touches.row(textCell(c["a"].get<std::string>()) + textCell(c["b"].get<std::string>()) +
                timeCell(c["start_s"]) + timeCell(c["end_s"]) + peakCells(c["force"], {}) +
                numberCell(c["single"]["value"]));
  if (!loads["collisions"].empty()) html += "<h3>Touches</h3>\n" + touches.html();
  return html;
}

std::string couplingsHtml(const ReportJson& loads, const DisplayUnits& units) {
  HtmlTable couplings("couplings", {" coupling", " type", " on", "effort", "at", "rms", " unit"});
  for (const ReportJson& c : loads["couplings"])
    for (const char* side : {"a", "b"}) {
      const InUnit shown = unitOfRow(c, units, side[0] == 'a' ? "unit_a" : "unit_b");
      couplings.row(textCell(c["coupling"].get<std::string>()) + textCell(c["type"].get<std::string>()) +
                    textCell(c[side].get<std::string>()) +
                    peakCells(c[fmt::format("effort_{}", side)], shown, c["unique"].get<bool>() ? "" : "~") +
                    numberCell(c[fmt::format("effort_{}_rms", side)], shown) + textCell(shown.unit));
    }
  return loads["couplings"].empty() ? std::string() : "<h3>Couplings</h3>\n" + couplings.html();
}

std::string drivesHtml(const ReportJson& loads, const DisplayUnits& units) {
  HtmlTable drives("drives", {" drive", "effort", "at", "rms", " unit", "speed", " unit", "power, W",
                              "energy, J", "back, J", "at its limit, s"});
  for (const ReportJson& d : loads["drives"]) {
    const InUnit effort = unitOfRow(d, units), speed = unitOfRow(d, units, "speed_unit");
    drives.row(textCell(d["coordinate"].get<std::string>()) +
                   peakCells(d["effort"], effort, d["unique"].get<bool>() ? "" : "~") +
                   numberCell(d["effort_rms"], effort) + textCell(effort.unit) +
                   numberCell(d["speed"]["value"], speed) + textCell(speed.unit) +
                   numberCell(d["power"]["value"]) + numberCell(d["energy_J"]) + numberCell(d["returned_J"]) +
                   numberCell(d["saturated_s"]),
               d["saturated_s"].get<double>() > 0.0);
  }
  return loads["drives"].empty() ? std::string() : "<h3>Drives</h3>\n" + drives.html();
}

std::string loadsHtml(const ReportJson& loads, const std::vector<std::string>& charts,
                      const DisplayUnits& units) {
  const InUnit moment = units.of("N m");
  std::string html;
  if (loads["rigid_joints"].get<bool>())
    html +=
        "<p>Loads and motors are those of the mechanism with rigid joints, split by the declared "
        "compliances; "
        "film, energy, residuals and channels are those of its compliant joints.</p>\n";
  if (const int open = loads["indeterminate"].get<int>(); open > 0)
    html += fmt::format(
        "<p>{} reactions are not unique (marked ~): they are distributed by the declared compliances; "
        "without any, by least squares.</p>\n",
        open);
  if (loads.contains("bearing_remark"))
    html += "<p class=\"faint\">Note: " + escaped(loads["bearing_remark"].get<std::string>()) + ".</p>\n";
  HtmlTable joints("joints", {" joint", " type", "force, N", "at", "rms, N", "moment, " + moment.unit, "at",
                              "rms, " + moment.unit});
  for (const ReportJson& j : loads["joints"]) {
    bool unique = true;
    for (const char* c : {"fx", "fy", "fz", "mx", "my", "mz"}) unique = unique && j[c]["unique"].get<bool>();
    const std::string mark = std::string(unique ? "" : "~") + (j["bearing_loads"].get<bool>() ? "" : "+");
    joints.row(textCell(j["joint"].get<std::string>()) + textCell(j["type"].get<std::string>()) +
               peakCells(j["force"], {}, mark) + numberCell(j["force_rms"], {}, kNothing) +
               peakCells(j["moment"], moment, mark) + numberCell(j["moment_rms"], moment, kNothing));
  }
  html += joints.html() + chartsHtml(charts);
  return html + couplingsHtml(loads, units) + drivesHtml(loads, units) + stopsHtml(loads, units);
}

std::string motorsHtml(const ReportJson& motors, const DisplayUnits& units) {
  const InUnit torque = units.of("N m"), speed = units.of("rad/s");
  HtmlTable table("motors", {" of", " motor", "shaft, " + torque.unit, "at", "rms, " + torque.unit,
                             speed.unit, "A", "rms A", "heat, J", " largest use"});
  std::string small;
  for (const ReportJson& m : motors) {
    for (const ReportJson& rating : m["ratings"])
      if (rating["too_small"].get<bool>())
        small +=
            fmt::format("<li class=\"bad\">{}, motor {}: {:.3g} times its {} at {}</li>",
                        escaped(m["coordinate"].get<std::string>()), escaped(m["motor"].get<std::string>()),
                        rating["use"].get<double>(), escaped(rating["rating"].get<std::string>()),
                        rating["time_code"].get<std::string>());
    const ReportJson& current = m["current"];  // null: not known
    table.row(textCell(m["coordinate"].get<std::string>()) + textCell(m["motor"].get<std::string>()) +
                  peakCells(m["torque"], torque) + numberCell(m["torque_rms"], torque) +
                  numberCell(m["speed"]["value"], speed) +
                  numberCell(current.is_null() ? current : current["value"]) + numberCell(m["current_rms"]) +
                  numberCell(m["heat_J"]) + textCell(m["largest_use"].get<std::string>()),
              m["too_small"].get<bool>());
  }
  return table.html() + (small.empty() ? "" : "<h3>Too small</h3>\n<ul>" + small + "</ul>\n");
}

std::string energyHtml(const ReportJson& energy, const std::vector<std::string>& charts) {
  HtmlTable table("energy-balance", {" energy", "J"});
  for (const auto& [name, key] : {std::pair("at the start", "start"),
                                  {"at the end", "end"},
                                  {"work of drives", "actuators"},
                                  {"work of external wrenches", "external"},
                                  {"dissipated", "dissipated"},
                                  {"drift: appeared (+) or vanished (-) without a cause", "drift"}})
    table.row(textCell(name) + numberCell(energy[key]));
  return table.html() +
         fmt::format(
             "<p class=\"faint\">The drift was at most {:.2g} % of the energy that the run moved.</p>\n",
             100.0 * numberOf(energy["max_relative_drift"])) +
         chartsHtml(charts);
}

std::string expectationsHtml(const ReportJson& expect) {
  HtmlTable table("expectations", {" expectation", " met", "worst value", "at"});
  for (const ReportJson& x : expect)
    table.row(textCell(x["condition"].get<std::string>()) +
                  fmt::format("<td class=\"text {0}\">{1}</td>", x["passed"].get<bool>() ? "good" : "bad",
                              x["passed"].get<bool>() ? "yes" : "no") +
                  numberCell(x["value"]) + timeCell(x["time_s"]),
              !x["passed"].get<bool>());
  return table.html();
}

std::string channelsHtml(const ReportJson& channels, const DisplayUnits& units) {
  HtmlTable table("channels", {" channel", " unit", "least", "greatest", "last"});
  for (const ReportJson& c : channels) {
    const InUnit shown = unitOfRow(c, units);
    table.row(textCell((c["redundant"].get<bool>() ? "~ " : "") + c["name"].get<std::string>()) +
              textCell(shown.unit) + numberCell(c["least"], shown) + numberCell(c["greatest"], shown) +
              numberCell(c["last"], shown));
  }
  const std::string html = table.html();
  return html.empty() ? html
                      : "<p class=\"faint\">Of what was recorded, as <code>grashof info</code> has it; loads "
                        "above are "
                        "those of every step.</p>\n" +
                            html;
}

}  // namespace

std::string reportPage(const ReportJson& r, const ReportPictures& pictures) {
  const DisplayUnits units(r["units"].get<std::string>());
  std::string page = headHtml(r);
  page += sectionOf("warnings", "Warnings", listOf(r["warnings"]));
  page += sectionOf("picture", "In motion", "<div class=\"picture\">" + pictures.motion + "</div>\n");
  if (!pictures.film.empty())
    page +=
        "<section id=\"film\" class=\"screen\"><h2>Film</h2>\n<iframe title=\"the run in three dimensions\" "
        "srcdoc=\"" +
        escaped(pictures.film) + "\"></iframe></section>\n";
  page += sectionOf("mobility", "Mobility and redundancy", mobilityHtml(r["mobility"]));
  page += sectionOf("reach-of-bodies", "Reach", reachHtml(r["reach"], pictures.paths, units));
  page += sectionOf("loads", "Loads", loadsHtml(r["loads"], pictures.loads, units), true);
  page += sectionOf("motor-sizes", "Motors", motorsHtml(r["loads"]["motors"], units));
  page += sectionOf("energy", "Energy", energyHtml(r["energy_J"], pictures.energy), true);
  page += sectionOf("expected", "Expectations", expectationsHtml(notableExpectations(r["expect"])));
  page += sectionOf("recorded", "Channels", channelsHtml(r["channels"], units), true);
  return htmlPage(r["scenario"].get<std::string>(), page, chartScript());
}

}  // namespace grashof
