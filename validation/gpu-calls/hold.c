/*
 * Lets a program say when work on the streams of a real GPU is complete, as the stand-in for a GPU does: loaded before the
 * CUDA runtime, it makes a stream wait before each event that is recorded on it, until standin_complete() or the host's own
 * wait for the event lets it go on. It also notes where the driver places memory. The functions that drive it are those of
 * standin.c.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { MAX_STREAMS = 256, EVENTS = 1 << 16, PINNED_MAPPED = 2, NO_TIMING = 2, AT_LEAST = 0 };

typedef struct {
  void *handle;
  uint64_t submitted, completed;
  volatile uint32_t *counter; /* what the stream waits for, in memory that the GPU sees */
  void **marks;               /* an event of our own after each ticket */
  size_t room;
} Stream;

typedef struct {
  void *event;
  Stream *stream;
  uint64_t ticket;
} Record;

typedef struct {
  uint64_t *addresses;
  size_t count, room;
} Placed;

static Stream streams[MAX_STREAMS];
static int stream_count, holding;
static Record records[EVENTS];
static Placed blocks, ranges;

static void fail(const char *what) {
  fprintf(stderr, "hold: %s\n", what);
  abort();
}

static void *next(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) {
    /* Python loads the runtime for its own libraries only. */
    void *runtime = dlopen("libcudart.so.13", RTLD_NOW | RTLD_NOLOAD);
    if (!runtime) runtime = dlopen("libcudart.so.12", RTLD_NOW | RTLD_NOLOAD);
    found = runtime ? dlsym(runtime, name) : NULL;
  }
  if (!found) fail(name);
  return found;
}

#define REAL(type, name, ...)                   \
  static type (*real)(__VA_ARGS__);             \
  if (!real) *(void **)&real = next(#name)

static void note(Placed *p, uint64_t address) {
  if (p->count == p->room) {
    p->room = p->room ? 2 * p->room : 1024;
    p->addresses = realloc(p->addresses, p->room * sizeof(uint64_t));
    if (!p->addresses) abort();
  }
  p->addresses[p->count++] = address;
}

static Stream *stream_of(void *handle) {
  for (int i = 0; i < stream_count; i++)
    if (streams[i].handle == handle) return &streams[i];
  if (stream_count == MAX_STREAMS) fail("too many streams");
  Stream *s = &streams[stream_count++];
  s->handle = handle;
  REAL(int, cudaHostAlloc, void **, size_t, unsigned);
  if (real((void **)&s->counter, sizeof(uint32_t), PINNED_MAPPED)) fail("no memory of the host");
  *s->counter = 0;
  return s;
}

static Record *record_of(void *event) {
  size_t at = (uintptr_t)event / 16 % EVENTS;
  for (size_t i = 0; i < EVENTS; i++, at = (at + 1) % EVENTS)
    if (!records[at].event || records[at].event == event) return &records[at];
  fail("too many events");
  return NULL;
}

static void wait_in_stream(void *handle, volatile uint32_t *counter, uint32_t ticket) {
  static int (*wait)(void *, uint64_t, uint32_t, unsigned);
  if (!wait) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver) *(void **)&wait = dlsym(driver, "cuStreamWaitValue32_v2");
    if (!wait) fail("the driver has no cuStreamWaitValue32_v2");
  }
  if (wait(handle, (uint64_t)counter, ticket, AT_LEAST)) fail("the stream cannot wait");
}

static int record(void *event, void *handle, unsigned flags, int with_flags) {
  Stream *s = stream_of(handle);
  uint64_t ticket = ++s->submitted;
  if (holding) wait_in_stream(handle, s->counter, (uint32_t)ticket);
  int code;
  if (with_flags) {
    REAL(int, cudaEventRecordWithFlags, void *, void *, unsigned);
    code = real(event, handle, flags);
  } else {
    REAL(int, cudaEventRecord, void *, void *);
    code = real(event, handle);
  }
  Record *r = record_of(event);
  *r = (Record){event, s, ticket};
  if (holding) {
    if (ticket >= s->room) {
      s->room = 2 * ticket + 64;
      s->marks = realloc(s->marks, s->room * sizeof(void *));
      if (!s->marks) abort();
    }
    REAL(int, cudaEventCreateWithFlags, void **, unsigned);
    if (real(&s->marks[ticket], NO_TIMING)) fail("no event");
    static int (*mark)(void *, void *);
    if (!mark) *(void **)&mark = next("cudaEventRecord");
    if (mark(s->marks[ticket], handle)) fail("no mark");
  } else {
    s->completed = ticket;
  }
  return code;
}

static void complete(Stream *s, uint64_t ticket) {
  if (ticket > s->submitted) ticket = s->submitted;
  if (!holding || ticket <= s->completed) return;
  __atomic_store_n(s->counter, (uint32_t)ticket, __ATOMIC_SEQ_CST);
  REAL(int, cudaEventSynchronize, void *);
  if (real(s->marks[ticket])) fail("the stream does not go on");
  static int (*destroy)(void *);
  if (!destroy) *(void **)&destroy = next("cudaEventDestroy");
  while (s->completed < ticket) destroy(s->marks[++s->completed]);
}

static void complete_all(void) {
  for (int i = 0; i < stream_count; i++) complete(&streams[i], streams[i].submitted);
}

/* ---- Control ---- */

EXPORT void standin_memory(uint64_t bytes) { (void)bytes; }
EXPORT void standin_ascend_every(int n) { (void)n; }
EXPORT void standin_hold(int hold) { holding = hold; }
EXPORT uint64_t standin_submitted(void *stream) { return stream_of(stream)->submitted; }
EXPORT void standin_complete(void *stream, uint64_t pieces) { complete(stream_of(stream), pieces); }

/* The addresses of all blocks (or ranges) so far; they stay here. */
EXPORT size_t hold_placed(int ranges_instead, uint64_t **addresses) {
  Placed *p = ranges_instead ? &ranges : &blocks;
  *addresses = p->addresses;
  return p->count;
}

/* ---- What PyTorch calls ---- */

EXPORT int cudaEventRecord(void *event, void *stream) { return record(event, stream, 0, 0); }
EXPORT int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags) { return record(event, stream, flags, 1); }

EXPORT int cudaEventSynchronize(void *event) {
  Record *r = record_of(event);
  if (r->event) complete(r->stream, r->ticket);
  REAL(int, cudaEventSynchronize, void *);
  return real(event);
}

EXPORT int cudaStreamSynchronize(void *stream) {
  Stream *s = stream_of(stream);
  complete(s, s->submitted);
  REAL(int, cudaStreamSynchronize, void *);
  return real(stream);
}

EXPORT int cudaDeviceSynchronize(void) {
  complete_all();
  REAL(int, cudaDeviceSynchronize, void);
  return real();
}

EXPORT int cudaMalloc(void **pointer, size_t bytes) {
  REAL(int, cudaMalloc, void **, size_t);
  int code = real(pointer, bytes);
  if (!code) note(&blocks, (uint64_t)*pointer);
  return code;
}

/* It waits for all work on the device. */
EXPORT int cudaFree(void *pointer) {
  if (pointer) complete_all();
  REAL(int, cudaFree, void *);
  return real(pointer);
}

static int (*reserve)(uint64_t *, size_t, size_t, uint64_t, unsigned long long);

static int reserve_and_note(uint64_t *start, size_t bytes, size_t alignment, uint64_t wish, unsigned long long flags) {
  int code = reserve(start, bytes, alignment, wish, flags);
  if (!code) note(&ranges, *start);
  return code;
}

EXPORT int cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version, unsigned long long flags,
                                            int *status) {
  REAL(int, cudaGetDriverEntryPointByVersion, const char *, void **, unsigned, unsigned long long, int *);
  int code = real(symbol, function, version, flags, status);
  if (!code && !strcmp(symbol, "cuMemAddressReserve")) {
    *(void **)&reserve = *function;
    *function = (void *)reserve_and_note;
  }
  return code;
}
