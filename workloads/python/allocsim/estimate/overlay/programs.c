/* Programs that the program starts, and libraries that it loads: they may be its own files, and keep the view of overlay.h. */
#include "overlay.h"

#include <alloca.h>
#include <dlfcn.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); real; })

extern char **environ;

#define PRELOAD "LD_PRELOAD="
#define FILES "ALLOCSIM_ESTIMATE_FILES="

/* The path of this library. */
static const char *own_path(void) {
  static char path[PATH_MAX];
  Dl_info found;
  if (!path[0] && dladdr((void *)&overlay_open, &found) && found.dli_fname && strlen(found.dli_fname) < sizeof path) strcpy(path, found.dli_fname);
  return path;
}

static int lists(const char *preload, const char *path) {
  const char *at = strstr(preload, path);
  return at != NULL;
}

__attribute__((constructor)) static void find_own_path(void) { own_path(); }

static size_t entries(char *const *list) {
  size_t found = 0;
  while (list && list[found]) found++;
  return found;
}

/* How many bytes environment_into needs. */
static size_t environment_bytes(char *const *given) {
  size_t bytes = (entries(given) + 3) * sizeof(char *) + 2 * PATH_MAX + FOLDER_BYTES + sizeof FILES;
  for (size_t i = 0; i < entries(given); i++)
    if (!strncmp(given[i], PRELOAD, sizeof PRELOAD - 1)) bytes += strlen(given[i]);
  return bytes;
}

/* An environment with which the next program has the view as well, whatever it is given; the given one where it has all. */
static char *const *environment_into(void *room, char *const *given) {
  const char *path = own_path();
  if (!overlay_on() || !path[0]) return given;
  size_t count = entries(given), kept = 0;
  const char *preload = NULL;
  int has_files = 0;
  for (size_t i = 0; i < count; i++) {
    if (!strncmp(given[i], PRELOAD, sizeof PRELOAD - 1)) preload = given[i] + sizeof PRELOAD - 1;
    if (!strncmp(given[i], FILES, sizeof FILES - 1)) has_files = !strcmp(given[i] + sizeof FILES - 1, overlay_folder());
  }
  if (preload && lists(preload, path) && has_files) return given;
  char **list = room;
  char *text = (char *)(list + count + 3);
  for (size_t i = 0; i < count; i++)
    if (strncmp(given[i], PRELOAD, sizeof PRELOAD - 1) && strncmp(given[i], FILES, sizeof FILES - 1)) list[kept++] = given[i];
  list[kept++] = text;
  if (preload && lists(preload, path)) text += sprintf(text, PRELOAD "%s", preload) + 1;
  else text += sprintf(text, preload && *preload ? PRELOAD "%s:%s" : PRELOAD "%s", path, preload) + 1;
  list[kept++] = text;
  sprintf(text, FILES "%s", overlay_folder());
  list[kept] = NULL;
  return list;
}

/* The path that the kernel is to run: another one only for a file of the view, since programs look at how they were called. */
static const char *program(const char *path, Place *place) {
  if (!overlay_on() || untouched() || find(place, AT_FDCWD, path, 1) < 0 || place->passes) return path;
  return place->layer == LOWER && SYS3(SYS_faccessat, AT_FDCWD, path, F_OK) == 0 ? path : place->layer == NONE ? NULL : real_path(place);
}

#define WITH_ENVIRONMENT(given) environment_into(alloca(environment_bytes(given)), given)

EXPORT int execve(const char *path, char *const arguments[], char *const environment[]) {
  Place place;
  const char *real = program(path, &place);
  if (!real) {
    errno = ENOENT;
    return -1;
  }
  return REAL(execve)(real, arguments, WITH_ENVIRONMENT(environment));
}
EXPORT int execv(const char *path, char *const arguments[]) { return execve(path, arguments, environ); }
EXPORT int execvpe(const char *name, char *const arguments[], char *const environment[]) {
  Place place;
  const char *real = strchr(name, '/') ? program(name, &place) : name;
  return REAL(execvpe)(real ? real : name, arguments, WITH_ENVIRONMENT(environment));
}
EXPORT int execvp(const char *name, char *const arguments[]) { return execvpe(name, arguments, environ); }
EXPORT int fexecve(int file, char *const arguments[], char *const environment[]) { return REAL(fexecve)(file, arguments, WITH_ENVIRONMENT(environment)); }

/* The arguments of execl and its like, up to NULL. */
#define LIST(first, rest)                                 \
  ({                                                      \
    va_list again;                                        \
    va_copy(again, rest);                                 \
    size_t count = 1;                                     \
    while (va_arg(again, char *)) count++;                \
    va_end(again);                                        \
    char **list = alloca((count + 1) * sizeof *list);     \
    list[0] = (char *)first;                              \
    for (size_t i = 1; i <= count; i++) list[i] = va_arg(rest, char *); \
    list;                                                 \
  })

EXPORT int execl(const char *path, const char *first, ...) {
  va_list rest;
  va_start(rest, first);
  char **list = LIST(first, rest);
  va_end(rest);
  return execve(path, list, environ);
}
EXPORT int execlp(const char *name, const char *first, ...) {
  va_list rest;
  va_start(rest, first);
  char **list = LIST(first, rest);
  va_end(rest);
  return execvpe(name, list, environ);
}
EXPORT int execle(const char *path, const char *first, ...) {
  va_list rest;
  va_start(rest, first);
  char **list = LIST(first, rest);
  char **environment = va_arg(rest, char **);
  va_end(rest);
  return execve(path, list, environment);
}

EXPORT int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                       char *const arguments[], char *const environment[]) {
  Place place;
  const char *real = program(path, &place);
  if (!real) return ENOENT;
  return REAL(posix_spawn)(child, real, actions, attributes, arguments, WITH_ENVIRONMENT(environment));
}
EXPORT int posix_spawnp(pid_t *child, const char *name, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                        char *const arguments[], char *const environment[]) {
  Place place;
  const char *real = strchr(name, '/') ? program(name, &place) : name;
  if (!real) return ENOENT;
  return REAL(posix_spawnp)(child, real, actions, attributes, arguments, WITH_ENVIRONMENT(environment));
}

/* The file is made ready now; libc opens it in the child. */
EXPORT int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *actions, int file, const char *path, int flags, mode_t mode) {
  Place place;
  const char *real = path;
  if (overlay_on()) {
    int writing = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
    int opened = writing ? overlay_open(AT_FDCWD, path, flags | O_CLOEXEC, mode) : -1;
    if (opened >= 0) SYS1(SYS_close, opened);
    if (find(&place, AT_FDCWD, path, 1) == 0 && !place.passes && place.layer == UPPER) {
      real = place.full;
      flags &= ~O_EXCL;
    }
  }
  return REAL(posix_spawn_file_actions_addopen)(actions, file, real, flags, mode);
}

/* The path of a library of the view, kept until the next one of this thread. */
__attribute__((noinline)) static const char *library(const char *path) {
  static __thread char room[FOLDER_BYTES + PATH_MAX];
  Place place;
  if (find(&place, AT_FDCWD, path, 1) < 0 || place.passes || place.layer != UPPER) return path;
  strcpy(room, place.full);
  return room;
}

/* libc looks at who calls it, for the folders in which that library looks for others: so the call is the last thing here, and
 * becomes a jump. */
EXPORT void *dlopen(const char *path, int flags) {
  __typeof__(&dlopen) real = REAL(dlopen);
  if (path && strchr(path, '/') && overlay_on() && !untouched()) path = library(path);
  return real(path, flags);
}
