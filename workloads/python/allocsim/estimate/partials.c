/*
 * Five of cuDNN's engines (forward 62 and 67, gradients of inputs 67 and 71, of filters 65 and 68) run on Hopper with as many blocks as the GPU holds at a time.
 * Each block computes whole tiles of the result, in waves. Where the tiles of the last wave occupy at most half of the blocks, several blocks share such a tile: each
 * sums a piece of the products and leaves its partial result in the workspace, and neighbours add them up in pairs, level by level. How many blocks the GPU holds, in whole
 * clusters, only the driver tells. For a device that is described instead of present cuDNN takes one group of 18 multiprocessors, so that its workspace is another than on
 * the GPU; everything else is the same.
 *
 * The rules were found by varying convolutions that cuDNN 9.24 plans for a described device, whose workspace they give to the byte, and on half of the configurations that
 * cuDNN 9.19 gave for 1 476 random convolutions on an H200. They give the workspaces of all 2 127 of these engines on the GPU to the byte, the other half included
 * (validation/estimate/measured/partials.json.xz). The idea is that of stream-K: M. Osama et al., "Stream-K: Work-centric Parallel Decomposition for Dense
 * Matrix-Matrix Multiplication on the GPU", PPoPP 2023.
 */
#include "partials.h"

enum { MOST_BLOCKS = 16 }; /* of a cluster */
enum { FORWARD = 0, OF_FILTER = 1 };
enum { HALF = 2, BF16 = 9, SINGLE = 0 };

/* Sides of a tile by cuDNN's number of it: pixels and channels of the result, or filters and channels of a filter's gradient. */
static const struct {
  int m, n;
} tiles[] = {{128, 128}, {128, 64}, {128, 32}, {256, 128}, {256, 64}, {64, 64}, {128, 256}, {64, 128}, {64, 32}, {64, 256}, [16] = {256, 32}, [18] = {64, 192}, {128, 192}, {256, 96}};
enum { TILES = sizeof tiles / sizeof tiles[0] };

/*
 * Groups are computed some at a time, each on a diagonal, as if of channels and filters that are a power of two: so cuDNN 9.24 answers for a described device. Returns that
 * power, the larger number of channels and filters where there is one group, or 0 where each group is computed by itself.
 */
static int64_t side_of_group(const Convolution *c) {
  int64_t channels = c->filter.sizes[1], groups = c->input.sizes[1] / channels, filters = c->filter.sizes[0] / groups, most = channels > filters ? channels : filters, side = 8;
  if (groups == 1) return most;
  while (side < most) side *= 2;
  return most >= 8 && side <= 128 ? side : 0;
}

int partials_engine(int64_t engine) { return engine == 62 || engine == 65 || engine == 67 || engine == 68 || engine == 71; }

int partials_known(const Convolution *c, const Kernel *k) {
  int of_filter = k->engine == 65 || k->engine == 68, forward = k->engine == 62 || k->engine == 67, of_input = k->engine == 67 || k->engine == 71;
  if (c->filter.sizes[1] <= 0 || c->input.sizes[1] <= 0 || c->input.sizes[1] % c->filter.sizes[1]) return 0;
  int fits = c->kind == FORWARD ? forward : c->kind == OF_FILTER ? of_filter : of_input, type = c->input.type;
  int halves = type == HALF || type == BF16, types = k->engine == 67 && c->kind == FORWARD ? type == SINGLE || halves : k->engine == 68 || k->engine == 71 ? type == SINGLE : halves;
  return fits && types && side_of_group(c) && k->tile >= 0 && k->tile < TILES && tiles[k->tile].m &&
         (k->step == 0 || k->step == 1) && (k->whole == 0 || k->whole == 1) && k->cluster_m > 0 && k->cluster_n > 0 && k->cluster_m * k->cluster_n <= MOST_BLOCKS;
}

enum { BLOCKS_OF_GROUP = 18 };

int64_t blocks_without_gpu(int64_t cluster) { return BLOCKS_OF_GROUP / cluster * cluster; }

/*
 * The blocks of a cluster are in one group of multiprocessors. On an H200, with its 132, the groups have 18, 18, five times 16, and 8, and clusters of more than two leave 8
 * multiprocessors out: so its workspaces say for clusters of up to 8 and of 12, 14 and 16. On an H100 of 132, too, clusters of 8 have 120 blocks (NVIDIA/cutlass, issue 1921).
 */
int64_t blocks_of_gpu(int64_t cluster, int multiprocessors) {
  static const int groups[] = {18, 18, 16, 16, 16, 16, 16, 8};
  if (multiprocessors != 132) return 0;
  if (cluster <= 2) return multiprocessors;
  int64_t count = 0;
  for (unsigned i = 0; i < sizeof groups / sizeof groups[0]; i++) count += groups[i] / cluster;
  return count * cluster;
}

static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int64_t product(const Tensor *t) {
  int64_t count = 1;
  for (int i = 2; i < t->dimensions; i++) count *= t->sizes[i];
  return count;
}

/* Levels in which neighbours add up so many pieces. */
static int levels(int64_t pieces) {
  int count = 0;
  for (; pieces > 1; pieces = up(pieces, 2)) count++;
  return count;
}

/* Counters that they wait at. */
static int64_t counters(int64_t pieces) {
  int64_t count = 0;
  while (pieces > 1) {
    pieces = up(pieces, 2);
    count += pieces;
  }
  return count;
}

/* What cuDNN takes a kernel to need, in the time of a step. */
typedef struct {
  int64_t least;    /* steps of a piece, where pieces are many */
  int64_t at_least; /* steps of any piece beside whole tiles */
  double slower;    /* a step where tiles are shared */
  double level, result;
} Costs;

/* Cycles of an H200's multiprocessors for one of its memory: what goes through memory takes more steps where memory is slower. */
static const double CYCLES = 1980.0 / 3201.0;

static Costs costs(const Convolution *c, const Kernel *k, double cycles) {
  int64_t step = k->step ? 64 : 32;
  double area = tiles[k->tile].m * tiles[k->tile].n / 4096.0;
  /* The same time is a larger number of shorter steps; steps in bf16 are taken to be eight times faster than in fp16, but for forward passes that compute in single precision. */
  int in_single = k->engine == 67 && c->kind == FORWARD;
  double scale = 64.0 / (double)step * (c->input.type == BF16 && !in_single ? 8 : 1);
  int slower = k->tile == 1 && !k->step && k->engine != 71;
  double memory = cycles / CYCLES;
  return (Costs){1024 / step + 1, 128 / step, slower ? 1.1 : 1, (4.605 * memory + 7.875 / area) * scale, 3.38 * memory * scale};
}

enum { MANY = 8, MOST = 128 };

/* Into how many pieces each tile of the last wave is cut: whatever takes the least time after so many waves of whole tiles. */
static int64_t pieces(int64_t steps, int64_t most, int64_t waves, const Costs *cost) {
  if (most > MOST) most = MOST;
  int64_t long_ones = steps / cost->least;
  if (!waves && most > MANY && long_ones > MANY) return most < long_ones ? most : long_ones;
  int64_t best = 1;
  double best_time = (double)((waves + 1) * steps);
  for (int64_t n = 2; n <= most && (!waves || steps / n >= cost->at_least); n++) {
    double time = cost->slower * (double)(waves * steps + up(steps, n)), after = cost->level * levels(n);
    /* A whole tile is computed meanwhile. */
    if (waves) {
      after += cost->result - cost->slower * (double)steps;
      if (after < 0) after = 0;
    }
    if (time + after < best_time - 1e-9) {
      best = n;
      best_time = time + after;
    }
  }
  return best;
}

enum { ALIGNMENT = 127, WAVES_AT_ONCE = 2 };

int64_t partials_bytes(const Convolution *c, const Kernel *k, int64_t blocks, double cycles) {
  int64_t m = tiles[k->tile].m, n = tiles[k->tile].n, step = k->step ? 64 : 32, taps = product(&c->filter), pixels_out = c->input.sizes[0] * product(&c->output);
  int64_t groups = c->input.sizes[1] / c->filter.sizes[1], channels = c->input.sizes[1], filters = c->filter.sizes[0], rows, columns, times = 1;
  int64_t summed = c->kind == FORWARD ? channels : filters, steps;
  if (groups > 1) {
    int64_t side = side_of_group(c), least = n < 64 ? n : 64;
    channels = filters = side > least ? side : least;
    times = up(groups * side, channels);
    summed = side;
  }
  if (c->kind == OF_FILTER) {
    rows = up(filters, m);
    columns = taps * up(channels, n);
    steps = up(pixels_out, step);
  } else {
    rows = up(c->kind == FORWARD ? pixels_out : c->input.sizes[0] * product(&c->input), m);
    columns = up(c->kind == FORWARD ? filters : channels, n);
    steps = taps * up(summed, step);
  }
  int64_t all = times * up(rows, k->cluster_m) * k->cluster_m * up(columns, k->cluster_n) * k->cluster_n, last = all % blocks, parts = 1;
  Costs cost = costs(c, k, cycles);
  if (!k->whole && last && 2 * last <= blocks) parts = pieces(steps, blocks / last, all / blocks, &cost);
  /* Beyond two waves, blocks take their tiles from a queue. */
  int64_t words = up(all, blocks) > WAVES_AT_ONCE;
  if (parts > 1) words += last * counters(parts) + 8;
  return (parts > 1 ? last * parts * m * n * 4 : 0) + (words ? words * 4 + ALIGNMENT : 0);
}
