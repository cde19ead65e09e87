/* Paths, layers, copies and what is hidden: see overlay.h. */
#include "overlay.h"

#include <dirent.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define MODES 07777
#define LINKS 40
#define OWN_PREFIX ".allocsim-copy-"
#define RENAME_NOREPLACE_FLAG 1
#define RENAME_EXCHANGE_FLAG 2

long sys(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d, x4 __asm__("x4") = e, x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "this processor is not known"
#endif
}

/* ---- The view of this process ---- */

static char scratch[FOLDER_BYTES], base[FOLDER_BYTES], upper[FOLDER_BYTES], gone[FOLDER_BYTES];
static size_t scratch_bytes, upper_bytes, gone_bytes;
static Shared *shared;
static _Atomic int state; /* 0: not begun, 1: on, -1: off */
static atomic_flag cache_lock = ATOMIC_FLAG_INIT;

#define SLOTS 512
#define SLOT_TEXT 240

typedef struct {
  uint64_t generation; /* plus 1; 0 where the slot is empty */
  uint32_t hash;
  int touched, links;
  char text[SLOT_TEXT], path[SLOT_TEXT];
} Slot;

static Slot slots[SLOTS];

static int look_at(const char *path, struct stat *found) { return (int)SYS4(SYS_newfstatat, AT_FDCWD, path, found, AT_SYMLINK_NOFOLLOW); }

static void after_fork(void) { atomic_flag_clear(&cache_lock); }

extern char **environ;

static void begin_in(const char *folder) {
  int expected = 0;
  size_t bytes = folder ? strlen(folder) : 0;
  const char *end = folder ? strrchr(folder, '/') : NULL;
  if (!end || folder[0] != '/' || end == folder || bytes + 16 > FOLDER_BYTES) {
    atomic_compare_exchange_strong(&state, &expected, -1);
    return;
  }
  /* Several threads may do this at once: all write the same. */
  memcpy(base, folder, bytes + 1);
  scratch_bytes = (size_t)(end - folder);
  memcpy(scratch, folder, scratch_bytes);
  upper_bytes = (size_t)snprintf(upper, sizeof upper, "%s/upper", folder);
  gone_bytes = (size_t)snprintf(gone, sizeof gone, "%s/gone", folder);
  char index[FOLDER_BYTES + 8];
  snprintf(index, sizeof index, "%s/index", folder);
  int file = (int)SYS4(SYS_openat, AT_FDCWD, index, O_RDWR | O_CLOEXEC, 0);
  void *page = MAP_FAILED;
  if (file >= 0) {
    page = mmap(NULL, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    SYS1(SYS_close, file);
  }
  if (page == MAP_FAILED) {
    /* The run's folder is gone: a process that outlived the estimate writes nowhere. Landlock keeps files from it. */
    atomic_compare_exchange_strong(&state, &expected, -1);
    return;
  }
  if (shared) munmap(shared, sizeof *shared);
  shared = page;
  memset(slots, 0, sizeof slots);
  if (atomic_compare_exchange_strong(&state, &expected, 1)) {
    atomic_fetch_add(&shared->loaded, 1);
    pthread_atfork(NULL, NULL, after_fork);
  }
}

__attribute__((constructor)) static void begin(void) {
  const char *folder = NULL;
  if (atomic_load(&state) != 0) return;
  for (char **each = environ; each && *each; each++)
    if (!strncmp(*each, "ALLOCSIM_ESTIMATE_FILES=", 24)) folder = *each + 24;
  begin_in(folder);
}

int overlay_begin(const char *folder) {
  atomic_store(&state, 0);
  begin_in(folder);
  return overlay_on();
}

int overlay_on(void) {
  int now = atomic_load_explicit(&state, memory_order_acquire);
  if (now == 0) {
    begin();
    now = atomic_load(&state);
  }
  return now > 0;
}

int untouched(void) { return atomic_load_explicit(&shared->generation, memory_order_acquire) == 0; }
void changed(void) { atomic_fetch_add(&shared->generation, 1); }
const char *overlay_folder(void) { return base; }

static int is_below(const char *path, const char *folder, size_t bytes) {
  return !strncmp(path, folder, bytes) && (path[bytes] == '/' || path[bytes] == 0);
}

int strip(char *path) {
  if (!upper_bytes || !is_below(path, upper, upper_bytes)) return 0;
  size_t rest = strlen(path + upper_bytes);
  if (rest == 0) strcpy(path, "/");
  else memmove(path, path + upper_bytes, rest + 1);
  return 1;
}

/* Devices, processes, shared memory and the run's own folder are not of the view. */
static int passes(const char *path) {
  static const char *const folders[] = {"/dev", "/proc", "/sys"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (is_below(path, folders[i], strlen(folders[i]))) return 1;
  return is_below(path, scratch, scratch_bytes);
}

/* ---- Folders as the program sees them ---- */

static uint32_t hash_of(const char *text, size_t bytes) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  return hash;
}

static int join(char *to, size_t room, const char *folder, const char *path) {
  size_t one = strlen(folder), two = strlen(path);
  if (one + two + 1 > room) return -ENAMETOOLONG;
  memcpy(to, folder, one);
  memcpy(to + one, path, two + 1);
  return 0;
}

int hides(const char *path) {
  char where[FOLDER_BYTES + PATH_MAX];
  struct stat found;
  if (join(where, sizeof where, gone, path) < 0) return 0;
  int result = look_at(where, &found);
  return result == 0 ? S_ISREG(found.st_mode) : result == -ENOTDIR;
}

/* Whether anything was changed in a folder itself. */
static int is_touched(const char *path) {
  char where[FOLDER_BYTES + PATH_MAX];
  struct stat found;
  if (join(where, sizeof where, upper, path) < 0) return 0;
  if (look_at(where, &found) == 0) return 1;
  if (join(where, sizeof where, gone, path) < 0) return 0;
  int result = look_at(where, &found);
  return result == 0 || result == -ENOTDIR;
}

/* Layer and mode of a path whose folder is known. */
static int look(Place *place, int touched) {
  struct stat found;
  place->layer = NONE;
  place->mode = 0;
  int result;
  if (touched) {
    result = look_at(place->full, &found);
    if (result == 0) {
      place->layer = UPPER;
      place->mode = found.st_mode;
      return 0;
    }
    if (hides(place->path)) return 0;
  }
  result = look_at(place->path, &found);
  if (result == 0) {
    place->layer = LOWER;
    place->mode = found.st_mode;
    return 0;
  }
  return result == -ENOENT ? 0 : result;
}

const char *real_path(const Place *place) { return place->layer == UPPER ? place->full : place->path; }

/* Where a link points to, as an absolute text; at is the link's place, of which the folder is kept. */
static int target(const Place *at, char *text, const char *rest) {
  char link[PATH_MAX];
  long bytes = SYS4(SYS_readlinkat, AT_FDCWD, real_path(at), link, sizeof link - 1);
  if (bytes < 0) return (int)bytes;
  link[bytes] = 0;
  strip(link);
  size_t used = 0;
  if (link[0] != '/') {
    const char *end = strrchr(at->path, '/');
    used = (size_t)(end - at->path) + 1;
    memcpy(text, at->path, used);
  }
  size_t link_bytes = strlen(link), rest_bytes = strlen(rest);
  if (used + link_bytes + rest_bytes + 2 > PATH_MAX) return -ENAMETOOLONG;
  memcpy(text + used, link, link_bytes + 1);
  used += link_bytes;
  if (rest_bytes) {
    text[used++] = '/';
    memcpy(text + used, rest, rest_bytes + 1);
  }
  return 0;
}

/* The folder of an absolute text, without links, dots and double slashes, in place->path; "" is the root. 1 where it passes. */
static int folder_of(Place *place, const char *text, size_t bytes, int *touched, int *links) {
  uint32_t hash = hash_of(text, bytes);
  uint64_t generation = atomic_load(&shared->generation) + 1;
  Slot *slot = &slots[hash % SLOTS];
  int hit = 0;
  if (bytes < SLOT_TEXT && !atomic_flag_test_and_set(&cache_lock)) {
    if (slot->generation == generation && slot->hash == hash && !memcmp(slot->text, text, bytes) && !slot->text[bytes]) {
      strcpy(place->path, slot->path);
      *touched = slot->touched;
      *links += slot->links;
      hit = 1;
    }
    atomic_flag_clear(&cache_lock);
  }
  if (hit) return *links > LINKS ? -ELOOP : 0;

  int links_before = *links;

  char rest[PATH_MAX], again[PATH_MAX];
  if (bytes + 1 > PATH_MAX) return -ENAMETOOLONG;
  memcpy(rest, text, bytes);
  rest[bytes] = 0;
  char *out = place->path, *at = rest;
  size_t used = 0;
  out[0] = 0;
  *touched = is_touched("");
  while (*at) {
    if (*at == '/') {
      at++;
      continue;
    }
    size_t name = strcspn(at, "/");
    if (name == 1 && at[0] == '.') {
      at += name;
      continue;
    }
    if (name == 2 && at[0] == '.' && at[1] == '.') {
      while (used && out[--used] != '/') {}
      out[used] = 0;
      *touched = is_touched(out);
      at += name;
      continue;
    }
    if (used + name + 2 > PATH_MAX) return -ENAMETOOLONG;
    out[used] = '/';
    memcpy(out + used + 1, at, name);
    out[used + 1 + name] = 0;
    if (passes(out)) return 1;
    int result = look(place, *touched);
    if (result < 0) return result;
    if (place->layer == NONE) return -ENOENT;
    at += name;
    if (S_ISLNK(place->mode)) {
      if (++*links > LINKS) return -ELOOP;
      while (*at == '/') at++;
      result = target(place, again, at);
      if (result < 0) return result;
      strcpy(rest, again);
      at = rest;
      used = 0;
      out[0] = 0;
      *touched = is_touched("");
      continue;
    }
    if (!S_ISDIR(place->mode)) return -ENOTDIR;
    used += 1 + name;
    *touched = is_touched(out);
  }
  if (bytes < SLOT_TEXT && used < SLOT_TEXT && !atomic_flag_test_and_set(&cache_lock)) {
    slot->generation = generation;
    slot->hash = hash;
    slot->touched = *touched;
    slot->links = *links - links_before;
    memcpy(slot->text, text, bytes);
    slot->text[bytes] = 0;
    strcpy(slot->path, out);
    atomic_flag_clear(&cache_lock);
  }
  return 0;
}

__thread int acting_for;

static int open_path(int file, char *text) {
  char name[48], process[16] = "self";
  if (acting_for) snprintf(process, sizeof process, "%d", acting_for);
  if (file == AT_FDCWD) snprintf(name, sizeof name, "/proc/%s/cwd", process);
  else snprintf(name, sizeof name, "/proc/%s/fd/%d", process, file);
  long bytes = SYS4(SYS_readlinkat, AT_FDCWD, name, text, PATH_MAX - 1);
  if (bytes < 0) return bytes == -ENOENT ? -EBADF : (int)bytes;
  text[bytes] = 0;
  strip(text);
  return 0;
}

static int find_text(Place *place, char *text, int follow) {
  char again[PATH_MAX];
  int links = 0;
  memcpy(place->full, upper, upper_bytes);
  place->path = place->full + upper_bytes;
  place->passes = place->slash = 0;
  place->layer = NONE;
  for (;;) {
    strip(text);
    if (!strstr(text, "/..") && passes(text)) {
      place->passes = 1;
      return 0;
    }
    size_t bytes = strlen(text), end = bytes;
    while (end > 1 && text[end - 1] == '/') end--;
    place->slash |= end < bytes;
    size_t start = end;
    while (start && text[start - 1] != '/') start--;
    size_t name = end - start;
    int is_folder = name == 0 || (name == 1 && text[start] == '.') || (name == 2 && text[start] == '.' && text[start + 1] == '.') || (end == 1 && text[0] == '/');
    int touched = 0;
    int result = folder_of(place, text, is_folder ? end : start, &touched, &links);
    if (result == 1 || result == -EACCES) {
      place->passes = 1;
      return 0;
    }
    if (result < 0) return result;
    size_t used = strlen(place->path);
    if (is_folder) {
      if (used == 0) strcpy(place->path, "/");
      struct stat found;
      place->layer = look_at(place->full, &found) == 0 ? UPPER : LOWER;
      if (place->layer == LOWER && (result = look_at(place->path, &found)) < 0) return result;
      place->mode = found.st_mode;
      if (passes(place->path)) place->passes = 1;
      return 0;
    }
    if (used + name + 2 > PATH_MAX) return -ENAMETOOLONG;
    place->path[used] = '/';
    memcpy(place->path + used + 1, text + start, name);
    place->path[used + 1 + name] = 0;
    if (passes(place->path)) {
      place->passes = 1;
      return 0;
    }
    result = look(place, touched);
    if (result == -EACCES) {
      place->passes = 1;
      return 0;
    }
    if (result < 0) return result;
    if (!S_ISLNK(place->mode) || follow == NAME || !(follow == FOLLOW || place->slash)) break;
    if (++links > LINKS) return -ELOOP;
    result = target(place, again, "");
    if (result < 0) return result;
    strcpy(text, again);
  }
  if (follow != NAME && place->slash && place->layer != NONE && !S_ISDIR(place->mode)) return -ENOTDIR;
  return 0;
}

int find(Place *place, int folder, const char *path, int follow) {
  char text[PATH_MAX];
  place->passes = 1;
  if (!path || !*path) return 0;
  size_t bytes = strnlen(path, PATH_MAX), used = 0;
  if (bytes >= PATH_MAX) return -ENAMETOOLONG;
  if (path[0] != '/') {
    if (folder == AT_FDCWD && !acting_for) {
      long got = SYS2(SYS_getcwd, text, sizeof text);
      if (got < 0) return (int)got;
      strip(text);
    } else {
      int result = open_path(folder, text);
      if (result < 0) return result;
    }
    /* A pipe, a folder out of reach. */
    if (text[0] != '/') return 0;
    used = strlen(text);
    if (used + bytes + 2 > sizeof text) return -ENAMETOOLONG;
    if (text[used - 1] != '/') text[used++] = '/';
  }
  memcpy(text + used, path, bytes + 1);
  return find_text(place, text, follow);
}

int find_open(Place *place, int file) {
  char text[PATH_MAX];
  place->passes = 1;
  if (open_path(file, text) < 0 || text[0] != '/') return 0;
  return find_text(place, text, 0);
}

/* ---- Changes ---- */

static char *cut(char *path) {
  char *end = strrchr(path, '/');
  if (end) *end = 0;
  return end;
}

int may_change_folder(Place *place) {
  char folder[PATH_MAX];
  strcpy(folder, place->path);
  cut(folder);
  if (hides(folder)) return 0;
  long result = SYS3(SYS_faccessat, AT_FDCWD, folder[0] ? folder : "/", W_OK | X_OK);
  return result == -EACCES || result == -EROFS ? (int)result : 0;
}

/* Makes a folder and those above it, in the upper folder as the user's are, among the hidden ones as they come. */
static int make_folders(const char *root, size_t root_bytes, const char *path, int like_lower) {
  char where[FOLDER_BYTES + PATH_MAX];
  int result = join(where, sizeof where, root, path);
  if (result < 0) return result;
  struct stat found;
  if (look_at(where, &found) == 0) return S_ISDIR(found.st_mode) ? 0 : -ENOTDIR;
  for (char *at = where + root_bytes + 1;; at++) {
    if (*at && *at != '/') continue;
    char end = *at;
    *at = 0;
    result = (int)SYS3(SYS_mkdirat, AT_FDCWD, where, 0700);
    if (result == 0) {
      if (like_lower && look_at(where + root_bytes, &found) == 0) {
        SYS5(SYS_fchownat, AT_FDCWD, where, found.st_uid, found.st_gid, 0);
        SYS3(SYS_fchmodat, AT_FDCWD, where, (found.st_mode & MODES) | 0700);
        struct timespec times[2] = {found.st_atim, found.st_mtim};
        SYS4(SYS_utimensat, AT_FDCWD, where, times, 0);
      }
      changed();
    } else if (result == -EEXIST) {
      if (look_at(where, &found) == 0 && !S_ISDIR(found.st_mode)) return -ENOTDIR;
    } else {
      if (result == -ENOSPC) atomic_store(&shared->full, 1);
      return result;
    }
    if (!end) return 0;
    *at = end;
  }
}

int upper_parent(Place *place) {
  char folder[PATH_MAX];
  strcpy(folder, place->path);
  cut(folder);
  return folder[0] ? make_folders(upper, upper_bytes, folder, 1) : 0;
}

static int copy_bytes(int from, int to, off_t bytes) {
  if (bytes == 0 || SYS3(SYS_ioctl, to, FICLONE, from) == 0) return 0;
  for (;;) {
    long done = sys(SYS_copy_file_range, from, 0, to, 0, 1 << 30, 0);
    if (done == 0) return 0;
    if (done == -ENOSPC || done == -EDQUOT) return (int)done;
    if (done < 0) break;
  }
  /* Not between these file systems: what is left is read and written. */
  static const size_t room = 1 << 16;
  char *buffer = malloc(room);
  if (!buffer) return -ENOMEM;
  long result = 0;
  for (;;) {
    long got = SYS3(SYS_read, from, buffer, room);
    if (got <= 0) {
      result = got;
      break;
    }
    for (long put = 0; put < got;) {
      result = SYS3(SYS_write, to, buffer + put, got - put);
      if (result < 0) break;
      put += result;
    }
    if (result < 0) break;
  }
  free(buffer);
  return result < 0 ? (int)result : 0;
}

static _Atomic unsigned copies;

int raise_file(Place *place, int empty) {
  if (place->layer != LOWER) return 0;
  struct stat found;
  int result = look_at(place->path, &found);
  if (result < 0) return result;
  if (S_ISDIR(found.st_mode)) {
    result = make_folders(upper, upper_bytes, place->path, 1);
    if (result == 0) place->layer = UPPER;
    return result;
  }
  result = upper_parent(place);
  if (result < 0) return result;
  char copy[FOLDER_BYTES + PATH_MAX + 48];
  strcpy(copy, place->full);
  cut(copy);
  snprintf(copy + strlen(copy), 48, "/" OWN_PREFIX "%ld-%u", SYS0(SYS_getpid), atomic_fetch_add(&copies, 1));
  struct timespec times[2] = {found.st_atim, found.st_mtim};
  if (S_ISREG(found.st_mode)) {
    int from = -1;
    if (!empty && (from = (int)SYS4(SYS_openat, AT_FDCWD, place->path, O_RDONLY | O_CLOEXEC, 0)) < 0) return from;
    int to = (int)SYS4(SYS_openat, AT_FDCWD, copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    result = to < 0 ? to : empty ? 0 : copy_bytes(from, to, found.st_size);
    if (to >= 0) {
      SYS3(SYS_fchown, to, found.st_uid, found.st_gid);
      SYS2(SYS_fchmod, to, found.st_mode & MODES);
      SYS4(SYS_utimensat, to, NULL, times, 0);
      SYS1(SYS_close, to);
    }
    if (from >= 0) SYS1(SYS_close, from);
  } else if (S_ISLNK(found.st_mode)) {
    char link[PATH_MAX];
    long bytes = SYS4(SYS_readlinkat, AT_FDCWD, place->path, link, sizeof link - 1);
    if (bytes < 0) return (int)bytes;
    link[bytes] = 0;
    result = (int)SYS3(SYS_symlinkat, link, AT_FDCWD, copy);
    SYS4(SYS_utimensat, AT_FDCWD, copy, times, AT_SYMLINK_NOFOLLOW);
    changed();
  } else {
    result = (int)SYS4(SYS_mknodat, AT_FDCWD, copy, found.st_mode, found.st_rdev);
  }
  if (result == 0) {
    result = (int)SYS5(SYS_renameat2, AT_FDCWD, copy, AT_FDCWD, place->full, RENAME_NOREPLACE_FLAG);
    if (result == -EINVAL || result == -ENOSYS) {
      result = (int)SYS5(SYS_linkat, AT_FDCWD, copy, AT_FDCWD, place->full, 0);
      SYS3(SYS_unlinkat, AT_FDCWD, copy, 0);
    }
  }
  if (result < 0) SYS3(SYS_unlinkat, AT_FDCWD, copy, 0);
  /* Another process was first: its copy is the one. */
  if (result == -EEXIST) result = 0;
  if (result == -ENOSPC || result == -EDQUOT) atomic_store(&shared->full, 1);
  if (result == 0) place->layer = UPPER;
  return result;
}

/* ---- Names in a folder ---- */

static int add_name(Names *names, char type, const char *name) {
  size_t bytes = strlen(name) + 2;
  if (names->bytes + bytes > names->room) {
    size_t room = names->room ? 2 * names->room + bytes : 1024 + bytes;
    char *data = realloc(names->data, room);
    if (!data) return -ENOMEM;
    names->data = data;
    names->room = room;
  }
  names->data[names->bytes] = type;
  memcpy(names->data + names->bytes + 1, name, bytes - 1);
  names->bytes += bytes;
  return 0;
}

typedef struct {
  uint64_t inode;
  int64_t offset;
  unsigned short bytes;
  unsigned char type;
  char name[];
} Entry;

/* Calls add for each name in a real folder. */
static int each_name(const char *folder, int (*add)(void *context, char type, const char *name), void *context) {
  int file = (int)SYS4(SYS_openat, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (file < 0) return file;
  static const size_t room = 1 << 15;
  char *buffer = malloc(room);
  long result = buffer ? 0 : -ENOMEM;
  while (buffer) {
    long got = SYS3(SYS_getdents64, file, buffer, room);
    if (got <= 0) {
      result = got;
      break;
    }
    for (long at = 0; at < got && result == 0;) {
      Entry *entry = (Entry *)(buffer + at);
      at += entry->bytes;
      if (!strcmp(entry->name, ".") || !strcmp(entry->name, "..")) continue;
      result = add(context, (char)entry->type, entry->name);
    }
    if (result < 0) break;
  }
  free(buffer);
  SYS1(SYS_close, file);
  return (int)result;
}

typedef struct {
  Names *names;
  const Place *place;
  int has_upper, has_gone;
} Listing;

static int add_upper(void *context, char type, const char *name) {
  return strncmp(name, OWN_PREFIX, sizeof OWN_PREFIX - 1) ? add_name(((Listing *)context)->names, type, name) : 0;
}

static int add_lower(void *context, char type, const char *name) {
  Listing *listing = context;
  char path[FOLDER_BYTES + PATH_MAX];
  struct stat found;
  const char *folder = strcmp(listing->place->path, "/") ? listing->place->path : "";
  if (listing->has_upper && snprintf(path, sizeof path, "%s%s/%s", upper, folder, name) < (int)sizeof path && look_at(path, &found) == 0) return 0;
  if (listing->has_gone && snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX && hides(path)) return 0;
  return add_name(listing->names, type, name);
}

static int has_gone(const char *path) {
  char where[FOLDER_BYTES + PATH_MAX];
  struct stat found;
  return join(where, sizeof where, gone, path) == 0 && look_at(where, &found) == 0;
}

/* Whether the user's folder at a path is seen. */
static int has_lower(const Place *place) {
  struct stat found;
  return look_at(place->path, &found) == 0 && S_ISDIR(found.st_mode) && !hides(place->path);
}

int is_merged(const Place *place) { return S_ISDIR(place->mode) && (place->layer == UPPER ? has_lower(place) : has_gone(place->path)); }

int list_merged(const Place *place, Names *names) {
  Listing listing = {names, place, place->layer == UPPER, has_gone(place->path)};
  int result = 0;
  names->data = NULL;
  names->bytes = names->room = 0;
  if (listing.has_upper) result = each_name(place->full, add_upper, &listing);
  if (result == 0 && (!listing.has_upper || has_lower(place))) result = each_name(place->path, add_lower, &listing);
  if (result < 0) {
    free(names->data);
    names->data = NULL;
  }
  return result;
}

static int is_empty(const Place *place) {
  Names names;
  int result = list_merged(place, &names);
  if (result < 0) return result;
  free(names.data);
  return names.bytes == 0;
}

static int below(Place *inner, const Place *outer, const char *name) {
  memcpy(inner->full, upper, upper_bytes);
  inner->path = inner->full + upper_bytes;
  inner->passes = inner->slash = 0;
  if (snprintf(inner->path, PATH_MAX, "%s/%s", outer->path, name) >= PATH_MAX) return -ENAMETOOLONG;
  return look(inner, 1);
}

int raise_tree(Place *place) {
  int result = raise_file(place, 0);
  if (result < 0 || !S_ISDIR(place->mode) || !is_merged(place)) return result;
  Names names;
  struct stat found;
  int has_times = look_at(place->full, &found) == 0;
  result = list_merged(place, &names);
  if (result < 0) return result;
  Place *inner = malloc(sizeof *inner);
  if (!inner) result = -ENOMEM;
  for (size_t at = 0; at < names.bytes && result == 0; at += strlen(names.data + at + 1) + 2) {
    result = below(inner, place, names.data + at + 1);
    if (result == 0) result = raise_tree(inner);
  }
  free(inner);
  free(names.data);
  struct timespec times[2] = {found.st_atim, found.st_mtim};
  if (has_times && result == 0) SYS4(SYS_utimensat, AT_FDCWD, place->full, times, 0);
  return result;
}

typedef struct {
  char *path;
  size_t room;
} Tree;

static int remove_one(void *context, char type, const char *name) {
  Tree *tree = context;
  size_t bytes = strlen(tree->path);
  if (bytes + strlen(name) + 2 > tree->room) return -ENAMETOOLONG;
  tree->path[bytes] = '/';
  strcpy(tree->path + bytes + 1, name);
  int result;
  struct stat found;
  if (type == DT_DIR || (type == DT_UNKNOWN && look_at(tree->path, &found) == 0 && S_ISDIR(found.st_mode))) {
    result = each_name(tree->path, remove_one, tree);
    if (result == 0) result = (int)SYS3(SYS_unlinkat, AT_FDCWD, tree->path, AT_REMOVEDIR);
  } else {
    result = (int)SYS3(SYS_unlinkat, AT_FDCWD, tree->path, 0);
  }
  tree->path[bytes] = 0;
  return result == -ENOENT ? 0 : result;
}

static int remove_tree(char *path, size_t room) {
  Tree tree = {path, room};
  int result = each_name(path, remove_one, &tree);
  return result == 0 ? (int)SYS3(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR) : result;
}

int vanish(const char *path) {
  struct stat found;
  char where[FOLDER_BYTES + PATH_MAX];
  int result = look_at(path, &found);
  if (result == -ENOENT || result == -ENOTDIR) return 0;
  strcpy(where, path);
  cut(where);
  if (where[0]) {
    result = make_folders(gone, gone_bytes, where, 0);
    if (result == -ENOTDIR) return 0;
    if (result < 0) return result;
  }
  result = join(where, sizeof where, gone, path);
  for (int tries = 0; result == 0 && tries < 8; tries++) {
    int file = (int)SYS4(SYS_openat, AT_FDCWD, where, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) {
      SYS1(SYS_close, file);
      break;
    }
    if (file != -EEXIST) {
      if (file == -ENOSPC) atomic_store(&shared->full, 1);
      return file;
    }
    if (look_at(where, &found) == 0 && S_ISREG(found.st_mode)) break;
    result = remove_tree(where, sizeof where);
  }
  changed();
  return result;
}

void note_renamed(const char *from, const char *to) {
  char line[2 * PATH_MAX], file[FOLDER_BYTES + 16];
  snprintf(file, sizeof file, "%s/renamed", base);
  size_t one = strlen(from) + 1, two = strlen(to) + 1;
  memcpy(line, from, one);
  memcpy(line + one, to, two);
  int out = (int)SYS4(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (out < 0) return;
  SYS3(SYS_write, out, line, one + two);
  SYS1(SYS_close, out);
}

/* ---- Open, rename, remove ---- */

/* Names such as /dev/stderr are of files that are open already, which Landlock may forbid to open a second time. */
static int open_again(const char *path) {
  static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
  for (int i = 0; i < 3; i++)
    if (!strcmp(path, streams[i])) return i;
  for (int i = 0; i < 2; i++)
    if (!strncmp(path, folders[i], strlen(folders[i]))) return atoi(path + strlen(folders[i]));
  return -1;
}

int overlay_open(int folder, const char *path, int flags, mode_t mode) {
  int writing = (flags & O_ACCMODE) != O_RDONLY, temporary = (flags & O_TMPFILE) == O_TMPFILE;
  int changing = writing || temporary || (flags & (O_CREAT | O_TRUNC));
  if (flags & O_PATH) changing = writing = 0;
  if (!overlay_on() || (!changing && untouched())) return (int)SYS4(SYS_openat, folder, path, flags, mode);
  Place place;
  int exclusive = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
  size_t bytes = path ? strlen(path) : 0;
  int makes_folder = flags & O_CREAT && !temporary && bytes && path[bytes - 1] == '/';
  int result = find(&place, folder, path, makes_folder ? NAME : !(flags & O_NOFOLLOW) && !(exclusive && !temporary) ? FOLLOW : LINK);
  if (result < 0) return result;
  if (makes_folder && !place.passes) return -EISDIR;
  if (place.passes) {
    result = (int)SYS4(SYS_openat, folder, path, flags, mode);
    int file = result == -EACCES && writing && path ? open_again(path) : -1;
    return file >= 0 ? (int)SYS3(SYS_fcntl, file, flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, 0) : result;
  }
  if (!changing) return place.layer == NONE ? -ENOENT : (int)SYS4(SYS_openat, AT_FDCWD, real_path(&place), flags, mode);
  if (temporary) {
    if (place.layer == NONE) return -ENOENT;
    result = raise_file(&place, 0);
    return result < 0 ? result : (int)SYS4(SYS_openat, AT_FDCWD, place.full, flags, mode);
  }
  if (place.layer == NONE) {
    if (!(flags & O_CREAT)) return -ENOENT;
    result = may_change_folder(&place);
    if (result == 0) result = upper_parent(&place);
    if (result < 0) return result;
    result = (int)SYS4(SYS_openat, AT_FDCWD, place.full, flags, mode);
    if (result == -ENOSPC) atomic_store(&shared->full, 1);
    return result;
  }
  if (exclusive) return -EEXIST;
  if (S_ISDIR(place.mode)) return -EISDIR;
  if (place.layer == LOWER && S_ISREG(place.mode) && (writing || (flags & O_TRUNC))) {
    long access = SYS3(SYS_faccessat, AT_FDCWD, place.path, W_OK);
    if (access < 0) return (int)access;
    result = raise_file(&place, flags & O_TRUNC);
    if (result < 0) return result;
  }
  return (int)SYS4(SYS_openat, AT_FDCWD, real_path(&place), flags & (place.layer == UPPER ? ~0 : ~O_CREAT), mode);
}

/* 1 for a path that ends in the name ., 2 for one in .., else 0. */
static int ends_in_dots(const char *path) {
  size_t end = strlen(path), dots = 0;
  while (end > 1 && path[end - 1] == '/') end--;
  while (end && path[end - 1] == '.' && dots < 3) end--, dots++;
  return dots < 3 && (end == 0 || path[end - 1] == '/') ? (int)dots : 0;
}

int overlay_unlink(int folder, const char *path, int flags) {
  Place place;
  if (!overlay_on()) return (int)SYS3(SYS_unlinkat, folder, path, flags);
  int is_folder = flags & AT_REMOVEDIR;
  int result = find(&place, folder, path, NAME);
  if (result < 0) return result;
  if (place.passes) return (int)SYS3(SYS_unlinkat, folder, path, flags);
  if (place.layer == NONE) return -ENOENT;
  if (is_folder && ends_in_dots(path) == 1) return -EINVAL;
  if (is_folder && !S_ISDIR(place.mode)) return -ENOTDIR;
  if (!is_folder && S_ISDIR(place.mode)) return -EISDIR;
  if (!is_folder && place.slash) return -ENOTDIR;
  result = may_change_folder(&place);
  if (result < 0) return result;
  if (is_folder) {
    int empty = is_empty(&place);
    if (empty <= 0) return empty < 0 ? empty : -ENOTEMPTY;
  }
  result = vanish(place.path);
  if (result == 0 && place.layer == UPPER) result = (int)SYS3(SYS_unlinkat, AT_FDCWD, place.full, flags);
  changed();
  return result;
}

static int move(const char *from, const char *to, unsigned flags) {
  int result = (int)SYS5(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags);
  if ((result == -EINVAL || result == -ENOSYS) && !flags) result = (int)SYS4(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
  return result;
}

int overlay_rename(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  if (!overlay_on()) return (int)SYS5(SYS_renameat2, from_folder, from, to_folder, to, flags);
  Place one, two;
  int result = find(&one, from_folder, from, NAME);
  if (result == 0) result = find(&two, to_folder, to, NAME);
  if (result < 0) return result;
  if (one.passes && two.passes) return (int)SYS5(SYS_renameat2, from_folder, from, to_folder, to, flags);
  if (one.passes) {
    struct stat found;
    result = (int)SYS4(SYS_newfstatat, from_folder, from, &found, AT_SYMLINK_NOFOLLOW);
    if (result < 0) return result;
    one.layer = UPPER;
    one.mode = found.st_mode;
  }
  if (two.passes) {
    struct stat found;
    two.layer = (int)SYS4(SYS_newfstatat, to_folder, to, &found, AT_SYMLINK_NOFOLLOW) == 0 ? UPPER : NONE;
    two.mode = two.layer == NONE ? 0 : found.st_mode;
  }
  if (one.layer == NONE) return -ENOENT;
  if (ends_in_dots(from) || ends_in_dots(to)) return -EBUSY;
  int is_folder = S_ISDIR(one.mode), exchange = flags & RENAME_EXCHANGE_FLAG;
  if ((one.slash || two.slash) && !is_folder) return -ENOTDIR;
  if (!one.passes && !two.passes) {
    if (!strcmp(one.path, two.path)) return flags & RENAME_NOREPLACE_FLAG ? -EEXIST : 0;
    size_t bytes = strlen(one.path);
    if (is_folder && !strncmp(two.path, one.path, bytes) && two.path[bytes] == '/') return -EINVAL;
    bytes = strlen(two.path);
    if (!strncmp(one.path, two.path, bytes) && one.path[bytes] == '/') return exchange ? -EINVAL : -ENOTEMPTY;
  }
  if (flags & RENAME_NOREPLACE_FLAG && two.layer != NONE) return -EEXIST;
  if (exchange && two.layer == NONE) return -ENOENT;
  if (!one.passes && (result = may_change_folder(&one)) < 0) return result;
  if (!two.passes && (result = may_change_folder(&two)) < 0) return result;
  if (two.layer != NONE && !exchange) {
    if (is_folder && !S_ISDIR(two.mode)) return -ENOTDIR;
    if (!is_folder && S_ISDIR(two.mode)) return -EISDIR;
    if (is_folder && !two.passes) {
      int empty = is_empty(&two);
      if (empty <= 0) return empty < 0 ? empty : -ENOTEMPTY;
    }
  }
  struct stat first, second;
  /* Two names of one file: nothing happens. */
  if (!exchange && one.layer == two.layer && !one.passes && !two.passes && !is_folder && look_at(real_path(&one), &first) == 0 &&
      look_at(real_path(&two), &second) == 0 && first.st_ino == second.st_ino && first.st_dev == second.st_dev)
    return 0;
  int was_user = !one.passes && !hides(one.path) && look_at(one.path, &first) == 0;
  if (!one.passes) result = raise_tree(&one);
  if (result == 0 && !two.passes) result = exchange ? raise_tree(&two) : upper_parent(&two);
  if (result < 0) return result;
  if (!one.passes) result = vanish(one.path);
  if (result == 0 && !two.passes && (is_folder || exchange)) result = vanish(two.path);
  if (result < 0) return result;
  char from_text[PATH_MAX], to_text[PATH_MAX];
  const char *real_from = one.full, *real_to = two.full;
  /* What is outside of the view is named by the caller; an open folder, through its number. */
  if (one.passes) {
    if (from[0] != '/' && from_folder != AT_FDCWD) snprintf(from_text, sizeof from_text, "/proc/self/fd/%d/%s", from_folder, from);
    else snprintf(from_text, sizeof from_text, "%s", from);
    real_from = from_text;
  }
  if (two.passes) {
    if (to[0] != '/' && to_folder != AT_FDCWD) snprintf(to_text, sizeof to_text, "/proc/self/fd/%d/%s", to_folder, to);
    else snprintf(to_text, sizeof to_text, "%s", to);
    real_to = to_text;
  }
  result = move(real_from, real_to, flags & ~(unsigned)RENAME_NOREPLACE_FLAG);
  changed();
  if (result == 0 && was_user) note_renamed(one.path, two.passes ? real_to : two.path);
  return result;
}
