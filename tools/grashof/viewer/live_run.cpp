#include "tools/grashof/viewer/live_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/result_name.h"
#include "tools/grashof/viewer/live_setup.h"
#include "tools/grashof/viewer/page.h"
#include "tools/grashof/viewer/source_defects.h"

namespace grashof {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kBatch{8};        // of steps, before requests have their turn
constexpr std::chrono::milliseconds kPause{2};        // between batches that are in time
constexpr std::chrono::milliseconds kLookEvery{250};  // at the files
constexpr double kMostBehind = 0.1;                   // s: time that is lost beyond is not made up for
constexpr double kSlowest = 1e-3, kFastest = 1e3;
constexpr std::int64_t kMostSteps = 100000;  // at once
constexpr int kMostFolders = 10000;

double numberIn(const nlohmann::json& command, const char* key, double low, double high) {
  const auto at = command.find(key);
  if (at == command.end() || !at->is_number() || !std::isfinite(at->get<double>()) ||
      at->get<double>() < low || at->get<double>() > high)
    throw InputError(fmt::format("\"{}\" must be a number from {:g} to {:g}", key, low, high));
  return at->get<double>();
}

std::size_t indexIn(const nlohmann::json& command, const char* key, std::size_t count) {
  const auto at = command.find(key);
  if (at == command.end() || !at->is_number_integer() || at->get<std::int64_t>() < 0 ||
      at->get<std::int64_t>() >= static_cast<std::int64_t>(count))
    throw InputError(fmt::format("\"{}\" must be a whole number below {}", key, count));
  return at->get<std::size_t>();
}

Vec3 vectorIn(const nlohmann::json& command, const char* key) {
  const auto at = command.find(key);
  Vec3 v;
  bool good = at != command.end() && at->is_array() && at->size() == 3;
  for (std::size_t i = 0; good && i < 3; ++i) {
    good = (*at)[i].is_number() && std::isfinite((*at)[i].get<double>());
    if (good) v[static_cast<Eigen::Index>(i)] = (*at)[i].get<double>();
  }
  if (!good) throw InputError(fmt::format("\"{}\" must be three numbers", key));
  return v;
}

std::string textIn(const nlohmann::json& command, const char* key) {
  const auto at = command.find(key);
  if (at == command.end() || !at->is_string()) throw InputError(fmt::format("\"{}\" must be a text", key));
  return at->get<std::string>();
}

bool flagIn(const nlohmann::json& command, const char* key) {
  const auto at = command.find(key);
  if (at == command.end() || !at->is_boolean())
    throw InputError(fmt::format("\"{}\" must be true or false", key));
  return at->get<bool>();
}

}  // namespace

class LiveRun::Turn {
 public:
  explicit Turn(LiveRun& run) {
    ++run.waiting_;
    lock_ = std::unique_lock(run.mutex_);
    --run.waiting_;
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

LiveRun::Stage::Stage(const LiveSettings& settings)
    : scenario(readScenario(settings.file, settings.overrides)), world(scenario.model) {
  setDuration(scenario, settings.duration);
  if (settings.controller.empty()) return;
  controller.emplace(settings.controller);
  world.onStep(*controller);
}

LiveRun::LiveRun(LiveSettings settings) : settings_(std::move(settings)) {
  replace(std::make_unique<Stage>(settings_), false);
  stamps_ = stamps();
}

/// Takes the place of the present stage. `keep`: at its state. Throws InputError when it does not fit.
void LiveRun::replace(std::unique_ptr<Stage> stage, bool keep) {
  if (keep) {
    const State& now = std::as_const(stage_->world).state();
    const State& start = std::as_const(stage->world).state();
    if (now.poses.size() != start.poses.size() || now.coordinates.size() != start.coordinates.size())
      throw InputError("bodies or joints are others now: the run must start again");
    stage->world.setState(now);
    if (stage->world.controls().size() == stage_->world.controls().size())
      std::copy_n(stage_->world.controls().begin(), stage->world.controls().size(),
                  stage->world.controls().begin());
  }
  stopRecording();
  drag_.reset();
  message_.clear();
  stepsWanted_ = 0;
  const bool same = keep && page_->adopt(stage->scenario);
  if (!same) {
    page_ = std::make_unique<ViewPage>(stage->scenario, 0.0);
    ++model_;
    ++take_;
  }
  stage_ = std::move(stage);
  if (!same) page_->observe(stage_->world.simulator());
  ended_ = ended_ && keep;
  ++setup_;
  rebase();
}

/// Reads the file with other overrides; nothing has changed when that throws.
void LiveRun::change(std::vector<Override> overrides, bool keep) {
  LiveSettings changed = settings_;
  changed.overrides = std::move(overrides);
  if (keep && !changed.controller.empty()) throw InputError("with a controller the run must start again");
  replace(std::make_unique<Stage>(changed), keep);
  settings_ = std::move(changed);
}

/// The same model from its start; controllers start with it.
void LiveRun::restart() { replace(std::make_unique<Stage>(settings_), false); }

/// Counts real time from now.
void LiveRun::rebase() {
  from_ = stage_->world.time();
  since_ = Clock::now();
}

void LiveRun::go(const std::function<bool()>& ended, const std::function<void(const std::string&)>& say) {
  while (!ended()) {
    while (waiting_ > 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    std::vector<std::string> lines;
    {
      const std::lock_guard lock(mutex_);
      const bool before = ended_;
      if (settings_.watch && Clock::now() - looked_ > kLookEvery) look();
      advance();
      if (ended_ && !before) lines.push_back(message_);
    }
    for (const std::string& line : lines) say(line);
    std::this_thread::sleep_for(kPause);
  }
  const std::lock_guard lock(mutex_);
  stopRecording();
}

/// Steps until real time is reached, or others have waited long enough.
void LiveRun::advance() {
  const Clock::time_point began = Clock::now();
  const double dt = stage_->scenario.model->step.timestep;
  while (!ended_ && Clock::now() - began < kBatch) {
    if (stepsWanted_ > 0) {
      --stepsWanted_;
      step();
      continue;
    }
    if (!playing_) return;
    const double due = from_ + speed_ * std::chrono::duration<double>(Clock::now() - since_).count();
    const double behind = due - stage_->world.time();
    if (behind < dt) return;
    if (behind > std::max(kMostBehind * speed_, 2.0 * dt)) rebase();
    step();
  }
}

void LiveRun::step() {
  World& world = stage_->world;
  try {
    world.control();
    const auto body = drag_ ? static_cast<std::size_t>(drag_->body()) : 0;
    const Vec6 own = drag_ ? world.wrenches()[body] : Vec6(Vec6::Zero());
    if (drag_) world.wrenches()[body] += drag_->wrench(world);
    world.advance();
    if (drag_) world.wrenches()[body] = own;
  } catch (const std::exception& error) {
    message_ = error.what();
    ended_ = true;
    return;
  }
  if (!world.diverged()) {  // else its state is that before the step, and its loads are not
    const bool last = atEnd();
    page_->observe(world.simulator(), last || (!playing_ && stepsWanted_ == 0));
    if (page_->shorten()) ++take_;
    if (recording_) record(last);
  }
  finishAtEnd();
}

bool LiveRun::atEnd() const {
  return stage_->world.time() > stage_->scenario.duration - 0.5 * stage_->scenario.model->step.timestep;
}

/// A disk that is full ends the recording, not the run.
void LiveRun::record(bool last) {
  const Scenario& scenario = stage_->scenario;
  const std::int64_t every = scenario.output.stepsPerRecord(scenario.model->step.timestep);
  try {
    if (last || std::as_const(stage_->world).state().step % every == 0)
      recording_->recorder->record(stage_->world.simulator());
    recording_->recorder->keep();
  } catch (const FileError& error) {
    message_ = error.what();
    recording_.reset();
  }
}

void LiveRun::finishAtEnd() {
  const World& world = stage_->world;
  if (const auto& divergence = world.diverged())
    message_ = fmt::format("diverged at {:.6g} s: {}", divergence->time, divergence->reason);
  else if (atEnd())
    message_ = "the run has ended; its page stays until Ctrl-C";
  else
    return;
  ended_ = true;
  stepsWanted_ = 0;
  try {
    stopRecording();
  } catch (const FileError& error) {
    message_ += fmt::format("; {}", error.what());
  }
}

/// When the files were saved; of those that are not there, nothing.
std::map<std::string, std::filesystem::file_time_type> LiveRun::stamps() const {
  std::map<std::string, std::filesystem::file_time_type> found;
  const auto add = [&](const std::string& file) {
    std::error_code code;
    const auto time = std::filesystem::last_write_time(file, code);
    if (!code) found[file] = time;
  };
  for (const std::string& file : stage_->scenario.files) add(file);
  for (const Json& defect : defects_) add(defect.value("file", ""));
  return found;
}

/// Starts again when a file was saved; keeps the run when it is wrong, and says where.
void LiveRun::look() {
  looked_ = Clock::now();
  auto before = stamps();
  if (before == stamps_) return;
  stamps_ = before;
  try {
    restart();
    defects_ = Json::array();
    message_ = "read again";
    playing_ = true;
    stamps_ = stamps();
    // A file that was saved while it was read is read again.
    for (auto& [file, time] : stamps_)
      if (const auto at = before.find(file); at != before.end()) time = at->second;
  } catch (const std::exception& error) {
    defects_ = defectsJson(error);
    message_ = "the file is wrong; the run goes on as it was";
    for (const auto& [file, time] : stamps()) stamps_.emplace(file, time);  // those that are wrong, too
  }
}

std::string LiveRun::startRecording() {
  const std::string start = "results/" + resultName(settings_.file) + "-live";
  std::string path = start;
  std::error_code code;
  for (int i = 2; std::filesystem::exists(path, code) && i < kMostFolders; ++i)
    path = fmt::format("{}-{}", start, i);
  recording_ = std::make_unique<Recording>(stage_->scenario, path);
  recording_->recorder->record(stage_->world.simulator());
  recordingPath_ = path;
  return "recording to " + path;
}

void LiveRun::stopRecording() {
  const std::unique_ptr<Recording> ended = std::move(recording_);  // whatever finish() throws
  if (ended) ended->recorder->finish();
}

void LiveRun::setControl(const nlohmann::json& command) {
  const std::size_t i = indexIn(command, "actuator", stage_->world.controls().size());
  const auto value = command.find("value");
  constexpr double most = 1e9;
  stage_->world.controls()[i] = value != command.end() && value->is_null()
                                    ? std::numeric_limits<double>::quiet_NaN()
                                    : numberIn(command, "value", -most, most);
}

void LiveRun::drag(const nlohmann::json& command) {
  const std::size_t body = indexIn(command, "body", stage_->scenario.model->bodies.size());
  const Vec3 point = vectorIn(command, "point"), target = vectorIn(command, "target");
  drag_.emplace(stage_->world, static_cast<int>(body), point, target,
                numberIn(command, "strength", 1e-3, 1e3));
}

std::string LiveRun::override(const nlohmann::json& command, bool set) {
  const std::string path = textIn(command, "path");
  const bool keep = flagIn(command, "keep");
  std::vector<Override> overrides = settings_.overrides;
  std::erase_if(overrides, [&](const Override& o) { return o.path == path; });
  if (set) overrides.push_back({path, textIn(command, "value")});
  change(std::move(overrides), keep);
  return set ? fmt::format("{} = {}", path, settings_.overrides.back().value) : path + " is that of the file";
}

std::string LiveRun::said(const nlohmann::json& command) {
  const std::string what = textIn(command, "do");
  if (what == "play") return playing_ = true, rebase(), "";
  if (what == "pause") return playing_ = false, stepsWanted_ = 0, "";
  if (what == "reset") return restart(), "started again";
  if (what == "drop") return drag_.reset(), "";
  if (what == "step") {
    stepsWanted_ = static_cast<std::int64_t>(numberIn(command, "count", 1, static_cast<double>(kMostSteps)));
    playing_ = false;
    return "";
  }
  if (what == "speed") return speed_ = numberIn(command, "value", kSlowest, kFastest), rebase(), "";
  if (what == "control") return setControl(command), "";
  if (what == "drag") return drag(command), "";
  if (what == "set" || what == "unset") return override(command, what == "set");
  if (what == "record") {
    if (flagIn(command, "on")) return recording_ ? "recording already" : startRecording();
    stopRecording();
    return recordingPath_.empty() ? "" : "recorded: " + recordingPath_;
  }
  throw InputError(
      fmt::format("\"do\": \"{}\" is unknown (play, pause, reset, step, speed, control, drag, drop, set, "
                  "unset, record)",
                  what));
}

Json LiveRun::act(const nlohmann::json& command) {
  const Turn turn(*this);
  if (!command.is_object()) throw InputError("a command is an object with \"do\"");
  return {{"said", said(command)}, {"state", stateJson()}};
}

Json LiveRun::stateJson() const {
  Json controls = Json::array();
  for (const double c : std::as_const(stage_->world).controls())
    controls.push_back(std::isnan(c) ? Json() : Json(c));
  return {{"model", model_},
          {"take", take_},
          {"setup", setup_},
          {"time", stage_->world.time()},
          {"playing", playing_},
          {"ended", ended_},
          {"speed", speed_},
          {"controls", controls},
          {"recording", recording_ ? Json(recordingPath_) : Json()},
          {"dragged", drag_ ? Json(drag_->body()) : Json()},
          {"message", message_},
          {"defects", defects_}};
}

Json LiveRun::more(std::int64_t take, const Shown& shown) {
  const Turn turn(*this);
  return {{"state", stateJson()}, {"more", page_->moreJson(take == take_ ? shown : Shown{})}};
}

Json LiveRun::setup() {
  const Turn turn(*this);
  return setupJson(stage_->scenario, settings_.overrides);
}

std::string LiveRun::html() {
  const Turn turn(*this);
  if (madeTake_ != take_ || Clock::now() - made_ > std::chrono::seconds(1)) {
    Json data;
    data["runs"].push_back(page_->runJson());
    data["live"] = {{"state", stateJson()}, {"setup", setupJson(stage_->scenario, settings_.overrides)}};
    html_ = pageAround(stage_->scenario.name, data);
    made_ = Clock::now();
    madeTake_ = take_;
  }
  return html_;
}

}  // namespace grashof
