#ifndef GRASHOF_CONTROLLER_H
#define GRASHOF_CONTROLLER_H
/* A controller in a shared library, for `grashof run --controller LIBRARY`: C, so that any language can make
 * one.
 *
 * The library exports one function, grashof_controller(), that returns a table of functions. Units are SI;
 * twists and wrenches are [linear; angular] in world axes at the centre of mass; quaternions are x y z w.
 * Pointers stay valid, and the same, from start() to stop(). One start() makes the controller of one run,
 * whose functions are called one after another; with --threads several runs may be under way at once, each
 * with a controller of its own.
 */
#ifdef __cplusplus
extern "C" {
#endif

#define GRASHOF_CONTROLLER_VERSION 2

/* What a controller sees of the world. Names end with zero. */
typedef struct grashof_view {
  double time;     /* s, at the start of the step */
  double timestep; /* s */
  int bodies, joints, coordinates, actuators;
  const char* const* body_names;     /* bodies */
  const char* const* joint_names;    /* joints */
  const char* const* actuator_names; /* actuators: JOINT, or JOINT.COORDINATE where it has several */
  const int* coordinate_start;       /* joints + 1: first coordinate of each joint, then their number */
  const int* actuator_coordinate;    /* actuators: index of the driven coordinate */
  const double* positions;           /* 3 per body: centres of mass, m */
  const double* quaternions;         /* 4 per body: body to world */
  const double* twists;              /* 6 per body: m/s, rad/s */
  const double* coordinate;          /* coordinates: m, rad */
  const double* rate;                /* coordinates: m/s, rad/s */
  const double* effort;              /* actuators: over the last step, N, N m */
  double* control; /* actuators: references, held until changed; NaN: the signal of the scenario. Where it
                    * names controls these take the place of actuators: their names, values, efforts; the
                    * coordinate is -1 of one that moves several, or none */
  double* wrench;  /* 6 per body: N, N m, held until changed */
} grashof_view;

typedef struct grashof_controller_table {
  int version; /* GRASHOF_CONTROLLER_VERSION; 1: a table without save() and restore() */
  /* Called before the first step, with the text after ':' of --controller. Returns what control() and stop()
   * get as `self`; may be null. To refuse, it writes why into `error` (`size` bytes). */
  void* (*start)(const grashof_view* view, const char* argument, char* error, int size);
  /* Called at the start of every step. */
  void (*control)(void* self, const grashof_view* view);
  /* Called at the end; may be null. */
  void (*stop)(void* self);
  /* For --checkpoint, called after control(): returns the number of bytes that the controller keeps between
   * two steps (0: none), and writes them to `memory` if `size` is not less. Null: it cannot. */
  int (*save)(void* self, void* memory, int size);
  /* For --resume, called once after start(): takes what save() wrote. The next call of control() is that of
   * the step after. Returns 0, or anything else for a memory that does not fit. */
  int (*restore)(void* self, const void* memory, int size);
} grashof_controller_table;

const grashof_controller_table* grashof_controller(void);

#ifdef __cplusplus
}
#endif
#endif
