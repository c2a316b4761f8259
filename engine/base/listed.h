#pragma once
/// Lists in messages.

#include <algorithm>
#include <string>
#include <vector>

namespace grashof {

/// "a, b and 3 more": at most five of the items.
inline std::string listed(const std::vector<std::string>& items) {
  constexpr std::size_t kListed = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), kListed); ++i) text += (i > 0 ? ", " : "") + items[i];
  if (items.size() > kListed) text += " and " + std::to_string(items.size() - kListed) + " more";
  return text;
}

/// All words, separated by commas.
inline std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

}  // namespace grashof
