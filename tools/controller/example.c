/* A controller for `grashof run --controller`: each actuator's joint is led to a target by a torque with
 * spring and damper, and the torque is reported at the end. For scenarios whose actuators are of type
 * "effort".
 *
 *   cc -shared -fPIC -o example.so tools/controller/example.c -lm
 *   grashof run scenario.xml --controller ./example.so:0.5        (target in rad or m)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grashof_controller.h"

typedef struct {
  double target, stiffness, damping, largest;
} holder;

static void* start(const grashof_view* view, const char* argument, char* error, int size) {
  char* end = NULL;
  const double target = strtod(argument, &end);
  if (*argument && *end) {
    snprintf(error, (size_t)size, "'%s' is no number (the target in rad or m)", argument);
    return NULL;
  }
  if (view->actuators == 0) {
    snprintf(error, (size_t)size, "the scenario has no actuator");
    return NULL;
  }
  holder* self = malloc(sizeof *self);
  if (!self) {
    snprintf(error, (size_t)size, "out of memory");
    return NULL;
  }
  *self = (holder){target, 50.0, 5.0, 0.0};
  return self;
}

static void control(void* memory, const grashof_view* view) {
  holder* self = memory;
  for (int a = 0; a < view->actuators; ++a) {
    const int c = view->actuator_coordinate[a];
    view->control[a] = self->stiffness * (self->target - view->coordinate[c]) - self->damping * view->rate[c];
    self->largest = fmax(self->largest, fabs(view->control[a]));
  }
}

static void stop(void* memory) {
  const holder* self = memory;
  fprintf(stderr, "example controller: largest effort %.3g\n", self->largest);
  free(memory);
}

static int save(void* memory, void* bytes, int size) {
  const holder* self = memory;
  if (size >= (int)sizeof self->largest) memcpy(bytes, &self->largest, sizeof self->largest);
  return (int)sizeof self->largest;
}

static int restore(void* memory, const void* bytes, int size) {
  holder* self = memory;
  if (size != (int)sizeof self->largest) return 1;
  memcpy(&self->largest, bytes, sizeof self->largest);
  return 0;
}

const grashof_controller_table* grashof_controller(void) {
  static const grashof_controller_table table = {GRASHOF_CONTROLLER_VERSION, start,   control, stop,
                                                 save,                       restore};
  return &table;
}
