/*
 * cuSOLVER's dense routines as PyTorch calls them. Nothing is computed, and every matrix has a factor: what the host reads of the outcome is zero.
 * Workspaces are those of solvers.c; on other cards than Hopper's they count as taken from elsewhere. Declarations are those of cuSOLVER 11 and 12; of
 * what is not looked at, only the number of arguments counts.
 */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

#include "mock.h"
#include "solvers.h"
#include "workspaces.h"

/* An argument that is not looked at: a whole register, or a place of 8 bytes on the stack. */
typedef long Any;

enum { SUCCESS = 0, ALLOC_FAILED = 2, INVALID_VALUE = 3 };

/* The architecture that was measured. */
enum { HOPPER = 9 };

static int made(void **object) {
  *object = calloc(1, 64);
  return *object ? SUCCESS : ALLOC_FAILED;
}

EXPORT int cusolverDnCreate(void **handle) { return made(handle); }
EXPORT int cusolverDnCreateParams(void **params) { return made(params); }
EXPORT int cusolverDnCreateGesvdjInfo(void **info) { return made(info); }
EXPORT int cusolverDnCreateSyevjInfo(void **info) { return made(info); }
EXPORT int cusolverDnDestroy(void *handle) { free(handle); return SUCCESS; }
EXPORT int cusolverDnDestroyParams(void *params) { free(params); return SUCCESS; }
EXPORT int cusolverDnDestroyGesvdjInfo(void *info) { free(info); return SUCCESS; }
EXPORT int cusolverDnDestroySyevjInfo(void *info) { free(info); return SUCCESS; }

#define DONE(name) EXPORT int cusolverDn##name(void) { return SUCCESS; }
DONE(SetStream)
DONE(XgesvdjSetMaxSweeps)
DONE(XgesvdjSetSortEig)
DONE(XgesvdjSetTolerance)

/* ---- Routines for one type, which count their workspace in elements ---- */

static const Element S = {4, 0}, D = {8, 0}, C = {8, 1}, Z = {16, 1};

static int64_t note(size_t bytes) {
  if (standin_capability() / 10 != HOPPER) standin_infer((int64_t)bytes);
  return (int64_t)bytes;
}

/* A workspace that an int cannot count is refused, as cuSOLVER does. */
static int answer(int *work, size_t elements, Element element) {
  if (elements > INT_MAX) return INVALID_VALUE;
  note(elements * element.bytes);
  *work = (int)elements;
  return SUCCESS;
}

/* Arguments and the rule, in which `element` is the type. */
#define ROUTINE(letter, name, arguments, rule) \
  EXPORT int cusolverDn##letter##name##_bufferSize arguments { const Element element = letter; return answer(work, rule, element); } \
  DONE(letter##name)
#define REAL(name, arguments, rule) ROUTINE(S, name, arguments, rule) ROUTINE(D, name, arguments, rule)
#define COMPLEX(name, arguments, rule) ROUTINE(C, name, arguments, rule) ROUTINE(Z, name, arguments, rule)
#define EACH(name, arguments, rule) REAL(name, arguments, rule) COMPLEX(name, arguments, rule)
#define BOTH(real, complex, arguments, rule) REAL(real, arguments, rule) COMPLEX(complex, arguments, rule)
#pragma GCC diagnostic ignored "-Wunused-parameter"

EACH(potrf, (Any handle, int part, int n, Any a, Any lda, int *work), potrf_bytes(part, n, element) / element.bytes)
EACH(geqrf, (Any handle, Any m, int n, Any a, Any lda, int *work), geqrf_elements(n))
EACH(getrf, (Any handle, int m, int n, Any a, Any lda, int *work), getrf_bytes(m, n, element) / element.bytes)
EACH(sytrf, (Any handle, int n, Any a, Any lda, int *work), sytrf_elements(n, element))
EACH(gesvd, (Any handle, int m, int n, int *work), gesvd_elements(m, n))
BOTH(orgqr, ungqr, (Any handle, int m, int n, int k, Any a, Any lda, Any tau, int *work), orgqr_elements(m, n, k))
BOTH(ormqr, unmqr, (Any handle, int side, Any trans, int m, int n, int k, Any a, Any lda, Any tau, Any c, Any ldc, int *work), ormqr_elements(side, m, n, k))
BOTH(syevd, heevd, (Any handle, Any job, Any part, int n, Any a, Any lda, Any w, int *work), syevd_elements(n))
BOTH(syevj, heevj, (Any handle, Any job, Any part, int n, Any a, Any lda, Any w, int *work, Any params), syevj_elements(n))
BOTH(syevjBatched, heevjBatched, (Any handle, Any job, Any part, int n, Any a, Any lda, Any w, int *work, Any params, int batch), syevj_batched_elements(n, batch))
EACH(gesvdj, (Any handle, Any job, int economy, int m, int n, Any a, Any lda, Any s, Any u, Any ldu, Any v, Any ldv, int *work, Any params), gesvdj_elements(economy, m, n))
EACH(gesvdjBatched, (Any handle, Any job, Any m, Any n, Any a, Any lda, Any s, Any u, Any ldu, Any v, Any ldv, int *work, Any params, Any batch), gesvdj_batched_elements())
EACH(gesvdaStridedBatched, (Any handle, Any job, Any rank, int m, int n, Any a, Any lda, Any sa, Any s, Any ss, Any u, Any ldu, Any su, Any v, Any ldv, Any sv, int *work, int batch), gesvda_elements(m, n, batch, element))

/* They need no workspace. */
#define DONE_EACH(name) DONE(S##name) DONE(D##name) DONE(C##name) DONE(Z##name)
DONE_EACH(potrs)
DONE_EACH(potrfBatched)
DONE_EACH(potrsBatched)
DONE_EACH(getrs)
DONE(Xpotrs)

/* ---- Routines for any type, which count their workspace in bytes ---- */

/* CUDA's numbers: single, double, complex of single, complex of double. */
static Element element_of(Any type) { return (unsigned)type == 0 ? S : (unsigned)type == 1 ? D : (unsigned)type == 4 ? C : Z; }

/* Beyond their elements they take so many bytes. */
enum { HEADER = 128 };

#define ANY_TYPE(name, arguments, rule) \
  EXPORT int cusolverDnX##name##_bufferSize arguments { \
    const Element element = element_of(type); \
    *device = (size_t)note(rule); \
    *host = 0; \
    return SUCCESS; \
  } \
  DONE(X##name)

ANY_TYPE(potrf, (Any handle, Any params, int part, long n, Any type, Any a, Any lda, Any in, size_t *device, size_t *host), potrf_bytes(part, n, element))
ANY_TYPE(geqrf, (Any handle, Any params, Any m, long n, Any type, Any a, Any lda, Any type_tau, Any tau, Any in, size_t *device, size_t *host), geqrf_elements(n) * element.bytes + HEADER)
ANY_TYPE(getrf, (Any handle, Any params, long m, long n, Any type, Any a, Any lda, Any in, size_t *device, size_t *host), getrf_bytes(m, n, element) - HEADER)
/* Was not measured. */
EXPORT int cusolverDnXsytrs_bufferSize(Any handle, Any part, Any n, Any columns, Any type, Any a, Any lda, Any pivots, Any type_b, Any b, Any ldb, size_t *device, size_t *host) {
  standin_guess();
  *device = *host = 0;
  return SUCCESS;
}
DONE(Xsytrs)
ANY_TYPE(syevd, (Any handle, Any params, Any job, Any part, long n, Any type, Any a, Any lda, Any type_w, Any w, Any in, size_t *device, size_t *host), syevd_elements(n) * element.bytes + HEADER)
ANY_TYPE(syevBatched, (Any handle, Any params, Any job, Any part, long n, Any type, Any a, Any lda, Any type_w, Any w, Any in, size_t *device, size_t *host, long batch), syevd_batched_elements(n, batch) * element.bytes + HEADER)
ANY_TYPE(geev, (Any handle, Any params, Any job_left, Any job_right, long n, Any type, Any a, Any lda, Any type_w, Any w, Any type_left, Any left, Any ld_left, Any type_right, Any right, Any ld_right, Any in, size_t *device, size_t *host), geev_elements(n) * element.bytes)
