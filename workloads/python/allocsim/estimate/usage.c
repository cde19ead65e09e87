/*
 * The table is the file in ALLOCSIM_ESTIMATE_USAGE; the first process that needs it gives it its size. A process takes a place in
 * it with its first request for memory, and a forked one a place of its own. Places of processes that are gone are taken again.
 */
#define _GNU_SOURCE
#include "usage.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_PROCESSES = 256 };

typedef struct {
  _Atomic int process; /* 0: the place is free */
  uint64_t used;       /* a bit for each device */
  uint64_t free_bytes[USAGE_DEVICES];
} Place;

static Place alone; /* of a process without a table */
static Place *table, *mine;
static uint64_t **kept; /* where the process looks for its free bytes */

static int is_gone(int process) { return kill(process, 0) && errno == ESRCH; }

static void open_table(void) {
  static int tried;
  if (tried) return;
  tried = 1;
  const char *path = getenv("ALLOCSIM_ESTIMATE_USAGE");
  int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
  if (file < 0) return;
  size_t bytes = MAX_PROCESSES * sizeof(Place);
  if (!ftruncate(file, (off_t)bytes)) {
    void *got = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (got != MAP_FAILED) table = got;
  }
  close(file);
}

static void leave(void) {
  if (mine && mine != &alone && mine->process == getpid()) mine->process = 0;
}

/* The child has what its parent had, but is another process; it goes on with values of its own. */
static void leave_to_parent(void) {
  if (mine && mine != &alone) {
    memcpy(alone.free_bytes, mine->free_bytes, sizeof alone.free_bytes);
    *kept = alone.free_bytes;
  }
  mine = NULL;
}

static Place *take(void) {
  int own = getpid();
  for (int i = 0; table && i < MAX_PROCESSES; i++) {
    int process = table[i].process;
    if (process && !is_gone(process)) continue;
    if (atomic_compare_exchange_strong(&table[i].process, &process, own)) return table + i;
  }
  alone.process = own;
  return &alone;
}

void usage_begin(uint64_t **free_bytes, int device) {
  static int forks_followed;
  if (!mine) {
    open_table();
    mine = take();
    if (*free_bytes != mine->free_bytes) memcpy(mine->free_bytes, *free_bytes, sizeof mine->free_bytes);
    mine->used = 0;
    kept = free_bytes;
    *free_bytes = mine->free_bytes;
    if (!forks_followed) {
      forks_followed = 1;
      pthread_atfork(NULL, NULL, leave_to_parent);
      atexit(leave);
    }
  }
  mine->used |= 1ull << device;
}

int usage_at(int at, int device, unsigned *process, uint64_t *left) {
  open_table();
  int is_alone = !table || mine == &alone;
  if (at < 0 || at >= MAX_PROCESSES + is_alone) return -1;
  if (at == MAX_PROCESSES && !mine) return 0;
  const Place *place = at == MAX_PROCESSES ? mine : table ? table + at : NULL;
  if (!place || !place->process || !(place->used >> device & 1) || is_gone(place->process)) return 0;
  *process = (unsigned)place->process;
  *left = place->free_bytes[device];
  return 1;
}
