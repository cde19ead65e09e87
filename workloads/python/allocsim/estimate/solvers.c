/*
 * What cuSOLVER 12.0 asks for on an H200, found from 43 496 answers of its ..._bufferSize functions (validation/estimate/sizes.py). Cholesky,
 * LU, QR with Q itself, factors of indefinite matrices and Jacobi's method for one matrix are exact; all others are within 0.5 % of every answer, batches
 * of Jacobi's method and eigenvalues of any matrix within 1 %. A routine is made of others, and so is its workspace: singular values by QR need room for factors, for Q and for a product with it.
 */
#include "solvers.h"

static size_t filled(size_t count, size_t whole) { return (count + whole - 1) / whole * whole; }
static size_t larger(size_t a, size_t b) { return a > b ? a : b; }
static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static size_t blocks(size_t n) { return (n + 31) / 32; }

/* 4 bytes for each pair of blocks of 32 rows; of the upper triangle 32 elements; and 128 bytes. */
size_t potrf_bytes(int upper, size_t n, Element element) {
  return 128 + (upper ? 32 * element.bytes : filled(4 * blocks(n) * blocks(n), 32));
}

/*
 * Pivots of each block of 32 columns, and the largest of: a tree of at most 16 of those blocks, a number for each pair of blocks, and, of tall
 * matrices, a panel. Where the panel begins is between 1 536 and 1 554 rows.
 */
size_t getrf_bytes(size_t rows, size_t columns, Element element) {
  enum { TALL = 1537, TALLER = 2049 };
  size_t steps = blocks(smaller(rows, columns)), tree = 1;
  while (tree < smaller(steps, 16)) tree *= 2;
  size_t panel = rows < TALL ? 0 : rows < TALLER ? 8448 * element.bytes + 2048 : 8704 * element.bytes + 4096;
  return 256 * (steps + 1) + larger(larger(256 * tree, 4 * filled(steps * blocks(larger(rows, columns)), 8)), panel);
}

size_t sytrf_elements(size_t n, Element element) {
  size_t least = element.bytes == 4 ? 24608 : element.bytes == 8 ? 13328 : 11016;
  return larger(least, (n < 4096 ? 64 : 128) * n + 64);
}

size_t geqrf_elements(size_t columns) { return 1024 * (larger(columns, 256) + 512); }

/* Q goes by blocks of at most 128 reflectors. */
size_t orgqr_elements(size_t rows, size_t columns, size_t reflectors) {
  size_t block = smaller(reflectors, 128), rest = 2 * block * columns;
  return 33024 + filled(rows * block, 32) + (rest > 16384 ? filled(rest - 16384, 32) : 0);
}

size_t ormqr_elements(int from_right, size_t rows, size_t columns, size_t reflectors) {
  size_t strips = 256 * rows + (from_right ? 0 : 512 * columns);
  return 65792 + strips + filled((larger(rows, columns) + reflectors) * reflectors + (from_right ? rows : columns), 32);
}

size_t syevd_elements(size_t n) {
  size_t tridiagonal = 65571 + n * n + 2 * n + filled(2 * n * n + 766 * n, 32), merged = 4 * n * n + 127 * n + 32963;
  return larger(tridiagonal, merged);
}

/* Matrices of a batch share what is filled up. */
size_t syevd_batched_elements(size_t n, size_t batch) { return batch * (syevd_elements(n) - 32); }

static size_t jacobi(size_t n) {
  size_t b = blocks(n);
  return n * n + n + 1024 * (b + 1) + 4 * b * b + b;
}

size_t syevj_elements(size_t n) {
  if (n < 4096) return jacobi(n);
  size_t b = (n + 2047) / 2048;
  return n * n + 4096 * n + 2048 * 4096 + 4 * b * b;
}

size_t syevj_batched_elements(size_t n, size_t batch) { return batch * (jacobi(n) - 1024 + (n <= 32 ? n : 0)) + 1024; }

size_t geev_elements(size_t n) {
  size_t schur = n * n + 4 * n + 128 + (n <= 96 ? 32768 : 0), hessenberg = 16384 + n * smaller(3 * n, 384) + 4 * n;
  return larger(schur, hessenberg);
}

size_t gesvd_elements(size_t rows, size_t columns) {
  size_t square = columns * columns, product = 65792 + 257 * rows + 3 * square + 3 * columns;
  if (rows <= columns) return filled(product, 32);
  size_t factors = geqrf_elements(columns) + orgqr_elements(rows, rows, columns) + rows * columns + 2 * square + 2 * columns + 64;
  return larger(product + 3 * rows * columns, factors);
}

size_t gesvdj_elements(int economy, size_t rows, size_t columns) {
  size_t m = larger(rows, columns), n = smaller(rows, columns), square = filled(n * n, 32);
  size_t rotations = square + filled(jacobi(n) + 1024 * blocks(n), 32);
  if (m == n) return rotations;
  /* A wide matrix is transposed first; a tall one keeps its triangle besides. */
  size_t transposed = rows < columns ? filled(m * n, 32) : 0;
  size_t by_product = ormqr_elements(0, m, economy ? n : m, n) + filled(n, 32), by_factors = geqrf_elements(n) + filled(n, 32) + 32;
  return transposed + larger(larger(by_product, by_factors), rotations + (transposed ? 0 : square));
}

size_t gesvdj_batched_elements(void) { return 992; }

/* The eigenvalues of the transpose times the matrix, which single precision computes in double. */
size_t gesvda_elements(size_t rows, size_t columns, size_t batch, Element element) {
  size_t n = columns, data = rows * n;
  int in_double = element.bytes == (element.is_complex ? 8 : 4);
  if (n > 32) {
    size_t eigen = syevd_elements(n);
    return (in_double ? 2 : 1) * batch * (data + n * n + 3 * n + (in_double ? larger(eigen, data) : eigen));
  }
  size_t eigen = batch * (1024 + 2 * n * n + (element.is_complex ? 9 * n / 2 : 5 * n)) + 1030;
  return in_double ? 2 * (batch * data + larger(eigen, batch * (data + n * n + 2 * n))) : batch * data + eigen;
}
