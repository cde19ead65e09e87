/* The workspaces of Fourier transforms, as cuFFT plans them. The rules, and what they rest on, are explained in transforms.c. */
#pragma once
#include <stdint.h>

typedef enum { COMPLEX_TO_COMPLEX, REAL_TO_COMPLEX, COMPLEX_TO_REAL } Transform;

enum { MAX_RANKS = 3 };

/* Bytes of the workspace for `batch` transforms with sides n; an element is a complex number of that many bytes (4, 8 or 16). */
int64_t transform_bytes(Transform transform, int rank, const int64_t *n, int64_t batch, int element_bytes);
