#include "tools/grashof/coordinate_argument.h"

#include <cctype>

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof {

std::pair<int, int> parseCoordinate(const Model& model, const std::string& text, const std::string& option) {
  int joint = model.findJoint(text), axis = 0;
  const auto dot = text.rfind('.');
  if (joint < 0 && dot != std::string::npos) {
    joint = model.findJoint(text.substr(0, dot));
    if (joint >= 0 && (dot + 2 != text.size() || !std::isdigit(static_cast<unsigned char>(text[dot + 1]))))
      throw InputError(option + ": a coordinate is a number from 0 to 5 (as in wrist.1)");
    if (joint >= 0) axis = text[dot + 1] - '0';
  }
  if (joint < 0) throw InputError(option + ": there is no such joint (as in crank, or wrist.1)");
  const int freedoms = model.joints[joint].type->numDofs();
  if (axis >= freedoms)
    throw InputError(fmt::format("{}: the joint has {} coordinates, counted from 0", option, freedoms));
  return {joint, axis};
}

}  // namespace grashof
