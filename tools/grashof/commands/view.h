#pragma once
/// A run as a page: one HTML file that shows it in three dimensions, with values over time, without a
/// network.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/dynamics/channels.h"
#include "engine/results/trajectory.h"
#include "engine/scenario/scenario.h"

namespace grashof {

/// Collects poses, contacts and channels at even intervals of time, at most 60 per second and 6000 in all. Of
/// loads it also keeps the least and the greatest value since the frame before, over the steps that a
/// run records, so that a page shows the same peaks as the record.
class ViewPage {
 public:
  /// `duration`: of the run, s.
  ViewPage(const Scenario& scenario, double duration);
  /// Adds a frame when one is due.
  void observe(const Simulator& simulator);
  /// Adds all frames of a recorded run of the scenario, with its channels and contacts.
  /// Throws InputError when it is of another model.
  void take(const Trajectory& trajectory);
  double lastTime() const { return times_.empty() ? 0.0 : times_.back(); }  ///< s
  std::size_t frames() const { return times_.size(); }
  /// The frames from `first` on as JSON, for a page that is open already. `ended`: no more will come.
  std::string framesJson(std::size_t first, bool ended) const;
  /// The page. `live`: it asks its server for more frames. Throws InputError when the files of the viewer are
  /// missing.
  std::string html(bool live = false) const;
  /// Writes the page. Throws FileError when `path` cannot be written.
  void write(const std::string& path);

 private:
  bool due(double time);
  void sample(std::size_t channel, double value);
  void endFrame();
  void finish();
  void findPeaked();
  void addContact(const Vec3& point, int bodyB, const Vec3& force);
  void addPose(const Pose& pose);
  void addReaction(int joint, const Pose& base, const Vec3& force);

  const Scenario& scenario_;
  double interval_;
  double next_ = 0.0;
  std::vector<std::string> names_;  // of the channels
  std::vector<Channel> channels_;
  std::vector<RedundancyOf> redundancy_;
  std::vector<int> redundant_;             // 1: statics left the channel open at some time
  std::vector<int> peaked_;                // channels that keep their extremes
  std::vector<float> low_, high_;          // per frame and peaked channel
  std::vector<float> nextLow_, nextHigh_;  // of the frame to come
  std::int64_t every_;                     // steps from record to record
  std::vector<float> times_, poses_, values_, reactions_, contacts_;
  std::vector<std::uint32_t> contactStart_{0};
};

struct ViewArguments {
  std::string file, out;
  std::string scenario;  ///< of a result; empty: the one that its summary.json names
  double duration = 0.0;
  bool quiet = false;
};

/// A page of a scenario, which is run, or of a result, which is read.
struct ViewedRun {
  std::unique_ptr<Scenario> scenario;
  std::unique_ptr<ViewPage> page;
  std::int64_t steps = 0;
  std::vector<std::string> warnings;
  std::optional<Divergence> divergence;
};

/// Runs or reads `arguments.file`. Throws InputError for bad input.
ViewedRun viewedRun(const ViewArguments& arguments);

/// Adds what to show to the options of `command`; parsing writes to `arguments`.
void addRunToShow(CLI::App& command, ViewArguments& arguments);

}  // namespace grashof
