/* libc's functions on files, on the view of overlay.h. Listings of folders are in folders.c, programs in programs.c. */
#include "overlay.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static long done(long result) {
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}

#define REAL(name) ({ static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name); real; })

/* The file that a call which changes nothing is about: *folder and *path are replaced where the view has it elsewhere. */
static int reading(int *folder, const char **path, int follow, Place *place) {
  if (!overlay_on() || untouched()) return 0;
  int result = find(place, *folder, *path, follow);
  if (result < 0) return result;
  if (place->passes) return 0;
  if (place->layer == NONE) return -ENOENT;
  *folder = AT_FDCWD;
  *path = real_path(place);
  return 0;
}

/* The same for one that changes what is said about a file: it is copied first. */
static int changing(int *folder, const char **path, int follow, Place *place) {
  if (!overlay_on()) return 0;
  int result = find(place, *folder, *path, follow);
  if (result < 0) return result;
  if (place->passes) return 0;
  if (place->layer == NONE) return -ENOENT;
  result = raise_file(place, 0);
  *folder = AT_FDCWD;
  *path = place->full;
  return result;
}

/* The same for one that makes a name. */
static int making(int *folder, const char **path, int is_folder, Place *place) {
  if (!overlay_on()) return 0;
  int result = find(place, *folder, *path, NAME);
  if (result < 0) return result;
  if (place->passes) return 0;
  if (place->layer != NONE) return -EEXIST;
  if (place->slash && !is_folder) return -ENOENT;
  result = may_change_folder(place);
  if (result == 0) result = upper_parent(place);
  *folder = AT_FDCWD;
  *path = place->full;
  return result;
}

/* ---- Open ---- */

static mode_t mode_of(int flags, va_list rest) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0; }

#define OPEN(name)                                    \
  EXPORT int name(const char *path, int flags, ...) { \
    va_list rest;                                     \
    va_start(rest, flags);                            \
    mode_t mode = mode_of(flags, rest);               \
    va_end(rest);                                     \
    return (int)done(overlay_open(AT_FDCWD, path, flags, mode)); \
  }
#define OPEN_AT(name)                                             \
  EXPORT int name(int folder, const char *path, int flags, ...) { \
    va_list rest;                                                 \
    va_start(rest, flags);                                        \
    mode_t mode = mode_of(flags, rest);                           \
    va_end(rest);                                                 \
    return (int)done(overlay_open(folder, path, flags, mode));    \
  }
OPEN(open)
OPEN(open64)
OPEN(__open)
OPEN(__open64)
OPEN_AT(openat)
OPEN_AT(openat64)
EXPORT int __open_2(const char *path, int flags) { return (int)done(overlay_open(AT_FDCWD, path, flags, 0)); }
EXPORT int __open64_2(const char *path, int flags) { return (int)done(overlay_open(AT_FDCWD, path, flags, 0)); }
EXPORT int __openat_2(int folder, const char *path, int flags) { return (int)done(overlay_open(folder, path, flags, 0)); }
EXPORT int __openat64_2(int folder, const char *path, int flags) { return (int)done(overlay_open(folder, path, flags, 0)); }
EXPORT int creat(const char *path, mode_t mode) { return (int)done(overlay_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode)); }
EXPORT int creat64(const char *path, mode_t mode) { return creat(path, mode); }

/* What fopen asks of open for a mode. */
static int stream_flags(const char *mode) {
  int flags = *mode == 'r' ? O_RDONLY : *mode == 'w' ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY | O_CREAT | O_APPEND;
  for (const char *each = mode + 1; *each && *each != ','; each++) {
    if (*each == '+') flags = (flags & ~O_ACCMODE) | O_RDWR;
    if (*each == 'x') flags |= O_EXCL;
    if (*each == 'e') flags |= O_CLOEXEC;
  }
  return flags;
}

#define STREAM(name)                                                                \
  EXPORT FILE *name(const char *path, const char *mode) {                           \
    if (!overlay_on() || !path || !mode || (*mode == 'r' && !strchr(mode, '+') && untouched())) return REAL(name)(path, mode); \
    int file = (int)done(overlay_open(AT_FDCWD, path, stream_flags(mode), 0666));   \
    if (file < 0) return NULL;                                                      \
    FILE *stream = fdopen(file, mode);                                              \
    if (!stream) SYS1(SYS_close, file);                                             \
    return stream;                                                                  \
  }
STREAM(fopen)
STREAM(fopen64)

/* The file is made ready by opening it once, and opened again by libc where it is. */
#define STREAM_AGAIN(name)                                                          \
  EXPORT FILE *name(const char *path, const char *mode, FILE *stream) {             \
    if (!overlay_on() || !path || !mode) return REAL(name)(path, mode, stream);     \
    int file = overlay_open(AT_FDCWD, path, stream_flags(mode) | O_CLOEXEC, 0666);  \
    if (file >= 0) SYS1(SYS_close, file);                                           \
    Place place;                                                                    \
    if (file < 0 || find(&place, AT_FDCWD, path, 1) < 0 || place.passes || place.layer == NONE) return REAL(name)(path, mode, stream); \
    char again[8];                                                                  \
    size_t used = 0;                                                                \
    for (; *mode && used < sizeof again - 1; mode++)                                \
      if (*mode != 'x') again[used++] = *mode;                                      \
    again[used] = 0;                                                                \
    return REAL(name)(real_path(&place), again, stream);                            \
  }
STREAM_AGAIN(freopen)
STREAM_AGAIN(freopen64)

/* ---- What is said about a file ---- */

static int stat_at(int folder, const char *path, struct stat *found, int flags) {
  Place place;
  int result = reading(&folder, &path, !(flags & AT_SYMLINK_NOFOLLOW), &place);
  if (result == 0) result = (int)SYS4(SYS_newfstatat, folder, path, found, flags);
  return (int)done(result);
}

EXPORT int stat(const char *path, struct stat *found) { return stat_at(AT_FDCWD, path, found, 0); }
EXPORT int stat64(const char *path, struct stat64 *found) { return stat_at(AT_FDCWD, path, (struct stat *)found, 0); }
EXPORT int lstat(const char *path, struct stat *found) { return stat_at(AT_FDCWD, path, found, AT_SYMLINK_NOFOLLOW); }
EXPORT int lstat64(const char *path, struct stat64 *found) { return stat_at(AT_FDCWD, path, (struct stat *)found, AT_SYMLINK_NOFOLLOW); }
EXPORT int fstatat(int folder, const char *path, struct stat *found, int flags) { return stat_at(folder, path, found, flags); }
EXPORT int fstatat64(int folder, const char *path, struct stat64 *found, int flags) { return stat_at(folder, path, (struct stat *)found, flags); }
/* As programs that were linked with glibc before 2.33 call them. */
EXPORT int __xstat(int version, const char *path, struct stat *found) { (void)version; return stat_at(AT_FDCWD, path, found, 0); }
EXPORT int __xstat64(int version, const char *path, struct stat64 *found) { (void)version; return stat_at(AT_FDCWD, path, (struct stat *)found, 0); }
EXPORT int __lxstat(int version, const char *path, struct stat *found) { (void)version; return lstat(path, found); }
EXPORT int __lxstat64(int version, const char *path, struct stat64 *found) { (void)version; return lstat64(path, found); }
EXPORT int __fxstatat(int version, int folder, const char *path, struct stat *found, int flags) { (void)version; return stat_at(folder, path, found, flags); }
EXPORT int __fxstatat64(int version, int folder, const char *path, struct stat64 *found, int flags) { (void)version; return stat_at(folder, path, (struct stat *)found, flags); }

EXPORT int statx(int folder, const char *path, int flags, unsigned mask, struct statx *found) {
  Place place;
  int result = reading(&folder, &path, !(flags & AT_SYMLINK_NOFOLLOW), &place);
  if (result == 0) result = (int)SYS5(SYS_statx, folder, path, flags, mask, found);
  return (int)done(result);
}

/* What follows takes its real function with another path. */
#define READS(type, name, follow, parameters, ...)                       \
  EXPORT type name parameters {                                          \
    Place place;                                                         \
    int folder = AT_FDCWD, result = reading(&folder, &path, follow, &place); \
    if (result < 0) return (type)done(result);                           \
    return REAL(name)(__VA_ARGS__);                                      \
  }
#define READS_AT(type, name, follow, parameters, ...)                    \
  EXPORT type name parameters {                                          \
    Place place;                                                         \
    int result = reading(&folder, &path, follow, &place);                \
    if (result < 0) return (type)done(result);                           \
    return REAL(name)(__VA_ARGS__);                                      \
  }
#define CHANGES(type, name, follow, parameters, ...)                     \
  EXPORT type name parameters {                                          \
    Place place;                                                         \
    int folder = AT_FDCWD, result = changing(&folder, &path, follow, &place); \
    if (result < 0) return (type)done(result);                           \
    return REAL(name)(__VA_ARGS__);                                      \
  }
#define CHANGES_AT(type, name, follow, parameters, ...)                  \
  EXPORT type name parameters {                                          \
    Place place;                                                         \
    int result = changing(&folder, &path, follow, &place);               \
    if (result < 0) return (type)done(result);                           \
    return REAL(name)(__VA_ARGS__);                                      \
  }

/* access is true of the user's file where Landlock would not let it be written: it is what a run outside may do. */
READS(int, access, 1, (const char *path, int mode), path, mode)
READS(int, eaccess, 1, (const char *path, int mode), path, mode)
READS(int, euidaccess, 1, (const char *path, int mode), path, mode)
READS_AT(int, faccessat, !(flags & AT_SYMLINK_NOFOLLOW), (int folder, const char *path, int mode, int flags), folder, path, mode, flags)
READS(int, statfs, 1, (const char *path, struct statfs *found), path, found)
READS(int, statfs64, 1, (const char *path, struct statfs64 *found), path, found)
READS(int, statvfs, 1, (const char *path, struct statvfs *found), path, found)
READS(int, statvfs64, 1, (const char *path, struct statvfs64 *found), path, found)
READS(long, pathconf, 1, (const char *path, int name), path, name)

ssize_t getxattr(const char *path, const char *name, void *value, size_t bytes);
ssize_t lgetxattr(const char *path, const char *name, void *value, size_t bytes);
ssize_t listxattr(const char *path, char *list, size_t bytes);
ssize_t llistxattr(const char *path, char *list, size_t bytes);
int setxattr(const char *path, const char *name, const void *value, size_t bytes, int flags);
int lsetxattr(const char *path, const char *name, const void *value, size_t bytes, int flags);
int removexattr(const char *path, const char *name);
int lremovexattr(const char *path, const char *name);
int fsetxattr(int file, const char *name, const void *value, size_t bytes, int flags);
int fremovexattr(int file, const char *name);
int inotify_add_watch(int file, const char *path, uint32_t mask);
READS(ssize_t, getxattr, 1, (const char *path, const char *name, void *value, size_t bytes), path, name, value, bytes)
READS(ssize_t, lgetxattr, 0, (const char *path, const char *name, void *value, size_t bytes), path, name, value, bytes)
READS(ssize_t, listxattr, 1, (const char *path, char *list, size_t bytes), path, list, bytes)
READS(ssize_t, llistxattr, 0, (const char *path, char *list, size_t bytes), path, list, bytes)
READS(int, inotify_add_watch, 1, (int file, const char *path, uint32_t mask), file, path, mask)
CHANGES(int, setxattr, 1, (const char *path, const char *name, const void *value, size_t bytes, int flags), path, name, value, bytes, flags)
CHANGES(int, lsetxattr, 0, (const char *path, const char *name, const void *value, size_t bytes, int flags), path, name, value, bytes, flags)
CHANGES(int, removexattr, 1, (const char *path, const char *name), path, name)
CHANGES(int, lremovexattr, 0, (const char *path, const char *name), path, name)
CHANGES(int, chmod, 1, (const char *path, mode_t mode), path, mode)
CHANGES(int, lchmod, 0, (const char *path, mode_t mode), path, mode)
CHANGES_AT(int, fchmodat, !(flags & AT_SYMLINK_NOFOLLOW), (int folder, const char *path, mode_t mode, int flags), folder, path, mode, flags)
CHANGES(int, chown, 1, (const char *path, uid_t user, gid_t group), path, user, group)
CHANGES(int, lchown, 0, (const char *path, uid_t user, gid_t group), path, user, group)
CHANGES(int, utime, 1, (const char *path, const struct utimbuf *times), path, times)
CHANGES(int, utimes, 1, (const char *path, const struct timeval times[2]), path, times)
CHANGES(int, lutimes, 0, (const char *path, const struct timeval times[2]), path, times)
CHANGES_AT(int, futimesat, 1, (int folder, const char *path, const struct timeval times[2]), folder, path, times)

static int writable(const char *path, off_t bytes);
EXPORT int truncate(const char *path, off_t bytes) { return writable(path, bytes); }
EXPORT int truncate64(const char *path, off64_t bytes) { return writable(path, bytes); }

static int writable(const char *path, off_t bytes) {
  int file = overlay_open(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
  if (file < 0) return (int)done(file);
  long result = SYS2(SYS_ftruncate, file, bytes);
  SYS1(SYS_close, file);
  return (int)done(result);
}

/* Calls about an open file; one that is open for reading only may still be the user's. */
static int open_file(int file, Place *place, const char **path) {
  *path = NULL;
  if (!overlay_on()) return 0;
  int result = find_open(place, file);
  if (result < 0 || place->passes || place->layer != LOWER) return 0;
  /* A file that was removed or replaced since it was opened is another one. */
  struct stat now, then;
  if (SYS4(SYS_newfstatat, AT_FDCWD, place->path, &now, AT_SYMLINK_NOFOLLOW) < 0 || SYS2(SYS_fstat, file, &then) < 0) return 0;
  if (now.st_ino != then.st_ino || now.st_dev != then.st_dev) return 0;
  *path = place->full;
  return raise_file(place, 0);
}

#define OPEN_CHANGES(name, parameters, call, ...)      \
  EXPORT int name parameters {                         \
    Place place;                                       \
    const char *path;                                  \
    int result = open_file(file, &place, &path);       \
    if (result < 0) return (int)done(result);          \
    if (path) return (int)done(call);                  \
    return REAL(name)(__VA_ARGS__);                    \
  }
OPEN_CHANGES(fchmod, (int file, mode_t mode), SYS3(SYS_fchmodat, AT_FDCWD, path, mode), file, mode)
OPEN_CHANGES(fchown, (int file, uid_t user, gid_t group), SYS5(SYS_fchownat, AT_FDCWD, path, user, group, 0), file, user, group)
OPEN_CHANGES(futimens, (int file, const struct timespec times[2]), SYS4(SYS_utimensat, AT_FDCWD, path, times, 0), file, times)
OPEN_CHANGES(fsetxattr, (int file, const char *name, const void *value, size_t bytes, int flags), SYS5(SYS_setxattr, path, name, value, bytes, flags), file, name, value, bytes, flags)
OPEN_CHANGES(fremovexattr, (int file, const char *name), SYS2(SYS_removexattr, path, name), file, name)

EXPORT int futimes(int file, const struct timeval times[2]) {
  struct timespec fine[2];
  if (!times) return futimens(file, NULL);
  for (int i = 0; i < 2; i++) fine[i] = (struct timespec){times[i].tv_sec, times[i].tv_usec * 1000};
  return futimens(file, fine);
}

EXPORT int utimensat(int folder, const char *path, const struct timespec times[2], int flags) {
  Place place;
  if (!path || !*path) return futimens(folder, times);
  int result = changing(&folder, &path, !(flags & AT_SYMLINK_NOFOLLOW), &place);
  if (result == 0) result = (int)SYS4(SYS_utimensat, folder, path, times, flags);
  return (int)done(result);
}

EXPORT int fchownat(int folder, const char *path, uid_t user, gid_t group, int flags) {
  Place place;
  if (!path || (!*path && flags & AT_EMPTY_PATH)) return fchown(folder, user, group);
  int result = changing(&folder, &path, !(flags & AT_SYMLINK_NOFOLLOW), &place);
  if (result == 0) result = (int)SYS5(SYS_fchownat, folder, path, user, group, flags);
  return (int)done(result);
}

/* ---- Links ---- */

static ssize_t read_link(int folder, const char *path, char *text, size_t room) {
  Place place;
  if (!overlay_on()) return done(SYS4(SYS_readlinkat, folder, path, text, room));
  int result = reading(&folder, &path, 0, &place);
  if (result < 0) return done(result);
  long bytes = SYS4(SYS_readlinkat, folder, path, text, room);
  /* The kernel names open files by where they are. */
  if (bytes > 0 && path && !strncmp(path, "/proc/", 6)) {
    char whole[FOLDER_BYTES + PATH_MAX];
    long all = SYS4(SYS_readlinkat, folder, path, whole, sizeof whole - 1);
    if (all > 0) {
      whole[all] = 0;
      if (strip(whole)) {
        size_t stripped = strlen(whole);
        bytes = (long)(stripped < room ? stripped : room);
        memcpy(text, whole, (size_t)bytes);
      }
    }
  }
  return done(bytes);
}

EXPORT ssize_t readlink(const char *path, char *text, size_t room) { return read_link(AT_FDCWD, path, text, room); }
EXPORT ssize_t readlinkat(int folder, const char *path, char *text, size_t room) { return read_link(folder, path, text, room); }
EXPORT ssize_t __readlink_chk(const char *path, char *text, size_t room, size_t known) { (void)known; return read_link(AT_FDCWD, path, text, room); }
EXPORT ssize_t __readlinkat_chk(int folder, const char *path, char *text, size_t room, size_t known) { (void)known; return read_link(folder, path, text, room); }

EXPORT int symlinkat(const char *to, int folder, const char *path) {
  Place place;
  int result = making(&folder, &path, 0, &place);
  if (result == 0) result = (int)SYS3(SYS_symlinkat, to, folder, path);
  if (result == 0 && overlay_on()) changed();
  return (int)done(result);
}
EXPORT int symlink(const char *to, const char *path) { return symlinkat(to, AT_FDCWD, path); }

EXPORT int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  Place one, two;
  int result = 0;
  if (!(from && !strncmp(from, "/proc/", 6)) && !(flags & AT_EMPTY_PATH)) result = changing(&from_folder, &from, flags & AT_SYMLINK_FOLLOW, &one);
  if (result == 0) result = making(&to_folder, &to, 0, &two);
  if (result == 0) result = (int)SYS5(SYS_linkat, from_folder, from, to_folder, to, flags);
  return (int)done(result);
}
EXPORT int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

/* ---- Names ---- */

EXPORT int rename(const char *from, const char *to) { return (int)done(overlay_rename(AT_FDCWD, from, AT_FDCWD, to, 0)); }
EXPORT int renameat(int from_folder, const char *from, int to_folder, const char *to) { return (int)done(overlay_rename(from_folder, from, to_folder, to, 0)); }
EXPORT int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) { return (int)done(overlay_rename(from_folder, from, to_folder, to, flags)); }
EXPORT int unlink(const char *path) { return (int)done(overlay_unlink(AT_FDCWD, path, 0)); }
EXPORT int unlinkat(int folder, const char *path, int flags) { return (int)done(overlay_unlink(folder, path, flags)); }
EXPORT int rmdir(const char *path) { return (int)done(overlay_unlink(AT_FDCWD, path, AT_REMOVEDIR)); }
EXPORT int remove(const char *path) {
  int result = overlay_unlink(AT_FDCWD, path, 0);
  return (int)done(result == -EISDIR ? overlay_unlink(AT_FDCWD, path, AT_REMOVEDIR) : result);
}

EXPORT int mkdirat(int folder, const char *path, mode_t mode) {
  Place place;
  int result = making(&folder, &path, 1, &place);
  if (result == 0) result = (int)SYS3(SYS_mkdirat, folder, path, mode);
  if (result == 0 && overlay_on()) changed();
  return (int)done(result);
}
EXPORT int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

EXPORT int mknodat(int folder, const char *path, mode_t mode, dev_t device) {
  Place place;
  int result = making(&folder, &path, 0, &place);
  if (result == 0) result = (int)SYS4(SYS_mknodat, folder, path, mode, device);
  return (int)done(result);
}
EXPORT int mknod(const char *path, mode_t mode, dev_t device) { return mknodat(AT_FDCWD, path, mode, device); }
EXPORT int __xmknod(int version, const char *path, mode_t mode, dev_t *device) { (void)version; return mknodat(AT_FDCWD, path, mode, *device); }
EXPORT int __xmknodat(int version, int folder, const char *path, mode_t mode, dev_t *device) { (void)version; return mknodat(folder, path, mode, *device); }
EXPORT int mkfifoat(int folder, const char *path, mode_t mode) { return mknodat(folder, path, (mode & 07777) | S_IFIFO, 0); }
EXPORT int mkfifo(const char *path, mode_t mode) { return mkfifoat(AT_FDCWD, path, mode); }

/* A socket's name is a file. One that is too long in the upper folder is left to the kernel, and to Landlock. */
static const struct sockaddr *address_of(const struct sockaddr *address, socklen_t *bytes, struct sockaddr_un *room, int makes) {
  const struct sockaddr_un *named = (const struct sockaddr_un *)address;
  if (!overlay_on() || !address || *bytes <= offsetof(struct sockaddr_un, sun_path) || address->sa_family != AF_UNIX || !named->sun_path[0]) return address;
  if (!makes && untouched()) return address;
  char text[sizeof named->sun_path + 1] = {0};
  size_t length = *bytes - offsetof(struct sockaddr_un, sun_path);
  memcpy(text, named->sun_path, length < sizeof named->sun_path ? length : sizeof named->sun_path);
  Place place;
  if (find(&place, AT_FDCWD, text, 1) < 0 || place.passes) return address;
  if (place.layer == NONE && makes && (may_change_folder(&place) < 0 || upper_parent(&place) < 0)) return address;
  const char *real = place.layer == NONE ? place.full : real_path(&place);
  if (strlen(real) >= sizeof room->sun_path) return address;
  room->sun_family = AF_UNIX;
  strcpy(room->sun_path, real);
  *bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(real) + 1);
  return (struct sockaddr *)room;
}

EXPORT int bind(int file, const struct sockaddr *address, socklen_t bytes) {
  struct sockaddr_un room;
  address = address_of(address, &bytes, &room, 1);
  return (int)done(SYS3(SYS_bind, file, address, bytes));
}
EXPORT int connect(int file, const struct sockaddr *address, socklen_t bytes) {
  struct sockaddr_un room;
  address = address_of(address, &bytes, &room, 0);
  return REAL(connect)(file, address, bytes);
}

/* ---- The working folder, and paths without links ---- */

EXPORT int chdir(const char *path) {
  Place place;
  int folder = AT_FDCWD, result = reading(&folder, &path, 1, &place);
  /* The user's folder, where there is one: programs without this library find themselves in it. */
  struct stat found;
  if (result == 0 && path == place.full && S_ISDIR(place.mode) && !hides(place.path) &&
      SYS4(SYS_newfstatat, AT_FDCWD, place.path, &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(found.st_mode))
    path = place.path;
  if (result == 0) result = (int)SYS1(SYS_chdir, path);
  return (int)done(result);
}

static char *working_folder(char *text, size_t room) {
  char whole[FOLDER_BYTES + PATH_MAX];
  long bytes = SYS2(SYS_getcwd, whole, sizeof whole);
  if (bytes < 0 || whole[0] != '/') {
    errno = bytes < 0 ? (int)-bytes : ENOENT;
    return NULL;
  }
  if (overlay_on()) strip(whole);
  size_t length = strlen(whole) + 1;
  if (!text) {
    if (room && room < length) {
      errno = ERANGE;
      return NULL;
    }
    text = malloc(room ? room : length);
    if (!text) return NULL;
  } else if (room == 0) {
    errno = EINVAL;
    return NULL;
  } else if (room < length) {
    errno = ERANGE;
    return NULL;
  }
  return memcpy(text, whole, length);
}

EXPORT char *getcwd(char *text, size_t room) { return working_folder(text, room); }
EXPORT char *__getcwd_chk(char *text, size_t room, size_t known) { (void)known; return working_folder(text, room); }
EXPORT char *get_current_dir_name(void) { return working_folder(NULL, 0); }
EXPORT char *getwd(char *text) { return working_folder(text, PATH_MAX); }

static char *without_links(const char *path, char *text, char *(*real)(const char *, char *)) {
  if (!overlay_on() || untouched() || !path || !*path) return real(path, text);
  Place place;
  int result = find(&place, AT_FDCWD, path, 1);
  if (result == 0 && place.passes) return real(path, text);
  if (result == 0 && place.layer == NONE) result = -ENOENT;
  if (result < 0) {
    errno = -result;
    return NULL;
  }
  size_t bytes = strlen(place.path) + 1;
  if (!text && !(text = malloc(bytes))) return NULL;
  return memcpy(text, place.path, bytes);
}
EXPORT char *realpath(const char *path, char *text) { return without_links(path, text, REAL(realpath)); }
EXPORT char *__realpath_chk(const char *path, char *text, size_t known) { (void)known; return realpath(path, text); }
EXPORT char *canonicalize_file_name(const char *path) { return realpath(path, NULL); }

/* ---- Temporary files ---- */

static int temporary(char *name, int suffix, int flags, int is_folder) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
  static _Atomic uint64_t count;
  size_t bytes = strlen(name);
  if (suffix < 0 || bytes < 6 + (size_t)suffix || memcmp(name + bytes - suffix - 6, "XXXXXX", 6)) return -EINVAL;
  char *at = name + bytes - suffix - 6;
  for (int tries = 0; tries < 1000; tries++) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t value = ((uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 32 ^ atomic_fetch_add(&count, 1) << 20) * 0x9E3779B97F4A7C15ull;
    for (int i = 0; i < 6; i++, value /= 36) at[i] = letters[(value >> 8) % 36];
    int result;
    if (is_folder) result = mkdir(name, 0700) == 0 ? 0 : -errno;
    else result = overlay_open(AT_FDCWD, name, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
    if (result != -EEXIST) return result;
  }
  return -EEXIST;
}

#define TEMPORARY(name, parameters, suffix, flags) EXPORT int name parameters { return (int)done(temporary(path, suffix, flags, 0)); }
TEMPORARY(mkstemp, (char *path), 0, 0)
TEMPORARY(mkstemp64, (char *path), 0, 0)
TEMPORARY(mkostemp, (char *path, int flags), 0, flags)
TEMPORARY(mkostemp64, (char *path, int flags), 0, flags)
TEMPORARY(mkstemps, (char *path, int suffix), suffix, 0)
TEMPORARY(mkstemps64, (char *path, int suffix), suffix, 0)
TEMPORARY(mkostemps, (char *path, int suffix, int flags), suffix, flags)
TEMPORARY(mkostemps64, (char *path, int suffix, int flags), suffix, flags)
EXPORT char *mkdtemp(char *path) { return done(temporary(path, 0, 0, 1)) < 0 ? NULL : path; }

EXPORT FILE *tmpfile(void) {
  const char *folder = getenv("TMPDIR");
  char name[PATH_MAX];
  if (snprintf(name, sizeof name, "%s/tmpfXXXXXX", folder && *folder ? folder : P_tmpdir) >= (int)sizeof name) {
    errno = ENAMETOOLONG;
    return NULL;
  }
  int file = mkstemp(name);
  if (file < 0) return NULL;
  unlink(name);
  return fdopen(file, "w+b");
}
EXPORT FILE *tmpfile64(void) { return tmpfile(); }

/* ---- System calls by their number ---- */

EXPORT long syscall(long number, ...) {
  va_list rest;
  va_start(rest, number);
  long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long), e = va_arg(rest, long), f = va_arg(rest, long);
  va_end(rest);
  if (overlay_on()) {
    switch (number) {
      case SYS_openat: return done(overlay_open((int)a, (const char *)b, (int)c, (mode_t)d));
      case SYS_unlinkat: return unlinkat((int)a, (const char *)b, (int)c);
      case SYS_mkdirat: return mkdirat((int)a, (const char *)b, (mode_t)c);
      case SYS_mknodat: return mknodat((int)a, (const char *)b, (mode_t)c, (dev_t)d);
      case SYS_symlinkat: return symlinkat((const char *)a, (int)b, (const char *)c);
      case SYS_linkat: return linkat((int)a, (const char *)b, (int)c, (const char *)d, (int)e);
      case SYS_renameat: return renameat((int)a, (const char *)b, (int)c, (const char *)d);
      case SYS_renameat2: return renameat2((int)a, (const char *)b, (int)c, (const char *)d, (unsigned)e);
      case SYS_readlinkat: return readlinkat((int)a, (const char *)b, (char *)c, (size_t)d);
      case SYS_newfstatat: return stat_at((int)a, (const char *)b, (struct stat *)c, (int)d);
      case SYS_statx: return statx((int)a, (const char *)b, (int)c, (unsigned)d, (struct statx *)e);
      case SYS_truncate: return truncate((const char *)a, (off_t)b);
      case SYS_fchmod: return fchmod((int)a, (mode_t)b);
      case SYS_fchmodat: return fchmodat((int)a, (const char *)b, (mode_t)c, 0);
      case SYS_fchown: return fchown((int)a, (uid_t)b, (gid_t)c);
      case SYS_fchownat: return fchownat((int)a, (const char *)b, (uid_t)c, (gid_t)d, (int)e);
      case SYS_utimensat: return utimensat((int)a, (const char *)b, (const struct timespec *)c, (int)d);
      case SYS_faccessat: return faccessat((int)a, (const char *)b, (int)c, 0);
      case SYS_chdir: return chdir((const char *)a);
#ifdef SYS_open
      case SYS_open: return done(overlay_open(AT_FDCWD, (const char *)a, (int)b, (mode_t)c));
      case SYS_creat: return creat((const char *)a, (mode_t)b);
      case SYS_unlink: return unlink((const char *)a);
      case SYS_rmdir: return rmdir((const char *)a);
      case SYS_mkdir: return mkdir((const char *)a, (mode_t)b);
      case SYS_rename: return rename((const char *)a, (const char *)b);
      case SYS_link: return link((const char *)a, (const char *)b);
      case SYS_symlink: return symlink((const char *)a, (const char *)b);
      case SYS_readlink: return readlink((const char *)a, (char *)b, (size_t)c);
      case SYS_stat: return stat((const char *)a, (struct stat *)b);
      case SYS_lstat: return lstat((const char *)a, (struct stat *)b);
      case SYS_access: return access((const char *)a, (int)b);
      case SYS_chmod: return chmod((const char *)a, (mode_t)b);
      case SYS_chown: return chown((const char *)a, (uid_t)b, (gid_t)c);
      case SYS_lchown: return lchown((const char *)a, (uid_t)b, (gid_t)c);
#endif
    }
  }
  return done(sys(number, a, b, c, d, e, f));
}
