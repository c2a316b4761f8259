#pragma once
/// A run that goes on in real time and is steered meanwhile.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/results/recorder.h"
#include "engine/results/run_folder.h"
#include "engine/scenario/scenario.h"
#include "engine/world.h"
#include "tools/controller/plugin.h"
#include "tools/grashof/viewer/drag.h"
#include "tools/grashof/viewer/view_page.h"

namespace grashof {

/// What a live run is made of.
struct LiveSettings {
  std::string file;
  std::vector<Override> overrides;
  double duration = 0.0;   ///< s; 0: the scenario's
  std::string controller;  ///< see ControllerPlugin; empty: none
  bool watch = false;      ///< start again when the file, or one that it includes, is saved
};

/// Steps a scenario no faster than real time in the thread that calls go(); all else may be called from any
/// thread.
class LiveRun {
 public:
  /// Throws InputError, AssemblyError as reading and running the scenario do.
  explicit LiveRun(LiveSettings settings);
  /// Goes on until `ended` tells so. `say`: takes lines for whoever started the program.
  void go(const std::function<bool()>& ended, const std::function<void(const std::string&)>& say);

  /// The page, with the frames so far, at most a second old: making it holds up the run.
  std::string html();
  /// What a page lacks that has `shown` of part `take` of the run: see ViewPage::moreJson(), and `state`.
  nlohmann::ordered_json more(std::int64_t take, const Shown& shown);
  /// See setupJson().
  nlohmann::ordered_json setup();
  /// Does what `command` says and returns `said`, a line for the user. Throws InputError for one that cannot
  /// be done; then nothing has changed.
  ///   { "do": "play" | "pause" | "reset" | "drop" }  { "do": "step", "count": n }  { "do": "speed", "value":
  ///   times } { "do": "control", "actuator": index, "value": number or null }: null is the actuator's own
  ///   signal { "do": "drag", "body": index, "point": [x, y, z], "target": [x, y, z], "strength": s }: see
  ///   Drag { "do": "set", "path", "value", "keep" } and { "do": "unset", "path", "keep" }: overrides an
  ///   attribute of the file;
  ///     `keep`: the motion goes on from where it is, else it starts again
  ///   { "do": "record", "on": true or false }: into a new folder of results
  nlohmann::ordered_json act(const nlohmann::json& command);

 private:
  using Clock = std::chrono::steady_clock;
  /// All that belongs to one reading of the file.
  struct Stage {
    explicit Stage(const LiveSettings& settings);
    Scenario scenario;
    World world;
    std::optional<ControllerPlugin> controller;
  };
  struct Recording {
    Recording(const Scenario& scenario, const std::string& path) : folder(path) {
      folder.open();
      recorder.emplace(scenario, path);
    }
    RunFolder folder;
    std::optional<Recorder> recorder;
  };
  /// Held by whoever looks at the rest; the run gives way to requests.
  class Turn;

  void advance();
  void step();
  bool atEnd() const;
  void record(bool last);
  void finishAtEnd();
  void look();
  void replace(std::unique_ptr<Stage> stage, bool keep);
  void change(std::vector<Override> overrides, bool keep);
  void restart();
  void rebase();
  void stopRecording();
  std::string startRecording();
  void setControl(const nlohmann::json& command);
  void drag(const nlohmann::json& command);
  std::string said(const nlohmann::json& command);
  std::string override(const nlohmann::json& command, bool set);
  nlohmann::ordered_json stateJson() const;
  std::map<std::string, std::filesystem::file_time_type> stamps() const;

  std::mutex mutex_;  // of all below
  std::atomic<int> waiting_{0};

  LiveSettings settings_;
  std::unique_ptr<Stage> stage_;
  std::unique_ptr<ViewPage> page_;
  std::unique_ptr<Recording> recording_;
  std::string recordingPath_;
  std::optional<Drag> drag_;
  std::int64_t model_ = 0;  // counts models: a page of another one must be loaded again
  std::int64_t take_ = 0;   // counts starts: a page must forget the frames of another one
  std::int64_t setup_ = 0;  // counts changes of setup()
  bool playing_ = true, ended_ = false;
  std::int64_t stepsWanted_ = 0;  // while it stands
  double speed_ = 1.0;            // simulated over wall time
  double from_ = 0.0;             // s, simulated, at `since_`
  Clock::time_point since_, looked_;
  std::string message_;                                               // to say once
  nlohmann::ordered_json defects_ = nlohmann::ordered_json::array();  // of the file as it is
  std::map<std::string, std::filesystem::file_time_type> stamps_;
  std::string html_;
  Clock::time_point made_;
  std::int64_t madeTake_ = -1;
};

}  // namespace grashof
