/* What libraries of CUDA would ask for as workspace. The rules, and what they rest on, stand in workspaces.c. */
#include <stddef.h>
#include <stdint.h>

enum { MOST_DIMENSIONS = 5 };

/* A tensor as cuDNN is told of it; sizes as N, C, then the space's. */
typedef struct {
  int type; /* cuDNN's number of the element type */
  int dimensions;
  int64_t sizes[MOST_DIMENSIONS], strides[MOST_DIMENSIONS];
} Tensor;

/* A convolution; kind 0: forward, 1: gradient of the filter, 2: gradient of the input. */
typedef struct {
  int kind, precision;
  Tensor filter, input, output;
  int64_t strides[3], dilations[3];
} Convolution;

/*
 * Bytes that cuDNN's plan for a convolution asks for, on a GPU of this compute capability (as 90 for 9.0), or with trials the plan among
 * all it has that asks for most.
 */
int64_t convolution_bytes(const Convolution *c, int trials, int capability);

/* The same for a graph of other operations; PyTorch has those of attention alone. */
int64_t attention_bytes(int capability);

/* Workspace and reserve of a recurrent network; sizes in elements. */
void recurrent_bytes(int gates, int directions, int layers, int hidden, int output, int input, int64_t rows, int batch, size_t type_bytes,
                     int training, size_t *work, size_t *reserve);

/* How many workspaces were asked for that no measurement covers. */
__attribute__((visibility("default"))) int64_t standin_unmeasured(void);

/* Counts one more. */
void standin_guess(void);
