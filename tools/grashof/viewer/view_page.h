#pragma once
/// A run as a page: one HTML file that shows it in three dimensions, with values over time, without a
/// network.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/dynamics/channels.h"
#include "engine/results/trajectory.h"
#include "engine/scenario/scenario.h"
#include "tools/grashof/viewer/channel_names.h"
#include "tools/grashof/viewer/channel_series.h"

namespace grashof {

/// What a page has already; see ViewPage::moreJson().
struct Shown {
  std::size_t frames = 0, intervals = 0;
  int epoch = 0;
};

/// Collects poses, forces and contacts at even intervals of time (frames: at most 60 per second and 6000 in
/// all, fewer for very many bodies), and all channels at the steps that a run records, so that a page shows
/// the same peaks as the record.
class ViewPage {
 public:
  /// `duration`: of the run, s; 0: it is not known, and shorten() keeps the frames few.
  ViewPage(const Scenario& scenario, double duration);
  /// Takes the state of a simulator of the scenario's model, after each step: a frame when one is due,
  /// channels at steps that are recorded; both if `wanted`, as of the last step.
  void observe(const Simulator& simulator, bool wanted = false);
  /// Takes all of a recorded run of the scenario, with its channels and contacts.
  /// Throws InputError when it is of another model.
  void take(const Trajectory& trajectory);
  /// Goes on with another reading of the scenario, at the state that was observed last. Returns false, and
  /// changes nothing, when what is drawn or plotted differs. `scenario` must outlive it.
  bool adopt(const Scenario& scenario);
  /// Forgets the older half of the frames when there are as many as a page may have. Returns whether it did.
  bool shorten();
  double lastTime() const { return times_.empty() ? 0.0 : times_.back(); }  ///< s
  std::size_t frames() const { return times_.size(); }
  /// The run: the model, and what moreJson() has of all of it.
  nlohmann::ordered_json runJson() const;
  /// What a page that has `shown` lacks: frames, channels and their extremes.
  nlohmann::ordered_json moreJson(const Shown& shown) const;

 private:
  /// A contact of a frame.
  struct ContactForce {
    int bodyA = -1, bodyB = -1;
    Vec3 point, force;  // m, N on B; world
  };
  /// What happened since the frame before.
  enum Mark : std::uint32_t { kAboveTolerance = 1, kAtLimit = 2 };

  bool due(double time, bool wanted);
  void addPose(const Pose& pose);
  void addReaction(int joint, const Pose& base, const Vec3& force);
  void endFrame();
  void observeChannels(const Simulator& simulator);
  void takeSeries(const Trajectory& trajectory);
  nlohmann::ordered_json framesJson(std::size_t first) const;
  nlohmann::ordered_json contactsJson(std::size_t first) const;

  /// The channels of the scenario's model, and what reads them.
  void findChannels();

  const Scenario* scenario_;
  double interval_;     // s, between frames
  double next_ = 0.0;   // s, when the next is due
  std::int64_t every_;  // steps from record to record
  std::vector<PageChannel> shown_;
  std::vector<Channel> channels_;  // that read them
  std::vector<RedundancyOf> redundancy_;
  std::vector<int> redundant_;  // 1: statics left the channel open at some time
  std::optional<ChannelSeries> series_;
  std::vector<double> sample_;
  std::vector<std::size_t> limits_;  // channels whose values are forces of limits, of a recorded run
  std::vector<double> times_;
  std::vector<float> poses_, reactions_;
  std::vector<ContactForce> contacts_;
  std::vector<std::uint32_t> contactStart_{0};
  std::vector<std::uint32_t> marks_;
  std::uint32_t nextMarks_ = 0;
};

}  // namespace grashof
