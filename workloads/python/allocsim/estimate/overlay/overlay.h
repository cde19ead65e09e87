/*
 * A view of the file system in which a program's changes go to a folder of its own and the user's files stay as they are.
 *
 * Below the folder in ALLOCSIM_ESTIMATE_FILES:
 *   upper/P   what the program wrote at the path P; it takes precedence over the user's file at P
 *   gone/P    a regular file where the user's P and all below it are hidden, else a folder on the way to such files
 *   index     a page that all processes share, see Shared
 *   renamed   pairs of paths of user's files that were renamed, each path ended by a zero byte
 *
 * Everything here returns 0 or a positive result, or a negated errno; nothing touches errno, and no function of libc that
 * this library replaces is called.
 */
#pragma once
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define EXPORT __attribute__((visibility("default")))
#define FOLDER_BYTES 512

/* Where a path of the program is. */
enum { NONE, LOWER, UPPER };

typedef struct {
  int passes; /* outside of the view (devices, the run's own folder, pipes): use the caller's arguments */
  int layer;
  int slash;  /* the path ended in a slash */
  mode_t mode;
  char *path; /* as the program sees it, absolute and without links; within full */
  char full[FOLDER_BYTES + PATH_MAX]; /* the same in the upper folder */
} Place;

typedef struct {
  char *data; /* type, name, zero byte; and so on */
  size_t bytes, room;
} Names;

typedef struct {
  _Atomic uint64_t generation; /* 0: nothing was changed yet; grows with each change to folders and links */
  _Atomic uint64_t loaded;     /* processes that loaded this library */
  _Atomic uint64_t full;       /* the disk was full */
} Shared;

/* The sixth argument of this library's own calls, which none of them has: supervisor.c lets them through. */
#define OWN_CALL 0x616c6c6f6373696dl

/* A system call, without libc. */
long sys(long number, long a, long b, long c, long d, long e, long f);
#define SYS0(n) sys(n, 0, 0, 0, 0, 0, OWN_CALL)
#define SYS1(n, a) sys(n, (long)(a), 0, 0, 0, 0, OWN_CALL)
#define SYS2(n, a, b) sys(n, (long)(a), (long)(b), 0, 0, 0, OWN_CALL)
#define SYS3(n, a, b, c) sys(n, (long)(a), (long)(b), (long)(c), 0, 0, OWN_CALL)
#define SYS4(n, a, b, c, d) sys(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, OWN_CALL)
#define SYS5(n, a, b, c, d, e) sys(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), OWN_CALL)

/* Whether this process has a view at all; begins it where it was not begun yet. */
int overlay_on(void);
/* Whether nothing was changed yet, so that reading needs no look-up. */
int untouched(void);
/* The folder that holds the view, and its length. */
const char *overlay_folder(void);
/* Without the upper folder in front of it: true where there was one. */
int strip(char *path);

/* What find does with a link at the end: nothing, as a call that makes, renames or removes names; follow it where a slash comes
 * after it; follow it. */
enum { NAME = -1, LINK, FOLLOW };

/* The process of which working folder and open files are meant, in a thread that acts for it; else 0. */
extern __thread int acting_for;
/* Begins a view in a process that was not started with one. */
int overlay_begin(const char *folder);

/* Finds a path from an open folder (or AT_FDCWD). A missing file in an existing folder is NONE, no error. */
int find(Place *place, int folder, const char *path, int follow);
/* The same for what an open file is. */
int find_open(Place *place, int file);
/* Where the file is, for a system call. */
const char *real_path(const Place *place);
/* Whether the user's file at this path is hidden. */
int hides(const char *path);
/* Whether a program may add and remove names in the folder of a place: 0 or -EACCES, -EROFS. */
int may_change_folder(Place *place);
/* Makes the upper folder in which a place is. */
int upper_parent(Place *place);
/* Copies the user's file to the upper folder, where it is not there yet: empty or as it is, folders without what is in them. */
int raise_file(Place *place, int empty);
/* The same with all that is in it. */
int raise_tree(Place *place);
/* Hides the user's file, where there is one. */
int vanish(const char *path);
/* Notes that folders or links changed. */
void changed(void);
/* Notes a user's file that was renamed. */
void note_renamed(const char *from, const char *to);
/* Whether a merged folder needs a listing of its own; else real_path has it whole. */
int is_merged(const Place *place);
/* The names in a folder, without . and ..; names->data is to be freed. */
int list_merged(const Place *place, Names *names);
/* Opens a file; the caller's flags, its mode. */
int overlay_open(int folder, const char *path, int flags, mode_t mode);
int overlay_rename(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
int overlay_unlink(int folder, const char *path, int flags);
