/*
 * Which image of a kernel a card runs. nvcc puts the kernels of a source file into a fat binary, once for each architecture that it
 * was told; a program registers these when it starts. The driver takes the image that fits the card best (CUDA C++ Programming
 * Guide 13.0, "Binary Compatibility", "PTX Compatibility", "Family-specific features"): machine code of the same major and at
 * most the same minor version; code with features of one architecture (90a) on exactly that one; else PTX of at most the
 * card's version, which it compiles. The layout of fat binaries is that of nvcc 11 to 13.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock.h"

enum { WRAPPER_MAGIC = 0x466243b1, PTX = 1, MACHINE_CODE = 2 };
static const uint32_t CONTAINER_MAGIC = 0xba55ed50;

/* Bits of an entry's flags. */
static const uint64_t ONE_ARCHITECTURE = 1 << 20, ONE_FAMILY = 1 << 21;

typedef struct {
  uint32_t magic, version;
  const void *data, *others;
} Wrapper;

typedef struct {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t bytes; /* of all entries */
} Container;

typedef struct {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t bytes;
  uint32_t compressed_bytes, options;
  uint16_t minor, major; /* of the format */
  uint32_t architecture;
  uint32_t name_offset, name_bytes;
  uint64_t flags;
} Entry;

typedef struct {
  const Container *container; /* NULL where it is of another form */
  int chosen;
  Image image; /* zeros where there is none for the card */
} Module;

typedef struct {
  const void *function;
  Module *module;
} Kernel;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Kernel *kernels; /* by hash of the function, with free places between them */
static size_t count, room;

static void choose(Module *m) {
  int card = standin_capability(), code = 0, text = 0;
  m->chosen = 1;
  if (!m->container) {
    m->image = (Image){card, card};
    return;
  }
  const char *at = (const char *)m->container + m->container->header_bytes, *end = at + m->container->bytes;
  while (at + sizeof(Entry) <= end) {
    const Entry *entry = (const Entry *)at;
    int architecture = (int)entry->architecture;
    int fits = architecture <= card;
    if (entry->flags & ONE_ARCHITECTURE) fits = architecture == card;
    if (entry->flags & ONE_FAMILY || entry->kind == MACHINE_CODE) fits = fits && architecture / 10 == card / 10;
    if (fits && entry->kind == MACHINE_CODE && architecture > code) code = architecture;
    if (fits && entry->kind == PTX && architecture > text) text = architecture;
    at += entry->header_bytes + entry->bytes;
    if (!entry->header_bytes) break;
  }
  /* Machine code is taken to be made of PTX of its own version, which nvcc does not write down outside of the code. */
  m->image = code ? (Image){code, code} : text ? (Image){text, card} : (Image){0, 0};
}

static const void *without;
static char library[1024];

/* Writes down a kernel that no image fits: its library and the architectures of its images, with spaces between them. */
static void note(const void *function, const Module *m) {
  Dl_info info;
  if (function == without) return;
  without = function;
  const char *file = dladdr(function, &info) && info.dli_fname ? info.dli_fname : "?";
  int wrote = snprintf(library, sizeof library, "%s", file);
  const char *at = (const char *)m->container + m->container->header_bytes, *end = at + m->container->bytes;
  while (at + sizeof(Entry) <= end && wrote > 0 && (size_t)wrote < sizeof library) {
    const Entry *entry = (const Entry *)at;
    wrote += snprintf(library + wrote, sizeof library - (size_t)wrote, " %s_%u", entry->kind == PTX ? "compute" : "sm", entry->architecture);
    if (!entry->header_bytes) break;
    at += entry->header_bytes + entry->bytes;
  }
}

/* The last of the kernels that no image fits; NULL where each had one. */
EXPORT const char *standin_without_image(void) { return without ? library : NULL; }

/* The place of a function, or the free one where it belongs. */
static Kernel *place(const void *function) {
  size_t at = (uintptr_t)function * 0x9e3779b97f4a7c15ull >> 20 & (room - 1);
  while (kernels[at].function && kernels[at].function != function) at = (at + 1) & (room - 1);
  return &kernels[at];
}

static void grow(void) {
  Kernel *old = kernels;
  size_t old_room = room;
  room = room ? 2 * room : 1 << 14;
  kernels = calloc(room, sizeof(Kernel));
  if (!kernels) abort();
  for (size_t i = 0; i < old_room; i++)
    if (old[i].function) *place(old[i].function) = old[i];
  free(old);
}

EXPORT void **__cudaRegisterFatBinary(const Wrapper *wrapper) {
  Module *m = calloc(1, sizeof *m);
  if (!m) abort();
  if (wrapper->magic == WRAPPER_MAGIC) m->container = wrapper->data;
  if (m->container && m->container->magic != CONTAINER_MAGIC) m->container = NULL;
  return (void **)m;
}
EXPORT void __cudaRegisterFatBinaryEnd(void **module) { (void)module; }
/* A library that is unloaded leaves its kernels: functions of another one at the same addresses replace them. */
EXPORT void __cudaUnregisterFatBinary(void **module) { (void)module; }

EXPORT void __cudaRegisterFunction(void **module, const void *function) {
  pthread_mutex_lock(&lock);
  if (2 * count >= room) grow();
  Kernel *kernel = place(function);
  if (!kernel->function) count++;
  *kernel = (Kernel){function, (Module *)module};
  pthread_mutex_unlock(&lock);
}

int standin_image(const void *function, Image *image) {
  pthread_mutex_lock(&lock);
  Module *m = room ? place(function)->module : NULL;
  if (m && !m->chosen) choose(m);
  /* Kernels that were loaded while the program runs are not registered. */
  if (m && !m->image.binary) note(function, m);
  *image = m ? m->image : (Image){standin_capability(), standin_capability()};
  pthread_mutex_unlock(&lock);
  return image->binary != 0;
}
