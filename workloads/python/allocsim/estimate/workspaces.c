#include "workspaces.h"

#include <math.h>

static int64_t unmeasured, unsized, inferred_bytes;

int64_t standin_unmeasured(void) { return unmeasured; }
int64_t standin_unsized(void) { return unsized; }
int64_t standin_inferred_bytes(void) { return inferred_bytes; }

static int64_t planned, tried_bytes;

int64_t standin_planned(void) { return planned; }

int64_t standin_tried_bytes(void) { return tried_bytes; }

void standin_plan(void) { planned++; }

void standin_try(int64_t bytes) {
  if (bytes > tried_bytes) tried_bytes = bytes;
}

void standin_guess(void) {
  unmeasured++;
  unsized++;
}

void standin_infer(int64_t bytes) {
  if (bytes > inferred_bytes) inferred_bytes = bytes;
}

typedef struct {
  uint8_t type, last, kind;
  uint16_t n, c, k, size, kernel, stride, groups;
  uint8_t space, dilation, copied, partials;
  int64_t rest;
} Measured;

static const Measured measured[] = {
#include "convolutions.h"
};

enum { BF16 = 9, BOTH_HALVES = 11 };
/* Below this distance a row is the same convolution. */
static const double SAME = 1e-6;
enum { ROWS = sizeof measured / sizeof measured[0] };

/* Beyond this distance (halves and doubles of a dimension) a workspace counts as guessed. */
static const double FAR = 6;
/* Within this one a measured convolution is as good as the same; trials are guessed beyond, as they predict each other badly. */
static const double NEAR = 0.5;

static double apart(double a, double b) { return fabs(log2(a / b)); }

static int64_t space(const Tensor *t) {
  int64_t count = 1;
  for (int i = 2; i < t->dimensions; i++) count *= t->sizes[i];
  return count;
}

static int64_t filled(int64_t channels, int64_t whole) { return (channels + whole - 1) / whole * whole; }

typedef struct {
  int64_t parts[3]; /* bytes of input, filter and output in the layout of the kernels */
  int64_t total;
} Copies;

static Copies copies(int64_t n, int64_t c, int64_t k, int64_t in, int64_t taps, int64_t out, int64_t groups, int64_t element) {
  int64_t whole = element == 2 ? 8 : 4, of_filter = c / groups;
  if (groups == 1) {
    c = of_filter = filled(c, whole);
    k = filled(k, whole);
  }
  Copies made = {{n * c * in * element, k * of_filter * taps * element, n * k * out * element}, 0};
  made.total = made.parts[0] + made.parts[1] + made.parts[2];
  return made;
}

/* A side of a measured convolution to the power of its dimensions. */
static int64_t whole(const Measured *m, int64_t side) {
  int64_t count = 1;
  for (int i = 0; i < m->space; i++) count *= side;
  return count;
}

/* Of the output; patches were measured without padding, all else with half of the kernel. */
static int64_t out_of(const Measured *m) {
  int padding = m->space == 2 && m->kernel == m->stride && m->kernel >= 8 ? 0 : m->kernel / 2;
  return whole(m, (m->size + 2 * padding - m->kernel) / m->stride + 1);
}

static int same_shape(const Measured *a, const Measured *b) {
  return a->n == b->n && a->c == b->c && a->k == b->k && a->size == b->size && a->kernel == b->kernel && a->stride == b->stride && a->groups == b->groups && a->space == b->space && a->dilation == b->dilation;
}

enum { ONE_FOR_EACH_IMAGE = 255 };

/* The workspace of tensors that are handled like those of a measured convolution. */
static double bytes_like(const Measured *m, const Copies *here, int64_t element, int64_t images) {
  Copies there = copies(m->n, m->c, m->k, whole(m, m->size), whole(m, m->kernel), out_of(m), m->groups, element);
  double bytes = (double)m->rest * (double)here->total / (double)there.total;
  bytes += (double)((m->partials == ONE_FOR_EACH_IMAGE ? images : m->partials) * here->parts[1] * 4 / element);
  for (int i = 0; i < 3; i++)
    if (m->copied >> i & 1) bytes += (double)here->parts[i];
  return bytes;
}

/*
 * What the largest of cuDNN's trials asks for where it transforms images of single precision into their spectra: complex numbers for half of
 * a square whose side is a power of two, for each pair of image and channel and each filter, twice, and a copy of a tensor; gradients of inputs
 * go by tiles of 32. 0 where it does not. `rules.py --check` says how many measured trials it gives to the byte.
 */
static int64_t spectra_bytes(int kind, int64_t n, int64_t c, int64_t k, int64_t side, int64_t kernel, int64_t out, int64_t filter_bytes) {
  int64_t square = 16, covered = side + kernel / 2 * 2, filters = c * k;
  while (square < covered) square *= 2;
  if (square > 256 || (kind == 2 && kernel == 1)) return 0;
  if (kind == 2) return 8 * 32 * 17 * (filters + n * (c + k) * (square > 32 ? 2 : 1));
  int64_t each = 2 * 8 * square * (square / 2 + 1), inputs = n * c, outputs = n * k;
  if (kind == 0) return each * (inputs + filters > outputs ? inputs + filters : outputs) + filter_bytes;
  return each * (inputs + outputs > filters ? inputs + outputs : filters) + outputs * out * 4;
}

enum { NEAREST = 3 };

/*
 * The nearest measured convolution says which tensors cuDNN copies into the layout of its kernels, how many partial gradients of the filter
 * it sums up, and how much is left over, which is scaled with all tensors; the bytes are those of the tensors at hand. Where it asks for three times what the next two do, it is a kernel
 * that cuDNN chose for that shape alone, and the larger of those two stands. Rows and how well they predict each other: validation/estimate/rules.py.
 */
int64_t convolution_bytes(const Convolution *c, int trials, int capability) {
  const Tensor *x = &c->input, *w = &c->filter, *y = &c->output;
  int64_t channels = x->sizes[1], filters = y->sizes[1], groups = w->sizes[1] > 0 ? channels / w->sizes[1] : 1;
  if (channels <= 0 || filters <= 0 || x->sizes[0] <= 0 || groups <= 0) return 0;
  int last = x->strides[1] == 1 && space(x) > 1;
  int single = x->type == 0 || x->type == 1;
  /* PyTorch gives cuDNN sounds as images of one row. */
  int dimensions = x->dimensions - 2, stride = (int)c->strides[dimensions - 1];
  if (dimensions == 2 && x->sizes[2] == 1 && w->sizes[2] == 1) dimensions = 1;
  int dilation = (int)c->dilations[x->dimensions - 3], kind = c->kind + (trials ? 3 : 0);
  double kernel = pow((double)space(w), 1.0 / dimensions);
  if (trials && single && !last && dimensions == 2 && stride == 1 && groups == 1 && dilation == 1) {
    int64_t side = x->sizes[2] > x->sizes[3] ? x->sizes[2] : x->sizes[3];
    int64_t bytes = spectra_bytes(c->kind, x->sizes[0], channels, filters, side, w->sizes[2], space(y), channels * filters * space(w) * 4);
    if (bytes) return bytes;
  }
  const Measured *nearest[NEAREST] = {NULL};
  double distances[NEAREST];
  for (int i = 0; i < ROWS; i++) {
    const Measured *m = &measured[i];
    if (m->kind != kind || m->last != (last && dimensions == 2) || (m->type == 0) != single || m->space != dimensions) continue;
    /* Of rows with as many elements in all, that of as many images is nearer: a measured convolution is found as itself. */
    double far = apart((double)(x->sizes[0] * space(y)), (double)(m->n * out_of(m))) + 0.01 * apart((double)x->sizes[0], m->n) +
                 apart((double)channels, m->c) + apart((double)filters, m->k) +
                 2 * apart(kernel, m->kernel) + 3 * (stride != m->stride) + 20 * ((groups > 1) != (m->groups > 1)) +
                 apart(dilation, m->dilation) + 6 * ((dilation > 1) != (m->dilation > 1));
    if (groups > 1) far += apart((double)channels / (double)groups, (double)m->c / m->groups);
    /* A row of both types is fp16's own where it is the same convolution, else bf16's. */
    if (x->type != m->type && !(m->type == BOTH_HALVES && (x->type == BF16 || far < SAME))) far += 0.5;
    int at = NEAREST;
    while (at > 0 && (!nearest[at - 1] || far < distances[at - 1])) at--;
    if (at == NEAREST || (at > 0 && same_shape(m, nearest[at - 1]))) continue;
    int end = NEAREST - 1; /* the last one goes, or that of the same shape in the other type */
    for (int j = at; j < NEAREST; j++)
      if (nearest[j] && same_shape(m, nearest[j])) end = j;
    for (int j = end; j > at; j--) {
      nearest[j] = nearest[j - 1];
      distances[j] = distances[j - 1];
    }
    nearest[at] = m;
    distances[at] = far;
  }
  if (!nearest[0]) return 0;
  if (distances[0] > (trials ? NEAR : FAR) || capability / 10 != 9) unmeasured++;
  int64_t element = single ? 4 : 2;
  Copies here = copies(x->sizes[0], channels, filters, space(x), space(w), space(y), groups, x->type == 1 ? 8 : element);
  double bytes = bytes_like(nearest[0], &here, element, x->sizes[0]);
  if (distances[0] > NEAR && nearest[NEAREST - 1]) {
    double others = fmax(bytes_like(nearest[1], &here, element, x->sizes[0]), bytes_like(nearest[2], &here, element, x->sizes[0]));
    if (bytes > 3 * others) bytes = others;
  }
  if (distances[0] > SAME || capability / 10 != 9) standin_infer((int64_t)fmax(bytes, (double)here.total));
  return (int64_t)bytes;
}

/*
 * Of attention, forward and backward, in each row of validation/estimate/measured. The tensors that a backward pass needs besides are part of
 * the graph: PyTorch's own copy of cuDNN's frontend adds their bytes.
 */
int64_t attention_bytes(int capability) {
  if (capability / 10 != 9) {
    unmeasured++;
    standin_infer(256);
  }
  return 256;
}

/*
 * Of networks of several layers in one direction, a pass back keeps the states of at most so many steps: layers are some steps apart, more of them for small
 * batches and long sequences. Found from, and within 1 KiB for, the 2 058 such networks of validation/estimate/sizes.py.
 */
static size_t steps_kept(size_t layers, size_t batch, size_t length) {
  size_t apart = batch == 1 ? 32 : batch <= 8 ? 16 : batch <= 16 || length >= 128 ? 8 : batch <= 96 ? 4 : 2;
  return apart * layers + (apart > 8 ? apart : 8);
}

static size_t greater(size_t a, size_t b) { return a > b ? a : b; }

/*
 * Of LSTM, GRU and RNN, as cuDNN 9.19 gives them for an H200 (cudnnGetRNNTempSpaceSizes): within 1 KiB for 5 017 networks drawn at random, of one layer and of
 * more, packed and padded, in one direction and two, with dropout between layers and without. Training with projections is within 1 % for half of them and counts as
 * guessed.
 * A layer has its matrices and 8 MiB. Passes forward and back share the rest: the gates of at most 256 steps and some states for one step, or the inputs and states of all
 * steps, which the gradients of the matrices need. Sequences that are padded are copied into another order, and their results back. Dropout keeps a bit for each
 * element between layers.
 */
void recurrent_bytes(const Recurrence *r, int training, size_t *work, size_t *reserve) {
  size_t hidden = (size_t)r->hidden, output = (size_t)r->output, input = (size_t)r->input, g = (size_t)r->gates, d = (size_t)r->directions, layers = (size_t)r->layers, type = r->type_bytes;
  size_t batch = (size_t)r->batch, length = (size_t)r->length, rows = (size_t)r->rows, padded = length * batch, at_once = d == 1 ? (size_t)r->rows_at_once : rows;
  int drops = r->drops && layers > 1;
  size_t states = rows * hidden * type, inputs = rows * input * type, step = batch * hidden * type;
  size_t steps = d * (g == 4 ? 6 : g == 3 ? 3 : 1), steps_back = d * (g == 4 ? 3 : 1);
  size_t others = layers == 1 ? states : d == 2 ? 2 * states : step * steps_kept(layers, batch, length);
  if (d == 1 && others > states) others = states;
  size_t pass = d * g * at_once * hidden * type, back = d * (others + greater(inputs, states));
  if (drops && d == 1) pass += states;
  if (d == 2) {
    pass += 4 * states;
    back += 2 * greater(inputs, states);
    steps += 4;
    steps_back += 4;
  }
  if (!r->packed) {
    size_t states_padded = padded * hidden * type, inputs_padded = padded * input * type;
    pass += d * states_padded + inputs_padded + 8 * batch;
    back += 2 * (d * states_padded + inputs_padded) + 8 * batch;
    steps += d * (g == 4 ? 4 : 2);
    steps_back += d * (g == 4 ? 8 : 4);
  }
  pass += layers * steps * step + 256;
  back += layers * steps_back * step + 256;
  size_t fixed = 8u << 20, first = d * (g * hidden * (input + output) * type + fixed), next = d * (g * hidden * (d * output + output) * type + fixed);
  int projects = r->output != r->hidden;
  if (projects) standin_guess();
  if (work) *work = (training && back > pass ? back : pass) + first + (layers - 1) * next;
  size_t kept = hidden * (g == 4 ? 5 : g == 3 ? 6 : 1) + (projects ? hidden + output : 0);
  size_t masks = drops ? (layers - 1) * d * ((padded * d * output + 7) / 8) : 0;
  if (reserve) *reserve = training ? rows * type * (layers * d * kept + (layers - 1) * d * hidden) + masks + 256 : 0;
}

/* Both are exact for 600 answers of cuDNN 9.19 on an H200 (validation/estimate/sizes.py). */
size_t ctc_bytes(size_t steps, size_t sequences, size_t classes, size_t label) {
  return sequences * (4 * steps * classes + 16 * steps * label + 8 * label + 8 * steps + 12);
}

size_t ctc_bytes_on_host(size_t steps, size_t sequences, size_t classes, size_t label, size_t used) {
  return sequences * (4 * steps * classes + 16 * used * label + 12 * label + 8 * used + 20);
}
