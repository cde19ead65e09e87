/*
 * The workspaces of cuDNN's batch normalization in training. Only its persistent kernels for channels last have some: each block adds up the two sums of 64 channels
 * over some of the positions, of 16 channels where their number is no multiple of four, of four where there are fewer. The sums of all blocks are kept in single
 * precision, with counters by which the last block is known. Measured with cuDNN 9.19 on an H200: `validation/estimate/normalizations.py --check` says how many
 * rows the rules give.
 */
#include "normalizations.h"

enum { SINGLE = 0 };

static int64_t filled(int64_t count, int64_t whole) { return (count + whole - 1) / whole; }

static int64_t channels_of_block(int64_t channels) { return channels % 4 == 0 ? 64 : channels > 4 ? 16 : 4; }

/* Positions of the input that one block adds up; a block of four channels takes four times as many. */
static int64_t positions_of_block(int type, int backward, int64_t together) {
  int64_t positions = backward ? 96 : type == SINGLE ? 64 : 160;
  return together == 4 ? 4 * positions : positions;
}

int64_t normalization_bytes(int type, int backward, int64_t positions, int64_t channels) {
  int64_t together = channels_of_block(channels), groups = filled(channels, together), blocks = filled(positions, positions_of_block(type, backward, together));
  if (backward) return blocks * groups * together * 8 + 1056 + 4 * groups;
  return blocks * groups * (together * 8 + 4) + 1072 + 4 * groups;
}
