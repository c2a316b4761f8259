/* A solver for `grashof --solver-library`: projected Gauss-Seidel, row by row, with the friction of each contact
 * on a disk.
 *
 *   cc -shared -fPIC -o example.so tools/solver/example.c -lm
 *   grashof --solver-library ./example.so run scenario.xml --solver EXAMPLE-PGS
 *   grashof --solver-library ./example.so:1.2 compare scenario.xml --solvers EXAMPLE-PGS,PGS-NCP     (over-relaxed)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grashof_solver.h"

typedef struct {
  double relaxation;
} settings;

static void* start(const char* argument, char* error, int size) {
  char* end = NULL;
  const double relaxation = *argument ? strtod(argument, &end) : 1.0;
  if ((end && *end) || !(relaxation > 0.0 && relaxation < 2.0)) {
    snprintf(error, (size_t)size, "'%s' is no relaxation between 0 and 2", argument);
    return NULL;
  }
  settings* self = malloc(sizeof *self);
  if (!self) {
    snprintf(error, (size_t)size, "out of memory");
    return NULL;
  }
  self->relaxation = relaxation;
  return self;
}

static void stop(void* self) { free(self); }

/* response = M^-1 jacobian' of one term. */
static void respond(const grashof_problem* p, int term, double response[6]) {
  const double* j = p->term_jacobian + 6 * term;
  const double* inverse = p->inverse_inertia + 9 * p->term_body[term];
  for (int i = 0; i < 3; ++i) {
    response[i] = p->inverse_mass[p->term_body[term]] * j[i];
    response[3 + i] = inverse[i] * j[3] + inverse[3 + i] * j[4] + inverse[6 + i] * j[5];
  }
}

static double velocity(const grashof_problem* p, int row, const double* twist, const double* impulse) {
  double v = p->bias[row] + p->compliance[row] * impulse[row];
  for (int t = p->row_start[row]; t < p->row_start[row + 1]; ++t)
    for (int i = 0; i < 6; ++i) v += p->term_jacobian[6 * t + i] * twist[6 * p->term_body[t] + i];
  const int first = p->rows - 3 * p->contacts;
  if (p->coupled_start && row >= first) {
    const int contact = (row - first) / 3, r = (row - first) % 3;
    for (int b = p->coupled_start[contact]; b < p->coupled_start[contact + 1]; ++b)
      for (int i = 0; i < 3; ++i)
        v += p->coupled_block[9 * b + 3 * r + i] * impulse[first + 3 * p->coupled_contact[b] + i];
  }
  return v;
}

static double diagonal(const grashof_problem* p, int row) {
  double d = p->compliance[row], response[6];
  for (int t = p->row_start[row]; t < p->row_start[row + 1]; ++t) {
    respond(p, t, response);
    for (int i = 0; i < 6; ++i) d += p->term_jacobian[6 * t + i] * response[i];
  }
  const int first = p->rows - 3 * p->contacts;
  if (p->coupled_start && row >= first) {
    const int contact = (row - first) / 3, r = (row - first) % 3;
    for (int b = p->coupled_start[contact]; b < p->coupled_start[contact + 1]; ++b)
      if (p->coupled_contact[b] == contact) d += p->coupled_block[9 * b + 4 * r];
  }
  return d;
}

static void push(const grashof_problem* p, int row, double change, double* twist, double* impulse) {
  double response[6];
  impulse[row] += change;
  for (int t = p->row_start[row]; t < p->row_start[row + 1]; ++t) {
    respond(p, t, response);
    for (int i = 0; i < 6; ++i) twist[6 * p->term_body[t] + i] += response[i] * change;
  }
}

/* Of a row or block with this entry of the Delassus matrix; a row that nothing moves stays. */
static double step(const settings* self, double diagonal) {
  return diagonal > 0.0 ? self->relaxation / diagonal : 0.0;
}

static int solve(void* memory, const grashof_problem* p, double* impulse) {
  const settings* self = memory;
  double* twist = malloc((6 * (size_t)p->bodies + (size_t)p->rows + 1) * sizeof *twist);
  if (!twist) return p->max_iterations;
  double* d = twist + 6 * p->bodies;
  if (p->bodies > 0) memcpy(twist, p->free_twist, 6 * (size_t)p->bodies * sizeof *twist);
  for (int r = 0; r < p->rows; ++r) {
    const double given = impulse[r];
    impulse[r] = 0.0;
    push(p, r, given, twist, impulse);
    d[r] = diagonal(p, r);
  }
  const int first = p->rows - 3 * p->contacts;
  int sweep = 0;
  double moved = 1.0;
  while (sweep < p->max_iterations && moved > 1e-3 * p->tolerance) {
    ++sweep;
    moved = 0.0;
    for (int row = 0; row < first; ++row) {
      double next = impulse[row] - step(self, d[row]) * velocity(p, row, twist, impulse);
      if (row >= p->joint_rows)
        next = fmax(p->lower[row - p->joint_rows], fmin(p->upper[row - p->joint_rows], next));
      moved = fmax(moved, d[row] * fabs(next - impulse[row]));
      push(p, row, next - impulse[row], twist, impulse);
    }
    for (int k = 0; k < p->contacts; ++k) {
      const int t = first + 3 * k, n = t + 2;
      const double normal = fmax(0.0, impulse[n] - step(self, d[n]) * velocity(p, n, twist, impulse));
      moved = fmax(moved, d[n] * fabs(normal - impulse[n]));
      push(p, n, normal - impulse[n], twist, impulse);
      /* Both tangents by one step, then onto the disk: so friction opposes the slip. */
      const double largest = fmax(d[t], d[t + 1]);
      double next[2];
      for (int i = 0; i < 2; ++i)
        next[i] = impulse[t + i] - step(self, largest) * velocity(p, t + i, twist, impulse);
      const double size = hypot(next[0], next[1]), bound = p->friction[k] * normal;
      for (int i = 0; i < 2; ++i) {
        if (size > bound) next[i] *= bound / size;
        moved = fmax(moved, largest * fabs(next[i] - impulse[t + i]));
        push(p, t + i, next[i] - impulse[t + i], twist, impulse);
      }
    }
  }
  free(twist);
  return sweep;
}

const grashof_solver_table* grashof_solver(void) {
  static const grashof_solver_table table = {
      GRASHOF_SOLVER_VERSION, "EXAMPLE-PGS", "projected Gauss-Seidel in C, an example", "ncp", start, solve, stop};
  return &table;
}
