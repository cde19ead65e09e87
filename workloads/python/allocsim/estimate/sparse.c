/*
 * cuSPARSE as PyTorch calls it. Nothing is computed. Buffers are counted as guesses where no rule is known; so are the elements of a
 * product or a sum of sparse matrices, which depend on where those of its factors are: here they are spread evenly. Declarations are
 * those of cuSPARSE 12; of what is not looked at, only the number of arguments counts.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "mock.h"
#include "workspaces.h"

/* An argument that is not looked at: a whole register, or a place of 8 bytes on the stack. */
typedef long Any;

#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { SUCCESS = 0, ALLOC_FAILED = 2 };

typedef struct {
  int64_t rows, columns, elements;
} Matrix;

static int made(void **object) {
  *object = calloc(1, sizeof(Matrix) > 64 ? sizeof(Matrix) : 64);
  return *object ? SUCCESS : ALLOC_FAILED;
}

static int matrix(Matrix **object, int64_t rows, int64_t columns, int64_t elements) {
  if (made((void **)object) != SUCCESS) return ALLOC_FAILED;
  **object = (Matrix){rows, columns, elements};
  return SUCCESS;
}

#define MADE(name) EXPORT int cusparse##name(void **object) { return made(object); }
#define FREED(name) EXPORT int cusparse##name(void *object) { free(object); return SUCCESS; }
#define DONE(name) EXPORT int cusparse##name(void) { return SUCCESS; }
#define DONE_EACH(name) DONE(S##name) DONE(D##name) DONE(C##name) DONE(Z##name)

MADE(Create)
FREED(Destroy)
DONE(SetPointerMode)
DONE(SetStream)
EXPORT int cusparseGetPointerMode(Any handle, int *mode) { *mode = 0; return SUCCESS; }
EXPORT int cusparseGetStream(Any handle, void **stream) { *stream = NULL; return SUCCESS; }

/* ---- Descriptions ---- */

EXPORT int cusparseCreateCoo(Matrix **object, int64_t rows, int64_t columns, int64_t elements) { return matrix(object, rows, columns, elements); }
EXPORT int cusparseCreateCsr(Matrix **object, int64_t rows, int64_t columns, int64_t elements) { return matrix(object, rows, columns, elements); }
EXPORT int cusparseCreateCsc(Matrix **object, int64_t rows, int64_t columns, int64_t elements) { return matrix(object, rows, columns, elements); }
EXPORT int cusparseCreateConstCoo(Matrix **object, int64_t rows, int64_t columns, int64_t elements) { return matrix(object, rows, columns, elements); }
EXPORT int cusparseCreateConstCsr(Matrix **object, int64_t rows, int64_t columns, int64_t elements) { return matrix(object, rows, columns, elements); }
EXPORT int cusparseCreateConstCsc(Matrix **object, int64_t rows, int64_t columns, int64_t elements) { return matrix(object, rows, columns, elements); }
EXPORT int cusparseCreateDnMat(Matrix **object, int64_t rows, int64_t columns) { return matrix(object, rows, columns, rows * columns); }
EXPORT int cusparseCreateConstDnMat(Matrix **object, int64_t rows, int64_t columns) { return matrix(object, rows, columns, rows * columns); }
EXPORT int cusparseCreateDnVec(Matrix **object, int64_t size) { return matrix(object, size, 1, size); }
EXPORT int cusparseCreateConstDnVec(Matrix **object, int64_t size) { return matrix(object, size, 1, size); }
FREED(DestroySpMat)
FREED(DestroyDnMat)
FREED(DestroyDnVec)
EXPORT int cusparseSpMatGetSize(const Matrix *m, int64_t *rows, int64_t *columns, int64_t *elements) {
  *rows = m->rows;
  *columns = m->columns;
  *elements = m->elements;
  return SUCCESS;
}
DONE(CooSetPointers)
DONE(CooSetStridedBatch)
DONE(CsrSetPointers)
DONE(CsrSetStridedBatch)
DONE(DnMatSetStridedBatch)
DONE(SpMatSetAttribute)
MADE(CreateMatDescr)
FREED(DestroyMatDescr)
DONE(SetMatDiagType)
DONE(SetMatFillMode)
DONE(SetMatIndexBase)
DONE(SetMatType)

/* ---- Sparse times dense, and dense times dense at the places of a sparse matrix ---- */

static int guessed(size_t *bytes) {
  standin_guess();
  *bytes = 0;
  return SUCCESS;
}

EXPORT int cusparseSpMM_bufferSize(Any handle, int op_a, int op_b, Any alpha, const Matrix *a, const Matrix *b, Any beta, const Matrix *c, Any type, int algorithm, size_t *bytes) {
  return guessed(bytes);
}
DONE(SpMM)
DONE(SpMM_preprocess)
EXPORT int cusparseSpMV_bufferSize(Any handle, int op_a, Any alpha, const Matrix *a, Any x, Any beta, Any y, Any type, int algorithm, size_t *bytes) {
  return guessed(bytes);
}
DONE(SpMV)
DONE(SpMV_preprocess)
EXPORT int cusparseSDDMM_bufferSize(Any handle, int op_a, int op_b, Any alpha, const Matrix *a, const Matrix *b, Any beta, const Matrix *c, Any type, int algorithm, size_t *bytes) {
  return guessed(bytes);
}
DONE(SDDMM)
DONE(SDDMM_preprocess)
DONE_EACH(bsrmm)
DONE_EACH(bsrmv)

/* ---- Triangular systems ---- */

MADE(SpSM_createDescr)
FREED(SpSM_destroyDescr)
EXPORT int cusparseSpSM_bufferSize(Any handle, int op_a, int op_b, Any alpha, const Matrix *a, const Matrix *b, const Matrix *c, Any type, int algorithm, Any descr, size_t *bytes) {
  return guessed(bytes);
}
DONE(SpSM_analysis)
DONE(SpSM_solve)
MADE(SpSV_createDescr)
FREED(SpSV_destroyDescr)
EXPORT int cusparseSpSV_bufferSize(Any handle, int op_a, Any alpha, const Matrix *a, Any x, Any y, Any type, int algorithm, Any descr, size_t *bytes) {
  return guessed(bytes);
}
DONE(SpSV_analysis)
DONE(SpSV_solve)

MADE(CreateBsrsm2Info)
FREED(DestroyBsrsm2Info)
MADE(CreateBsrsv2Info)
FREED(DestroyBsrsv2Info)
static int guessed_int(int *bytes) {
  standin_guess();
  *bytes = 0;
  return SUCCESS;
}
#define BLOCK_ROWS_MATRIX(type) \
  EXPORT int cusparse##type##bsrsm2_bufferSize(Any handle, Any direction, Any op_a, Any op_x, Any rows, Any columns, Any blocks, Any a, Any values, Any offsets, Any indices, Any size, Any info, int *bytes) { return guessed_int(bytes); } \
  EXPORT int cusparse##type##bsrsv2_bufferSize(Any handle, Any direction, Any op_a, Any rows, Any blocks, Any a, Any values, Any offsets, Any indices, Any size, Any info, int *bytes) { return guessed_int(bytes); }
BLOCK_ROWS_MATRIX(S) BLOCK_ROWS_MATRIX(D) BLOCK_ROWS_MATRIX(C) BLOCK_ROWS_MATRIX(Z)
DONE_EACH(bsrsm2_analysis)
DONE_EACH(bsrsm2_solve)
DONE_EACH(bsrsv2_analysis)
DONE_EACH(bsrsv2_solve)
EXPORT int cusparseXbsrsm2_zeroPivot(Any handle, Any info, int *position) { *position = -1; return SUCCESS; }
EXPORT int cusparseXbsrsv2_zeroPivot(Any handle, Any info, int *position) { *position = -1; return SUCCESS; }

/* ---- Sparse times sparse, and sparse plus sparse ---- */

MADE(SpGEMM_createDescr)
FREED(SpGEMM_destroyDescr)

/* Each element of one factor meets those of a row of the other; of products at one place, one is left. */
static int64_t product_elements(int64_t inner, const Matrix *a, const Matrix *b, const Matrix *c) {
  double places = (double)c->rows * (double)c->columns;
  if (!inner || places == 0) return 0;
  double products = (double)a->elements * (double)b->elements / (double)inner;
  return (int64_t)llround(places * -expm1(-products / places));
}

EXPORT int cusparseSpGEMM_workEstimation(Any handle, int op_a, int op_b, Any alpha, const Matrix *a, const Matrix *b, Any beta, Matrix *c, Any type, int algorithm, Any descr, size_t *bytes, void *buffer) {
  return buffer ? SUCCESS : guessed(bytes);
}
EXPORT int cusparseSpGEMM_compute(Any handle, int op_a, int op_b, Any alpha, const Matrix *a, const Matrix *b, Any beta, Matrix *c, Any type, int algorithm, Any descr, size_t *bytes, void *buffer) {
  if (!buffer) *bytes = 0;
  c->elements = product_elements(op_a ? a->rows : a->columns, a, b, c);
  return SUCCESS;
}
DONE(SpGEMM_copy)

#define SUM(type) \
  EXPORT int cusparse##type##csrgeam2_bufferSizeExt(Any handle, int m, int n, Any alpha, Any a, int elements_a, Any values_a, Any offsets_a, Any indices_a, Any beta, Any b, int elements_b, Any values_b, Any offsets_b, Any indices_b, Any c, Any values_c, Any offsets_c, Any indices_c, size_t *bytes) { return guessed(bytes); }
SUM(S) SUM(D) SUM(C) SUM(Z)
DONE_EACH(csrgeam2)
EXPORT int cusparseXcsrgeam2Nnz(Any handle, int m, int n, Any a, int elements_a, Any offsets_a, Any indices_a, Any b, int elements_b, Any offsets_b, Any indices_b, Any c, Any offsets_c, int *elements) {
  double places = (double)m * (double)n;
  standin_guess();
  *elements = places > 0 ? (int)llround(elements_a + elements_b - (double)elements_a * elements_b / places) : 0;
  return SUCCESS;
}

/* ---- Order of elements ---- */

DONE(CreateIdentityPermutation)
DONE(Xcoo2csr)
DONE(XcoosortByRow)
DONE(Xcsrsort)
EXPORT int cusparseXcoosort_bufferSizeExt(Any handle, int m, int n, int elements, Any rows, Any columns, size_t *bytes) { return guessed(bytes); }
EXPORT int cusparseXcsrsort_bufferSizeExt(Any handle, int m, int n, int elements, Any offsets, Any indices, size_t *bytes) { return guessed(bytes); }
