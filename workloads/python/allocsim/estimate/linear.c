/*
 * cuSOLVER's dense routines, cuFFT, and of cuSPARSE what they take, as PyTorch calls them. Nothing is computed, and every matrix has a factor: what the
 * host reads of the outcome is zero. How much workspace they would ask for was not measured: a routine gets none, a
 * transform as much as its data, and each is counted as a guess. Declarations are those of cuSOLVER and cuFFT 11 and 12;
 * of what is not looked at, only the number of arguments counts.
 */
#include <stddef.h>
#include <stdlib.h>

#include "workspaces.h"

#define EXPORT __attribute__((visibility("default")))

/* An argument that is not looked at: a whole register, or a place of 8 bytes on the stack. */
typedef long Any;

enum { SUCCESS = 0, ALLOC_FAILED = 2, NOT_SUPPORTED = 10 };

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

static int none(int *elements) {
  standin_guess();
  *elements = 0;
  return SUCCESS;
}

#define ROUTINE(name, ...) \
  EXPORT int cusolverDn##name##_bufferSize(__VA_ARGS__) { return none(work); } \
  DONE(name)
#define REAL(name, ...) ROUTINE(S##name, __VA_ARGS__) ROUTINE(D##name, __VA_ARGS__)
#define COMPLEX(name, ...) ROUTINE(C##name, __VA_ARGS__) ROUTINE(Z##name, __VA_ARGS__)
#define EACH(name, ...) REAL(name, __VA_ARGS__) COMPLEX(name, __VA_ARGS__)
#pragma GCC diagnostic ignored "-Wunused-parameter"

EACH(potrf, Any handle, Any part, Any n, Any a, Any lda, int *work)
EACH(getrf, Any handle, Any m, Any n, Any a, Any lda, int *work)
EACH(geqrf, Any handle, Any m, Any n, Any a, Any lda, int *work)
EACH(sytrf, Any handle, Any n, Any a, Any lda, int *work)
EACH(gesvd, Any handle, Any m, Any n, int *work)
REAL(orgqr, Any handle, Any m, Any n, Any k, Any a, Any lda, Any tau, int *work)
COMPLEX(ungqr, Any handle, Any m, Any n, Any k, Any a, Any lda, Any tau, int *work)
REAL(ormqr, Any handle, Any side, Any trans, Any m, Any n, Any k, Any a, Any lda, Any tau, Any c, Any ldc, int *work)
COMPLEX(unmqr, Any handle, Any side, Any trans, Any m, Any n, Any k, Any a, Any lda, Any tau, Any c, Any ldc, int *work)
REAL(syevd, Any handle, Any job, Any part, Any n, Any a, Any lda, Any w, int *work)
COMPLEX(heevd, Any handle, Any job, Any part, Any n, Any a, Any lda, Any w, int *work)
REAL(syevj, Any handle, Any job, Any part, Any n, Any a, Any lda, Any w, int *work, Any params)
COMPLEX(heevj, Any handle, Any job, Any part, Any n, Any a, Any lda, Any w, int *work, Any params)
REAL(syevjBatched, Any handle, Any job, Any part, Any n, Any a, Any lda, Any w, int *work, Any params, Any batch)
COMPLEX(heevjBatched, Any handle, Any job, Any part, Any n, Any a, Any lda, Any w, int *work, Any params, Any batch)
EACH(gesvdj, Any handle, Any job, Any econ, Any m, Any n, Any a, Any lda, Any s, Any u, Any ldu, Any v, Any ldv, int *work, Any params)
EACH(gesvdjBatched, Any handle, Any job, Any m, Any n, Any a, Any lda, Any s, Any u, Any ldu, Any v, Any ldv, int *work, Any params, Any batch)
EACH(gesvdaStridedBatched, Any handle, Any job, Any rank, Any m, Any n, Any a, Any lda, Any sa, Any s, Any ss, Any u, Any ldu, Any su, Any v, Any ldv, Any sv, int *work, Any batch)

/* They need no workspace. */
#define DONE_EACH(name) DONE(S##name) DONE(D##name) DONE(C##name) DONE(Z##name)
DONE_EACH(potrs)
DONE_EACH(potrfBatched)
DONE_EACH(potrsBatched)
DONE_EACH(getrs)
DONE(Xpotrs)

/* ---- Routines for any type, which count their workspace in bytes ---- */

static int no_bytes(size_t *device, size_t *host) {
  standin_guess();
  *device = *host = 0;
  return SUCCESS;
}

#define ANY_TYPE(name, ...) \
  EXPORT int cusolverDnX##name##_bufferSize(__VA_ARGS__) { return no_bytes(device, host); } \
  DONE(X##name)

ANY_TYPE(potrf, Any handle, Any params, Any part, Any n, Any type, Any a, Any lda, Any in, size_t *device, size_t *host)
ANY_TYPE(getrf, Any handle, Any params, Any m, Any n, Any type, Any a, Any lda, Any in, size_t *device, size_t *host)
ANY_TYPE(geqrf, Any handle, Any params, Any m, Any n, Any type, Any a, Any lda, Any type_tau, Any tau, Any in, size_t *device, size_t *host)
ANY_TYPE(sytrs, Any handle, Any part, Any n, Any columns, Any type, Any a, Any lda, Any pivots, Any type_b, Any b, Any ldb, size_t *device, size_t *host)
ANY_TYPE(syevd, Any handle, Any params, Any job, Any part, Any n, Any type, Any a, Any lda, Any type_w, Any w, Any in, size_t *device, size_t *host)
ANY_TYPE(syevBatched, Any handle, Any params, Any job, Any part, Any n, Any type, Any a, Any lda, Any type_w, Any w, Any in, size_t *device, size_t *host, Any batch)
ANY_TYPE(geev, Any handle, Any params, Any job_left, Any job_right, Any n, Any type, Any a, Any lda, Any type_w, Any w, Any type_left, Any left, Any ld_left, Any type_right, Any right, Any ld_right, Any in, size_t *device, size_t *host)

/* ---- cuFFT ---- */

static int plans;

EXPORT int cufftCreate(int *plan) { *plan = ++plans; return SUCCESS; }

EXPORT int cufftXtMakePlanMany(int plan, int rank, long long *n, Any in, Any in_stride, Any in_distance, Any in_type, Any out,
                               Any out_stride, Any out_distance, Any out_type, long long batch, size_t *bytes, int type) {
  size_t elements = (size_t)batch;
  for (int i = 0; i < rank; i++) elements *= (size_t)n[i];
  /* Complex numbers of 32, 64 and 16 bits for each part. */
  *bytes = elements * (type == 5 ? 16 : type == 6 ? 4 : 8);
  standin_guess();
  return SUCCESS;
}

#define DONE_FFT(name) EXPORT int cufft##name(void) { return SUCCESS; }
DONE_FFT(Destroy)
DONE_FFT(SetAutoAllocation)
DONE_FFT(SetStream)
DONE_FFT(SetWorkArea)
DONE_FFT(XtExec)

/* ---- cuSPARSE, of which PyTorch's factorisations take the handle and the identity; matrices that are sparse are refused ---- */

EXPORT int cusparseCreate(void **handle) { return made(handle); }
EXPORT int cusparseDestroy(void *handle) { free(handle); return SUCCESS; }

#define DONE_SPARSE(name) EXPORT int cusparse##name(void) { return SUCCESS; }
DONE_SPARSE(CreateIdentityPermutation)
DONE_SPARSE(SetPointerMode)
DONE_SPARSE(SetStream)

#define REFUSED(name) EXPORT int cusparse##name(void) { return NOT_SUPPORTED; }
#define REFUSED_EACH(name) REFUSED(S##name) REFUSED(D##name) REFUSED(C##name) REFUSED(Z##name)
REFUSED_EACH(bsrmm)
REFUSED_EACH(bsrmv)
REFUSED_EACH(bsrsm2_bufferSize)
REFUSED_EACH(bsrsv2_bufferSize)
REFUSED_EACH(csrgeam2_bufferSizeExt)
REFUSED(CreateBsrsm2Info)
REFUSED(CreateBsrsv2Info)
REFUSED(CreateCoo)
REFUSED(CreateCsr)
REFUSED(CreateDnMat)
REFUSED(CreateDnVec)
REFUSED(CreateMatDescr)
REFUSED(SpGEMM_createDescr)
REFUSED(SpSM_createDescr)
REFUSED(SpSV_createDescr)
REFUSED(Xcoo2csr)
REFUSED(XcoosortByRow)
REFUSED(Xcoosort_bufferSizeExt)
REFUSED(Xcsrsort)
REFUSED(Xcsrsort_bufferSizeExt)
