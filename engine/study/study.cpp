#include "engine/study/study.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/expression.h"
#include "engine/base/input_file.h"
#include "engine/base/instruction_set.h"
#include "engine/base/output_file.h"
#include "engine/base/sha256.h"
#include "engine/base/version.h"
#include "engine/study/bytes.h"

namespace grashof::study {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = std::uintmax_t{512} << 20;
constexpr const char* kFormat = "grashof study 1";

fs::path absolutePath(const std::string& path) { return fs::absolute(path).lexically_normal(); }

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  if (b > 0 && a > kMostRuns / b)
    throw InputError(fmt::format("the study has more than {} runs (fewer levels, fewer samples)", kMostRuns));
  return a * b;
}

void writeDefinition(const StudyDefinition& d, ByteWriter& out) {
  out.text(d.name);
  for (const auto* list : {&d.params, &d.measures}) {
    out.number(list->size());
    for (const std::string& text : *list) out.text(text);
  }
  out.number(d.set.size());
  for (const Override& o : d.set) {
    out.text(o.path);
    out.text(o.value);
  }
  out.number(d.design ? static_cast<std::uint64_t>(*d.design) + 1 : 0);
  out.number(d.runs);
  out.number(d.seed);
}

StudyDefinition readDefinition(ByteReader& in) {
  StudyDefinition d;
  d.name = in.text();
  for (auto* list : {&d.params, &d.measures}) {
    list->resize(in.count(8));
    for (std::string& text : *list) text = in.text();
  }
  d.set.resize(in.count(16));
  for (Override& o : d.set) {
    o.path = in.text();
    o.value = in.text();
  }
  if (const std::uint64_t design = in.number(); design > 0 && design <= designNames().size())
    d.design = static_cast<Design>(design - 1);
  d.runs = in.number();
  d.seed = in.number();
  return d;
}

}  // namespace

Study::Study(StudyDefinition definition) : definition_(std::move(definition)) {
  nominal_ = readScenario(definition_.scenario, definition_.set);
  if (definition_.name.empty()) definition_.name = fs::path(definition_.scenario).stem().string();
  if (definition_.measures.empty())
    throw InputError("the study measures nothing (add a measure, as in max:joint.crank.reaction)");
  for (const std::string& text : definition_.measures) measures_.push_back(parseMeasure(text));
  // Every table says how far to trust its rows.
  if (std::none_of(measures_.begin(), measures_.end(), [](const Measure& m) {
        return m.channel == "residual.joint" && m.reduction == Reduction::Max;
      }))
    measures_.push_back(parseMeasure("joint_residual=max:residual.joint"));
  const Measurement checked(measures_, *nominal_.model);
  readFactors();
  std::set<std::string> columns = {"run", "role", "status", "reason"};
  for (const Factor& f : factors_)
    if (!columns.insert(f.name).second)
      throw InputError(fmt::format("parameter '{}': the table has a column of this name already", f.name));
  for (const Measure& m : measures_)
    if (!columns.insert(m.name).second)
      throw InputError(fmt::format(
          "measure '{}': the table has a column of this name already (NAME=WORD:CHANNEL names one)", m.name));
  plan();
  readFiles();
}

void Study::readFactors() {
  std::vector<std::string> texts = definition_.params;
  if (texts.empty())
    for (const Parameter& p : nominal_.parameters)
      if (p.toleranced()) texts.push_back(p.name);
  if (texts.empty())
    throw InputError("nothing varies (name parameters, or give them a tolerance in the file)");
  for (const std::string& text : texts) {
    Factor factor = parseFactor(text, nominal_);
    // A path that leads nowhere is no matter of the runs.
    std::vector<Override> overrides = definition_.set;
    overrides.push_back(
        {factor.path, factor.distribution ? fmt::format("{}", factor.nominal) : factor.levels[0]});
    const std::string attribute = factor.path.substr(factor.path.rfind('.') + 1);
    try {
      (void)parseScenario(readInputFile(definition_.scenario, kLargestFile, "a scenario"),
                          definition_.scenario, overrides);
    } catch (const InputError& error) {
      for (const Diagnostic& d : error.diagnostics())
        if (d.element.starts_with("--set ") || d.message.starts_with("unknown element <") ||
            d.message.starts_with("unknown attribute " + attribute + " "))
          throw InputError(fmt::format("parameter '{}': {}", text, d.message));
    }
    factors_.push_back(std::move(factor));
  }
}

void Study::plan() {
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    if (factors_[f].distribution)
      random_.push_back(f);
    else
      combinations_ = product(combinations_, factors_[f].levels.size());
  }
  design_ = definition_.design.value_or(random_.empty() ? Design::Grid : Design::Random);
  const std::string name = designNames()[static_cast<std::size_t>(design_)];
  if (design_ != Design::Grid && random_.empty())
    throw InputError(fmt::format("design {}: no parameter has a distribution or tolerance", name));
  if (design_ == Design::Grid && !random_.empty())
    throw InputError(fmt::format("design grid: '{}' has a distribution, no levels (as in {}=0.1:0.2:11)",
                                 factors_[random_[0]].name, factors_[random_[0]].name));
  const bool sampled = design_ != Design::Grid && design_ != Design::WorstCase;
  if (sampled && definition_.runs == 0)
    throw InputError(fmt::format("design {}: needs a number of runs", name));
  if (!sampled && definition_.runs > 0)
    throw InputError(fmt::format("design {}: its runs are counted by itself (leave their number out)", name));
  if (combinations_ > 1 && (design_ == Design::Indices || design_ == Design::WorstCase))
    throw InputError(fmt::format("design {}: '{}' has levels (give it one value, or a distribution)", name,
                                 std::find_if(factors_.begin(), factors_.end(), [](const Factor& f) {
                                   return f.levels.size() > 1;
                                 })->name));
  const std::uint64_t n = random_.size();
  samples_ = sampled ? definition_.runs : design_ == Design::WorstCase ? 2 * n + 1 : 1;
  runs_ = firstPart_ = product(combinations_, product(samples_, design_ == Design::Indices ? n + 2 : 1));
  if (design_ == Design::WorstCase) runs_ = product(1, firstPart_ + 2 * measures_.size());
  const std::uint64_t dimensions = design_ == Design::Indices ? 2 * n : n;
  if (dimensions > kMostSobolDimensions && (design_ == Design::Indices || design_ == Design::Sobol))
    throw InputError(
        fmt::format("design {}: needs {} dimensions of Sobol's sequence, which has {} (lhs has no bound)",
                    name, dimensions, kMostSobolDimensions));
  if (sampled)
    sampler_.emplace(design_ == Design::Indices ? Design::Sobol : design_, definition_.seed, samples_,
                     static_cast<std::size_t>(dimensions));
}

void Study::readFiles() {
  std::vector<std::string> paths = nominal_.files;
  // A level may name a file of its own.
  for (const Factor& factor : factors_)
    for (const std::string& level : factor.levels)
      if (!factor.numeric) try {
          std::vector<Override> overrides = definition_.set;
          overrides.push_back({factor.path, level});
          const Scenario other = readScenario(definition_.scenario, overrides);
          paths.insert(paths.end(), other.files.begin(), other.files.end());
        } catch (const InputError&) {  // the run will say so
          continue;
        }
  for (const std::string& path : paths) {
    const std::string absolute = absolutePath(path).string();
    if (std::none_of(files_.begin(), files_.end(), [&](const auto& f) { return f.first == absolute; }))
      files_.emplace_back(absolute, readInputFile(path, kLargestFile, "what the scenario names"));
  }
  text_ = files_.at(0).second;
  const fs::path folder = absolutePath(definition_.scenario).parent_path();
  ByteWriter out;
  out.text(kFormat);
  out.text(version());
  out.text(useAvx2() ? "avx2" : "portable");
  writeDefinition(definition_, out);
  for (const auto& [path, content] : files_) {
    out.text(fs::path(path).lexically_relative(folder).generic_string());
    out.text(content);
  }
  hash_ = sha256(out.bytes());
}

Point Study::point(std::uint64_t run, const Rows& rows) {
  if (run >= firstPart_) return worstCasePoint(run, rows);
  Point point(factors_.size());
  const std::uint64_t mixtures = design_ == Design::Indices ? random_.size() + 2 : 1;
  std::uint64_t combination = run / (samples_ * mixtures);
  const std::uint64_t sample = run / mixtures % samples_, mixture = run % mixtures;
  for (std::size_t f = factors_.size(); f-- > 0;) {  // the last factor runs fastest
    if (factors_[f].distribution) continue;
    point[f] = static_cast<double>(combination % factors_[f].levels.size());
    combination /= factors_[f].levels.size();
  }
  if (design_ == Design::WorstCase) {
    for (std::size_t i = 0; i < random_.size(); ++i) {
      const Factor& factor = factors_[random_[i]];
      point[random_[i]] = sample == 2 * i + 1   ? factor.distribution->end(false)
                          : sample == 2 * i + 2 ? factor.distribution->end(true)
                                                : factor.nominal;
    }
    return point;
  }
  if (!sampler_) return point;
  const std::vector<double>& shares = (*sampler_)(sample);
  for (std::size_t i = 0; i < random_.size(); ++i) {
    const bool second = mixture == 1 || mixture == i + 2;
    point[random_[i]] = factors_[random_[i]].distribution->quantile(shares[second ? i + random_.size() : i]);
  }
  return point;
}

/// The corner at which a measure is largest or smallest, if it is monotonous in each factor.
Point Study::worstCasePoint(std::uint64_t run, const Rows& rows) const {
  Point point(factors_.size(), 0.0);
  const std::uint64_t corner = run - firstPart_;
  const auto measure = static_cast<std::size_t>(corner / 2);
  const bool largest = corner % 2 == 0;
  for (std::size_t i = 0; i < random_.size(); ++i) {
    const Factor& factor = factors_[random_[i]];
    // A side that failed counts as the nominal value.
    const auto value = [&](std::uint64_t at) { return rows.value(rows.ok(at) ? at : 0, measure); };
    const double rise = value(2 * i + 2) - value(2 * i + 1);
    point[random_[i]] = rise > 0.0   ? factor.distribution->end(largest)
                        : rise < 0.0 ? factor.distribution->end(!largest)
                                     : factor.nominal;
  }
  return point;
}

std::string Study::role(std::uint64_t run) const {
  if (design_ == Design::Indices) {
    const std::uint64_t mixture = run % (random_.size() + 2);
    return mixture == 0   ? "A"
           : mixture == 1 ? "B"
                          : "A with " + factors_[random_[mixture - 2]].name + " of B";
  }
  if (design_ != Design::WorstCase) return {};
  if (run == 0) return "nominal";
  if (run < firstPart_) return factors_[random_[(run - 1) / 2]].name + (run % 2 == 1 ? " low" : " high");
  const std::uint64_t corner = run - firstPart_;
  return (corner % 2 == 0 ? "largest " : "smallest ") + measures_[corner / 2].name;
}

std::string Study::valueText(std::size_t factor, double value) const {
  const Factor& f = factors_[factor];
  return f.distribution ? fmt::format("{}", value) : f.levels[static_cast<std::size_t>(value)];
}

double Study::valueNumber(std::size_t factor, double value) const {
  const Factor& f = factors_[factor];
  if (f.distribution) return value;
  const Evaluation level =
      evaluate(f.levels[static_cast<std::size_t>(value)], [](std::string_view) { return std::nullopt; });
  return level.defect.empty() ? level.value : std::numeric_limits<double>::quiet_NaN();
}

RunRow Study::make(std::uint64_t run, const Point& point) const {
  std::vector<Override> overrides = definition_.set;
  for (std::size_t f = 0; f < factors_.size(); ++f)
    overrides.push_back({factors_[f].path, valueText(f, point.at(f))});
  RunRow row = evaluateRun(text_, files_.front().first, overrides, measures_);
  row.run = run;
  return row;
}

void Study::checkUnchanged() const {
  for (const auto& [path, content] : files_)
    if (readInputFile(path, kLargestFile, "what the scenario names") != content)
      throw InputError(path +
                       ": was changed while the study was made: its rows may be of either file (remove the "
                       "folder of its results, and make it again)");
}

std::string Study::pack() const {
  ByteWriter out;
  out.text(kFormat);
  out.text(hash_);
  writeDefinition(definition_, out);
  out.number(files_.size());
  for (const auto& [path, content] : files_) {
    out.text(path);
    out.text(content);
  }
  return out.bytes();
}

Study Study::unpack(std::string_view bytes, const std::string& folder) {
  ByteReader in(bytes);
  if (in.text() != kFormat) throw InputError("this is no packed study, or one of another version");
  const std::string hash = in.text();
  StudyDefinition definition = readDefinition(in);
  const std::uint64_t files = in.count(16);
  for (std::uint64_t i = 0; i < files; ++i) {
    const fs::path own = fs::path(in.text()).lexically_normal();
    if (!own.is_absolute()) throw InputError("the packed study names a file that is not absolute");
    const fs::path path = fs::path(folder) / own.relative_path();
    makeFolder(path.parent_path().string());
    saveText(path.string(), in.text());
    if (i == 0) definition.scenario = path.string();
  }
  Study study(std::move(definition));
  if (study.hash() != hash)
    throw InputError(
        "this process would not make the runs of the study with the same bits: its program has another "
        "version, or its "
        "processor other instructions (GRASHOF_PORTABLE=1 in the environment of all processes makes them "
        "alike), or a "
        "file is named by an absolute path");
  return study;
}

}  // namespace grashof::study
