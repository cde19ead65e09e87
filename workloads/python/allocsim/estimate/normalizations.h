/* The workspaces of batch normalization. The rules, and what they rest on, stand in normalizations.c. */
#pragma once
#include <stdint.h>

/* Bytes for an input that is channels last: of a cuDNN type (0 single, 2 half, 9 bf16), of so many positions (images times pixels). */
int64_t normalization_bytes(int type, int backward, int64_t positions, int64_t channels);
