#pragma once
/// What the text of a part of a scenario file is read with: names of parameters, units, and notes on what was
/// evaluated. Internal: only engine/scenario/*.cpp include it.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tinyxml2.h>

#include "engine/scenario/units.h"

namespace grashof::xml {

/// A small error of an attribute's numbers, in the unit of the file.
struct Deviation {
  std::vector<double> by;  ///< one a number; of an axis two angles of tilt
  bool relative = false;   ///< shares of the numbers
  bool tilt = false;       ///< `by` turns the direction about two axes at right angles to it
};

/// Shared by all parts of a scenario.
struct ReadingNotes {
  /// An attribute that was no plain number.
  struct Expression {
    std::string file;
    int line = 0;
    std::string element, attribute, text;
  };
  std::vector<Expression> expressions;
  std::vector<std::string> files;    ///< all that were read, the scenario's first
  std::vector<std::string> remarks;  ///< on numbers, with file and line, each once
  /// By element and attribute; see <tolerance>.
  std::map<std::pair<const tinyxml2::XMLElement*, std::string>, Deviation> deviations;
};

/// A name that is defined, but has no value yet; thrown through the evaluation that needs it.
struct NotYet {
  std::size_t index;  ///< among the parameters that are being defined
};

struct Context {
  std::shared_ptr<const Context> outer;  ///< what is known there is known here
  std::map<std::string, double, std::less<>> names;
  /// While parameters are defined: asked for names that are not among `names`. Throws NotYet.
  std::function<std::optional<double>(std::string_view)> pending;
  FileUnits units;
  bool converts = false;    ///< units are not SI
  bool fillsTexts = false;  ///< {expressions} in texts are replaced by their values
  std::shared_ptr<ReadingNotes> notes;

  std::optional<double> find(std::string_view name) const;
  /// All names that are known here, in order.
  std::vector<std::string> known() const;
};

/// A context inside of `outer`, without names of its own.
std::shared_ptr<Context> insideOf(const std::shared_ptr<const Context>& outer);

}  // namespace grashof::xml
