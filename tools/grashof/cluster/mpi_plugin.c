#include "tools/grashof/cluster/mpi_plugin.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct Sending {
  MPI_Request request;
  char bytes[];
};

static int start(int* rank, int* size) {
  int is_up = 0;
  MPI_Initialized(&is_up);
  if (!is_up && MPI_Init(NULL, NULL) != MPI_SUCCESS) return 1;
  return MPI_Comm_rank(MPI_COMM_WORLD, rank) != MPI_SUCCESS ||
         MPI_Comm_size(MPI_COMM_WORLD, size) != MPI_SUCCESS;
}

static int broadcast(void* bytes, size_t size) {
  const size_t piece = 1 << 30;
  for (size_t at = 0; at < size; at += piece) {
    const int count = (int)(size - at < piece ? size - at : piece);
    if (MPI_Bcast((char*)bytes + at, count, MPI_BYTE, 0, MPI_COMM_WORLD) != MPI_SUCCESS) return 1;
  }
  return 0;
}

static void* send_copy(int to, const void* bytes, size_t size) {
  struct Sending* sending = size > INT_MAX ? NULL : malloc(sizeof *sending + size);
  if (!sending) return NULL;
  memcpy(sending->bytes, bytes, size);
  if (MPI_Isend(sending->bytes, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD, &sending->request) == MPI_SUCCESS)
    return sending;
  free(sending);
  return NULL;
}

static int sent(void* handle) {
  struct Sending* sending = handle;
  int done = 0;
  MPI_Test(&sending->request, &done, MPI_STATUS_IGNORE);
  if (done) free(sending);
  return done;
}

static int waiting(int* from, size_t* size) {
  int found = 0, count = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, &status);
  if (!found) return 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  *from = status.MPI_SOURCE;
  *size = (size_t)count;
  return 1;
}

static int receive(int from, void* bytes, size_t size) {
  return MPI_Recv(bytes, (int)size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

static void finish(void) { MPI_Finalize(); }

const struct GrashofMpi* grashof_mpi(void) {
  static const struct GrashofMpi all = {start, broadcast, send_copy, sent, waiting, receive, finish};
  return &all;
}
