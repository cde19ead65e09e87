/*
 * The workspaces that the program's own cuDNN plans for a convolution. From 9.8 on, cuDNN plans for a device that is described instead of
 * present (descriptors of kind CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR), so that it chooses kernels and says their workspaces as on the card,
 * but for partial results, which partials.c adds. A plan itself is not made: its workspace is that of its configuration. Attributes go by the numbers of cudnn_graph.h.
 */
#define _GNU_SOURCE
#include "planner.h"

#include "mock.h"
#include "partials.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0 };
enum { CONVOLUTION = 1, ENGINE = 2, CONFIGURATION = 3, HEURISTICS = 4, KNOB = 7, FORWARD = 10, GRAPH = 15, TENSOR = 17, DEVICE = 38 };
enum { TYPE_DATA = 1, TYPE_INT64 = 3, TYPE_FLOAT = 4, TYPE_MODE_OF_CONVOLUTION = 7, TYPE_MODE_OF_HEURISTICS = 8, TYPE_KNOB = 9, TYPE_DESCRIPTOR = 15, TYPE_CHAR = 24 };
static const size_t FIRST_RELEASE = 90800;

Cudnn real_cudnn;
static __thread int inside;
static void *device;

int cudnn_is_asking(void) { return inside; }

/* What was made for one question. */
typedef struct {
  void *made[16];
  int count, failed;
} Parts;

static void *part(Parts *parts, int kind) {
  void *d = NULL;
  if (parts->failed || real_cudnn.create(kind, &d) != SUCCESS) {
    parts->failed = 1;
    return NULL;
  }
  parts->made[parts->count++] = d;
  return d;
}

static void set(Parts *parts, void *d, int name, int type, int64_t count, const void *data) {
  if (!parts->failed && real_cudnn.set(d, name, type, count, data) != SUCCESS) parts->failed = 1;
}

static void finish(Parts *parts, void *d) {
  if (!parts->failed && real_cudnn.finalize(d) != SUCCESS) parts->failed = 1;
}

static void drop(Parts *parts) {
  while (parts->count) real_cudnn.destroy(parts->made[--parts->count]);
}

static int described(void) {
  char text[2048];
  if (!card_as_json(text, sizeof text) || real_cudnn.create(DEVICE, &device) != SUCCESS) return 0;
  return real_cudnn.set(device, 2702, TYPE_CHAR, (int64_t)strlen(text) + 1, text) == SUCCESS && real_cudnn.finalize(device) == SUCCESS;
}

static void find(void) {
  void *library = dlopen("libcudnn.so.9", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  size_t (*version)(void) = (size_t (*)(void))dlsym(library, "cudnnGetVersion");
  if (!version || version() < FIRST_RELEASE) return;
  real_cudnn.create = (int (*)(int, void **))dlsym(library, "cudnnBackendCreateDescriptor");
  real_cudnn.destroy = (int (*)(void *))dlsym(library, "cudnnBackendDestroyDescriptor");
  real_cudnn.finalize = (int (*)(void *))dlsym(library, "cudnnBackendFinalize");
  real_cudnn.set = (int (*)(void *, int, int, int64_t, const void *))dlsym(library, "cudnnBackendSetAttribute");
  real_cudnn.get = (int (*)(void *, int, int, int64_t, int64_t *, void *))dlsym(library, "cudnnBackendGetAttribute");
  if (!real_cudnn.create || !real_cudnn.destroy || !real_cudnn.finalize || !real_cudnn.set || !real_cudnn.get || !described()) device = NULL;
}

static void *tensor(Parts *parts, const Tensor *t, int64_t id) {
  void *d = part(parts, TENSOR);
  set(parts, d, 901, TYPE_DATA, 1, &t->type);
  set(parts, d, 902, TYPE_INT64, t->dimensions, t->sizes);
  set(parts, d, 903, TYPE_INT64, t->dimensions, t->strides);
  set(parts, d, 906, TYPE_INT64, 1, &id);
  set(parts, d, 900, TYPE_INT64, 1, &(int64_t){16}); /* bytes that its address is a multiple of, at least */
  finish(parts, d);
  return d;
}

static void *graph(Parts *parts, const Convolution *c) {
  int64_t space = c->input.dimensions - 2;
  void *d = part(parts, CONVOLUTION);
  set(parts, d, 100, TYPE_DATA, 1, &c->precision);
  set(parts, d, 101, TYPE_MODE_OF_CONVOLUTION, 1, &(int){1});
  set(parts, d, 102, TYPE_INT64, space, c->dilations);
  set(parts, d, 103, TYPE_INT64, space, c->strides);
  set(parts, d, 104, TYPE_INT64, space, c->after);
  set(parts, d, 105, TYPE_INT64, space, c->before);
  set(parts, d, 106, TYPE_INT64, 1, &space);
  finish(parts, d);
  void *operation = part(parts, FORWARD + c->kind);
  int first = c->kind == 0 ? 700 : c->kind == 1 ? 712 : 706;
  set(parts, operation, first, TYPE_FLOAT, 1, &(float){1});
  set(parts, operation, first + 1, TYPE_FLOAT, 1, &(float){0});
  set(parts, operation, first + 2, TYPE_DESCRIPTOR, 1, &d);
  const Tensor *tensors[] = {&c->filter, &c->input, &c->output};
  for (int i = 0; i < 3; i++) {
    void *t = tensor(parts, tensors[i], i + 1);
    set(parts, operation, first + 3 + i, TYPE_DESCRIPTOR, 1, &t);
  }
  finish(parts, operation);
  void *g = part(parts, GRAPH);
  set(parts, g, 801, TYPE_DESCRIPTOR, 1, &operation);
  finish(parts, g);
  return g;
}

/* The settings of the kernels that partials.h knows, in the order in which cuDNN gives them. */
static const int knobs[] = {2, 13, 18, 25, 27, 28}; /* tile, its step, indices, workspace, cluster of tiles */
enum { KNOBS = sizeof knobs / sizeof knobs[0], STEP = 1, WORKSPACE = 3 };

typedef struct {
  int64_t engine, values[KNOBS];
} Settings;

/* What a configuration was chosen to be; 0 where it has other settings. */
static int settings(void *configuration, Settings *s) {
  Parts parts = {.count = 0};
  void *engine = part(&parts, ENGINE), *choices[KNOBS + 1];
  int64_t count = 0, one;
  for (int i = 0; i <= KNOBS; i++) choices[i] = part(&parts, KNOB);
  int known = !parts.failed && real_cudnn.get(configuration, 300, TYPE_DESCRIPTOR, 1, &one, &engine) == SUCCESS &&
              real_cudnn.get(engine, 1301, TYPE_INT64, 1, &one, &s->engine) == SUCCESS &&
              real_cudnn.get(configuration, 302, TYPE_DESCRIPTOR, KNOBS + 1, &count, choices) == SUCCESS && count == KNOBS;
  for (int i = 0; known && i < KNOBS; i++) {
    int type = -1;
    known = real_cudnn.get(choices[i], 600, TYPE_KNOB, 1, &one, &type) == SUCCESS && type == knobs[i] &&
            real_cudnn.get(choices[i], 601, TYPE_INT64, 1, &one, &s->values[i]) == SUCCESS;
  }
  drop(&parts);
  return known;
}

/* The workspace of a configuration of these settings, or -1. */
static int64_t workspace_of(void *g, const Settings *s) {
  Parts parts = {.count = 0};
  void *engine = part(&parts, ENGINE);
  set(&parts, engine, 1300, TYPE_DESCRIPTOR, 1, &g);
  set(&parts, engine, 1301, TYPE_INT64, 1, &s->engine);
  set(&parts, engine, 1307, TYPE_DESCRIPTOR, 1, &device);
  finish(&parts, engine);
  void *choices[KNOBS];
  for (int i = 0; i < KNOBS; i++) {
    choices[i] = part(&parts, KNOB);
    set(&parts, choices[i], 600, TYPE_KNOB, 1, &knobs[i]);
    set(&parts, choices[i], 601, TYPE_INT64, 1, &s->values[i]);
    finish(&parts, choices[i]);
  }
  void *configuration = part(&parts, CONFIGURATION);
  set(&parts, configuration, 300, TYPE_DESCRIPTOR, 1, &engine);
  set(&parts, configuration, 302, TYPE_DESCRIPTOR, KNOBS, choices);
  finish(&parts, configuration);
  int64_t one, bytes = -1;
  if (parts.failed || real_cudnn.get(configuration, 303, TYPE_INT64, 1, &one, &bytes) != SUCCESS) bytes = -1;
  drop(&parts);
  return bytes;
}

enum { HOPPER = 90, CLOCK = 13, MULTIPROCESSORS = 16, MEMORY_CLOCK = 36 };

/*
 * Puts partial results as on the GPU in the place of those that cuDNN asks for without it. Whether the rules hold in the program's own release of cuDNN, a second
 * answer tells: for the same kernel without shared tiles. Returns 0 where they do not hold, and the bytes are left, or are not sure.
 */
static int add_partials(void *g, const Convolution *c, void *configuration, int64_t *bytes) {
  Settings s;
  if (standin_capability() != HOPPER) return 0;
  if (!settings(configuration, &s)) return 1; /* of these engines, too, other kernels share no tiles */
  Kernel k = {s.engine, s.values[0], s.values[STEP], s.values[WORKSPACE], s.values[4], s.values[5]};
  if (!partials_engine(k.engine)) return 1;
  if (!partials_known(c, &k)) return 0;
  int64_t cluster = k.cluster_m * k.cluster_n, without = blocks_without_gpu(cluster), blocks = blocks_of_gpu(cluster, standin_attribute(MULTIPROCESSORS));
  double cycles = (double)standin_attribute(CLOCK) / standin_attribute(MEMORY_CLOCK);
  int64_t described = partials_bytes(c, &k, without, cycles);
  if (!blocks) return 0;
  if (!k.whole) {
    Settings whole = s;
    Kernel alone = k;
    whole.values[WORKSPACE] = alone.whole = 1;
    if (workspace_of(g, &whole) - partials_bytes(c, &alone, without, cycles) != *bytes - described) return 0;
  }
  *bytes += partials_bytes(c, &k, blocks, cycles) - described;
  return c->filter.sizes[1] == c->input.sizes[1]; /* of grouped convolutions none was measured on a GPU */
}

static int64_t unknown;

int64_t plans_of_unknown_partials(void) { return unknown; }

static int asked(const Convolution *c, int mode, int64_t *bytes, int room) {
  Parts parts = {.count = 0};
  void *g = graph(&parts, c), *h = part(&parts, HEURISTICS);
  set(&parts, h, 201, TYPE_DESCRIPTOR, 1, &g);
  set(&parts, h, 200, TYPE_MODE_OF_HEURISTICS, 1, &mode);
  set(&parts, h, 204, TYPE_DESCRIPTOR, 1, &device);
  finish(&parts, h);
  int64_t count = 0;
  void *configurations[MAX_PLANS];
  int made = 0;
  while (!parts.failed && made < room && made < MAX_PLANS && real_cudnn.create(CONFIGURATION, &configurations[made]) == SUCCESS) made++;
  if (!parts.failed && real_cudnn.get(h, 202, TYPE_DESCRIPTOR, made, &count, configurations) != SUCCESS) count = 0;
  int known = 0;
  for (int i = 0; i < count && i < made; i++) {
    int64_t one;
    if (real_cudnn.get(configurations[i], 303, TYPE_INT64, 1, &one, &bytes[known]) != SUCCESS) continue;
    /* Without a benchmark PyTorch takes the first. */
    if (!add_partials(g, c, configurations[i], &bytes[known]) && !known) unknown++;
    known++;
  }
  while (made) real_cudnn.destroy(configurations[--made]);
  int failed = parts.failed;
  drop(&parts);
  return failed ? -1 : known;
}

int planned_workspaces(const Convolution *c, int mode, int64_t *bytes, int room) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static FILE *nowhere;
  pthread_mutex_lock(&lock);
  inside++;
  /* Of what it cannot do without a GPU it would speak on the program's standard error. */
  FILE *kept = stderr;
  if (!nowhere) nowhere = fopen("/dev/null", "w");
  if (nowhere) stderr = nowhere;
  pthread_once(&once, find);
  int known = device ? asked(c, mode, bytes, room) : -1;
  stderr = kept;
  inside--;
  pthread_mutex_unlock(&lock);
  return known;
}
