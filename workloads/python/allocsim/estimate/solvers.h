/* Workspaces of cuSOLVER's dense routines, in elements of the matrix where nothing else is said. The rules, and what they rest on, are explained in solvers.c. */
#pragma once
#include <stddef.h>

/* Bytes of an element: 4 for float, 8 for double and complex float, 16 for complex double. Complex float and double differ by `is_complex`. */
typedef struct {
  size_t bytes;
  int is_complex;
} Element;

/* Cholesky factors, in bytes. */
size_t potrf_bytes(int upper, size_t n, Element element);

/* LU factors, in bytes. */
size_t getrf_bytes(size_t rows, size_t columns, Element element);

/* Factors of an indefinite matrix. */
size_t sytrf_elements(size_t n, Element element);

/* QR: factors, Q itself (of `columns` columns, from `reflectors`), and the product of Q or its transpose with a matrix. */
size_t geqrf_elements(size_t columns);
size_t orgqr_elements(size_t rows, size_t columns, size_t reflectors);
size_t ormqr_elements(int from_right, size_t rows, size_t columns, size_t reflectors);

/* Eigenvalues: of symmetric matrices by divide and conquer, by Jacobi's method for one and for a batch, and of any matrix. */
size_t syevd_elements(size_t n);
size_t syevd_batched_elements(size_t n, size_t batch);
size_t syevj_elements(size_t n);
size_t syevj_batched_elements(size_t n, size_t batch);
size_t geev_elements(size_t n);

/* Singular values: by QR, by Jacobi's method for one and for a batch, and approximately for a batch of tall matrices. */
size_t gesvd_elements(size_t rows, size_t columns);
size_t gesvdj_elements(int economy, size_t rows, size_t columns);
size_t gesvdj_batched_elements(void);
size_t gesvda_elements(size_t rows, size_t columns, size_t batch, Element element);
