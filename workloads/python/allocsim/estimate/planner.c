/*
 * The workspaces that the program's own cuDNN plans for a convolution. From 9.8 on, cuDNN plans for a device that is described instead of
 * present (descriptors of kind CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR), so that it chooses kernels and says their workspaces as on the card.
 * A plan itself is not made: its workspace is that of its configuration. Attributes go by the numbers of cudnn_graph.h.
 */
#define _GNU_SOURCE
#include "planner.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0 };
enum { CONVOLUTION = 1, CONFIGURATION = 3, HEURISTICS = 4, FORWARD = 10, GRAPH = 15, TENSOR = 17, DEVICE = 38 };
enum { TYPE_DATA = 1, TYPE_INT64 = 3, TYPE_FLOAT = 4, TYPE_MODE_OF_CONVOLUTION = 7, TYPE_MODE_OF_HEURISTICS = 8, TYPE_DESCRIPTOR = 15, TYPE_CHAR = 24 };
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
    if (real_cudnn.get(configurations[i], 303, TYPE_INT64, 1, &one, &bytes[known]) == SUCCESS) known++;
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
