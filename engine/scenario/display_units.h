#pragma once
/// Results in the units of their scenario's file, for people.

#include <string>
#include <string_view>

#include "engine/scenario/scenario.h"

namespace grashof {

/// Lengths, angles and masses in the units that a file is written in (`units="mm deg kg"`), and what is made
/// of them: a torque in N mm. Forces, energies, powers and times are SI everywhere.
class DisplayUnits {
 public:
  /// A unit in which numbers are shown, and how many of it one of SI is.
  struct Shown {
    double scale = 1.0;
    std::string unit{};
    double operator()(double si) const { return scale == 1.0 ? si : scale * si; }
  };

  DisplayUnits() = default;  ///< SI
  /// `text`: the attribute `units` of a <scenario>; SI for what it does not name, or is no unit.
  explicit DisplayUnits(const std::string& text);

  bool si() const { return length_.unit == "m" && angle_.unit == "rad" && mass_.unit == "kg"; }
  const std::string& text() const { return text_; }  ///< as it was given
  const Shown& length() const { return length_; }
  const Shown& angle() const { return angle_; }
  const Shown& mass() const { return mass_; }

  /// For a unit of SI as channels have it, `m/s`, `N m`, `kg m²`, `rad, m`. Where parts of a list are scaled
  /// differently it stays in SI.
  Shown of(std::string_view unit) const;

 private:
  std::string text_;
  Shown length_{1.0, "m"}, angle_{1.0, "rad"}, mass_{1.0, "kg"};
};

/// Of the file that a scenario was read from; SI if there is none.
DisplayUnits displayUnits(const Scenario& scenario);

}  // namespace grashof
