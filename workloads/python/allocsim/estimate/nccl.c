/*
 * NCCL as PyTorch calls it: communicators are there at once, and collectives return without waiting for another rank. NCCL's own
 * memory is not in it. Declarations are those of NCCL 2.18 and later.
 */
#include <stdlib.h>
#include <string.h>

#include "mock.h"

enum { SUCCESS = 0, SYSTEM_ERROR = 2, ID_BYTES = 128, FIRST_OWN_OPERATION = 5 };

typedef struct {
  int ranks, rank, device;
} Communicator;

typedef struct {
  char internal[ID_BYTES];
} UniqueId;

int cudaGetDevice(int *device);
int cudaMalloc(void **pointer, size_t bytes);
int cudaFree(void *pointer);

static int made(Communicator **communicator, int ranks, int rank, int device) {
  Communicator *c = malloc(sizeof *c);
  if (!c) return SYSTEM_ERROR;
  *c = (Communicator){ranks, rank, device};
  *communicator = c;
  return SUCCESS;
}

static int made_here(Communicator **communicator, int ranks, int rank) {
  int device;
  cudaGetDevice(&device);
  return made(communicator, ranks, rank, device);
}

EXPORT int ncclGetUniqueId(UniqueId *id) { memset(id, 0, sizeof *id); return SUCCESS; }
EXPORT int ncclCommInitRank(Communicator **communicator, int ranks, UniqueId id, int rank) {
  (void)id;
  return made_here(communicator, ranks, rank);
}
EXPORT int ncclCommInitRankConfig(Communicator **communicator, int ranks, UniqueId id, int rank, void *configuration) {
  (void)id; (void)configuration;
  return made_here(communicator, ranks, rank);
}
EXPORT int ncclCommInitRankScalable(Communicator **communicator, int ranks, int rank) { return made_here(communicator, ranks, rank); }
EXPORT int ncclCommInitAll(Communicator **communicators, int count, const int *list) {
  int code = SUCCESS;
  for (int i = 0; i < count && code == SUCCESS; i++) code = made(&communicators[i], count, i, list ? list[i] : i);
  return code;
}
EXPORT int ncclCommSplit(const Communicator *from, int color, int key, Communicator **communicator) {
  (void)key;
  *communicator = NULL;
  return color < 0 ? SUCCESS : made(communicator, from->ranks, from->rank, from->device);
}
EXPORT int ncclCommDestroy(Communicator *communicator) { free(communicator); return SUCCESS; }
EXPORT int ncclCommAbort(Communicator *communicator) { free(communicator); return SUCCESS; }
EXPORT int ncclCommFinalize(void) { return SUCCESS; }
EXPORT int ncclCommCount(const Communicator *communicator, int *count) { *count = communicator->ranks; return SUCCESS; }
EXPORT int ncclCommUserRank(const Communicator *communicator, int *rank) { *rank = communicator->rank; return SUCCESS; }
EXPORT int ncclCommCuDevice(const Communicator *communicator, int *device) { *device = communicator->device; return SUCCESS; }
EXPORT int ncclCommGetAsyncError(const Communicator *communicator, int *error) { (void)communicator; *error = SUCCESS; return SUCCESS; }
EXPORT int ncclCommRegister(const Communicator *communicator, void *buffer, size_t bytes, void **handle) {
  (void)communicator; (void)bytes;
  *handle = buffer;
  return SUCCESS;
}
EXPORT int ncclMemAlloc(void **pointer, size_t bytes) { return cudaMalloc(pointer, bytes) ? 1 : SUCCESS; }
EXPORT int ncclMemFree(void *pointer) { return cudaFree(pointer) ? 1 : SUCCESS; }
EXPORT int ncclRedOpCreatePreMulSum(int *operation) { *operation = FIRST_OWN_OPERATION; return SUCCESS; }

/* What is sent is where it was, and what is received is not known. */
#define DONE(name) EXPORT int nccl##name(void) { standin_go_on(); return SUCCESS; }
DONE(AllGather)
DONE(AllReduce)
DONE(AlltoAll)
DONE(Bcast)
DONE(Broadcast)
DONE(CommDeregister)
DONE(Gather)
DONE(GroupEnd)
DONE(GroupStart)
DONE(Recv)
DONE(RedOpDestroy)
DONE(Reduce)
DONE(ReduceScatter)
DONE(Scatter)
DONE(Send)
