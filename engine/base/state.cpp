#include "engine/base/state.h"

#include <cstring>
#include <istream>
#include <ostream>

#include "engine/base/error.h"

namespace grashof {
namespace {

constexpr char kHeader[8] = {'G', 'R', 'A', 'S', 'H', 'O', 'F', '1'};

template <typename T>
void put(std::ostream& out, const T& value) {
  out.write(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename T>
T take(std::istream& in) {
  T value;
  in.read(reinterpret_cast<char*>(&value), sizeof(T));
  if (!in) throw InputError("state: the stream ends early (a whole state was expected)");
  return value;
}

}  // namespace

bool State::operator==(const State& other) const {
  if (time != other.time || step != other.step || coordinates != other.coordinates ||
      twists != other.twists || poses.size() != other.poses.size())
    return false;
  for (std::size_t i = 0; i < poses.size(); ++i)
    if (poses[i].position != other.poses[i].position ||
        poses[i].rotation.coeffs() != other.poses[i].rotation.coeffs())
      return false;
  return true;
}

void State::archive(Archive& archive) {
  archive(time, step);
  for (Pose& pose : poses) archive(pose.position, pose.rotation);
  archive.sameSize(twists);
  archive.sameSize(coordinates);
}

void State::write(std::ostream& out) const {
  out.write(kHeader, sizeof kHeader);
  put(out, time);
  put(out, step);
  put(out, static_cast<std::uint64_t>(poses.size()));
  put(out, static_cast<std::uint64_t>(coordinates.size()));
  for (const Pose& pose : poses) {
    for (int i = 0; i < 3; ++i) put(out, pose.position[i]);
    for (int i = 0; i < 4; ++i) put(out, pose.rotation.coeffs()[i]);
  }
  for (const Vec6& twist : twists)
    for (int i = 0; i < 6; ++i) put(out, twist[i]);
  for (const double q : coordinates) put(out, q);
}

State State::read(std::istream& in) {
  char header[sizeof kHeader] = {};
  in.read(header, sizeof header);
  if (!in || std::memcmp(header, kHeader, sizeof kHeader) != 0)
    throw InputError("state: not a state file (it must start with GRASHOF1)");
  State state;
  state.time = take<double>(in);
  state.step = take<std::int64_t>(in);
  const auto bodies = take<std::uint64_t>(in);
  const auto coordinates = take<std::uint64_t>(in);
  constexpr std::uint64_t most = 1u << 28;
  if (bodies > most || coordinates > most) throw InputError("state: absurd size (the file is damaged)");
  for (std::uint64_t b = 0; b < bodies; ++b) {
    Pose pose;
    for (int i = 0; i < 3; ++i) pose.position[i] = take<double>(in);
    for (int i = 0; i < 4; ++i) pose.rotation.coeffs()[i] = take<double>(in);
    state.poses.push_back(pose);
  }
  for (std::uint64_t b = 0; b < bodies; ++b) {
    Vec6 twist;
    for (int i = 0; i < 6; ++i) twist[i] = take<double>(in);
    state.twists.push_back(twist);
  }
  for (std::uint64_t i = 0; i < coordinates; ++i) state.coordinates.push_back(take<double>(in));
  return state;
}

}  // namespace grashof
