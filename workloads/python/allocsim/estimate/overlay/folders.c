/* Listings of folders that are both the user's and the program's. */
#include "overlay.h"

#include <dirent.h>
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); real; })

/* What a stream of libc lists instead of its own folder. */
typedef struct Listing {
  struct Listing *next;
  DIR *stream;
  char *names;
  size_t bytes, at;
  int dots; /* of . and .., those that were given */
  struct dirent entry;
} Listing;

static Listing *listings;
static _Atomic int count;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void take(void) {
  while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) sched_yield();
}
static void leave(void) { atomic_flag_clear_explicit(&lock, memory_order_release); }

__attribute__((constructor)) static void follow_forks(void) { pthread_atfork(take, leave, leave); }

static Listing *listing_of(DIR *stream) {
  if (atomic_load(&count) == 0) return NULL;
  take();
  Listing *each = listings;
  while (each && each->stream != stream) each = each->next;
  leave();
  return each;
}

static int fill(Listing *listing, const Place *place) {
  Names names;
  int result = list_merged(place, &names);
  if (result < 0) return result;
  free(listing->names);
  listing->names = names.data;
  listing->bytes = names.bytes;
  listing->at = 0;
  listing->dots = 0;
  return 0;
}

static DIR *attach(DIR *stream, const Place *place) {
  Listing *listing = calloc(1, sizeof *listing);
  int result = listing ? fill(listing, place) : -ENOMEM;
  if (result < 0) {
    free(listing);
    REAL(closedir)(stream);
    errno = -result;
    return NULL;
  }
  listing->stream = stream;
  take();
  listing->next = listings;
  listings = listing;
  leave();
  atomic_fetch_add(&count, 1);
  return stream;
}

EXPORT DIR *opendir(const char *path) {
  if (!overlay_on() || untouched()) return REAL(opendir)(path);
  Place place;
  int result = find(&place, AT_FDCWD, path, 1);
  if (result == 0 && place.passes) return REAL(opendir)(path);
  if (result == 0 && place.layer == NONE) result = -ENOENT;
  if (result < 0) {
    errno = -result;
    return NULL;
  }
  DIR *stream = REAL(opendir)(real_path(&place));
  return stream && is_merged(&place) ? attach(stream, &place) : stream;
}

EXPORT DIR *fdopendir(int file) {
  DIR *stream = REAL(fdopendir)(file);
  Place place;
  if (!stream || !overlay_on() || untouched() || find_open(&place, file) < 0 || place.passes || place.layer == NONE) return stream;
  return is_merged(&place) ? attach(stream, &place) : stream;
}

static struct dirent *next(Listing *listing) {
  struct dirent *entry = &listing->entry;
  const char *name;
  if (listing->dots < 2) {
    name = listing->dots++ ? ".." : ".";
    entry->d_type = DT_DIR;
  } else {
    if (listing->at >= listing->bytes) return NULL;
    entry->d_type = (unsigned char)listing->names[listing->at];
    name = listing->names + listing->at + 1;
    listing->at += strlen(name) + 2;
  }
  /* Not zero, which would be a name that was removed; programs that want the number ask for it. */
  entry->d_ino = 1;
  entry->d_off = (off_t)listing->at + listing->dots;
  strncpy(entry->d_name, name, sizeof entry->d_name - 1);
  entry->d_reclen = (unsigned short)((offsetof(struct dirent, d_name) + strlen(name) + 8) & ~7ul);
  return entry;
}

EXPORT struct dirent *readdir(DIR *stream) {
  Listing *listing = listing_of(stream);
  return listing ? next(listing) : REAL(readdir)(stream);
}
EXPORT struct dirent64 *readdir64(DIR *stream) {
  Listing *listing = listing_of(stream);
  return listing ? (struct dirent64 *)next(listing) : REAL(readdir64)(stream);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
EXPORT int readdir_r(DIR *stream, struct dirent *entry, struct dirent **result) {
  Listing *listing = listing_of(stream);
  if (!listing) return REAL(readdir_r)(stream, entry, result);
  struct dirent *found = next(listing);
  if (found) memcpy(entry, found, found->d_reclen);
  *result = found ? entry : NULL;
  return 0;
}
EXPORT int readdir64_r(DIR *stream, struct dirent64 *entry, struct dirent64 **result) { return readdir_r(stream, (struct dirent *)entry, (struct dirent **)result); }

EXPORT void rewinddir(DIR *stream) {
  Listing *listing = listing_of(stream);
  REAL(rewinddir)(stream);
  Place place;
  if (listing && find_open(&place, dirfd(stream)) == 0 && !place.passes && place.layer != NONE && fill(listing, &place) == 0) return;
  if (listing) listing->at = 0, listing->dots = 0;
}

EXPORT long telldir(DIR *stream) {
  Listing *listing = listing_of(stream);
  return listing ? (long)listing->at + listing->dots : REAL(telldir)(stream);
}
EXPORT void seekdir(DIR *stream, long place) {
  Listing *listing = listing_of(stream);
  if (!listing) {
    REAL(seekdir)(stream, place);
    return;
  }
  listing->dots = place < 2 ? (int)place : 2;
  listing->at = place < 2 ? 0 : (size_t)place - 2;
}

EXPORT int closedir(DIR *stream) {
  if (atomic_load(&count)) {
    take();
    Listing **each = &listings;
    while (*each && (*each)->stream != stream) each = &(*each)->next;
    Listing *found = *each;
    if (found) *each = found->next;
    leave();
    if (found) {
      atomic_fetch_sub(&count, 1);
      free(found->names);
      free(found);
    }
  }
  return REAL(closedir)(stream);
}

/* ---- What libc does with folders by itself ---- */

EXPORT int scandir(const char *path, struct dirent ***found, int (*wanted)(const struct dirent *), int (*order)(const struct dirent **, const struct dirent **)) {
  if (!overlay_on() || untouched()) return REAL(scandir)(path, found, wanted, order);
  DIR *stream = opendir(path);
  if (!stream) return -1;
  struct dirent **list = NULL, *entry;
  size_t used = 0, room = 0;
  while ((entry = readdir(stream))) {
    if (wanted && !wanted(entry)) continue;
    if (used == room) {
      room = room ? 2 * room : 64;
      struct dirent **more = realloc(list, room * sizeof *list);
      if (!more) break;
      list = more;
    }
    size_t bytes = offsetof(struct dirent, d_name) + strlen(entry->d_name) + 1;
    if (bytes < entry->d_reclen) bytes = entry->d_reclen;
    if (!(list[used] = malloc(bytes))) break;
    memcpy(list[used++], entry, offsetof(struct dirent, d_name) + strlen(entry->d_name) + 1);
  }
  closedir(stream);
  if (entry) {
    while (used) free(list[--used]);
    free(list);
    errno = ENOMEM;
    return -1;
  }
  if (order && used) qsort(list, used, sizeof *list, (int (*)(const void *, const void *))order);
  *found = list ? list : malloc(sizeof *list);
  return (int)used;
}
EXPORT int scandir64(const char *path, struct dirent64 ***found, int (*wanted)(const struct dirent64 *), int (*order)(const struct dirent64 **, const struct dirent64 **)) {
  return scandir(path, (struct dirent ***)found, (int (*)(const struct dirent *))wanted, (int (*)(const struct dirent **, const struct dirent **))order);
}

static void close_stream(void *stream) { closedir(stream); }
static void *open_stream(const char *path) { return opendir(path); }
static struct dirent *read_stream(void *stream) { return readdir(stream); }

EXPORT int glob(const char *pattern, int flags, int (*failed)(const char *, int), glob_t *found) {
  if (!overlay_on() || untouched() || flags & GLOB_ALTDIRFUNC) return REAL(glob)(pattern, flags, failed, found);
  found->gl_closedir = close_stream;
  found->gl_opendir = open_stream;
  found->gl_readdir = read_stream;
  found->gl_lstat = lstat;
  found->gl_stat = stat;
  int result = REAL(glob)(pattern, flags | GLOB_ALTDIRFUNC, failed, found);
  found->gl_flags &= ~GLOB_ALTDIRFUNC;
  return result;
}
EXPORT int glob64(const char *pattern, int flags, int (*failed)(const char *, int), glob64_t *found) { return glob(pattern, flags, failed, (glob_t *)found); }
