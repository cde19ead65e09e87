/*
 * Functions of CUDA's libraries that need a GPU and that the mock driver does not have: each says that it is not supported and
 * notes its name, so that the program's error can name it. The list, refused.h, is made of the libraries' headers by
 * validation/estimate/functions.py; a function that another file has takes the place of the one made here. Libraries' own
 * functions that need no GPU are not in the list.
 */
#include <pthread.h>

#include "mock.h"

enum { MAX_NAMES = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *names[MAX_NAMES];
static int name_count;
static const char *last;
static pthread_t last_thread;

int standin_refuse(const char *function, int code) {
  pthread_mutex_lock(&lock);
  last = function;
  last_thread = pthread_self();
  int known = 0;
  for (int i = 0; i < name_count && !known; i++) known = names[i] == function;
  if (!known && name_count < MAX_NAMES) names[name_count++] = function;
  pthread_mutex_unlock(&lock);
  return code;
}

void standin_go_on(void) {
  if (last && pthread_equal(last_thread, pthread_self())) last = NULL;
}

/* The function that was refused last, where its thread has launched nothing since; else NULL. */
EXPORT const char *standin_refused(void) { return last; }

/* The functions that were refused, in order of their first calls; NULL beyond the last one. */
EXPORT const char *standin_refused_at(int index) { return index >= 0 && index < name_count ? names[index] : NULL; }

#define REFUSED(name, code) \
  __attribute__((weak)) EXPORT int name(void) { return standin_refuse(#name, code); }

/* "Not supported", as each library numbers it. */
#define CUDA(name) REFUSED(name, 801)
#define CUBLAS(name) REFUSED(name, 15)
#define CUDNN(name) REFUSED(name, 3000)
#define CUSOLVER(name) REFUSED(name, 9)
#define CUSPARSE(name) REFUSED(name, 10)
#define CUFFT(name) REFUSED(name, 16)
#define NCCL(name) REFUSED(name, 3)

#include "refused.h"
