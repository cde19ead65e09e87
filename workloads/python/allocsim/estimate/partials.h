/* The partial results of cuDNN's convolutions on Hopper. The rules, and what they rest on, stand in partials.c. */
#pragma once
#include "workspaces.h"

/* What cuDNN chose for a convolution: its number of the engine, and its settings (CUDNN_KNOB_TYPE_TILE_SIZE, TILEK, WORKSPACE, TILE_CGA_M and TILE_CGA_N). */
typedef struct {
  int64_t engine, tile, step, whole, cluster_m, cluster_n;
} Kernel;

/* Whether an engine has kernels that share tiles, at all. */
int partials_engine(int64_t engine);

/* Whether the rules hold for a convolution and its kernel. */
int partials_known(const Convolution *c, const Kernel *k);

/* Bytes that the kernel adds to the workspace where the GPU holds so many blocks at a time, and its multiprocessors have so many cycles for one of its memory. */
int64_t partials_bytes(const Convolution *c, const Kernel *k, int64_t blocks, double cycles);

/* The blocks that cuDNN counts on where it has no GPU to ask, in clusters of so many. */
int64_t blocks_without_gpu(int64_t cluster);

/* Those that a GPU of compute capability 9.0 holds, or 0 where that was not measured. */
int64_t blocks_of_gpu(int64_t cluster, int multiprocessors);
