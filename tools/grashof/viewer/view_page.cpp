#include "tools/grashof/viewer/view_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/results/recorder.h"
#include "engine/scenario/display_units.h"
#include "tools/grashof/viewer/model_json.h"
#include "tools/grashof/viewer/packing.h"

namespace grashof {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kFrameRate = 60.0, kMostFrames = 6000.0, kFewestFrames = 200.0;
constexpr double kMostPoses = 4e6;  // bodies × frames
constexpr double kMostIntervals = 8192.0, kFewestIntervals = 256.0;
constexpr double kMostValues = 3e6;        // channels × intervals
constexpr double kPositionQuantum = 2e-6;  // of the size of the mechanism
constexpr double kQuaternionQuantum = 2e-6;
constexpr double kForceLevels = 30000.0;

double framesOf(const Model& model) {
  return std::clamp(kMostPoses / std::max<double>(1.0, static_cast<double>(model.bodies.size())),
                    kFewestFrames, kMostFrames);
}

Json jsonOf(const DisplayUnits::Shown& shown) { return {{"unit", shown.unit}, {"scale", shown.scale}}; }

std::size_t intervalsOf(std::size_t channels) {
  const double most = std::clamp(kMostValues / std::max<double>(1.0, static_cast<double>(channels)),
                                 kFewestIntervals, kMostIntervals);
  return static_cast<std::size_t>(most) / 2 * 2;
}

}  // namespace

ViewPage::ViewPage(const Scenario& scenario, double duration)
    : scenario_(&scenario),
      interval_(std::max(1.0 / kFrameRate, duration / framesOf(*scenario.model))),
      every_(scenario.output.stepsPerRecord(scenario.model->step.timestep)) {
  findChannels();
  redundant_.assign(shown_.size(), 0);
  sample_.resize(shown_.size());
  series_.emplace(shown_.size(), intervalsOf(shown_.size()));
}

void ViewPage::findChannels() {
  shown_.clear();
  channels_.clear();
  redundancy_.clear();
  const ModelChannels channels = channelsOf(*scenario_->model);
  for (const ChannelEntry& entry : channels.entries) {
    if (!shown(entry.name, channels.entries.size())) continue;
    const Quantity& quantity = quantities()[entry.quantity];
    const QuantityItem& item = channels.itemOf(entry);
    shown_.push_back({entry.name, entry.unit});
    channels_.push_back(channelOf(quantity, item, entry.part));
    redundancy_.push_back(redundancyOf(quantity, item, entry.part));
  }
}

bool ViewPage::adopt(const Scenario& scenario) {
  if (modelJson(*scenario.model) != modelJson(*scenario_->model)) return false;
  const Scenario* before = std::exchange(scenario_, &scenario);
  const std::vector<PageChannel> known = shown_;
  findChannels();
  if (shown_ != known) {
    scenario_ = before;
    findChannels();
    return false;
  }
  every_ = scenario.output.stepsPerRecord(scenario.model->step.timestep);
  return true;
}

bool ViewPage::shorten() {
  if (static_cast<double>(frames()) < framesOf(*scenario_->model)) return false;
  const auto half = static_cast<std::ptrdiff_t>(frames() / 2);
  const std::uint32_t contacts = contactStart_[frames() / 2];
  const auto drop = [](auto& all, std::ptrdiff_t count) { all.erase(all.begin(), all.begin() + count); };
  drop(poses_, half * 7 * static_cast<std::ptrdiff_t>(scenario_->model->bodies.size()));
  drop(reactions_, half * 3 * static_cast<std::ptrdiff_t>(scenario_->model->joints.size()));
  drop(contacts_, contacts);
  drop(contactStart_, half);
  for (std::uint32_t& start : contactStart_) start -= contacts;
  drop(marks_, half);
  drop(times_, half);
  return true;
}

bool ViewPage::due(double time, bool wanted) {
  if (time < next_ - 1e-9 && !wanted) return false;
  next_ = std::max(next_ + interval_, time + 0.5 * interval_);
  times_.push_back(time);
  return true;
}

/// The poses, reactions and contacts of the frame are added.
void ViewPage::endFrame() {
  contactStart_.push_back(static_cast<std::uint32_t>(contacts_.size()));
  marks_.push_back(std::exchange(nextMarks_, 0));
}

/// Quaternions change continuously, which makes them small to pack.
void ViewPage::addPose(const Pose& p) {
  const std::size_t frame = 7 * scenario_->model->bodies.size();
  Eigen::Vector4d q = p.rotation.coeffs();
  if (poses_.size() >= frame) {
    const float* const before = &poses_[poses_.size() - frame + 3];
    if (q.dot(Eigen::Vector4d(before[0], before[1], before[2], before[3])) < 0.0) q = -q;
  }
  for (const double x : {p.position.x(), p.position.y(), p.position.z(), q[0], q[1], q[2], q[3]})
    poses_.push_back(static_cast<float>(x));
}

/// `force`: on the follower, in the base's joint frame (N); `base`: pose of the base's CoM frame.
void ViewPage::addReaction(int joint, const Pose& base, const Vec3& force) {
  const Vec3 inWorld =
      base.rotation * (scenario_->model->joints[static_cast<std::size_t>(joint)].baseFrame.rotation * force);
  // What is not known has no arrow.
  for (int i = 0; i < 3; ++i)
    reactions_.push_back(inWorld.allFinite() ? static_cast<float>(inWorld[i]) : 0.0F);
}

void ViewPage::observeChannels(const Simulator& simulator) {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    sample_[c] = channels_[c](simulator);
    if (!redundant_[c] && redundancy_[c] && redundancy_[c](simulator)) redundant_[c] = 1;
  }
  series_->add(simulator.state().time, sample_);
  if (!simulator.loadsTold()) return;
  for (const JointWrenches& load : simulator.loads().joints())
    if (!load.of(LoadCause::Limit).isZero()) nextMarks_ |= kAtLimit;
}

void ViewPage::observe(const Simulator& simulator, bool wanted) {
  const Model& model = *scenario_->model;
  const State& state = simulator.state();
  if (simulator.report().solverResidual > model.solver.tolerance) nextMarks_ |= kAboveTolerance;
  if (wanted || state.step % every_ == 0) observeChannels(simulator);
  if (!due(state.time, wanted)) return;
  for (const Pose& p : state.poses) addPose(p);
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const int base = model.joints[static_cast<std::size_t>(j)].base;
    addReaction(j, base < 0 ? Pose() : state.poses[static_cast<std::size_t>(base)],
                simulator.jointReaction(j).head<3>());
  }
  const auto contacts = simulator.contacts();
  for (std::size_t k = 0; k < contacts.size(); ++k)
    if (const Vec3 force = simulator.contactForce(static_cast<int>(k));
        !contacts[k].ofJoint() && force.norm() > kLeastRecordedForce)
      contacts_.push_back({contacts[k].bodyA, contacts[k].bodyB, contacts[k].point, force});
  endFrame();
}

/// The channels that a record has.
void ViewPage::takeSeries(const Trajectory& trajectory) {
  shown_ = pageChannels(trajectory);
  redundant_.clear();
  std::vector<std::vector<double>> all;
  for (const PageChannel& channel : shown_) {
    redundant_.push_back(trajectory.redundant(channel.name) ? 1 : 0);
    if (channel.name.find(".limit.") != channel.name.npos) limits_.push_back(all.size());
    all.push_back(trajectory.series(channel.name));
  }
  sample_.resize(shown_.size());
  series_.emplace(shown_.size(), intervalsOf(shown_.size()));
  for (std::size_t r = 0; r < trajectory.records(); ++r) {
    for (std::size_t c = 0; c < all.size(); ++c) sample_[c] = all[c][r];
    series_->add(trajectory.times()[r], sample_);
  }
}

void ViewPage::take(const Trajectory& trajectory) {
  const Model& model = *scenario_->model;
  const auto same = [](const auto& part, const std::string& name) { return part.name == name; };
  if (!std::equal(model.bodies.begin(), model.bodies.end(), trajectory.bodies().begin(),
                  trajectory.bodies().end(), same) ||
      !std::equal(model.joints.begin(), model.joints.end(), trajectory.joints().begin(),
                  trajectory.joints().end(), same))
    throw InputError(
        fmt::format("{}: its bodies and joints are not those of {} (was the scenario changed since? "
                    "--scenario names another)",
                    trajectory.file(), scenario_->file));
  takeSeries(trajectory);
  std::vector<std::array<std::vector<double>, 3>> forces;
  for (const std::string& joint : trajectory.joints())
    forces.push_back({trajectory.series("joint." + joint + ".force.x"),
                      trajectory.series("joint." + joint + ".force.y"),
                      trajectory.series("joint." + joint + ".force.z")});
  std::vector<std::vector<double>> limits;
  for (const std::size_t c : limits_) limits.push_back(trajectory.series(shown_[c].name));
  const std::vector<double> residual = trajectory.series("residual.solver");
  for (std::size_t r = 0; r < trajectory.records(); ++r) {
    if (residual[r] > model.solver.tolerance) nextMarks_ |= kAboveTolerance;
    for (const auto& force : limits)
      if (std::abs(force[r]) > 0.0) nextMarks_ |= kAtLimit;
    if (!due(trajectory.times()[r], r + 1 == trajectory.records())) continue;
    const auto poseOf = [&](int b) {
      const auto body = static_cast<std::size_t>(b);
      return trajectory.pose(r, body) * model.bodies[body].userFrame.inverse();
    };
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) addPose(poseOf(b));
    for (std::size_t j = 0; j < forces.size(); ++j)
      addReaction(static_cast<int>(j), model.joints[j].base < 0 ? Pose() : poseOf(model.joints[j].base),
                  Vec3(forces[j][0][r], forces[j][1][r], forces[j][2][r]));
    for (const RecordedContact& c : trajectory.contacts(r))
      contacts_.push_back({c.bodyA, c.bodyB, c.point, c.force});
    endFrame();
  }
}

Json ViewPage::contactsJson(std::size_t first) const {
  const std::size_t from = contactStart_[first], rows = contacts_.size() - from;
  double most = 0.0;
  for (std::size_t k = from; k < contacts_.size(); ++k)
    most = std::max(most, contacts_[k].force.cwiseAbs().maxCoeff());
  const PackedColumn body{}, point{0.0, kPositionQuantum * sizeOf(*scenario_->model)},
      force{0.0, std::max(most / kForceLevels, 1e-12)};
  const std::array<PackedColumn, 8> columns = {body, body, point, point, point, force, force, force};
  return packTable(rows, columns, [&](std::size_t r, std::size_t c) {
    const ContactForce& contact = contacts_[from + r];
    if (c == 0) return static_cast<double>(contact.bodyA);
    if (c == 1) return static_cast<double>(contact.bodyB);
    return c < 5 ? contact.point[static_cast<Eigen::Index>(c - 2)]
                 : contact.force[static_cast<Eigen::Index>(c - 5)];
  });
}

Json ViewPage::framesJson(std::size_t first) const {
  const std::size_t rows = frames() - first, bodies = scenario_->model->bodies.size(),
                    joints = scenario_->model->joints.size();
  const PackedColumn position{0.0, kPositionQuantum * sizeOf(*scenario_->model)},
      turn{0.0, kQuaternionQuantum};
  std::vector<PackedColumn> pose, force;
  for (std::size_t b = 0; b < bodies; ++b)
    for (std::size_t i = 0; i < 7; ++i) pose.push_back(i < 3 ? position : turn);
  for (std::size_t j = 0; j < joints; ++j) {
    double most = 0.0;
    for (std::size_t f = first; f < frames(); ++f)
      for (std::size_t i = 0; i < 3; ++i)
        most = std::max(most, std::abs(static_cast<double>(reactions_[3 * (f * joints + j) + i])));
    force.insert(force.end(), 3, {0.0, std::max(std::isfinite(most) ? most / kForceLevels : 1.0, 1e-12)});
  }
  std::vector<std::uint32_t> counts, marks(marks_.begin() + static_cast<std::ptrdiff_t>(first), marks_.end());
  for (std::size_t f = first; f < frames(); ++f) counts.push_back(contactStart_[f + 1] - contactStart_[f]);
  Json j = {{"first", first}, {"count", rows}};
  j["times"] = packTimes({times_.data() + first, rows});
  j["poses"] = packTable(rows, pose,
                         [&](std::size_t r, std::size_t c) { return poses_[(first + r) * 7 * bodies + c]; });
  j["reactions"] = packTable(
      rows, force, [&](std::size_t r, std::size_t c) { return reactions_[(first + r) * 3 * joints + c]; });
  j["contactCounts"] = packIntegers(counts);
  j["contacts"] = contactsJson(first);
  j["marks"] = packIntegers(marks);
  return j;
}

Json ViewPage::moreJson(const Shown& shown) const {
  Json j = framesJson(std::min(shown.frames, frames()));
  j["series"] = series_->intervalsJson(shown.epoch == series_->epoch() ? shown.intervals : 0);
  j["extremes"] = series_->extremesJson();
  j["redundant"] = redundant_;
  return j;
}

Json ViewPage::runJson() const {
  Json j = modelJson(*scenario_->model);
  j["name"] = scenario_->name;
  j["channels"] = Json::array();
  j["units"] = Json::array();
  // What is drawn and packed is SI; numbers are shown in the units of the file.
  const DisplayUnits units = displayUnits(*scenario_);
  if (!units.si()) {
    j["shownIn"] = {{"length", jsonOf(units.length())}, {"mass", jsonOf(units.mass())}};
    j["scales"] = Json::array();
  }
  for (const PageChannel& channel : shown_) {
    const DisplayUnits::Shown shown = units.of(channel.unit);
    j["channels"].push_back(channel.name);
    j["units"].push_back(shown.unit);
    if (!units.si()) j["scales"].push_back(shown.scale);
  }
  j["more"] = moreJson({});
  return j;
}

}  // namespace grashof
