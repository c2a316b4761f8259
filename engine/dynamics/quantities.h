#pragma once
/// The quantities of a running simulation: everything with a name that can be recorded, plotted, measured and
/// checked.
///
/// A Quantity is some numbers of each thing of one kind, such as the pose of each body. quantities() lists
/// all; channels (channels.h), records, results, pages and the table of channels in assets/schema.md follow
/// that list. A new element writes here what it has to show, and nowhere else.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/dynamics/simulator.h"

namespace grashof {

/// One number of a quantity.
struct QuantityPart {
  std::string name;          ///< as `position.x`
  std::string unit;          ///< of things that turn, where they differ from those along a length
  std::string meaning{};     ///< for documents; empty: with the part before
  std::string lengthUnit{};  ///< of things along a length; empty: `unit`
};

/// A thing that has a quantity. Its numbers are called thing + part + end.
struct QuantityItem {
  std::string thing{};     ///< start of the names of all that is known of it, as `body.crank.`
  std::string end{};       ///< of these names, as `.0` of a first coordinate
  int index = 0;           ///< in the model's list
  int part = 0;            ///< of a joint: its coordinate
  std::size_t column = 0;  ///< of its first number in the dataset
  unsigned lengths = 0;    ///< bit p: part p has its lengthUnit
};

/// Numbers of each thing of one kind.
struct Quantity {
  enum class Kind {
    Reals,
    Integers,
    Norm,      ///< length of the first three numbers of a dataset that another quantity fills
    Alias,     ///< numbers of a dataset that another quantity fills
    Unstored,  ///< not recorded
    Pairs      ///< of bodies that touch: from the contacts of a record, see PairLoad
  };
  Kind kind = Kind::Reals;
  std::string dataset;  ///< of trajectory.h5: (records, items, parts)
  std::string pattern;  ///< of its names, as `joint.NAME.*.I`
  std::vector<QuantityPart> parts;
  std::function<std::vector<QuantityItem>(const Model&)> items;  ///< null: Pairs
  /// Writes the values of all parts of an item; of a Norm its three numbers. Null: Pairs.
  std::function<void(const Simulator&, const QuantityItem&, double* values)> read;
  /// Of loads: bit p is set if statics leaves part p open, see ReactionDistribution; of a Norm bits 0 to 2.
  /// Null: never.
  std::function<unsigned(const Simulator&, const QuantityItem&)> open{};
  std::string openDataset{};  ///< of these bits: (records, items)
  std::string needs{};        ///< what things without it lack

  bool stored() const { return kind == Kind::Reals || kind == Kind::Integers; }
  std::string prefix() const { return pattern.substr(0, pattern.find('.') + 1); }  ///< of all its names
  unsigned openBits(std::size_t part) const { return kind == Kind::Norm ? 7U : 1U << part; }  ///< see open
};

inline constexpr std::size_t kMaxQuantityParts = 12;

/// All of them, in the order of a record.
const std::vector<Quantity>& quantities();
/// The one of pairs of bodies that touch.
const Quantity& pairQuantity();

/// Unit of part `part` of an item.
const std::string& unitOf(const Quantity& quantity, const QuantityItem& item, std::size_t part);

}  // namespace grashof
