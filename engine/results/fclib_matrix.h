#pragma once
/// Private: sparse matrices in the FCLIB layout, `m n nz nzmax p i x` of a group of an HDF5 file; see
/// problem_file.h.

#include <Eigen/SparseCore>
#include <string>
#include <vector>

#include "engine/results/hdf5_file.h"

namespace grashof {

/// A matrix of rows × columns; entries that stand twice in the file are summed. Triplets are `i` (row) and
/// `p` (column), as FCLIB's own code and CSparse have them; its header says the other way round, and so they
/// are read where only that fits, which `notes` says. Throws InputError for data that is no such matrix.
Eigen::SparseMatrix<double> readFclibMatrix(const Hdf5Reader& file, const std::string& group, int rows,
                                            int columns, std::vector<std::string>& notes);

/// Writes compressed columns. @pre `matrix` is compressed
void writeFclibMatrix(Hdf5Writer& file, const std::string& group, const Eigen::SparseMatrix<double>& matrix);

/// Adds to `notes` that the symmetric part of a matrix is used where its largest entry is `largest` and that
/// of the difference to its transpose `asymmetry`; nothing to 1e-12 relative. Throws InputError above 1e-2.
void noteAsymmetry(const Hdf5Reader& file, const std::string& group, double asymmetry, double largest,
                   std::vector<std::string>& notes);

/// Friction coefficients, one per contact. Throws InputError if there is none, or one is negative.
std::vector<double> readFclibFriction(const Hdf5Reader& file, const std::string& name);

/// Row (t, o, n) of a contact for row `fclib` of a file, in (n, t, o) of all contacts.
inline int contactRowOf(int fclib) { return fclib % 3 == 0 ? 2 : fclib % 3 - 1; }

}  // namespace grashof
