#ifndef GRASHOF_SOLVER_H
#define GRASHOF_SOLVER_H
/* A solver in a shared library, for `grashof --solver-library LIBRARY COMMAND …`: C, so that any language can
 * make one. It is then one of the solvers, in scenarios, `solve`, `compare`, `bench suite` and everywhere
 * else.
 *
 * The library exports one function, grashof_solver(), that returns a table of functions. One start() makes
 * one solver, which no two threads use at once; with several islands or runs there are several.
 *
 * The problem (theory.md, "The dual problem"): find impulses l, one per row, with u = free_twist + M^-1 J' l
 * and v = J u + bias + (R + W) l, such that v = 0 on joint rows; on interval rows v = 0 inside of the bounds,
 * v >= 0 at the lower and v <= 0 at the upper one; and on the three rows (t, o, n) of a contact Coulomb's law
 * holds with its friction. Units are SI; a twist is [linear; angular] in world axes at the centre of mass.
 */
#ifdef __cplusplus
extern "C" {
#endif

#define GRASHOF_SOLVER_VERSION 1

typedef struct grashof_problem {
  int bodies;
  int rows; /* joint rows, then interval rows, then three rows a contact */
  int joint_rows;
  int intervals;
  int contacts;
  const double* inverse_mass;    /* bodies: 1/kg */
  const double* inverse_inertia; /* 9 per body, world axes: 1/(kg m^2) */
  const double* free_twist;      /* 6 per body: velocities without impulses */
  const int* row_start;          /* rows + 1: the terms of each row */
  const int* term_body;          /* terms: body */
  const double* term_jacobian;   /* 6 per term: the part of J */
  const double* bias;            /* rows */
  const double* compliance;      /* rows: the diagonal R */
  const double* lower;           /* intervals: bounds of the impulse, may be infinite */
  const double* upper;           /* intervals */
  const double* friction;        /* contacts */
  const int* coupled_start;      /* contacts + 1: blocks of W between contacts; null: W = 0 */
  const int* coupled_contact;    /* blocks: column, a contact */
  const double* coupled_block;   /* 9 per block, row by row */
  double tolerance;              /* what the user asks for; the engine judges by it */
  int max_iterations;
  int facets; /* sides of "pyramid"; with 4 |t|, |o| <= mu n */
} grashof_problem;

typedef struct grashof_solver_table {
  int version;         /* GRASHOF_SOLVER_VERSION */
  const char* name;    /* letters, digits, '-' and '_' */
  const char* summary; /* one line for lists */
  const char* model;   /* "ncp", "ccp" (convex relaxation) or "pyramid": the law whose residuals judge it */
  /* Makes a solver, with the text after ':' of --solver-library; the result may be null. To refuse, it writes
   * why into `error` (`size` bytes). */
  void* (*start)(const char* argument, char* error, int size);
  /* Solves: `impulse` has what to start from, zeros without a warm start, and takes the result. Returns the
   * number of iterations. */
  int (*solve)(void* self, const grashof_problem* problem, double* impulse);
  void (*stop)(void* self); /* may be null */
} grashof_solver_table;

const grashof_solver_table* grashof_solver(void);

#ifdef __cplusplus
}
#endif
#endif
