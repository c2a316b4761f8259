#include "engine/dynamics/channels.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/account/pair_load.h"

namespace grashof {
namespace {

constexpr std::size_t kMaxListed = 1000;  // characters of a message

struct Found {
  const Quantity* quantity = nullptr;
  QuantityItem item;
  std::size_t part = 0;
};

/// What stands between the start and the end of the names of `item`, if `name` is one of them.
std::optional<std::string> middleOf(const std::string& name, const QuantityItem& item) {
  if (name.size() <= item.thing.size() + item.end.size()) return std::nullopt;
  if (!name.starts_with(item.thing) || !name.ends_with(item.end)) return std::nullopt;
  return name.substr(item.thing.size(), name.size() - item.thing.size() - item.end.size());
}

/// Of things whose names are the start of others', as a joint `knee` of another `knee.spring`, the shorter.
std::optional<Found> find(const Model& model, const std::string& name) {
  std::optional<Found> best;
  for (const Quantity& quantity : quantities()) {
    if (!quantity.items || !name.starts_with(quantity.prefix())) continue;
    const auto in = [&](const QuantityPart& part) { return name.find(part.name) != std::string::npos; };
    if (std::none_of(quantity.parts.begin(), quantity.parts.end(), in)) continue;
    for (QuantityItem& item : quantity.items(model)) {
      const auto middle = middleOf(name, item);
      if (!middle || (best && best->item.thing.size() <= item.thing.size())) continue;
      for (std::size_t p = 0; p < quantity.parts.size(); ++p)
        if (quantity.parts[p].name == *middle) {
          best = Found{&quantity, std::move(item), p};
          break;
        }
    }
  }
  return best;
}

/// The longest start of a name that a thing of the model has.
std::string thingOf(const Model& model, const std::string& name) {
  std::string thing;
  for (const Quantity& quantity : quantities())
    if (quantity.items && name.starts_with(quantity.prefix()))
      for (const QuantityItem& item : quantity.items(model))
        if (name.starts_with(item.thing) && item.thing.size() > thing.size()) thing = item.thing;
  return thing;
}

/// What is known of a thing, without its further components.
std::string knownOf(const Model& model, const std::string& thing) {
  std::string known;
  for (const Quantity& quantity : quantities())
    if (quantity.items && (thing.empty() ? quantity.prefix().empty() : thing.starts_with(quantity.prefix())))
      for (const QuantityItem& item : quantity.items(model))
        for (const QuantityPart& part : quantity.parts)
          if (item.thing == thing && !part.name.ends_with(".y") && !part.name.ends_with(".z") &&
              known.size() < kMaxListed)
            known += " " + part.name + item.end;
  return known;
}

/// What a thing lacks to have a quantity that others have.
std::string lackOf(const std::string& thing, const std::string& name) {
  for (const Quantity& quantity : quantities())
    if (!quantity.needs.empty() && thing.starts_with(quantity.prefix()))
      for (const QuantityPart& part : quantity.parts)
        if (name.starts_with(thing + part.name + ".")) return quantity.needs;
  return {};
}

[[noreturn]] void unknown(const Model& model, const std::string& name) {
  const std::string thing = thingOf(model, name);
  const bool ofThing = name.starts_with("body.") || name.starts_with("joint.") ||
                       name.starts_with("coupling.") || name.starts_with("element.");
  std::string why = lackOf(thing, name);
  if (why.empty() && thing.empty() && ofThing) why = "no such name in this model";
  if (why.empty())
    why = fmt::format("{}:{}", thing.empty() ? "known are" : "of " + thing.substr(0, thing.size() - 1),
                      knownOf(model, thing));
  throw InputError(fmt::format("unknown channel '{}' ({})", name, why));
}

PairLoad pairLoad(const Simulator& s, int a, int b) {
  PairLoad load;
  for (std::size_t k = 0; k < s.contacts().size(); ++k) {
    const Contact& contact = s.contacts()[k];
    if (contact.ofJoint()) continue;
    const bool same = contact.bodyA == a && contact.bodyB == b;
    if (!same && !(contact.bodyA == b && contact.bodyB == a)) continue;
    const Vec3 onB = s.contactForce(static_cast<int>(k));
    load.add(contact.point, same ? onB : Vec3(-onB), onB.dot(contact.frame.col(2)), contact.area);
  }
  return load;
}

/// `name`: "contact.A.B.what", where A and B may hold dots.
Channel pairChannel(const Model& model, const std::string& name) {
  const auto bodyOf = [&](const std::string& body) {
    return body == "world" ? kWorld : model.findBody(body) >= 0 ? model.findBody(body) : kWorld - 1;
  };
  const Quantity& quantity = pairQuantity();
  const std::string names = name.substr(quantity.prefix().size());
  for (std::size_t p = 0; p < quantity.parts.size(); ++p) {
    const std::string end = "." + quantity.parts[p].name;
    if (!names.ends_with(end)) continue;
    const std::string pair = names.substr(0, names.size() - end.size());
    for (auto dot = pair.find('.'); dot != std::string::npos; dot = pair.find('.', dot + 1)) {
      const int a = bodyOf(pair.substr(0, dot)), b = bodyOf(pair.substr(dot + 1));
      if (a >= kWorld && b >= kWorld && a != b)
        return [=](const Simulator& s) {
          return s.loadsTold() ? pairLoad(s, a, b).values()[p] : std::numeric_limits<double>::quiet_NaN();
        };
    }
    throw InputError(fmt::format(
        "unknown channel '{}' (no such two bodies in this model; the world is called world)", name));
  }
  throw InputError(fmt::format(
      "unknown channel '{}' (of two bodies: contact.A.B. with force.x moment.x center.x normal area)", name));
}

/// Drops channels whose name find() gives to another thing, which is possible where names hold dots.
void dropHidden(const Model& model, ModelChannels& channels) {
  const auto dotted = [](const auto& things) {
    return std::any_of(things.begin(), things.end(),
                       [](const auto& thing) { return thing.name.find('.') != std::string::npos; });
  };
  if (!dotted(model.bodies) && !dotted(model.joints) && !dotted(model.couplings) && !dotted(model.forces) &&
      !dotted(model.bushings) && !dotted(model.velocityConstraints))
    return;
  std::unordered_map<std::string, std::size_t> shortest;  // start of the thing of each name
  for (const ChannelEntry& entry : channels.entries) {
    const std::size_t size = channels.itemOf(entry).thing.size();
    const auto [at, first] = shortest.emplace(entry.name, size);
    if (!first) at->second = std::min(at->second, size);
  }
  std::erase_if(channels.entries, [&](const ChannelEntry& entry) {
    return channels.itemOf(entry).thing.size() > shortest.at(entry.name);
  });
}

}  // namespace

Channel channelOf(const Quantity& quantity, const QuantityItem& item, std::size_t part) {
  if (quantity.kind == Quantity::Kind::Norm)
    return [&quantity, item](const Simulator& s) {
      std::array<double, kMaxQuantityParts> values{};
      quantity.read(s, item, values.data());
      return Vec3(values.data()).norm();
    };
  return [&quantity, item, part](const Simulator& s) {
    std::array<double, kMaxQuantityParts> values{};
    quantity.read(s, item, values.data());
    return values[part];
  };
}

RedundancyOf redundancyOf(const Quantity& quantity, const QuantityItem& item, std::size_t part) {
  if (!quantity.open) return {};
  const unsigned bits = quantity.openBits(part);
  return [&quantity, item, bits](const Simulator& s) { return (quantity.open(s, item) & bits) != 0; };
}

Channel findChannel(const Model& model, const std::string& name) {
  if (name.starts_with(pairQuantity().prefix())) return pairChannel(model, name);
  const auto found = find(model, name);
  if (!found) unknown(model, name);
  return channelOf(*found->quantity, found->item, found->part);
}

RedundancyOf findRedundancy(const Model& model, const std::string& name) {
  const auto found = find(model, name);
  return found ? redundancyOf(*found->quantity, found->item, found->part) : RedundancyOf();
}

ModelChannels channelsOf(const Model& model) {
  struct Place {
    std::size_t kind;  // of the thing
    int index;
    std::size_t quantity, item;
  };
  std::vector<std::string> kinds;  // of things, in their order
  ModelChannels channels;
  auto& [items, entries] = channels;
  std::vector<Place> places;
  std::size_t count = 0;
  for (const Quantity& quantity : quantities()) {
    items.emplace_back();
    if (!quantity.items || quantity.kind == Quantity::Kind::Unstored) continue;
    const auto kind = std::find(kinds.begin(), kinds.end(), quantity.prefix());
    const auto at = static_cast<std::size_t>(kind - kinds.begin());
    if (kind == kinds.end()) kinds.push_back(quantity.prefix());
    items.back() = quantity.items(model);
    for (std::size_t i = 0; i < items.back().size(); ++i)
      places.push_back({at, items.back()[i].index, items.size() - 1, i});
    count += items.back().size() * quantity.parts.size();
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.index < b.index;
  });
  entries.reserve(count);
  for (const Place& place : places) {
    const Quantity& quantity = quantities()[place.quantity];
    const QuantityItem& item = items[place.quantity][place.item];
    for (std::size_t p = 0; p < quantity.parts.size(); ++p)
      entries.push_back({item.thing + quantity.parts[p].name + item.end, unitOf(quantity, item, p),
                         place.quantity, place.item, p});
  }
  dropHidden(model, channels);
  return channels;
}

std::string unitOfName(const std::string& name) {
  for (const Quantity& quantity : quantities())
    for (const QuantityPart& part : quantity.parts) {
      if (!name.starts_with(quantity.prefix())) continue;
      const std::string rest = name.substr(quantity.prefix().size());
      const bool numbered =
          quantity.pattern.ends_with(".I") && rest.size() > 2 && rest[rest.size() - 2] == '.';
      const std::string start = numbered ? rest.substr(0, rest.size() - 2) : rest;
      if (quantity.prefix().empty() ? start != part.name : !start.ends_with("." + part.name)) continue;
      return part.lengthUnit.empty() ? part.unit : fmt::format("{}, {}", part.unit, part.lengthUnit);
    }
  return {};
}

}  // namespace grashof
