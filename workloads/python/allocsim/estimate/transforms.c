/*
 * cuFFT as PyTorch calls it, and what its plans ask for. Nothing is transformed.
 *
 * A plan transforms one dimension after the other. Where one kernel does a whole line, it works in place; longer lines, and lengths without a kernel
 * of their own, go through a copy of the data. Long lines with a large prime factor go by Bluestein's algorithm, through lines of twice their length, filled
 * up to a product of 2, 3 and 5. Real lines of even length are complex ones of half the length; those of odd length are transformed in pairs.
 * These sizes are exact for complex lines and within 2 % for real ones. For which lengths cuFFT 12 has a kernel is not documented: `has_kernel` and
 * `has_real_kernel` are made from 2 878 plans on an H200 (validation/estimate/sizes.py), of which 98 % get their size. With the lists
 * made from either half alone, it was 97 to 98 % of the other half. So a workspace counts as inferred but on Hopper for powers of two and for one dimension in single precision, of which
 * 99 % get their size.
 */
#include "transforms.h"

#include <stddef.h>

#include "mock.h"
#include "workspaces.h"

/* A length's prime factors. */
typedef struct {
  int64_t largest;
  int count, of[14]; /* how many in all, and of each prime up to 13 */
} Factors;

static Factors factors(int64_t n) {
  Factors found = {1, 0, {0}};
  for (int64_t p = 2; n > 1; p++) {
    if (p * p > n) p = n;
    for (; n % p == 0; n /= p) {
      found.largest = p;
      found.count++;
      if (p <= 13) found.of[p]++;
    }
  }
  return found;
}

static int one_of(int64_t n, const int *list, int count) {
  for (int i = 0; i < count; i++)
    if (list[i] == n) return 1;
  return 0;
}
#define ONE_OF(n, list) one_of(n, list, sizeof list / sizeof *list)

/* From this prime factor on there is no kernel but Bluestein's, and it holds lines of up to 4 096. */
enum { LARGE_PRIME = 128, LONGEST_IN_KERNEL = 4096 };

static int is_power_of_two(int64_t n) { return (n & (n - 1)) == 0; }

/* Whether one kernel transforms a complex line, which is strided in all dimensions but the last. */
static int has_kernel(int64_t n, int strided, int element_bytes) {
  int is_double = element_bytes == 16;
  if (n > (is_power_of_two(n) ? 16384 : 13000) >> is_double) return 0;
  Factors f = factors(n);
  if (f.count <= 1 || f.largest >= LARGE_PRIME) return 1;
  if (!strided) return f.largest <= 41 && !(is_double && f.of[13] && n > 512);
  static const int rare[] = {39, 52, 65, 75, 147, 154, 286, 882, 1080, 1920, 1925};
  if (f.largest > 13 || ONE_OF(n, rare) || (f.count > 2 && (f.of[13] > 1 || f.of[11] > 1) && n != 484 && n != 676)) return 0;
  return !is_double || is_power_of_two(n) || (n < 512 && f.of[13] == 0);
}

static int has_real_kernel(int64_t n, int element_bytes) {
  if (is_power_of_two(n)) return n <= (element_bytes == 16 ? 4096 : element_bytes == 8 ? 16384 : 32768);
  Factors f = factors(n);
  if (f.count == 1) return n < LARGE_PRIME;
  static const int rare[] = {26, 68, 156, 169, 260, 468};
  if (f.largest > 11 || n > 1024) return ONE_OF(n, rare);
  return f.of[11] < 2 && (f.of[7] < 2 || f.of[7] == f.count || n == 392);
}

static int goes_by_bluestein(int64_t n) { return n > LONGEST_IN_KERNEL && factors(n).largest >= LARGE_PRIME; }

/* The length of the lines that Bluestein's algorithm convolves. */
static int64_t convolved(int64_t n) {
  for (int64_t length = 2 * n - 1;; length++) {
    int64_t rest = length;
    for (int p = 2; p <= 5; p++)
      while (rest % p == 0) rest /= p;
    if (rest == 1) return length;
  }
}

/* Complex elements for one line. */
static int64_t line_elements(int64_t n, int strided, int element_bytes) {
  return goes_by_bluestein(n) ? 2 * convolved(n) : has_kernel(n, strided, element_bytes) ? 0 : n;
}

/* Complex elements for a batch of real lines. */
static int64_t real_elements(int64_t n, int64_t batch, int element_bytes) {
  if (has_real_kernel(n, element_bytes)) return 0;
  if (n % 2) return (batch + batch % 2) * (goes_by_bluestein(n) ? convolved(n) + n / 2 : n);
  int64_t half = n / 2;
  if (goes_by_bluestein(half)) return batch * (2 * convolved(half) + half);
  return batch * (half > LONGEST_IN_KERNEL / 2 && factors(half).largest >= LARGE_PRIME ? n : half);
}

int64_t transform_bytes(Transform transform, int rank, const int64_t *n, int64_t batch, int element_bytes) {
  int64_t last = n[rank - 1], lines = 1, is_real = transform != COMPLEX_TO_COMPLEX, most = 0;
  for (int i = 0; i < rank - 1; i++) lines *= n[i];
  int64_t elements = batch * lines * (is_real ? last / 2 + 1 : last);
  for (int i = 0; i < rank; i++) {
    int64_t asked = i == rank - 1 && is_real ? lines * real_elements(last, batch, element_bytes) : elements / n[i] * line_elements(n[i], i < rank - 1, element_bytes);
    if (asked > most) most = asked;
  }
  return most * element_bytes;
}

/* ---- The library ---- */

enum { SUCCESS = 0, INVALID_VALUE = 4 };

/* CUDA's numbers of element types: real ones are below, complex ones from here on: single, double, half. */
enum { FIRST_COMPLEX = 4, COMPLEX_DOUBLE = 5, COMPLEX_HALF = 6 };

/* The architecture that was measured. */
enum { HOPPER = 9 };

static int is_well_known(int rank, const int64_t *n, int element_bytes) {
  int powers = element_bytes != 4;
  for (int i = 0; i < rank; i++) powers = powers && is_power_of_two(n[i]);
  return powers || (rank == 1 && element_bytes == 8);
}

static int plans;

EXPORT int cufftCreate(int *plan) { *plan = ++plans; return SUCCESS; }

EXPORT int cufftXtMakePlanMany(int plan, int rank, long long *n, long long *in, long in_stride, long in_distance, int in_type, long long *out,
                               long out_stride, long out_distance, int out_type, long long batch, size_t *bytes, int type) {
  (void)plan, (void)in, (void)in_stride, (void)in_distance, (void)out, (void)out_stride, (void)out_distance;
  if (rank < 1 || rank > MAX_RANKS) return INVALID_VALUE;
  int64_t sides[MAX_RANKS];
  int64_t elements = batch;
  for (int i = 0; i < rank; i++) elements *= sides[i] = n[i];
  Transform transform = in_type < FIRST_COMPLEX ? REAL_TO_COMPLEX : out_type < FIRST_COMPLEX ? COMPLEX_TO_REAL : COMPLEX_TO_COMPLEX;
  int element_bytes = type == COMPLEX_DOUBLE ? 16 : type == COMPLEX_HALF ? 4 : 8;
  int64_t asked = transform_bytes(transform, rank, sides, batch, element_bytes), data = elements * element_bytes;
  *bytes = (size_t)asked;
  if (standin_capability() / 10 != HOPPER || !is_well_known(rank, sides, element_bytes)) standin_infer(asked > data ? asked : data);
  return SUCCESS;
}

#define DONE(name) EXPORT int cufft##name(void) { return SUCCESS; }
DONE(Destroy)
DONE(SetAutoAllocation)
DONE(SetStream)
DONE(SetWorkArea)
DONE(XtExec)
