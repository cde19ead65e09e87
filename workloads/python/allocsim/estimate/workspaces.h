/* What libraries of CUDA would ask for as workspace. The rules, and what they rest on, stand in workspaces.c. */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { MAX_DIMENSIONS = 5 };

/* A tensor as cuDNN is told of it; sizes as N, C, then the space's. */
typedef struct {
  int type; /* cuDNN's number of the element type */
  int dimensions;
  int64_t sizes[MAX_DIMENSIONS], strides[MAX_DIMENSIONS];
} Tensor;

/* A convolution; kind 0: forward, 1: gradient of the filter, 2: gradient of the input. */
typedef struct {
  int kind, precision;
  Tensor filter, input, output;
  int64_t strides[3], dilations[3];
  int64_t before[3], after[3]; /* padding */
} Convolution;

/*
 * Bytes that cuDNN's plan for a convolution asks for, on a GPU of this compute capability (as 90 for 9.0), or with trials the plan among
 * all it has that asks for most.
 */
int64_t convolution_bytes(const Convolution *c, int trials, int capability);

/* The same for a graph of other operations; PyTorch has those of attention alone. */
int64_t attention_bytes(int capability);

/* Steps whose gates cuDNN computes at once. */
enum { STEPS_AT_ONCE = 256 };

/* A recurrent network and its sequences; sizes in elements, rows are the steps of all sequences. */
typedef struct {
  int gates, directions, layers, hidden, output, input, length, batch, packed, drops;
  int64_t rows, rows_at_once; /* of all sequences, and of their first 256 steps */
  size_t type_bytes;
} Recurrence;

/* Its workspace and, for training, its reserve. */
void recurrent_bytes(const Recurrence *r, int training, size_t *work, size_t *reserve);

/*
 * Of cuDNN's connectionist temporal classification, for labels of at most `label` classes each: where labels and lengths are on the GPU, and where they are on
 * the host, so that cuDNN knows the steps that are used.
 */
size_t ctc_bytes(size_t steps, size_t sequences, size_t classes, size_t label);
size_t ctc_bytes_on_host(size_t steps, size_t sequences, size_t classes, size_t label, size_t used);

/* How many workspaces were asked for that no measurement covers. */
__attribute__((visibility("default"))) int64_t standin_unmeasured(void);

/* How many of those have no known size at all. */
__attribute__((visibility("default"))) int64_t standin_unsized(void);

/* Of workspaces that were not measured themselves the largest, in bytes as predicted, or where that is more the tensors it works on. */
__attribute__((visibility("default"))) int64_t standin_inferred_bytes(void);

/* Counts one more of which nothing is known. */
void standin_guess(void);

/* Notes one that was not measured itself. */
void standin_infer(int64_t bytes);

/* Convolutions whose workspaces cuDNN planned without the GPU. */
__attribute__((visibility("default"))) int64_t standin_planned(void);

/* The largest workspace of those that a benchmark tried. */
__attribute__((visibility("default"))) int64_t standin_tried_bytes(void);

/* Counts one that was planned, and notes one that a benchmark tried. */
void standin_plan(void);
void standin_try(int64_t bytes);
