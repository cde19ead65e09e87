/* What the program's own cuDNN plans for the card, without a GPU (planner.c). */
#include <stddef.h>
#include <stdint.h>

#include "workspaces.h"

enum { MAX_PLANS = 128 };

/*
 * The bytes of the workspace of each configuration that cuDNN's heuristics of this mode give for a convolution, the best first; their number,
 * or -1 where cuDNN cannot plan without a GPU.
 */
int planned_workspaces(const Convolution *c, int mode, int64_t *bytes, int room);

/* How many convolutions have a best configuration whose partial results on the GPU are not known. */
int64_t plans_of_unknown_partials(void);

/* cuDNN's own functions, which it calls itself, too. */
typedef struct {
  int (*create)(int, void **);
  int (*destroy)(void *);
  int (*finalize)(void *);
  int (*set)(void *, int, int, int64_t, const void *);
  int (*get)(void *, int, int, int64_t, int64_t *, void *);
} Cudnn;
extern Cudnn real_cudnn;

/* Whether this thread is in a function of cuDNN's. */
int cudnn_is_asking(void);

/* The card whose place the stand-in takes, as cuDNN's JSON of a device; 0 where there is no room for it. */
int card_as_json(char *text, size_t room);
