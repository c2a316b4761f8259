#include "tools/grashof/commands/motor_report.h"

#include <cmath>

#include <fmt/format.h>

#include "engine/model/user_frames.h"
#include "tools/grashof/motion_clip.h"

namespace grashof {
namespace {

const Motor& motorOf(const Model& model, const MotorLoad& load) {
  return model.motors[static_cast<std::size_t>(load.motor)];
}

std::string ratingName(const MotorCheck& check) {
  return std::string(kMotorRatingNames[static_cast<std::size_t>(check.rating)]);
}

/// As in "torque-speed-line by 1.3 at 0:01.200 (0.02 N m at 300 rad/s; 0.1 s beyond it, first at 0:01.100)".
std::string verdict(const MotorCheck& c, const DisplayUnits& units) {
  const DisplayUnits::Shown torque = units.of("N m"), speed = units.of("rad/s");
  const std::string name = ratingName(c);
  if (c.rating == MotorRating::Rms)
    return fmt::format("{} by {:.3g} ({:.4g} {} rms of {:.4g} {})", name, c.use.value, torque(c.torque),
                       torque.unit, torque(c.rated), torque.unit);
  const std::string moment = fmt::format("{} by {:.3g} at {}", name, c.use.value, timeCode(c.use.time));
  const std::string length = fmt::format("{:.3g} s beyond it, first at {}", c.exceeded, timeCode(c.first));
  if (c.rating == MotorRating::Line)
    return fmt::format("{} ({:.4g} {} at {:.4g} {}; {})", moment, torque(c.torque), torque.unit,
                       speed(c.speed), speed.unit, length);
  return c.rating == MotorRating::Torque ? fmt::format("{} ({:.4g} of {:.4g} {}; {})", moment,
                                                       torque(c.torque), torque(c.rated), torque.unit, length)
                                         : fmt::format("{} ({:.4g} of {:.4g} {}; {})", moment, speed(c.speed),
                                                       speed(c.rated), speed.unit, length);
}

nlohmann::ordered_json extremeJson(const Peak& p) { return {{"value", p.value}, {"time_s", p.time}}; }

/// Whether the data sheet says enough for currents, and for heat.
bool knowsCurrent(const Motor& motor) { return motor.torqueConstant > 0.0; }
bool knowsHeat(const Motor& motor) { return knowsCurrent(motor) && motor.resistance > 0.0; }

std::string largestUse(const Model& model, const MotorLoad& load) {
  const MotorCheck* const worst = load.worst();
  if (!worst) return "no ratings";
  if (!load.supplied || worst->rating != MotorRating::Line)
    return fmt::format("{:.3g} of {}", worst->use.value, ratingName(*worst));
  const double stall = motorOf(model, load).stall();
  return fmt::format("on its supply: {:.3g} of stall torque, {:.3g} rms", std::abs(load.torque.value) / stall,
                     load.torqueRms / stall);
}

}  // namespace

nlohmann::ordered_json motorsJson(const Model& model, const Loads& loads) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const MotorLoad& l : loads.motors) {
    nlohmann::ordered_json checks = nlohmann::ordered_json::array();
    for (const MotorCheck& c : l.checks) {
      nlohmann::ordered_json one = {{"rating", ratingName(c)},
                                    {"rated", c.rated},
                                    {"use", c.use.value},
                                    {"time_s", c.use.time},
                                    {"time_code", timeCode(c.use.time)},
                                    {"torque", c.torque},
                                    {"speed", c.speed},
                                    {"exceeded_s", c.exceeded},
                                    {"too_small", c.tooSmall()}};
      if (c.first >= 0.0) one["first_s"] = c.first;
      checks.push_back(one);
    }
    const Motor& motor = motorOf(model, l);
    all.push_back({{"coordinate", coordinateName(model, l.joint, l.coordinate)},
                   {"motor", motor.name},
                   {"too_small", l.tooSmall()},
                   {"asked_by", l.commanded  ? "command"
                                : l.supplied ? "supply"
                                             : "motion"},
                   {"torque", extremeJson(l.torque)},
                   {"torque_rms", l.torqueRms},
                   {"speed", extremeJson(l.speed)},
                   {"current", knowsCurrent(motor) ? extremeJson(l.current) : nullptr},
                   {"current_rms", knowsCurrent(motor) ? nlohmann::ordered_json(l.currentRms) : nullptr},
                   {"heat_J", knowsHeat(motor) ? nlohmann::ordered_json(l.heat) : nullptr},
                   {"largest_use", largestUse(model, l)},
                   {"ratings", checks}});
  }
  return all;
}

std::string motorsCsv(const Model& model, const Loads& loads) {
  if (loads.motors.empty()) return {};
  std::string text =
      "coordinate,motor,rating,rated,use,too_small,time,torque,speed,first,exceeded,peak_torque,rms_torque,"
      "peak_speed,peak_current,rms_current,heat\n";
  for (const MotorLoad& l : loads.motors) {
    const std::string name =
        fmt::format("{},{}", coordinateName(model, l.joint, l.coordinate), motorOf(model, l).name);
    const auto cell = [](bool known, double value) {
      return known ? fmt::format("{}", value) : std::string();
    };
    const bool current = knowsCurrent(motorOf(model, l)), heat = knowsHeat(motorOf(model, l));
    const std::string totals =
        fmt::format("{},{},{},{},{},{}\n", l.torque.value, l.torqueRms, l.speed.value,
                    cell(current, l.current.value), cell(current, l.currentRms), cell(heat, l.heat));
    if (l.checks.empty()) text += fmt::format("{},,,,,,,,,,{}", name, totals);
    for (const MotorCheck& c : l.checks)
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}", name, ratingName(c), c.rated, c.use.value,
                          c.tooSmall() ? 1 : 0, c.use.time, c.torque, c.speed,
                          c.first >= 0.0 ? fmt::format("{}", c.first) : "", c.exceeded, totals);
  }
  return text;
}

void printMotors(const Model& model, const Loads& loads, const DisplayUnits& units) {
  if (loads.motors.empty()) return;
  const DisplayUnits::Shown torque = units.of("N m"), speed = units.of("rad/s");
  fmt::print("  {:<24} {:>12} {:>10} {:>10} {:>9} {:>10} {:>9} {:>9} {:>9}   largest use\n", "motor of",
             "motor", "shaft " + torque.unit, "at", "rms", speed.unit, "A", "rms A", "heat J");
  for (const MotorLoad& l : loads.motors) {
    // A data sheet without these says nothing of current and heat.
    const auto cell = [](bool known, double value) {
      return known ? fmt::format("{:.4g}", value) : std::string("-");
    };
    const Motor& motor = motorOf(model, l);
    fmt::print("  {:<24} {:>12} {:>10.4g} {:>10} {:>9.4g} {:>10.4g} {:>9} {:>9} {:>9}   {}\n",
               coordinateName(model, l.joint, l.coordinate), motor.name, torque(l.torque.value),
               timeCode(l.torque.time), torque(l.torqueRms), speed(l.speed.value),
               cell(knowsCurrent(motor), l.current.value), cell(knowsCurrent(motor), l.currentRms),
               cell(knowsHeat(motor), l.heat), largestUse(model, l));
  }
  for (const MotorLoad& l : loads.motors)
    for (const MotorCheck& c : l.checks)
      if (c.tooSmall())
        fmt::print("  too small: motor {} of {}: {}{}\n", motorOf(model, l).name,
                   coordinateName(model, l.joint, l.coordinate), verdict(c, units),
                   l.commanded && c.rating != MotorRating::Rms && c.rating != MotorRating::Speed
                       ? ", by what its command asks for"
                       : "");
}

}  // namespace grashof
