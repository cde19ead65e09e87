/*
 * cuDNN's graphs of operations: descriptors that keep what was set. Of convolutions, the program's own cuDNN says which plans there are (planner.c)
 * or, before 9.8, the table in workspaces.c. Attributes go by cuDNN's numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "mock.h"
#include "planner.h"
#include "workspaces.h"

enum { SUCCESS = 0 };

enum { ENGINE = 2, ENGINE_CONFIG = 3, HEURISTICS = 4, PLAN = 5, FORWARD = 10, BACKWARD_FILTER = 11, BACKWARD_DATA = 12, GRAPH = 15, TENSOR = 17 };
enum { TYPE_DESCRIPTOR = 15, TYPE_INT64 = 3 };

/* Which of a convolution's plans by the table. */
enum { BEST, LARGEST, WITHOUT_WORKSPACE, TRIALS };

/* What was set, by attribute. The program frees descriptors in any order, so that each keeps copies of what it refers to. */
typedef struct Attribute {
  int name, type;
  int64_t count;
  size_t bytes;
  void *data;
  struct Attribute *next;
} Attribute;

static const uint64_t OURS = 0x616c6c6f6373696d;

typedef struct {
  uint64_t mark; /* OURS, unlike cuDNN's own */
  int kind;
  int planned; /* the workspace is cuDNN's word */
  int64_t workspace, *workspaces; /* of heuristics: those of all plans */
  int count;
  Convolution convolution;
  int trials;
  Attribute *attributes;
} Descriptor;

static size_t element_bytes(int type) {
  switch (type) {
    case 0: case 3: case 5: case 6: case 15: return 8;
    case 26: return 16;
    case 2: case 24: return 1;
    default: return 4;
  }
}

static Attribute *find(const Descriptor *d, int name) {
  for (Attribute *a = d->attributes; a; a = a->next)
    if (a->name == name) return a;
  return NULL;
}

static int ours(const Descriptor *d) { return d->mark == OURS; }

EXPORT int cudnnBackendCreateDescriptor(int kind, void **made) {
  if (cudnn_is_asking()) return real_cudnn.create(kind, made);
  Descriptor *d = calloc(1, sizeof *d);
  if (!d) return 4003;
  d->mark = OURS;
  d->kind = kind;
  *made = d;
  return SUCCESS;
}
EXPORT int cudnnBackendDestroyDescriptor(Descriptor *d) {
  if (!d) return SUCCESS;
  if (!ours(d)) return real_cudnn.destroy(d);
  for (Attribute *a = d->attributes; a;) {
    Attribute *next = a->next;
    free(a->data);
    free(a);
    a = next;
  }
  free(d->workspaces);
  d->mark = 0;
  free(d);
  return SUCCESS;
}

static void set(Descriptor *d, int name, int type, int64_t count, const void *data) {
  Attribute *a = find(d, name);
  if (!a) {
    a = calloc(1, sizeof *a);
    if (!a) abort();
    a->name = name;
    a->next = d->attributes;
    d->attributes = a;
  } else {
    free(a->data);
  }
  a->type = type;
  a->count = count;
  a->bytes = (size_t)count * element_bytes(type);
  a->data = malloc(a->bytes ? a->bytes : 1);
  if (!a->data) abort();
  memcpy(a->data, data, a->bytes);
}

static void read_tensor(const Descriptor *tensor, Tensor *t) {
  const Attribute *type = find(tensor, 901), *sizes = find(tensor, 902), *strides = find(tensor, 903);
  memset(t, 0, sizeof *t);
  if (!type || !sizes || !strides) return;
  t->type = *(int *)type->data;
  t->dimensions = sizes->count < MAX_DIMENSIONS ? (int)sizes->count : MAX_DIMENSIONS;
  for (int i = 0; i < t->dimensions; i++) {
    t->sizes[i] = ((int64_t *)sizes->data)[i];
    t->strides[i] = ((int64_t *)strides->data)[i];
  }
}

static void read_operation(const Descriptor *operation, Convolution *c) {
  int first = operation->kind == FORWARD ? 702 : operation->kind == BACKWARD_DATA ? 708 : operation->kind == BACKWARD_FILTER ? 714 : 0;
  if (!first) return;
  c->kind = operation->kind - FORWARD;
  /* Filter, input and output stand in this order; of the gradient of the filter, the filter. */
  const Attribute *convolution = find(operation, first);
  Tensor *tensors[] = {&c->filter, &c->input, &c->output};
  for (int i = 0; i < 3; i++) {
    const Attribute *a = find(operation, first + 1 + i);
    if (a) read_tensor(*(Descriptor **)a->data, tensors[i]);
  }
  const Descriptor *d = convolution ? *(Descriptor **)convolution->data : NULL;
  const Attribute *precision = d ? find(d, 100) : NULL, *strides = d ? find(d, 103) : NULL, *dilations = d ? find(d, 102) : NULL;
  const Attribute *before = d ? find(d, 105) : NULL, *after = d ? find(d, 104) : NULL;
  if (precision) c->precision = *(int *)precision->data;
  for (int i = 0; i < 3; i++) {
    c->strides[i] = strides && i < strides->count ? ((int64_t *)strides->data)[i] : 1;
    c->dilations[i] = dilations && i < dilations->count ? ((int64_t *)dilations->data)[i] : 1;
    c->before[i] = before && i < before->count ? ((int64_t *)before->data)[i] : 0;
    c->after[i] = after && i < after->count ? ((int64_t *)after->data)[i] : 0;
  }
}

EXPORT int cudnnBackendSetAttribute(Descriptor *d, int name, int type, int64_t count, const void *data) {
  if (!ours(d)) return real_cudnn.set(d, name, type, count, data);
  set(d, name, type, count, data);
  if (type != TYPE_DESCRIPTOR) return SUCCESS;
  for (int64_t i = 0; i < count; i++) {
    const Descriptor *from = ((Descriptor *const *)data)[i];
    if (!from) continue;
    if (d->kind == GRAPH) {
      read_operation(from, &d->convolution);
    } else if (d->kind != FORWARD && d->kind != BACKWARD_DATA && d->kind != BACKWARD_FILTER) {
      d->convolution = from->convolution;
      d->trials = from->trials;
      d->planned = from->planned;
      d->workspace = from->workspace;
    }
  }
  return SUCCESS;
}

EXPORT int cudnnBackendInitialize(Descriptor *d) { (void)d; return SUCCESS; }
EXPORT int cudnnBackendExecute(void *handle, void *plan, void *pack) { (void)handle; (void)plan; (void)pack; return SUCCESS; }

EXPORT int cudnnBackendFinalize(Descriptor *d) {
  if (!ours(d)) return real_cudnn.finalize(d);
  int capability = standin_capability();
  if (d->kind == HEURISTICS && d->convolution.filter.dimensions) {
    const Attribute *mode = find(d, 200);
    d->workspaces = malloc(MAX_PLANS * sizeof *d->workspaces);
    if (!d->workspaces) abort();
    d->count = planned_workspaces(&d->convolution, mode ? *(int *)mode->data : 0, d->workspaces, MAX_PLANS);
    if (d->count > 0) standin_plan();
    d->planned = d->count >= 0;
  }
  /* Without a benchmark PyTorch makes the first plan only. */
  if (d->kind == PLAN && d->planned && d->trials) standin_try(d->workspace);
  if (d->kind != PLAN || d->planned) return SUCCESS;
  if (!d->convolution.filter.dimensions) d->workspace = attention_bytes(capability);
  else d->workspace = d->trials == WITHOUT_WORKSPACE ? 0 : convolution_bytes(&d->convolution, d->trials == LARGEST, capability);
  return SUCCESS;
}

EXPORT int cudnnBackendGetAttribute(Descriptor *d, int name, int type, int64_t room, int64_t *count, void *data) {
  if (!ours(d)) return real_cudnn.get(d, name, type, room, count, data);
  int64_t ignored;
  if (!count) count = &ignored;
  *count = 0;
  if (d->kind == HEURISTICS && name == 202 && d->planned) {
    *count = !data || room > d->count ? d->count : room;
    for (int i = 0; data && i < *count; i++) {
      Descriptor *config = ((Descriptor **)data)[i];
      config->convolution = d->convolution;
      config->planned = 1;
      config->trials = i;
      config->workspace = d->workspaces[i];
    }
    return SUCCESS;
  }
  if (d->kind == HEURISTICS && name == 202) {
    /* Configurations of engines, into the descriptors that were made for them: the best, the largest, which benchmarks alone try,
       and one without a workspace for programs that cannot have theirs. */
    int64_t known = d->convolution.filter.dimensions ? TRIALS : 1;
    *count = data && room < known ? room : known;
    for (int i = 0; data && i < *count && i < room; i++) {
      Descriptor *config = ((Descriptor **)data)[i];
      config->convolution = d->convolution;
      config->trials = i;
    }
    return SUCCESS;
  }
  if (d->kind == ENGINE_CONFIG && name == 300) {
    *count = 1;
    if (data && room > 0) {
      Descriptor *engine = *(Descriptor **)data;
      engine->convolution = d->convolution;
    }
    return SUCCESS;
  }
  if (name == 402 || name == 303) {
    *count = 1;
    if (data && room > 0) *(int64_t *)data = d->workspace;
    return SUCCESS;
  }
  if (d->kind == ENGINE_CONFIG && name == 304) { /* shared memory: within what the program allows */
    *count = 1;
    if (data && room > 0) *(int32_t *)data = 0;
    return SUCCESS;
  }
  if (name == 405) { /* the plan as text */
    static const char text[] = "{}";
    *count = sizeof text;
    if (data && room > 0) memcpy(data, text, (size_t)room < sizeof text ? (size_t)room : sizeof text);
    return SUCCESS;
  }
  const Attribute *a = find(d, name);
  if (a && a->type == type) {
    *count = a->count;
    size_t bytes = (size_t)room * element_bytes(type);
    if (data) memcpy(data, a->data, bytes < a->bytes ? bytes : a->bytes);
  } else if (d->kind == ENGINE && name == 1301) {
    *count = 1;
    if (data && room > 0) *(int64_t *)data = 0;
  }
  return SUCCESS;
}
