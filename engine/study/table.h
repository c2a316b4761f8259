#pragma once
/// The table of a study, whole: one row a run, in their order, whatever made them.

#include <string>

#include "engine/study/study.h"

namespace grashof::study {

/// Columns: run, role (of designs that have them), factors, measures, status, reason. Rows that are missing
/// are left out. Numbers read back bit for bit. Equal rows make equal bytes. Throws FileError.
void writeCsv(Study& study, const Rows& rows, const std::string& path);
/// The same as HDF5: datasets `run`, `factors/NAME` (numbers, or texts), `measures/NAME`, `status` (texts),
/// and `reason` of the runs `reason_run`.
void writeHdf5(Study& study, const Rows& rows, const std::string& path);

}  // namespace grashof::study
