/// Studies as Python sees them: what tools/python/grashof/study.py is made of.

#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/results/run_folder.h"
#include "engine/study/bytes.h"
#include "engine/study/driver.h"
#include "engine/study/report.h"
#include "engine/study/study_file.h"
#include "tools/python/bind.h"

namespace grashof::python {
namespace {

using study::Study;

constexpr std::uintmax_t kLargestScenario = std::uintmax_t{256} << 20;

py::bytes bytesOf(const std::string& text) { return {text}; }

std::shared_ptr<Study> makeStudy(const PathArgument& path, const std::vector<std::string>& params,
                                 const std::vector<std::string>& measures, const py::dict& set,
                                 const std::optional<std::string>& design, std::uint64_t runs,
                                 const std::optional<std::uint64_t>& seed) {
  study::StudyDefinition d = study::readStudyFile(path);
  d.params.insert(d.params.end(), params.begin(), params.end());
  d.measures.insert(d.measures.end(), measures.begin(), measures.end());
  const std::vector<Override> overrides = overridesOf(set);
  d.set.insert(d.set.end(), overrides.begin(), overrides.end());
  if (design) {
    const auto& names = study::designNames();
    const auto found = std::find(names.begin(), names.end(), *design);
    if (found == names.end())
      throw InputError(fmt::format("design '{}' is unknown (one of: {})", *design, fmt::join(names, ", ")));
    d.design = static_cast<study::Design>(found - names.begin());
  }
  if (runs > 0) d.runs = runs;
  if (seed) d.seed = *seed;
  return std::make_shared<Study>(std::move(d));
}

/// The rows of a study and the files they are kept in. This process is the only one that writes there.
class StudyResults {
 public:
  StudyResults(std::shared_ptr<Study> study, const std::string& folder)
      : study_(std::move(study)), path_(folder), rows_(study_->runs(), study_->measures().size()) {
    folder_.emplace(folder);
    folder_->hold();
    journal_.emplace(folder + "/runs.journal", *study_, rows_);
  }
  /// From now on other processes may write there.
  void close() {
    journal_.reset();
    folder_.reset();
  }

  std::uint64_t count() const { return rows_.count(); }
  bool has(std::uint64_t run) const { return run < rows_.runs() && rows_.has(run); }
  py::bytes task(const std::vector<std::uint64_t>& runs) {
    std::vector<std::pair<std::uint64_t, study::Point>> points;
    for (const std::uint64_t run : runs) {
      if (run >= study_->runs()) throw py::index_error("no such run");
      points.emplace_back(run, study_->point(run, rows_));
    }
    return bytesOf(study::packTask(points));
  }
  /// Takes in a result; the processor time that it took.
  double add(const std::string& result) {
    const std::vector<std::string> packed = study::rowsOf(result);
    std::vector<study::RunRow> rows;
    for (const std::string& row : packed) rows.push_back(study::unpackRow(row));
    journal().append(packed);
    for (const study::RunRow& row : rows) rows_.add(row);
    return study::ByteReader(result).real();
  }
  void lose(std::uint64_t run, const std::string& reason) {
    const study::RunRow row{run, study::RunStatus::Lost, {}, reason};
    journal().append({packRow(row)});
    rows_.add(row);
  }
  void write(bool hdf5) {
    (void)journal();
    study_->checkUnchanged();
    writeReports(*study_, rows_, path_, hdf5);
  }
  std::string report() { return reportText(*study_, rows_); }

  /// Columns of the rows that are there.
  py::dict table() {
    std::vector<std::uint64_t> runs;
    for (std::uint64_t run = 0; run < rows_.runs(); ++run)
      if (rows_.has(run)) runs.push_back(run);
    py::dict columns;
    columns["run"] = arrayOf(std::vector<std::int64_t>(runs.begin(), runs.end()));
    std::vector<study::Point> points;
    for (const std::uint64_t run : runs) points.push_back(study_->point(run, rows_));
    for (std::size_t f = 0; f < study_->factors().size(); ++f) {
      const study::Factor& factor = study_->factors()[f];
      std::vector<double> numbers;
      py::list texts;
      for (const study::Point& point : points) {
        if (factor.numeric)
          numbers.push_back(study_->valueNumber(f, point[f]));
        else
          texts.append(study_->valueText(f, point[f]));
      }
      columns[py::str(factor.name)] = factor.numeric ? py::object(arrayOf(numbers)) : py::object(texts);
    }
    for (std::size_t m = 0; m < study_->measures().size(); ++m) {
      std::vector<double> numbers;
      for (const std::uint64_t run : runs) numbers.push_back(rows_.value(run, m));
      columns[py::str(study_->measures()[m].name)] = arrayOf(numbers);
    }
    py::list status, reasons;
    for (const std::uint64_t run : runs) {
      status.append(statusName(rows_.status(run)));
      reasons.append(rows_.reason(run));
    }
    columns["status"] = status;
    columns["reason"] = reasons;
    return columns;
  }

 private:
  study::Journal& journal() {
    if (!journal_) throw CallError("the results are closed");
    return *journal_;
  }

  std::shared_ptr<Study> study_;
  std::string path_;
  std::optional<RunFolder> folder_;
  study::Rows rows_;
  std::optional<study::Journal> journal_;
};

py::object evaluate(const PathArgument& path, const std::vector<std::string>& measures, const py::dict& set) {
  std::vector<study::Measure> all;
  for (const std::string& text : measures) all.push_back(study::parseMeasure(text));
  const std::vector<Override> overrides = overridesOf(set);
  study::RunRow row;
  {
    const py::gil_scoped_release release;
    row = study::evaluateRun(readInputFile(path, kLargestScenario, "a scenario"), path, overrides, all);
  }
  if (row.status == study::RunStatus::Refused) throw InputError(row.reason);
  if (row.status == study::RunStatus::NotAssembled) throw AssemblyError(row.reason, 0.0);
  if (row.status == study::RunStatus::Diverged) throw DivergedError(row.reason, 0.0);
  if (row.status != study::RunStatus::Ok) throw Error(row.reason);
  py::dict values;
  for (std::size_t i = 0; i < all.size(); ++i) values[py::str(all[i].name)] = row.measures[i];
  return values;
}

void bindStudyClass(py::module_& module) {
  py::class_<Study, std::shared_ptr<Study>>(
      module, "Study",
      "A scenario, what varies in it, and what is measured of each run. See grashof.sweep().")
      .def(py::init(&makeStudy), py::arg("path"), py::arg("params") = std::vector<std::string>{},
           py::arg("measures") = std::vector<std::string>{}, py::arg("set") = py::dict(),
           py::arg("design") = py::none(), py::arg("runs") = 0, py::arg("seed") = py::none())
      .def_static(
          "unpack",
          [](const std::string& bytes, const PathArgument& folder) {
            return std::make_shared<Study>(Study::unpack(bytes, folder));
          },
          py::arg("bytes"), py::arg("folder"),
          "The study that pack() gave, whose files are written below a folder.")
      .def(
          "pack", [](const Study& s) { return bytesOf(s.pack()); }, "Definition and files, as bytes.")
      .def(
          "make",
          [](const Study& s, const std::string& task) {
            std::string result;
            {
              const py::gil_scoped_release release;
              result = study::makeRuns(s, task);
            }
            return bytesOf(result);
          },
          py::arg("task"),
          "Makes the runs of a task of StudyResults.task(), without holding the interpreter; for several "
          "threads.")
      .def_property_readonly(
          "name", [](const Study& s) { return s.definition().name; }, "Name of the study.")
      .def_property_readonly(
          "hash", &Study::hash,
          "Of definition, files, program and kind of processor: equal hashes, equal tables.")
      .def_property_readonly("runs", &Study::runs, "Number of all runs.")
      .def_property_readonly(
          "first_part", &Study::firstPart,
          "Number of runs whose points do not depend on results of others; they come first.")
      .def_property_readonly(
          "factors",
          [](const Study& s) {
            std::vector<std::string> names;
            for (const study::Factor& f : s.factors()) names.push_back(f.name);
            return names;
          },
          "Names of what varies.")
      .def_property_readonly(
          "measures",
          [](const Study& s) {
            std::vector<std::string> names;
            for (const study::Measure& m : s.measures()) names.push_back(m.name);
            return names;
          },
          "Names of what is measured.");
}

}  // namespace

void bindStudy(py::module_& module) {
  bindStudyClass(module);
  py::class_<StudyResults>(
      module, "StudyResults",
      "The rows of a study and the folder they are kept in, which no other process may write to.")
      .def(py::init([](std::shared_ptr<Study> study, const PathArgument& folder) {
             return std::make_unique<StudyResults>(std::move(study), folder);
           }),
           py::arg("study"), py::arg("folder"))
      .def("__len__", &StudyResults::count)
      .def("has", &StudyResults::has, py::arg("run"), "Whether a run is there.")
      .def("task", &StudyResults::task, py::arg("runs"), "Runs with their points, as bytes for Study.make().")
      .def("add", &StudyResults::add, py::arg("result"),
           "Takes in what Study.make() gave; it is on the disk then. Returns the processor time that it "
           "took, s.")
      .def("lose", &StudyResults::lose, py::arg("run"), py::arg("reason"), "Gives up a run.")
      .def("close", &StudyResults::close, "From now on other processes may write to the folder.")
      .def("write", &StudyResults::write, py::arg("hdf5") = false,
           "Writes table, study.json and report.html.")
      .def("report", &StudyResults::report, "The summary as text.")
      .def("table", &StudyResults::table, "Columns by name.");
  module.def(
      "evaluate", &evaluate, py::arg("path"), py::arg("measures"), py::arg("set") = py::dict(),
      "Runs a scenario to its end and returns its measures by name (NAME=WORD:CHANNEL or WORD:CHANNEL, as in "
      "'max:joint.pin.reaction'). `set`: as of load(). Raises InputError, AssemblyError or Diverged.");
}

}  // namespace grashof::python
