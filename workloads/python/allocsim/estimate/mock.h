/* What the parts of the mock CUDA driver for whole programs share. */
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/* Notes that a function was called that is not there; it returns the code. */
int standin_refuse(const char *function, int code);

/* Notes that the calling thread's work goes on: what it was refused before is no reason for a later error. */
void standin_go_on(void);

/* The compute capability of the card, as 90 for 9.0. */
int standin_capability(void);

/* Versions of the PTX and of the machine code of a kernel, as 86 for 8.6. */
typedef struct {
  int ptx, binary;
} Image;

/* The image that the card runs of a kernel; 0 where its module has none for the card. */
int standin_image(const void *function, Image *image);

/* An attribute of the card by its number in CUDA; 0 for those that it does not have. */
int standin_attribute(int name);

/* Blocks of so many threads, with so many bytes of shared memory, that a multiprocessor of the card holds. */
int standin_blocks(int threads, size_t shared);

/* The most power that the card draws. */
int standin_watts(void);

/*
 * The n-th process of the program: 1 where it uses the device, with its number and its bytes there, a context included; 0 where it does not; -1
 * beyond the last one.
 */
int standin_usage(int at, int device, unsigned *process, unsigned long long *bytes);
