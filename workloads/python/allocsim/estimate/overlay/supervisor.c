/*
 * For calls that do not go through libc: programs without this library (static ones, those in Go) and libraries with system calls
 * of their own (many in Rust). A seccomp filter stops them, and a thread of the command `allocsim estimate` does on the view of
 * overlay.h what they ask for, or lets them go on where the view has nothing to say. This library's own calls pass the filter.
 *
 * Structures and numbers are those of Linux' include/uapi/linux/seccomp.h (6.18), written out, as headers may be older than the
 * kernel, which needs to be 5.9 or newer.
 */
#include "overlay.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#else
#define OWN_ARCH AUDIT_ARCH_AARCH64
#endif

typedef struct {
  int nr;
  uint32_t arch;
  uint64_t instruction, args[6];
} CallData;

typedef struct {
  uint64_t id;
  uint32_t pid, flags;
  CallData data;
} Call;

typedef struct {
  uint64_t id;
  int64_t val;
  int32_t error;
  uint32_t flags;
} Answer;

typedef struct {
  uint64_t id;
  uint32_t flags, srcfd, newfd, newfd_flags;
} GivenFile;

#define RECEIVE _IOWR('!', 0, Call)
#define SEND _IOWR('!', 1, Answer)
#define IS_VALID _IOW('!', 2, uint64_t)
#define GIVE_FILE _IOW('!', 3, GivenFile)
#define SET_FILTER 1
#define NEW_LISTENER (1 << 3)
#define ALLOW 0x7fff0000u
#define ASK 0x7fc00000u
#define GO_ON 1

/* What is stopped. Calls on what is open already are not: what is open for writing is the program's own. */
static const int stopped[] = {
    SYS_openat, SYS_newfstatat, SYS_statx, SYS_unlinkat, SYS_mkdirat, SYS_symlinkat, SYS_linkat, SYS_renameat2, SYS_truncate, SYS_fchmodat, SYS_fchownat, SYS_utimensat,
    SYS_renameat, SYS_faccessat,
#ifdef SYS_open
    SYS_open, SYS_creat, SYS_access, SYS_stat, SYS_lstat, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_symlink, SYS_link, SYS_rename, SYS_chmod, SYS_chown, SYS_lchown,
#endif
};
enum { STOPPED = sizeof stopped / sizeof *stopped };

/* From now on this process and its children are stopped at those calls; the file to listen at, or a negated errno. */
EXPORT int overlay_listen(void) {
  struct sock_filter filter[STOPPED + 16];
  unsigned short at = 0;
#define LOAD(field) filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, field)
#define IF(value, yes, no) filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define RETURN(value) filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, value)
  LOAD(offsetof(CallData, arch));
  IF(OWN_ARCH, 1, 0);
  RETURN(ALLOW);
  LOAD(offsetof(CallData, args[5]));
  IF((uint32_t)OWN_CALL, 0, 3);
  LOAD(offsetof(CallData, args[5]) + 4);
  IF((uint32_t)((uint64_t)OWN_CALL >> 32), 0, 1);
  RETURN(ALLOW);
  LOAD(offsetof(CallData, nr));
  /* fstat is newfstatat of an open file. */
  IF(SYS_newfstatat, 0, 2);
  LOAD(offsetof(CallData, args[3]));
  filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, AT_EMPTY_PATH, STOPPED, STOPPED + 1);
  for (int i = 0; i < STOPPED; i++) IF((uint32_t)stopped[i], STOPPED - i, 0);
  RETURN(ALLOW);
  RETURN(ASK);
  struct sock_fprog program = {at, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -errno;
  return (int)SYS3(SYS_seccomp, SET_FILTER, NEW_LISTENER, &program);
}

/* ---- What the thread does for a call ---- */

typedef struct {
  int listener, memory;
  Call *call;
  int goes_on; /* the kernel is to do the call itself */
} Task;

/* A text of the program's; NULL where it cannot be read. */
static const char *text_of(Task *task, uint64_t address, char *room) {
  size_t used = 0;
  while (used < PATH_MAX) {
    /* Not over the end of a page, beyond which there may be nothing. */
    size_t bytes = 4096 - (address + used) % 4096;
    if (bytes > PATH_MAX - used) bytes = PATH_MAX - used;
    long got = SYS4(SYS_pread64, task->memory, room + used, bytes, address + used);
    if (got <= 0) return NULL;
    if (memchr(room + used, 0, (size_t)got)) return room;
    used += (size_t)got;
  }
  return NULL;
}

static mode_t umask_of(int process) {
  char name[48], line[128];
  unsigned found = 022;
  snprintf(name, sizeof name, "/proc/%d/status", process);
  FILE *stream = fopen(name, "re");
  while (stream && fgets(line, sizeof line, stream))
    if (sscanf(line, "Umask: %o", &found) == 1) break;
  if (stream) fclose(stream);
  return found;
}

/* Where a path is in the view. 0 where the call has it; 1 where the kernel is to go on; else a negated errno. */
static int place_of(Place *place, int folder, const char *path, int follow) {
  int result = find(place, folder, path, follow);
  return result < 0 ? result : place->passes;
}

static long give(Task *task, int file, int flags) {
  GivenFile add = {.id = task->call->id, .srcfd = (uint32_t)file, .newfd_flags = flags & O_CLOEXEC ? O_CLOEXEC : 0};
  long result = SYS3(SYS_ioctl, task->listener, GIVE_FILE, &add);
  SYS1(SYS_close, file);
  return result;
}

static long do_open(Task *task, int folder, const char *path, int flags, mode_t mode) {
  Place place;
  int writing = (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
  int result = !writing && untouched() ? 1 : place_of(&place, folder, path, flags & O_NOFOLLOW ? LINK : FOLLOW);
  if (result < 0) return result;
  if (result == 0 && place.layer == NONE && !writing) return -ENOENT;
  /* A pipe may have to wait for its other end. */
  if (result == 1 || (result == 0 && place.layer != NONE && !S_ISREG(place.mode) && !S_ISDIR(place.mode)) || (result == 0 && place.layer == LOWER && !writing)) {
    task->goes_on = 1;
    return 0;
  }
  int file = overlay_open(folder, path, flags | O_CLOEXEC | O_NONBLOCK, mode & ~umask_of(acting_for));
  if (file < 0) return file;
  if (!(flags & O_NONBLOCK)) SYS3(SYS_fcntl, file, F_SETFL, SYS2(SYS_fcntl, file, F_GETFL) & ~O_NONBLOCK);
  return give(task, file, flags);
}

static long put(Task *task, uint64_t address, const void *data, size_t bytes) {
  long done = SYS4(SYS_pwrite64, task->memory, data, bytes, address);
  return done == (long)bytes ? 0 : -EFAULT;
}

static long do_stat(Task *task, int folder, const char *path, uint64_t to, int flags, unsigned mask, int extended) {
  Place place;
  int result = place_of(&place, folder, path, flags & AT_SYMLINK_NOFOLLOW ? LINK : FOLLOW);
  if (result == 1 || (result == 0 && place.layer == LOWER) || !*path) {
    task->goes_on = 1;
    return 0;
  }
  if (result < 0) return result;
  if (place.layer == NONE) return -ENOENT;
  struct stat found;
  struct statx more;
  long done = extended ? SYS5(SYS_statx, AT_FDCWD, place.full, flags | AT_SYMLINK_NOFOLLOW, mask, &more) : SYS4(SYS_newfstatat, AT_FDCWD, place.full, &found, AT_SYMLINK_NOFOLLOW);
  if (done < 0) return done;
  return extended ? put(task, to, &more, sizeof more) : put(task, to, &found, sizeof found);
}

static long do_access(Task *task, int folder, const char *path, int mode) {
  Place place;
  int result = place_of(&place, folder, path, FOLLOW);
  if (result == 1 || (result == 0 && place.layer == LOWER)) return task->goes_on = 1, 0;
  return result < 0 ? result : place.layer == NONE ? -ENOENT : SYS3(SYS_faccessat, AT_FDCWD, place.full, mode);
}

static long do_make(Task *task, int folder, const char *path, const char *to, mode_t mode) {
  Place place;
  int result = place_of(&place, folder, path, NAME);
  if (result == 1) task->goes_on = 1;
  if (result != 0) return result;
  if (place.layer != NONE) return -EEXIST;
  if ((result = may_change_folder(&place)) < 0 || (result = upper_parent(&place)) < 0) return result;
  result = (int)(to ? SYS3(SYS_symlinkat, to, AT_FDCWD, place.full) : SYS3(SYS_mkdirat, AT_FDCWD, place.full, mode & ~umask_of(acting_for)));
  changed();
  return result;
}

/* A call that changes what is said about a file. */
static long do_change(Task *task, int folder, const char *path, int follow, long (*change)(const char *path, const uint64_t *given), const uint64_t *given) {
  Place place;
  int result = place_of(&place, folder, path, follow);
  if (result == 1) task->goes_on = 1;
  if (result != 0) return result;
  if (place.layer == NONE) return -ENOENT;
  result = raise_file(&place, 0);
  return result < 0 ? result : change(place.full, given);
}
static long change_mode(const char *path, const uint64_t *given) { return SYS3(SYS_fchmodat, AT_FDCWD, path, given[0]); }
static long change_owner(const char *path, const uint64_t *given) { return SYS5(SYS_fchownat, AT_FDCWD, path, given[0], given[1], AT_SYMLINK_NOFOLLOW); }
static long change_size(const char *path, const uint64_t *given) { return SYS2(SYS_truncate, path, given[0]); }
static long change_times(const char *path, const uint64_t *given) { return SYS4(SYS_utimensat, AT_FDCWD, path, given[0], AT_SYMLINK_NOFOLLOW); }

static long do_link(Task *task, int from_folder, const char *from, int to_folder, const char *to, int flags) {
  Place one, two;
  int result = place_of(&one, from_folder, from, flags & AT_SYMLINK_FOLLOW ? FOLLOW : LINK);
  if (result == 0) result = place_of(&two, to_folder, to, NAME);
  if (result == 1) task->goes_on = 1;
  if (result != 0) return result;
  if (one.layer == NONE) return -ENOENT;
  if (two.layer != NONE) return -EEXIST;
  if ((result = raise_file(&one, 0)) < 0 || (result = may_change_folder(&two)) < 0 || (result = upper_parent(&two)) < 0) return result;
  return SYS5(SYS_linkat, AT_FDCWD, one.full, AT_FDCWD, two.full, 0);
}

/* A rename of which both ends are outside of the view goes on; one of which one is, for example out of the folder for temporary files, needs whole paths. */
static long do_rename(Task *task, int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  Place one, two;
  int first = place_of(&one, from_folder, from, NAME), second = first < 0 ? first : place_of(&two, to_folder, to, NAME);
  if (first < 0 || second < 0) return first < 0 ? first : second;
  if (first == 1 && second == 1) {
    task->goes_on = 1;
    return 0;
  }
  char whole[2][PATH_MAX + 64];
  const char *paths[2] = {from, to};
  int folders[2] = {from_folder, to_folder}, outside[2] = {first, second};
  for (int i = 0; i < 2; i++)
    if (outside[i] && paths[i][0] != '/') {
      if (folders[i] == AT_FDCWD) snprintf(whole[i], sizeof whole[i], "/proc/%d/cwd/%s", acting_for, paths[i]);
      else snprintf(whole[i], sizeof whole[i], "/proc/%d/fd/%d/%s", acting_for, folders[i], paths[i]);
      paths[i] = whole[i];
    }
  return overlay_rename(from_folder, paths[0], to_folder, paths[1], flags);
}

static long do_unlink(Task *task, int folder, const char *path, int flags) {
  Place place;
  int result = place_of(&place, folder, path, NAME);
  if (result == 1) task->goes_on = 1;
  return result == 0 ? overlay_unlink(folder, path, flags) : result;
}

static long do_call(Task *task) {
  const uint64_t *a = task->call->data.args;
  char one[PATH_MAX], two[PATH_MAX];
  const char *path, *other;
  struct timespec times[2];
  /* Where the path is cannot be read, the kernel says what is wrong with it. */
#define PATH(to, room, i) if (!(to = text_of(task, a[i], room))) return task->goes_on = 1, 0
  switch (task->call->data.nr) {
    case SYS_openat: PATH(path, one, 1); return do_open(task, (int)a[0], path, (int)a[2], (mode_t)a[3]);
    case SYS_newfstatat: PATH(path, one, 1); return do_stat(task, (int)a[0], path, a[2], (int)a[3], 0, 0);
    case SYS_statx: PATH(path, one, 1); return do_stat(task, (int)a[0], path, a[4], (int)a[2], (unsigned)a[3], 1);
    case SYS_faccessat: PATH(path, one, 1); return do_access(task, (int)a[0], path, (int)a[2]);
    case SYS_unlinkat: PATH(path, one, 1); return do_unlink(task, (int)a[0], path, (int)a[2]);
    case SYS_mkdirat: PATH(path, one, 1); return do_make(task, (int)a[0], path, NULL, (mode_t)a[2]);
    case SYS_symlinkat: PATH(path, one, 2); PATH(other, two, 0); return do_make(task, (int)a[1], path, other, 0);
    case SYS_linkat: PATH(path, one, 1); PATH(other, two, 3); return do_link(task, (int)a[0], path, (int)a[2], other, (int)a[4]);
    case SYS_renameat: PATH(path, one, 1); PATH(other, two, 3); return do_rename(task, (int)a[0], path, (int)a[2], other, 0);
    case SYS_renameat2: PATH(path, one, 1); PATH(other, two, 3); return do_rename(task, (int)a[0], path, (int)a[2], other, (unsigned)a[4]);
    case SYS_truncate: PATH(path, one, 0); return do_change(task, AT_FDCWD, path, FOLLOW, change_size, (uint64_t[]){a[1]});
    case SYS_fchmodat: PATH(path, one, 1); return do_change(task, (int)a[0], path, FOLLOW, change_mode, (uint64_t[]){a[2]});
    case SYS_fchownat: PATH(path, one, 1); return do_change(task, (int)a[0], path, a[4] & AT_SYMLINK_NOFOLLOW ? LINK : FOLLOW, change_owner, (uint64_t[]){a[2], a[3]});
    case SYS_utimensat:
      /* Of an open file: the kernel does it where the file is the program's own. */
      if (!a[1]) return task->goes_on = 1, 0;
      PATH(path, one, 1);
      if (a[2] && SYS4(SYS_pread64, task->memory, times, sizeof times, a[2]) != sizeof times) return -EFAULT;
      return do_change(task, (int)a[0], path, a[3] & AT_SYMLINK_NOFOLLOW ? LINK : FOLLOW, change_times, (uint64_t[]){a[2] ? (uint64_t)(uintptr_t)times : 0});
#ifdef SYS_open
    case SYS_access: PATH(path, one, 0); return do_access(task, AT_FDCWD, path, (int)a[1]);
    case SYS_open: PATH(path, one, 0); return do_open(task, AT_FDCWD, path, (int)a[1], (mode_t)a[2]);
    case SYS_creat: PATH(path, one, 0); return do_open(task, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, (mode_t)a[1]);
    case SYS_stat: PATH(path, one, 0); return do_stat(task, AT_FDCWD, path, a[1], 0, 0, 0);
    case SYS_lstat: PATH(path, one, 0); return do_stat(task, AT_FDCWD, path, a[1], AT_SYMLINK_NOFOLLOW, 0, 0);
    case SYS_unlink: PATH(path, one, 0); return do_unlink(task, AT_FDCWD, path, 0);
    case SYS_rmdir: PATH(path, one, 0); return do_unlink(task, AT_FDCWD, path, AT_REMOVEDIR);
    case SYS_mkdir: PATH(path, one, 0); return do_make(task, AT_FDCWD, path, NULL, (mode_t)a[1]);
    case SYS_symlink: PATH(path, one, 1); PATH(other, two, 0); return do_make(task, AT_FDCWD, path, other, 0);
    case SYS_link: PATH(path, one, 0); PATH(other, two, 1); return do_link(task, AT_FDCWD, path, AT_FDCWD, other, 0);
    case SYS_rename: PATH(path, one, 0); PATH(other, two, 1); return do_rename(task, AT_FDCWD, path, AT_FDCWD, other, 0);
    case SYS_chmod: PATH(path, one, 0); return do_change(task, AT_FDCWD, path, FOLLOW, change_mode, (uint64_t[]){a[1]});
    case SYS_chown: PATH(path, one, 0); return do_change(task, AT_FDCWD, path, FOLLOW, change_owner, (uint64_t[]){a[1], a[2]});
    case SYS_lchown: PATH(path, one, 0); return do_change(task, AT_FDCWD, path, LINK, change_owner, (uint64_t[]){a[1], a[2]});
#endif
  }
  task->goes_on = 1;
  return 0;
}

/* Answers calls until no process is left that could make one, or the other file has something to read. */
EXPORT int overlay_supervise(int listener, int until, const char *folder) {
  /* What is made gets the mode that the program's own mask leaves. */
  if (unshare(CLONE_FS) != 0 || !overlay_begin(folder)) return -EINVAL;
  SYS1(SYS_umask, 0);
  /* Larger than the structure of this header, should the kernel's have grown. */
  union {
    Call call;
    char room[1024];
  } given;
  for (;;) {
    struct pollfd files[2] = {{.fd = listener, .events = POLLIN}, {.fd = until, .events = POLLIN}};
    if (poll(files, 2, -1) < 0 && errno != EINTR) return -errno;
    if (files[0].revents & POLLIN) {
      memset(&given, 0, sizeof given);
      if (SYS3(SYS_ioctl, listener, RECEIVE, &given) < 0) continue;
      Task task = {.listener = listener, .call = &given.call};
      char name[32];
      acting_for = (int)given.call.pid;
      snprintf(name, sizeof name, "/proc/%d/mem", acting_for);
      task.memory = (int)SYS4(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC, 0);
      uint64_t id = given.call.id;
      /* The process may have ended, and its number be another's. */
      long result = 0;
      if (task.memory < 0) task.goes_on = 1;
      else if (SYS3(SYS_ioctl, listener, IS_VALID, &id) == 0) result = do_call(&task);
      if (task.memory >= 0) SYS1(SYS_close, task.memory);
      Answer answer = {.id = id, .flags = task.goes_on ? GO_ON : 0};
      if (!task.goes_on) {
        answer.error = result < 0 ? (int)result : 0;
        answer.val = result < 0 ? 0 : result;
      }
      SYS3(SYS_ioctl, listener, SEND, &answer);
    } else if (files[0].revents & (POLLHUP | POLLERR) || files[1].revents) {
      return 0;
    }
  }
}
