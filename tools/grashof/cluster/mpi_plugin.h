#ifndef GRASHOF_MPI_PLUGIN_H
#define GRASHOF_MPI_PLUGIN_H
/* What the program needs of MPI, as a library of its own, which is loaded only under mpirun: the program
   itself does not depend on MPI. Every function but start() is called between start() and finish(), by one
   thread. */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct GrashofMpi {
  /* 0: fine. */
  int (*start)(int* rank, int* size);
  /* From rank 0 to all. */
  int (*broadcast)(void* bytes, size_t size);
  /* Begins to send a copy of the bytes; a handle for sent(), or NULL. At most 2 GiB. */
  void* (*send)(int to, const void* bytes, size_t size);
  /* Whether it has been sent; the handle is gone then. */
  int (*sent)(void* handle);
  /* Whether a message waits, from whom, and its size. */
  int (*waiting)(int* from, size_t* size);
  int (*receive)(int from, void* bytes, size_t size);
  void (*finish)(void);
};

/* The name under which the library has it. */
const struct GrashofMpi* grashof_mpi(void);
#define GRASHOF_MPI_SYMBOL "grashof_mpi"

#ifdef __cplusplus
}
#endif

#endif
