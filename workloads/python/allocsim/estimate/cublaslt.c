/*
 * cuBLASLt, for the program and for its cuDNN. It has one algorithm for each product, which needs no workspace of its own: sizes and workspaces are PyTorch's, which
 * it has asked of the allocator. cuDNN multiplies matrices for convolutions of one tap; where cuBLASLt refuses, which needs a GPU, it plans other kernels, with copies of all tensors.
 */
#define _GNU_SOURCE
#include "mock.h"
#include "planner.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define MADE(name)               \
  EXPORT int name(void **made) { \
    *made = calloc(1, 256);      \
    return *made ? 0 : 3;        \
  }
#define FREED(name) \
  EXPORT int name(void *made) { free(made); return 0; }
#define DONE(name) EXPORT int name(void) { return 0; }
MADE(cublasLtCreate)
FREED(cublasLtDestroy)
MADE(cublasLtMatmulDescCreate)
FREED(cublasLtMatmulDescDestroy)
DONE(cublasLtMatmulDescSetAttribute)
DONE(cublasLtMatmulDescGetAttribute)
MADE(cublasLtMatrixLayoutCreate)
FREED(cublasLtMatrixLayoutDestroy)
DONE(cublasLtMatrixLayoutSetAttribute)
DONE(cublasLtMatrixLayoutGetAttribute)
MADE(cublasLtGroupedMatrixLayoutCreate)
MADE(cublasLtMatmulPreferenceCreate)
FREED(cublasLtMatmulPreferenceDestroy)
DONE(cublasLtMatmulPreferenceSetAttribute)
DONE(cublasLtMatmul)
DONE(cublasLtMatmulAlgoInit)
DONE(cublasLtMatmulAlgoCheck)
DONE(cublasLtMatmulAlgoConfigSetAttribute)
DONE(cublasLtMatmulAlgoConfigGetAttribute)
MADE(cublasLtMatrixTransformDescCreate)
FREED(cublasLtMatrixTransformDescDestroy)
DONE(cublasLtMatrixTransformDescSetAttribute)
DONE(cublasLtMatrixTransformDescGetAttribute)
DONE(cublasLtMatrixTransform)

/* Bytes of cublasLtMatmulHeuristicResult_t (cublasLt.h of CUDA 13). */
enum { RESULT_BYTES = 96 };

EXPORT int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, void *a, void *b, void *c, void *d, void *preference,
                                          int wanted, void *results, int *count) {
  (void)handle; (void)operation; (void)a; (void)b; (void)c; (void)d; (void)preference;
  *count = wanted > 0;
  if (wanted > 0) memset(results, 0, RESULT_BYTES);
  return 0;
}

/*
 * cuDNN opens the file of cuBLASLt and looks its functions up there, past those of this library. Its version remains that of the file. Calls go on to the C library
 * as jumps, since it takes the caller from the stack for RTLD_NEXT.
 */
EXPORT void *dlsym(void *library, const char *name) {
  static void *(*real)(void *, const char *);
  static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}; /* new ones, x86-64, aarch64 */
  for (size_t i = 0; !real && i < sizeof versions / sizeof versions[0]; i++) real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", versions[i]);
  if (cudnn_is_asking() && strncmp(name, "cublasLt", 8) == 0 && strncmp(name + 8, "Get", 3) != 0) library = RTLD_DEFAULT;
  return real(library, name);
}
