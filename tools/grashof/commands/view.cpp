#include "tools/grashof/commands/view.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/run.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/commands/serve.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/progress.h"

namespace grashof {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kFrameRate = 60.0, kMaxFrames = 6000.0;
constexpr std::array<const char*, 10> kShapeTypes = {"plane", "box",       "sphere", "capsule", "cylinder",
                                                     "cone",  "ellipsoid", "mesh",   "mesh",    "mesh"};

std::string base64(const void* data, std::size_t size) {
  static constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const unsigned b0 = bytes[i], b1 = i + 1 < size ? bytes[i + 1] : 0, b2 = i + 2 < size ? bytes[i + 2] : 0;
    const unsigned all = b0 << 16 | b1 << 8 | b2;
    text += digits[all >> 18];
    text += digits[all >> 12 & 63];
    text += i + 1 < size ? digits[all >> 6 & 63] : '=';
    text += i + 2 < size ? digits[all & 63] : '=';
  }
  return text;
}
template <typename T>
std::string base64(const std::vector<T>& values) {
  return base64(values.data(), values.size() * sizeof(T));
}

/// The viewer's own files: beside an installed program, else in the source folder.
std::string contentOf(const std::string& name) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  fs::path path = program.parent_path() / "../share/grashof/viewer" / name;
  if (code || !fs::exists(path, code)) path = fs::path(GRASHOF_VIEWER_FOLDER) / name;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw InputError(path.string() +
                     ": cannot be read (it belongs to the viewer: install the program again)");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Puts `value` in the place of `mark`, once.
void fill(std::string& page, std::string_view mark, const std::string& value) {
  const auto at = page.find(mark);
  if (at != std::string::npos) page.replace(at, mark.size(), value);
}

Json jsonOf(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Json jsonOf(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }
Json jsonOf(std::span<const Direction> directions) {
  Json j = Json::array();
  for (const Direction d : directions) j.push_back(index(d));
  return j;
}

/// The surface of a height field as triangles.
TriangleMesh surfaceOf(const HeightGrid& grid) {
  TriangleMesh mesh;
  for (int r = 0; r < grid.rows; ++r)
    for (int c = 0; c < grid.columns; ++c)
      mesh.vertices.emplace_back((c - 0.5 * (grid.columns - 1)) * grid.spacing,
                                 (r - 0.5 * (grid.rows - 1)) * grid.spacing,
                                 grid.heights[r * grid.columns + c]);
  for (int r = 0; r + 1 < grid.rows; ++r)
    for (int c = 0; c + 1 < grid.columns; ++c) {
      const int a = r * grid.columns + c, b = a + grid.columns;
      mesh.triangles.push_back({a, a + 1, b + 1});
      mesh.triangles.push_back({a, b + 1, b});
    }
  return mesh;
}

}  // namespace

ViewPage::ViewPage(const Scenario& scenario, double duration)
    : scenario_(scenario),
      interval_(std::max(1.0 / kFrameRate, duration / kMaxFrames)),
      every_(
          std::max<std::int64_t>(1, std::llround(scenario.output.interval / scenario.model->step.timestep))) {
  const Model& model = *scenario.model;
  names_ = {"energy.total", "energy.kinetic", "residual.joint", "solver.iterations"};
  if (std::any_of(model.shapes.begin(), model.shapes.end(), [](const Shape& s) { return s.collides; }))
    names_.insert(names_.end(), {"residual.penetration", "contacts.count"});
  for (const Body& body : model.bodies) names_.push_back("body." + body.name + ".speed");
  for (const Joint& joint : model.joints) {
    for (int c = 0; c < joint.type->numDofs(); ++c)
      names_.push_back(fmt::format("joint.{}.q.{}", joint.name, c));
    names_.push_back("joint." + joint.name + ".reaction");
    for (std::size_t c = 0; c < joint.coordinates.size(); ++c)
      if (joint.coordinates[c].actuator.kind != Actuator::Kind::None)
        names_.push_back(fmt::format("joint.{}.effort.{}", joint.name, c));
  }
  for (const Coupling& coupling : model.couplings)
    for (const char* side : {"a", "b"})
      names_.push_back(fmt::format("coupling.{}.effort.{}", coupling.name, side));
  for (const ForceElement& element : model.forces) {
    names_.push_back("element." + element.name + ".force");
    names_.push_back("element." + element.name + ".length");
  }
  for (const std::string& name : names_) {
    channels_.push_back(findChannel(model, name));
    redundancy_.push_back(findRedundancy(model, name));
  }
  redundant_.assign(names_.size(), 0);
  findPeaked();
}

/// Loads are peaked: names_ is known.
void ViewPage::findPeaked() {
  peaked_.clear();
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i].ends_with(".reaction") || names_[i].find(".effort.") != std::string::npos)
      peaked_.push_back(static_cast<int>(i));
  nextLow_.assign(peaked_.size(), std::numeric_limits<float>::max());
  nextHigh_.assign(peaked_.size(), std::numeric_limits<float>::lowest());
}

/// Counts `value` of the peaked channel number `channel` to the frame to come.
void ViewPage::sample(std::size_t channel, double value) {
  nextLow_[channel] = std::min(nextLow_[channel], static_cast<float>(value));
  nextHigh_[channel] = std::max(nextHigh_[channel], static_cast<float>(value));
}

void ViewPage::endFrame() {
  low_.insert(low_.end(), nextLow_.begin(), nextLow_.end());
  high_.insert(high_.end(), nextHigh_.begin(), nextHigh_.end());
  std::fill(nextLow_.begin(), nextLow_.end(), std::numeric_limits<float>::max());
  std::fill(nextHigh_.begin(), nextHigh_.end(), std::numeric_limits<float>::lowest());
}

/// Counts the samples after the last frame to it.
void ViewPage::finish() {
  if (frames() == 0) return;
  const std::size_t last = low_.size() - peaked_.size();
  for (std::size_t i = 0; i < peaked_.size(); ++i) {
    low_[last + i] = std::min(low_[last + i], nextLow_[i]);
    high_[last + i] = std::max(high_[last + i], nextHigh_[i]);
  }
}

bool ViewPage::due(double time) {
  if (time < next_ - 1e-9) return false;
  next_ = std::max(next_ + interval_, time + 0.5 * interval_);
  times_.push_back(static_cast<float>(time));
  return true;
}

void ViewPage::addPose(const Pose& p) {
  for (const double x : {p.position.x(), p.position.y(), p.position.z(), p.rotation.x(), p.rotation.y(),
                         p.rotation.z(), p.rotation.w()})
    poses_.push_back(static_cast<float>(x));
}

/// `force`: on the follower, in the base's joint frame (N); `base`: pose of the base's CoM frame.
void ViewPage::addReaction(int joint, const Pose& base, const Vec3& force) {
  const Vec3 inWorld =
      base.rotation * (scenario_.model->joints[static_cast<std::size_t>(joint)].baseFrame.rotation * force);
  for (int i = 0; i < 3; ++i) reactions_.push_back(static_cast<float>(inWorld[i]));
}

void ViewPage::take(const Trajectory& trajectory) {
  const Model& model = *scenario_.model;
  if (!std::equal(model.bodies.begin(), model.bodies.end(), trajectory.bodies().begin(),
                  trajectory.bodies().end(),
                  [](const Body& b, const std::string& name) { return b.name == name; }) ||
      !std::equal(model.joints.begin(), model.joints.end(), trajectory.joints().begin(),
                  trajectory.joints().end(),
                  [](const Joint& j, const std::string& name) { return j.name == name; }))
    throw InputError(
        fmt::format("{}: its bodies and joints are not those of {} (was the scenario changed since? "
                    "--scenario names another)",
                    trajectory.file(), scenario_.file));
  const auto known = trajectory.channels();
  std::vector<std::vector<double>> series;
  std::vector<std::string> names;
  for (const std::string& name : names_) {
    if (std::find(known.begin(), known.end(), name) == known.end()) continue;
    names.push_back(name);
    series.push_back(trajectory.series(name));
  }
  names_ = std::move(names);
  redundant_.clear();
  for (const std::string& name : names_) redundant_.push_back(trajectory.redundant(name) ? 1 : 0);
  findPeaked();
  std::vector<std::array<std::vector<double>, 3>> forces;
  for (const std::string& joint : trajectory.joints())
    forces.push_back({trajectory.series("joint." + joint + ".force.x"),
                      trajectory.series("joint." + joint + ".force.y"),
                      trajectory.series("joint." + joint + ".force.z")});
  for (std::size_t r = 0; r < trajectory.records(); ++r) {
    for (std::size_t i = 0; i < peaked_.size(); ++i)
      sample(i, series[static_cast<std::size_t>(peaked_[i])][r]);
    if (!due(trajectory.times()[r])) continue;
    endFrame();
    const auto poseOf = [&](int b) {
      const auto body = static_cast<std::size_t>(b);
      return trajectory.pose(r, body) * model.bodies[body].userFrame.inverse();
    };
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) addPose(poseOf(b));
    for (std::size_t j = 0; j < forces.size(); ++j)
      addReaction(static_cast<int>(j), model.joints[j].base < 0 ? Pose() : poseOf(model.joints[j].base),
                  Vec3(forces[j][0][r], forces[j][1][r], forces[j][2][r]));
    for (const auto& values : series) values_.push_back(static_cast<float>(values[r]));
    for (const RecordedContact& c : trajectory.contacts(r)) addContact(c.point, c.bodyB, c.force);
    contactStart_.push_back(static_cast<std::uint32_t>(contacts_.size() / 6));
  }
}

/// `force`: on body `bodyB`, N. Shown on the second body; against the world on the one that moves.
void ViewPage::addContact(const Vec3& point, int bodyB, const Vec3& force) {
  const Vec3 shown = bodyB < 0 ? Vec3(-force) : force;
  for (const Vec3& v : {point, shown})
    for (int i = 0; i < 3; ++i) contacts_.push_back(static_cast<float>(v[i]));
}

void ViewPage::observe(const Simulator& simulator) {
  if (simulator.state().step % every_ == 0)
    for (std::size_t i = 0; i < peaked_.size(); ++i) {
      const auto channel = static_cast<std::size_t>(peaked_[i]);
      sample(i, channels_[channel](simulator));
      if (redundancy_[channel] && redundancy_[channel](simulator)) redundant_[channel] = 1;
    }
  if (!due(simulator.state().time)) return;
  endFrame();
  for (const Pose& p : simulator.state().poses) addPose(p);
  for (int j = 0; j < static_cast<int>(simulator.model().joints.size()); ++j) {
    const int base = simulator.model().joints[static_cast<std::size_t>(j)].base;
    addReaction(j, base < 0 ? Pose() : simulator.state().poses[static_cast<std::size_t>(base)],
                simulator.jointReaction(j).head<3>());
  }
  for (const Channel& channel : channels_) values_.push_back(static_cast<float>(channel(simulator)));
  const auto contacts = simulator.contacts();
  for (std::size_t k = 0; k < contacts.size(); ++k)
    if (const Vec3 force = simulator.contactForce(static_cast<int>(k));
        !contacts[k].ofJoint() && force.norm() > 1e-9)
      addContact(contacts[k].point, contacts[k].bodyB, force);
  contactStart_.push_back(static_cast<std::uint32_t>(contacts_.size() / 6));
}

std::string ViewPage::framesJson(std::size_t first, bool ended) const {
  first = std::min(first, frames());
  const auto tail = [](const std::vector<float>& all, std::size_t from) {
    return base64(all.data() + from, (all.size() - from) * sizeof(float));
  };
  std::vector<std::uint32_t> starts;
  for (std::size_t f = first; f < frames(); ++f)
    starts.push_back(contactStart_[f + 1] - contactStart_[first]);
  const Json j = {{"count", frames() - first},
                  {"ended", ended},
                  {"times", tail(times_, first)},
                  {"poses", tail(poses_, first * 7 * scenario_.model->bodies.size())},
                  {"values", tail(values_, first * names_.size())},
                  {"least", tail(low_, first * peaked_.size())},
                  {"greatest", tail(high_, first * peaked_.size())},
                  {"redundant", redundant_},
                  {"reactions", tail(reactions_, first * 3 * scenario_.model->joints.size())},
                  {"contacts", tail(contacts_, std::size_t{6} * contactStart_[first])},
                  {"contactStart", base64(starts)}};
  return j.dump();
}

namespace {

Json bodiesJson(const Model& model) {
  Json all = Json::array();
  for (const Body& body : model.bodies) all.push_back({{"name", body.name}, {"mass", body.mass}});
  return all;
}

Json jointsJson(const Model& model) {
  Json all = Json::array();
  for (const Joint& joint : model.joints)
    all.push_back({{"name", joint.name},
                   {"type", joint.type->name()},
                   {"base", joint.base},
                   {"follower", joint.follower},
                   {"position", jsonOf(joint.followerFrame.position)},
                   {"quaternion", jsonOf(joint.followerFrame.rotation)},
                   {"free", jsonOf(joint.type->freeDirections())}});
  return all;
}

/// The lines of force elements between two points; points in the CoM frames. Cables are drawn straight from
/// the centre of one pulley to that of the next.
Json linesJson(const Model& model) {
  Json all = Json::array();
  for (const ForceElement& e : model.forces)
    if (e.onSum())
      for (std::size_t i = 1; i < e.path.size(); ++i)
        all.push_back({{"bodies", {e.path[i - 1].body, e.path[i].body}},
                       {"points", {jsonOf(e.path[i - 1].position), jsonOf(e.path[i].position)}}});
    else if (!e.onJoint())
      all.push_back({{"bodies", {e.bodyA, e.bodyB}}, {"points", {jsonOf(e.pointA), jsonOf(e.pointB)}}});
  return all;
}

Json meshJson(const TriangleMesh& mesh) {
  std::vector<float> vertices;
  std::vector<std::uint32_t> triangles;
  for (const Vec3& v : mesh.vertices)
    for (int i = 0; i < 3; ++i) vertices.push_back(static_cast<float>(v[i]));
  for (const auto& t : mesh.triangles)
    for (const int i : t) triangles.push_back(static_cast<std::uint32_t>(i));
  return {{"vertices", base64(vertices)}, {"triangles", base64(triangles)}};
}

/// Adds `meshes` and `shapes`, which name their meshes by number; shapes may share one.
void addShapes(const Model& model, Json& j) {
  j["meshes"] = Json::array();
  std::map<const void*, std::size_t> known;
  const auto meshIndex = [&](const void* key, const TriangleMesh& mesh) {
    const auto [at, added] = known.emplace(key, known.size());
    if (added) j["meshes"].push_back(meshJson(mesh));
    return at->second;
  };
  j["shapes"] = Json::array();
  for (const Shape& shape : model.shapes) {
    Json s = {{"type", kShapeTypes[static_cast<std::size_t>(shape.type)]},
              {"body", shape.body},
              {"position", jsonOf(shape.pose.position)},
              {"quaternion", jsonOf(shape.pose.rotation)},
              {"size", jsonOf(shape.size)},
              {"radius", shape.radius},
              {"length", shape.length},
              {"collides", shape.collides}};
    if (shape.mesh) s["mesh"] = meshIndex(shape.mesh.get(), *shape.mesh);
    if (shape.heights) s["mesh"] = meshIndex(shape.heights.get(), surfaceOf(*shape.heights));
    j["shapes"].push_back(std::move(s));
  }
}

/// Adds what bodies' frames and joints span at the start, for the camera: `center`, `size` and `low`, m.
void addExtent(const Model& model, Json& j) {
  Vec3 low = Vec3::Constant(1e300), high = -low;
  const auto span = [&](const Vec3& p) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  };
  for (const Body& body : model.bodies) span(body.initialPose.position);
  for (const Joint& joint : model.joints)
    span(model.bodies[joint.follower].initialPose * joint.followerFrame.position);
  for (const Shape& shape : model.shapes)
    if (shape.body >= 0 && shape.type != ShapeType::Mesh && shape.type != ShapeType::Hull) {
      const Vec3 center = model.bodies[shape.body].initialPose * shape.pose.position;
      const double reach = shape.type == ShapeType::Box         ? 0.5 * shape.size.norm()
                           : shape.type == ShapeType::Ellipsoid ? shape.size.maxCoeff()
                           : shape.type == ShapeType::Sphere    ? shape.radius
                                                                : shape.radius + 0.5 * shape.length;
      span(center - Vec3::Constant(0.7 * reach));
      span(center + Vec3::Constant(0.7 * reach));
    }
  j["center"] = jsonOf(Vec3(0.5 * (low + high)));
  j["size"] = std::max((high - low).norm(), 1e-3);
  const bool ground = std::any_of(model.shapes.begin(), model.shapes.end(),
                                  [](const Shape& s) { return s.type == ShapeType::Plane; });
  j["low"] = ground ? 0.0 : low.z();
}

/// The page around the data: the template assets/viewer/viewer.html with its marks filled in. In `data`, "<"
/// is escaped, so that no name in it can end the script.
std::string pageAround(const std::string& name, const Json& data) {
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  std::string title;
  for (const char c : name) title += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  const std::string three = contentOf("three.module.min.js"), orbit = contentOf("OrbitControls.js");
  std::string page = contentOf("viewer.html");
  fill(page, "@TITLE@", title);
  fill(page, "@THREE@", base64(three.data(), three.size()));
  fill(page, "@ORBIT@", base64(orbit.data(), orbit.size()));
  fill(page, "@DATA@", text);
  fill(page, "@VIEWER@", contentOf("viewer.js"));
  return page;
}

}  // namespace

std::string ViewPage::html(bool live) const {
  const Model& model = *scenario_.model;
  Json j = {{"name", scenario_.name}, {"bodies", bodiesJson(model)}, {"joints", jointsJson(model)}};
  j["lines"] = linesJson(model);
  addShapes(model, j);
  addExtent(model, j);
  j["channels"] = names_;
  j["live"] = live;
  j["times"] = base64(times_);
  j["poses"] = base64(poses_);
  j["values"] = base64(values_);
  j["peaked"] = peaked_;
  j["least"] = base64(low_);
  j["greatest"] = base64(high_);
  j["redundant"] = redundant_;
  j["reactions"] = base64(reactions_);
  j["contacts"] = base64(contacts_);
  j["contactStart"] = base64(contactStart_);
  return pageAround(scenario_.name, j);
}

void ViewPage::write(const std::string& path) {
  finish();
  saveText(path, html());
}

namespace {

/// The scenario that a trajectory names.
std::string scenarioOf(const Trajectory& trajectory) {
  const std::string& name = trajectory.scenario();
  const std::filesystem::path path(trajectory.file());
  if (name.empty())
    throw InputError(path.string() + ": does not name the scenario (--scenario FILE says which)");
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored))
    throw InputError(
        fmt::format("{}: the scenario {} is not there, seen from here (--scenario FILE says where)",
                    path.string(), name));
  return name;
}

}  // namespace

ViewedRun viewedRun(const ViewArguments& a) {
  ViewedRun v;
  std::error_code ignored;
  if (std::filesystem::is_directory(a.file, ignored) || a.file.ends_with(".h5")) {
    if (a.duration > 0.0)
      throw InputError("--duration: " + a.file + " is a run that was recorded (it is for scenarios)");
    const Trajectory trajectory(a.file);
    v.scenario =
        std::make_unique<Scenario>(readScenario(a.scenario.empty() ? scenarioOf(trajectory) : a.scenario));
    v.page = std::make_unique<ViewPage>(*v.scenario, trajectory.times().back());
    v.page->take(trajectory);
    return v;
  }
  if (!a.scenario.empty())
    throw InputError("--scenario: " + a.file + " is a scenario itself (it is for recorded runs)");
  v.scenario = std::make_unique<Scenario>(readScenario(a.file));
  setDuration(*v.scenario, a.duration);
  v.page = std::make_unique<ViewPage>(*v.scenario, v.scenario->duration);
  ProgressBar bar(v.scenario->name, !a.quiet);
  RunSettings settings;
  settings.progress = [&](double share, std::int64_t steps, const Simulator& simulator) {
    bar.show(share, steps);
    v.page->observe(simulator);
  };
  const RunResult result = run(*v.scenario, "", settings);
  v.steps = result.steps;
  v.warnings = result.warnings;
  v.divergence = result.divergence;
  return v;
}

void addRunToShow(CLI::App& command, ViewArguments& a) {
  command
      .add_option("SCENARIO|RESULT", a.file,
                  "scenario file, which is run; or folder or trajectory.h5 of a run that was recorded")
      ->required();
  command.add_option("--scenario", a.scenario, "scenario of a RESULT (default: the one that it names)");
  command.add_option("--duration", a.duration, "simulated time, s")->check(positiveFinite());
  command.add_flag("-q,--quiet", a.quiet, "no progress bar");
}

namespace {

struct PageArguments {
  ViewArguments view;
  ServeArguments serve;
};

/// Writes the page of a run. Returns the exit code.
int viewFile(const ViewArguments& a) {
  const ViewedRun v = viewedRun(a);
  std::filesystem::path path(a.file);
  if (!path.has_filename()) path = path.parent_path();
  const std::string out = a.out.empty() ? path.stem().string() + ".html" : a.out;
  v.page->write(out);
  fmt::print("{} -> {}\n", v.scenario->name, out);
  for (const std::string& warning : v.warnings) fmt::print("  warning: {}\n", warning);
  if (!v.divergence) return 0;
  fmt::print(stderr, "grashof: {}: diverged at {:.6g} s: {}\n", a.file, v.divergence->time,
             v.divergence->reason);
  return 3;
}

}  // namespace

Command addView(CLI::App& app) {
  const auto a = std::make_shared<PageArguments>();
  CLI::App& command =
      *app.add_subcommand("view", "write a run as a page to look at in a browser, in three dimensions");
  addRunToShow(command, a->view);
  CLI::Option* out = command.add_option("-o,--out", a->view.out,
                                        "page to write (default: named like the input, in this folder)");
  CLI::Option* live =
      command
          .add_flag("--serve", a->serve.wanted,
                    "run the scenario in real time and show it meanwhile, at an address on this machine only")
          ->excludes(out);
  command.add_option("--port", a->serve.port, "of that address; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->needs(live)
      ->capture_default_str();
  return {&command, [a] { return a->serve.wanted ? serveRun(a->view, a->serve) : viewFile(a->view); }};
}

}  // namespace grashof
