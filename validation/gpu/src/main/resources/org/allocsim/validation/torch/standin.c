/*
 * A stand-in for a GPU: what PyTorch's caching allocator asks of the CUDA runtime, the CUDA driver and NVML. It computes
 * nothing. Device memory is reserved address space that nobody can read or write; what is free is counted in pages of
 * 2 MiB. Work on a stream is complete at once or, after standin_hold(1), when the program that drives it says so, or the
 * host waits for it.
 *
 * It is loaded before all other libraries, under the name of the driver's, so that its functions come before those of the
 * real runtime. Functions that are not here are the real runtime's, which finds no driver. The declarations are those of
 * CUDA 12 and 13, written out so that no header of CUDA is needed. Addresses follow org.allocsim.validation.torch.StandInDevice.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

/* Error codes that runtime and driver share. */
enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_DEVICE = 101, NOT_READY = 600, NOT_SUPPORTED = 801 };

enum { PROPERTIES_BYTES = 1008 };

/* The card whose place it takes, as far as PyTorch asks; a program that drives it may set another (standin_card). */
typedef struct {
  char name[128];
  int major, minor, multiprocessors, threads, blocks;
  size_t block_shared_bytes, shared_bytes;
  int cache_bytes;
} Card;

static Card card = {"stand-in (computes nothing)", 9, 0, 132, 2048, 32, 227 << 10, 228 << 10, 50 << 20};

static const uint64_t DEVICE_BYTES = 80ull << 30;
static const uint64_t PAGE_BYTES = 2ull << 20;
static const uint64_t RANGE_UNIT_BYTES = 32ull << 20;

/* Address ranges for cuMemAddressReserve, lowest gap first. */
static const uint64_t RANGES_START = 0x100000000000ull;
/* Blocks of cudaMalloc descend from the middle of their address space, those that ascend start there. */
static const uint64_t BLOCKS_START = 0x200000000000ull;
static const uint64_t SPACE_BYTES = 0x080000000000ull;

typedef struct {
  uint64_t start, bytes;
  int device;
} Span;

/* Spans sorted by address. */
typedef struct {
  Span *spans;
  size_t count, room;
} Spans;

typedef struct Stream Stream;

typedef struct Event {
  Stream *stream;
  uint64_t ticket;
} Event;

/* What a stream does after so many pieces waits for another's. */
typedef struct {
  uint64_t pieces;
  Event event;
} Wait;

struct Stream {
  uint64_t submitted, completed;
  int capture; /* id of the capture under way, 0 for none */
  Wait *waits; /* those that may not be over are from the first one on, in order */
  size_t first_wait, wait_count, wait_room;
  Stream *next;
};

typedef struct {
  uint64_t bytes;
  int device;
} Handle;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum { MAX_DEVICES = 64 };

static uint64_t total_bytes, own_free_bytes[MAX_DEVICES];
static uint64_t *free_bytes = own_free_bytes; /* of each device; whole programs keep them where their processes see each other's */
static uint64_t beyond_bytes; /* part of each device's free bytes that it does not show */
static uint64_t unusable_bytes; /* free bytes that no request gets */
static Spans blocks, ranges;
static Stream null_stream;
static Stream *others; /* every stream that was made */
static int devices = 1; /* all alike, each with its own memory */
static __thread int current_device;
static int holding, last_error, captures, ascending_every;
static uint64_t placed, waits, unready;
static int questions; /* asked in a row for work that is not complete */
static const int BEHIND = 2, PATIENCE = 10000;

/* Addresses that another run was given, in order; used up before the rules of this device. */
typedef struct {
  uint64_t *addresses;
  size_t count, used;
} Given;
static Given given_blocks, given_ranges;

static uint64_t pages(uint64_t bytes) { return (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES; }

/* The address space is reserved without access, so that a stray use of device memory stops the process. */
static void reserve(uint64_t start, uint64_t bytes) {
  void *got = mmap((void *)start, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != (void *)start) {
    fprintf(stderr, "standin: cannot reserve %llu bytes of address space at %#llx\n", (unsigned long long)bytes,
            (unsigned long long)start);
    abort();
  }
}

static void set_memory(uint64_t total, uint64_t free) {
  total_bytes = total;
  for (int i = 0; i < MAX_DEVICES; i++) free_bytes[i] = free;
}

__attribute__((constructor)) static void start(void) {
  set_memory(DEVICE_BYTES, DEVICE_BYTES);
  reserve(RANGES_START, SPACE_BYTES);
  reserve(BLOCKS_START, SPACE_BYTES);
}

static int result(int code) {
  if (code != SUCCESS && code != NOT_READY) last_error = code;
  return code;
}

/* ---- Spans ---- */

/* The index of the first span that starts after the address. */
static size_t after(const Spans *s, uint64_t address) {
  size_t low = 0, high = s->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (s->spans[middle].start > address) high = middle;
    else low = middle + 1;
  }
  return low;
}

static void insert(Spans *s, uint64_t start, uint64_t bytes, int device) {
  if (s->count == s->room) {
    s->room = s->room ? 2 * s->room : 64;
    s->spans = realloc(s->spans, s->room * sizeof(Span));
    if (!s->spans) abort();
  }
  size_t at = after(s, start);
  memmove(s->spans + at + 1, s->spans + at, (s->count - at) * sizeof(Span));
  s->spans[at] = (Span){start, bytes, device};
  s->count++;
}

/* The index of the span that contains the address, or -1. */
static ptrdiff_t containing(const Spans *s, uint64_t address) {
  ptrdiff_t at = (ptrdiff_t)after(s, address) - 1;
  return at >= 0 && address - s->spans[at].start < s->spans[at].bytes ? at : -1;
}

static void erase(Spans *s, size_t at) {
  memmove(s->spans + at, s->spans + at + 1, (s->count - at - 1) * sizeof(Span));
  s->count--;
}

/* The start of the lowest gap of at least these bytes. */
static uint64_t lowest_gap(const Spans *s, uint64_t from, uint64_t bytes) {
  uint64_t candidate = from;
  for (size_t i = after(s, from - 1); i < s->count; i++) {
    if (s->spans[i].start - candidate >= bytes) return candidate;
    candidate = s->spans[i].start + s->spans[i].bytes;
  }
  return candidate;
}

/* The start of a span at the top of the highest gap of at least these bytes. */
static uint64_t highest_gap(const Spans *s, uint64_t below, uint64_t bytes) {
  uint64_t limit = below;
  for (size_t i = after(s, below); i-- > 0;) {
    uint64_t end = s->spans[i].start + s->spans[i].bytes;
    if (end <= limit && limit - end >= bytes) break;
    if (s->spans[i].start < limit) limit = s->spans[i].start;
  }
  return limit - bytes;
}

/* ---- Control, for the programs that drive the stand-in ---- */

/* Gives each device this much memory; nothing may be allocated. */
EXPORT void standin_memory(uint64_t bytes) { set_memory(bytes, bytes); }

/* Shows this many devices, as a rank of a job sees those of its host. */
EXPORT void standin_devices(int count) { devices = count < MAX_DEVICES ? count : MAX_DEVICES; }

/* Lets requests succeed beyond the memory that the device shows, so that a program that does not fit shows its need. */
EXPORT void standin_beyond(uint64_t bytes) {
  for (int i = 0; i < MAX_DEVICES; i++) free_bytes[i] += bytes;
  beyond_bytes += bytes;
}

/* Takes the place of this card; the figures of a multiprocessor follow from its compute capability (CUDA C++ Programming
   Guide 13.0, "Technical Specifications per Compute Capability"). */
EXPORT void standin_card(const char *name, int major, int minor, int multiprocessors) {
  Card made = {.major = major, .minor = minor, .multiprocessors = multiprocessors, .threads = 2048};
  strncpy(made.name, name, sizeof made.name - 1);
  int capability = 10 * major + minor;
  made.blocks = capability == 75 || capability == 86 || capability == 87 ? 16 : capability == 89 || major == 12 ? 24 : 32;
  if (capability == 75) made.threads = 1024;
  else if (capability == 86 || capability == 87 || capability == 89 || major == 12) made.threads = 1536;
  made.shared_bytes = (capability < 75    ? 96
                       : capability == 75 ? 64
                       : capability == 80 || capability == 87 ? 164
                       : capability < 90  ? 100
                       : major == 12      ? 100
                                          : 228) << 10;
  /* From 8.0 on the system keeps 1 KiB of each block's. */
  made.block_shared_bytes = made.shared_bytes - (major >= 8 ? 1 << 10 : 0);
  card = made;
}

/* Takes memory of each device as another process would, or gives it back where negative. */
EXPORT void standin_take(int64_t bytes) {
  for (int i = 0; i < MAX_DEVICES; i++) free_bytes[i] -= bytes;
}

/* Every n-th block ascends from a second base instead of descending from the first; 0: none does. */
EXPORT void standin_ascend_every(int n) { ascending_every = n; placed = 0; }

/* With 1, work on streams stays incomplete until it is completed explicitly or waited for; with BEHIND it is done only when
   the host waits for it, and with it what it waits for in its turn: a GPU that is as far behind its host as can be. */
EXPORT void standin_hold(int hold) { holding = hold; }

static Stream *stream_of(void *stream) { return (uintptr_t)stream <= 2 ? &null_stream : stream; }

/* Work that was submitted to the stream, in pieces; each record of an event is one. */
EXPORT uint64_t standin_submitted(void *stream) { return stream_of(stream)->submitted; }

/* Completes this many pieces of the stream's work, counted from its start. */
EXPORT void standin_complete(void *stream, uint64_t pieces) {
  Stream *s = stream_of(stream);
  if (pieces > s->submitted) pieces = s->submitted;
  if (pieces > s->completed) s->completed = pieces;
}

/* How often the host asked for work that it had not waited for. */
EXPORT uint64_t standin_unready(void) { return unready; }

/* How often the host waited for work that was not complete. */
EXPORT uint64_t standin_waits(void) { return waits; }

/* Places blocks (or ranges) where another device placed them; the addresses stay the caller's. */
EXPORT void standin_place(int ranges_instead, uint64_t *addresses, size_t count) {
  *(ranges_instead ? &given_ranges : &given_blocks) = (Given){addresses, count, 0};
}

/* ---- Device ---- */

EXPORT int cudaGetDeviceCount(int *count) { *count = devices; return SUCCESS; }
EXPORT int cudaGetDevice(int *device) { *device = current_device; return SUCCESS; }
static int missing_device = -1;

/* The highest number of a device that was asked for and is not there, or -1. */
EXPORT int64_t standin_missing_device(void) { return missing_device; }

EXPORT int cudaSetDevice(int device) {
  if (device < 0 || device >= devices) {
    if (device > missing_device) missing_device = device;
    return result(INVALID_DEVICE);
  }
  current_device = device;
  return SUCCESS;
}
EXPORT int cudaDriverGetVersion(int *version) { *version = 13000; return SUCCESS; }
EXPORT int cudaRuntimeGetVersion(int *version) { *version = 13000; return SUCCESS; }
EXPORT int cudaDeviceCanAccessPeer(int *can, int from, int to) { (void)from; (void)to; *can = 0; return SUCCESS; }
EXPORT int cudaDeviceEnablePeerAccess(int peer, unsigned flags) { (void)peer; (void)flags; return SUCCESS; }
EXPORT int cudaDeviceGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -5; return SUCCESS; }

/* Only CUDA 13's layout is known; PyTorch asks CUDA 12 for it by another name. */
EXPORT int cudaGetDeviceProperties(void *properties, int device) {
  char *p = memset(properties, 0, PROPERTIES_BYTES);
  memcpy(p, card.name, sizeof card.name);
  p[256] = (char)device; /* UUID */
  memcpy(p + 288, &total_bytes, sizeof total_bytes);
  const struct { int offset, value; } known[] = {
      {296, 48 << 10},                        /* shared memory of a block, without asking for more */
      {304, 65536},                           /* registers of a block */
      {308, 32},                              /* threads of a warp */
      {320, 1024},                            /* threads of a block */
      {324, 1024}, {328, 1024}, {332, 64},    /* its sides */
      {336, INT32_MAX}, {340, 65535}, {344, 65535}, /* sides of a grid */
      {360, card.major},
      {364, card.minor},
      {384, card.multiprocessors},
      {588, 1},                               /* unified addressing */
      {596, card.cache_bytes},                /* L2 */
      {604, card.threads},
      {624, (int)card.shared_bytes},
      {632, 65536},                           /* registers of a multiprocessor */
      {668, 1},                               /* cooperative launches */
      {672, (int)card.block_shared_bytes},    /* shared memory of a block that asks for it */
      {688, card.blocks},                     /* blocks of a multiprocessor */
      {696, card.major >= 8 ? 1 << 10 : 0},   /* shared memory that the system keeps of each block's */
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) memcpy(p + known[i].offset, &known[i].value, sizeof(int));
  return SUCCESS;
}

static int done(const Stream *s, uint64_t ticket) { return !holding || s->completed >= ticket; }

static void finish(Stream *s, uint64_t ticket) {
  if (!done(s, ticket)) waits++;
  if (s->completed >= ticket) return;
  s->completed = ticket;
  while (s->first_wait < s->wait_count && s->waits[s->first_wait].pieces < ticket) {
    Event event = s->waits[s->first_wait++].event;
    finish(event.stream, event.ticket);
  }
}

/* What follows on a stream begins after an event. */
static void begin_after(Stream *s, const Event *event) {
  if (s == event->stream || done(event->stream, event->ticket)) return;
  if (s->first_wait == s->wait_count) s->first_wait = s->wait_count = 0;
  if (s->wait_count == s->wait_room) {
    s->wait_room = s->wait_room ? 2 * s->wait_room : 16;
    s->waits = realloc(s->waits, s->wait_room * sizeof(Wait));
    if (!s->waits) abort();
  }
  s->waits[s->wait_count++] = (Wait){s->submitted, *event};
}

/* The answer to a question for work. Who asks on and on, and does nothing else, waits for it. */
static int ask(Stream *s, uint64_t ticket) {
  if (s->completed < ticket) unready++;
  if (done(s, ticket)) return SUCCESS;
  if (holding == BEHIND && ++questions > PATIENCE) finish(s, ticket);
  return NOT_READY;
}

EXPORT int cudaDeviceSynchronize(void) {
  finish(&null_stream, null_stream.submitted);
  for (Stream *s = others; s; s = s->next) finish(s, s->submitted);
  return SUCCESS;
}

EXPORT int cudaGetLastError(void) {
  int error = last_error;
  last_error = SUCCESS;
  return error;
}

EXPORT int cudaPeekAtLastError(void) { return last_error; }

/* What the runtime that is loaded calls an error: its functions need no device. */
static const char *text_of(const char *function, int code, const char *otherwise) {
  const char *(*real)(int) = (const char *(*)(int))dlsym(RTLD_NEXT, function);
  const char *const libraries[] = {"libcudart.so.13", "libcudart.so.12"};
  for (size_t i = 0; !real && i < sizeof libraries / sizeof libraries[0]; i++) {
    void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library) real = (const char *(*)(int))dlsym(library, function);
  }
  return real ? real(code) : otherwise;
}

EXPORT const char *cudaGetErrorName(int code) {
  return text_of("cudaGetErrorName", code, code == OUT_OF_MEMORY ? "cudaErrorMemoryAllocation" : "cudaError");
}
EXPORT const char *cudaGetErrorString(int code) {
  switch (code) {
    case SUCCESS: return "no error";
    case OUT_OF_MEMORY: return "out of memory";
    case NOT_READY: return "device not ready";
    case INVALID_VALUE: return "invalid argument";
    default: return text_of("cudaGetErrorString", code, "operation not supported");
  }
}

/* ---- Memory ---- */

EXPORT int cudaMemGetInfo(size_t *free, size_t *total) {
  uint64_t left = free_bytes[current_device];
  *free = left > beyond_bytes ? left - beyond_bytes : 0;
  *total = total_bytes;
  return SUCCESS;
}

/* A process that asks a device for memory uses it from then on. */
#ifdef HAS_KERNELS
static void use(int device);
#else
static void use(int device) { (void)device; }
#endif

static int fits(uint64_t bytes, int device) {
  use(device);
  return bytes <= free_bytes[device] && free_bytes[device] - bytes >= unusable_bytes;
}

EXPORT int cudaMalloc(void **pointer, size_t bytes) {
  pthread_mutex_lock(&lock);
  uint64_t taken = pages(bytes);
  int code = SUCCESS;
  if (taken < bytes || !fits(taken, current_device)) {
    code = OUT_OF_MEMORY;
  } else {
    uint64_t middle = BLOCKS_START + SPACE_BYTES / 2;
    int ascends = ascending_every && ++placed % (uint64_t)ascending_every == 0;
    uint64_t start = given_blocks.used < given_blocks.count ? given_blocks.addresses[given_blocks.used++]
                     : ascends                              ? lowest_gap(&blocks, middle, taken)
                                                            : highest_gap(&blocks, middle, taken);
    insert(&blocks, start, taken, current_device);
    free_bytes[current_device] -= taken;
    *pointer = (void *)start;
  }
  pthread_mutex_unlock(&lock);
  return result(code);
}

/* As CUDA's, it waits for all work on the device. */
EXPORT int cudaFree(void *pointer) {
  if (!pointer) return SUCCESS;
  cudaDeviceSynchronize();
  pthread_mutex_lock(&lock);
  ptrdiff_t at = containing(&blocks, (uint64_t)pointer);
  int code = at >= 0 && blocks.spans[at].start == (uint64_t)pointer ? SUCCESS : INVALID_VALUE;
  if (code == SUCCESS) {
    free_bytes[blocks.spans[at].device] += blocks.spans[at].bytes;
    erase(&blocks, (size_t)at);
  }
  pthread_mutex_unlock(&lock);
  return result(code);
}

/* ---- Streams and events ---- */

EXPORT int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
  (void)flags; (void)priority;
  Stream *s = calloc(1, sizeof(Stream));
  if (!s) abort();
  s->next = others;
  others = s;
  *stream = s;
  return SUCCESS;
}

/* Streams live until the process ends: events may still name them. */
EXPORT int cudaStreamDestroy(void *stream) { (void)stream; return SUCCESS; }
EXPORT int cudaStreamGetPriority(void *stream, int *priority) { (void)stream; *priority = 0; return SUCCESS; }
EXPORT int cudaStreamQuery(void *stream) {
  Stream *s = stream_of(stream);
  return ask(s, s->submitted);
}
EXPORT int cudaStreamSynchronize(void *stream) {
  Stream *s = stream_of(stream);
  /* One piece more than was submitted, so that what it last waited for is over, too. */
  if (holding == BEHIND) finish(s, ++s->submitted);
  else standin_complete(stream, UINT64_MAX);
  return SUCCESS;
}
EXPORT int cudaStreamWaitEvent(void *stream, void *event, unsigned flags) {
  (void)flags;
  const Event *e = event;
  if (holding == BEHIND && e->stream) begin_after(stream_of(stream), e);
  return SUCCESS;
}

EXPORT int cudaEventCreateWithFlags(void **event, unsigned flags) {
  (void)flags;
  *event = calloc(1, sizeof(Event));
  if (!*event) abort();
  return SUCCESS;
}
EXPORT int cudaEventDestroy(void *event) { free(event); return SUCCESS; }
EXPORT int cudaEventRecord(void *event, void *stream) {
  Event *e = event;
  e->stream = stream_of(stream);
  e->ticket = ++e->stream->submitted;
  questions = 0;
  return SUCCESS;
}
EXPORT int cudaEventRecordWithFlags(void *event, void *stream, unsigned flags) { (void)flags; return cudaEventRecord(event, stream); }
EXPORT int cudaEventQuery(void *event) {
  const Event *e = event;
  return e->stream ? ask(e->stream, e->ticket) : SUCCESS;
}
EXPORT int cudaEventSynchronize(void *event) {
  Event *e = event;
  if (e->stream) finish(e->stream, e->ticket);
  return SUCCESS;
}
EXPORT int cudaEventElapsedTime(float *milliseconds, void *from, void *to) {
  (void)from; (void)to;
  *milliseconds = 1;
  return SUCCESS;
}

/* ---- Captures ---- */

EXPORT int cudaThreadExchangeStreamCaptureMode(int *mode) { *mode = 0; return SUCCESS; }

EXPORT int cudaStreamBeginCapture(void *stream, int mode) {
  (void)mode;
  stream_of(stream)->capture = ++captures;
  return SUCCESS;
}

EXPORT int cudaStreamEndCapture(void *stream, void **graph) {
  stream_of(stream)->capture = 0;
  *graph = &captures;
  return SUCCESS;
}

EXPORT int cudaStreamIsCapturing(void *stream, int *status) { *status = stream_of(stream)->capture != 0; return SUCCESS; }

EXPORT int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph,
                                    const void ***dependencies, const void **edges, size_t *dependency_count) {
  int capture = stream_of(stream)->capture;
  *status = capture != 0;
  if (id) *id = (unsigned long long)capture;
  if (graph) *graph = capture ? &captures : NULL;
  if (dependencies) *dependencies = NULL;
  if (edges) *edges = NULL;
  if (dependency_count) *dependency_count = 0;
  return SUCCESS;
}

EXPORT int cudaGraphNodeGetDependencies(void *node, void **nodes, void *edges, size_t *count) {
  (void)node; (void)nodes; (void)edges;
  *count = 0;
  return SUCCESS;
}

EXPORT int cudaGraphInstantiateWithFlags(void **made, void *graph, unsigned long long flags) {
  (void)graph; (void)flags;
  *made = &captures;
  return SUCCESS;
}
EXPORT int cudaGraphInstantiate(void **made, void *graph, unsigned long long flags) { return cudaGraphInstantiateWithFlags(made, graph, flags); }
EXPORT int cudaGraphLaunch(void *graph, void *stream) { (void)graph; (void)stream; return SUCCESS; }
EXPORT int cudaGraphDestroy(void *graph) { (void)graph; return SUCCESS; }
EXPORT int cudaGraphExecDestroy(void *graph) { (void)graph; return SUCCESS; }
/* One node, so that nobody takes a graph for empty. */
EXPORT int cudaGraphGetNodes(void *graph, void **nodes, size_t *count) {
  (void)graph;
  if (nodes && *count) nodes[0] = &captures;
  *count = 1;
  return SUCCESS;
}
EXPORT int cudaGraphRetainUserObject(void) { return SUCCESS; }
EXPORT int cudaUserObjectCreate(void **object, void *data, void (*destroy)(void *), unsigned count, unsigned flags) {
  (void)data; (void)destroy; (void)count; (void)flags;
  *object = &captures;
  return SUCCESS;
}
EXPORT int cudaUserObjectRelease(void) { return SUCCESS; }
EXPORT int cudaStreamUpdateCaptureDependencies(void) { return SUCCESS; }

/* ---- Virtual memory: the driver's functions, which PyTorch asks for by name ---- */

EXPORT int cuGetErrorString(int code, const char **text) { *text = cudaGetErrorString(code); return SUCCESS; }
/* No attribute that the allocator asks for is there: neither handles for a fabric nor GPUDirect. */
static int device_attribute(int *value, int attribute, int device) {
  (void)attribute; (void)device;
  *value = 0;
  return SUCCESS;
}
EXPORT int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return SUCCESS; }

EXPORT int cuMemGetAllocationGranularity(size_t *bytes, const void *properties, int option) {
  (void)properties; (void)option;
  *bytes = PAGE_BYTES;
  return SUCCESS;
}

EXPORT int cuMemAddressReserve(uint64_t *start, size_t bytes, size_t alignment, uint64_t wish, unsigned long long flags) {
  (void)alignment; (void)wish; (void)flags;
  pthread_mutex_lock(&lock);
  uint64_t taken = (bytes + RANGE_UNIT_BYTES - 1) / RANGE_UNIT_BYTES * RANGE_UNIT_BYTES;
  *start = given_ranges.used < given_ranges.count ? given_ranges.addresses[given_ranges.used++]
                                                  : lowest_gap(&ranges, RANGES_START, taken);
  insert(&ranges, *start, taken, current_device);
  pthread_mutex_unlock(&lock);
  return SUCCESS;
}

EXPORT int cuMemAddressFree(uint64_t start, size_t bytes) {
  (void)bytes;
  pthread_mutex_lock(&lock);
  ptrdiff_t at = containing(&ranges, start);
  if (at >= 0) erase(&ranges, (size_t)at);
  pthread_mutex_unlock(&lock);
  return at >= 0 ? SUCCESS : INVALID_VALUE;
}

/* The start of the driver's CUmemAllocationProp. */
typedef struct {
  int type, handle_types, location_type, device;
} Properties;

/* As CUDA's, it makes whole pages only. */
EXPORT int cuMemCreate(uint64_t *handle, size_t bytes, const Properties *properties, unsigned long long flags) {
  (void)flags;
  int device = properties ? properties->device : current_device;
  if (bytes % PAGE_BYTES || device < 0 || device >= devices) return INVALID_VALUE;
  pthread_mutex_lock(&lock);
  int code = fits(bytes, device) ? SUCCESS : OUT_OF_MEMORY;
  if (code == SUCCESS) {
    Handle *h = malloc(sizeof(Handle));
    if (!h) abort();
    *h = (Handle){bytes, device};
    free_bytes[device] -= bytes;
    *handle = (uint64_t)h;
  }
  pthread_mutex_unlock(&lock);
  return code;
}

EXPORT int cuMemRelease(uint64_t handle) {
  pthread_mutex_lock(&lock);
  Handle *h = (Handle *)handle;
  free_bytes[h->device] += h->bytes;
  free(h);
  pthread_mutex_unlock(&lock);
  return SUCCESS;
}

EXPORT int cuMemMap(uint64_t start, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags) {
  (void)bytes; (void)offset; (void)flags;
  pthread_mutex_lock(&lock);
  ptrdiff_t at = containing(&ranges, start);
  if (at >= 0) ranges.spans[at].device = ((const Handle *)handle)->device;
  pthread_mutex_unlock(&lock);
  return SUCCESS;
}
EXPORT int cuMemUnmap(uint64_t start, size_t bytes) { (void)start; (void)bytes; return SUCCESS; }
EXPORT int cuMemSetAccess(uint64_t start, size_t bytes, const void *access, size_t count) {
  (void)start; (void)bytes; (void)access; (void)count;
  return SUCCESS;
}

EXPORT int cuMemGetAddressRange_v2(uint64_t *start, size_t *bytes, uint64_t address) {
  pthread_mutex_lock(&lock);
  ptrdiff_t at = containing(&blocks, address);
  if (at >= 0) {
    *start = blocks.spans[at].start;
    *bytes = blocks.spans[at].bytes;
  }
  pthread_mutex_unlock(&lock);
  return at >= 0 ? SUCCESS : INVALID_VALUE;
}

#ifdef HAS_KERNELS
/* The function of the driver of this name that this library has; it may be one that says that it is not there. */
static void *driver_function(const char *symbol);
#else
static int not_supported(void) { return NOT_SUPPORTED; }
static void *driver_function(const char *symbol) { (void)symbol; return not_supported; }
#endif

EXPORT int cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version,
                                            unsigned long long flags, int *status) {
  (void)version; (void)flags;
  static const struct { const char *name; void *function; } known[] = {
      {"cuGetErrorString", cuGetErrorString},
      {"cuDeviceGet", cuDeviceGet},
      {"cuDeviceGetAttribute", device_attribute},
      {"cuMemGetAllocationGranularity", cuMemGetAllocationGranularity},
      {"cuMemAddressReserve", cuMemAddressReserve},
      {"cuMemAddressFree", cuMemAddressFree},
      {"cuMemCreate", cuMemCreate},
      {"cuMemRelease", cuMemRelease},
      {"cuMemMap", cuMemMap},
      {"cuMemUnmap", cuMemUnmap},
      {"cuMemSetAccess", cuMemSetAccess},
      {"cuMemGetAddressRange", cuMemGetAddressRange_v2},
  };
  *function = NULL;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (!strcmp(symbol, known[i].name)) *function = known[i].function;
  if (!*function) *function = driver_function(symbol);
  /* 1: the driver has no such symbol. */
  if (status) *status = !*function;
  return SUCCESS;
}

/* ---- NVML, which PyTorch asks about fabrics and, for its message about memory, about processes; whole programs have more of it ---- */

#ifndef HAS_KERNELS
EXPORT int nvmlInit_v2(void) { return SUCCESS; }
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device) {
  (void)id;
  *device = &total_bytes;
  return SUCCESS;
}
EXPORT int nvmlDeviceGetGpuFabricInfoV(void *device, void *information) { (void)device; (void)information; return SUCCESS; } /* state 0: there is no fabric */
EXPORT int nvmlDeviceGetNvLinkRemoteDeviceType(void) { return 3; }
EXPORT int nvmlDeviceGetNvLinkRemotePciInfo_v2(void) { return 3; }
EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = 13000; return SUCCESS; }
/* Without processes the message about memory names none. */
EXPORT int nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count, void *processes) {
  (void)device; (void)processes;
  *count = 0;
  return SUCCESS;
}
#endif

/* ---- What PyTorch looks up when it starts, and never calls for the allocator's sake ---- */

EXPORT int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) {
  (void)device;
  *flags = 0;
  *active = 1;
  return SUCCESS;
}

/* A context is there from the start; whole programs have one for each device. */
#ifndef HAS_KERNELS
EXPORT int cuCtxGetCurrent(void **context) { *context = &total_bytes; return SUCCESS; }
EXPORT int cuCtxSetCurrent(void *context) { (void)context; return SUCCESS; }
#endif

/* What a mock driver for whole programs has, or refuses by name. */
#ifndef HAS_KERNELS
#define ABSENT(name) EXPORT int name(void) { return NOT_SUPPORTED; }
ABSENT(cuDeviceGetAttribute)
ABSENT(cuDevicePrimaryCtxRetain)
ABSENT(cuFuncGetAttribute)
ABSENT(cuLinkAddData_v2)
ABSENT(cuLinkComplete)
ABSENT(cuLinkCreate_v2)
ABSENT(cuPointerGetAttribute)
ABSENT(cuTensorMapEncodeTiled)
ABSENT(cuFuncSetAttribute)
ABSENT(cuFuncSetCacheConfig)
ABSENT(cuLaunchCooperativeKernel)
ABSENT(cuLaunchKernel)
ABSENT(cuModuleGetFunction)
ABSENT(cuModuleLoad)
ABSENT(cuModuleLoadData)
ABSENT(cuModuleLoadDataEx)
ABSENT(cuModuleUnload)
ABSENT(cuOccupancyMaxActiveBlocksPerMultiprocessor)
#endif
