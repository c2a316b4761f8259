#pragma once
/// A run as a page: one HTML file that shows it in three dimensions, with values over time, without a
/// network.

#include <string>
#include <vector>

#include "engine/channels.h"
#include "engine/scenario/scenario.h"

namespace grashof {

/// Collects poses, contacts and channels at even intervals of time, at most 60 a second and 6000 in all.
class ViewPage {
 public:
  /// `duration`: of the run, s.
  ViewPage(const Scenario& scenario, double duration);
  /// Takes a frame when one is due.
  void look(const Simulator& simulator);
  /// Throws InputError when `path` can't be written, or the viewer's own files are not there.
  void write(const std::string& path) const;

 private:
  const Scenario& scenario_;
  double interval_;
  double next_ = 0.0;
  std::vector<std::string> names_;  // of the channels
  std::vector<Channel> channels_;
  std::vector<float> times_, poses_, values_, contacts_;
  std::vector<std::uint32_t> contactStart_{0};
};

struct ViewArguments {
  std::string file, out;
  double duration = 0.0;
  bool quiet = false;
};

/// `grashof view`: runs a scenario and writes its page. Returns the exit code. Throws InputError for bad
/// input.
int viewFile(const ViewArguments& arguments);

}  // namespace grashof
