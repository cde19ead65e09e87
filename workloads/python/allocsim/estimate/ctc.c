/*
 * cuDNN's loss of connectionist temporal classification, which PyTorch chooses over its own for labels and lengths of 32 bits that suit it. Nothing is
 * computed; descriptors are those of the program's own cuDNN.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#include "mock.h"
#include "workspaces.h"

enum { SUCCESS = 0, NOT_SUPPORTED = 3000 };

/* The architecture that was measured. */
enum { HOPPER = 9 };

static void *of_cudnn(const char *name) {
  void *library = dlopen("libcudnn.so.9", RTLD_LAZY | RTLD_NOLOAD);
  return library ? dlsym(library, name) : NULL;
}

/* Probabilities: steps, sequences, classes. */
static int sides_of(void *tensor, int sides[3]) {
  int (*get)(void *, int, int *, int *, int *, int *) = (int (*)(void *, int, int *, int *, int *, int *))of_cudnn("cudnnGetTensorNdDescriptor");
  int type, dimensions, strides[3];
  if (!get) return standin_refuse("cudnnGetTensorNdDescriptor", NOT_SUPPORTED);
  int code = get(tensor, 3, &type, &dimensions, sides, strides);
  return code != SUCCESS || dimensions == 3 ? code : NOT_SUPPORTED;
}

static int answer(size_t *work, size_t bytes) {
  if (standin_capability() / 10 != HOPPER) standin_infer((int64_t)bytes);
  *work = bytes;
  return SUCCESS;
}

/* The labels are on the GPU: the descriptor says how long they can be. */
EXPORT int cudnnGetCTCLossWorkspaceSize_v8(void *handle, int algorithm, void *loss, void *probabilities, void *gradients, size_t *work) {
  (void)handle, (void)algorithm, (void)gradients;
  int sides[3], type, mode, gradient, longest;
  int code = sides_of(probabilities, sides);
  if (code != SUCCESS) return code;
  int (*get)(void *, int *, int *, int *, int *) = (int (*)(void *, int *, int *, int *, int *))of_cudnn("cudnnGetCTCLossDescriptor_v8");
  if (!get) return standin_refuse("cudnnGetCTCLossDescriptor_v8", NOT_SUPPORTED);
  code = get(loss, &type, &mode, &gradient, &longest);
  if (code != SUCCESS) return code;
  return answer(work, ctc_bytes((size_t)sides[0], (size_t)sides[1], (size_t)sides[2], (size_t)longest));
}

/* Labels and steps that are on the host; both algorithms ask for the same. */
EXPORT int cudnnGetCTCLossWorkspaceSize(void *handle, void *probabilities, void *gradients, const int *labels, const int *label_lengths, const int *lengths, int algorithm,
                                        void *loss, size_t *work) {
  (void)handle, (void)gradients, (void)labels, (void)algorithm, (void)loss;
  int sides[3];
  int code = sides_of(probabilities, sides);
  if (code != SUCCESS) return code;
  size_t label = 0, used = 0;
  for (int i = 0; i < sides[1]; i++) {
    if ((size_t)label_lengths[i] > label) label = (size_t)label_lengths[i];
    if ((size_t)lengths[i] > used) used = (size_t)lengths[i];
  }
  return answer(work, ctc_bytes_on_host((size_t)sides[0], (size_t)sides[1], (size_t)sides[2], label, used));
}

EXPORT int cudnnCTCLoss(void) { return SUCCESS; }
EXPORT int cudnnCTCLoss_v8(void) { return SUCCESS; }
