#include "workspaces.h"

#include <math.h>
#include <string.h>

static int64_t unmeasured;

int64_t standin_unmeasured(void) { return unmeasured; }

typedef struct {
  uint8_t type, last, kind;
  uint16_t n, c, k, size, kernel, stride, groups;
  uint8_t copied;
  int32_t rest;
} Measured;

static const Measured measured[] = {
#include "convolutions.h"
};

enum { ROWS = sizeof measured / sizeof measured[0] };

/* Beyond this distance (halves and doubles of a dimension) a workspace counts as guessed. */
static const double FAR = 6;

static double apart(double a, double b) { return fabs(log2(a / b)); }

static int64_t space(const Tensor *t) {
  int64_t count = 1;
  for (int i = 2; i < t->dimensions; i++) count *= t->sizes[i];
  return count;
}

static int64_t filled(int64_t channels, int64_t whole) { return (channels + whole - 1) / whole * whole; }

/*
 * The nearest measured convolution says which tensors cuDNN copies into the layout of its kernels, and how much partial results take; the
 * bytes are those of the tensors at hand. Rows and how well they foretell each other: validation/estimate/rules.py.
 */
int64_t convolution_bytes(const Convolution *c, int capability) {
  const Tensor *x = &c->input, *w = &c->filter, *y = &c->output;
  int64_t channels = x->sizes[1], filters = y->sizes[1], groups = w->sizes[1] > 0 ? channels / w->sizes[1] : 1;
  if (channels <= 0 || filters <= 0 || x->sizes[0] <= 0 || groups <= 0) return 0;
  int last = x->strides[1] == 1 && space(x) > 1;
  int single = x->type == 0 || x->type == 1;
  double kernel = pow((double)space(w), 1.0 / (x->dimensions - 2));
  const Measured *nearest = NULL;
  double least = 0;
  for (int i = 0; i < ROWS; i++) {
    const Measured *m = &measured[i];
    if (m->kind != c->kind || m->last != last || (m->type == 0) != single) continue;
    int64_t out = (m->size + 2 * (m->kernel / 2) - m->kernel) / m->stride + 1;
    double far = apart((double)(x->sizes[0] * space(y)), (double)(m->n * out * out)) + apart((double)channels, m->c) + apart((double)filters, m->k) +
                 2 * apart(kernel, m->kernel) + 3 * (c->strides[0] != m->stride) + 20 * ((groups > 1) != (m->groups > 1)) + 0.5 * (x->type != m->type);
    if (!nearest || far < least) {
      nearest = m;
      least = far;
    }
  }
  if (!nearest) return 0;
  if (least > FAR || capability / 10 != 9 || x->dimensions != 4) unmeasured++;
  int64_t element = x->type == 1 ? 8 : single ? 4 : 2, whole = single ? 4 : 8;
  int64_t in = groups == 1 ? filled(channels, whole) : channels, of = groups == 1 ? filled(filters, whole) : filters;
  int64_t bytes = nearest->rest;
  if (nearest->copied & 1) bytes += x->sizes[0] * in * space(x) * element;
  if (nearest->copied & 2) bytes += of * (groups == 1 ? in : w->sizes[1]) * space(w) * element;
  if (nearest->copied & 4) bytes += y->sizes[0] * of * space(y) * element;
  return bytes;
}

/* Attention and norms as graphs asked for nothing in what was measured. */
int64_t graph_bytes(int operations) {
  (void)operations;
  unmeasured++;
  return 0;
}

/*
 * Of LSTM, GRU and RNN on an H100, PyTorch 2.11: rows of validation/estimate/measured. The reserve is exact for all 26; the workspace is within 3 % for
 * all but the smallest, where cuDNN chooses other kernels. A layer has its gates and states for all steps, its matrices, its
 * states for one step and 8 MiB; layers after the first share the gates.
 */
void recurrent_bytes(int gates, int directions, int layers, int hidden, int output, int input, int length, int batch, size_t type_bytes,
                     int training, size_t *work, size_t *reserve) {
  (void)output;
  size_t h = (size_t)hidden, b = (size_t)batch, t = (size_t)length, in = (size_t)input, g = (size_t)gates, d = (size_t)directions;
  size_t states = t * b * h * type_bytes, inputs = t * b * in * type_bytes, fixed = 8u << 20;
  size_t step = b * h * type_bytes * (g == 4 ? 10 : g == 3 ? 5 : 3);
  size_t first = states * (g + 1) + inputs + step + g * h * (in + h) * type_bytes + fixed + b * (g == 4 ? 8 : 12) + 256;
  if (training && g == 3) first += inputs;
  if (training && g == 1) first += 2 * states + inputs;
  if (d == 2) first = 2 * first - inputs + 4 * states + step / 5 * 2;
  size_t next = d * (g * h * (d * h + h) * type_bytes + step + fixed);
  if (work) *work = first + (size_t)(layers - 1) * next;
  size_t kept = g == 4 ? 5 : g == 3 ? 6 : 1, l = (size_t)layers;
  if (reserve) *reserve = training ? states * (l * d * kept + (l - 1) * d) + 256 : 0;
}
