/*
 * A mock CUDA driver on which whole PyTorch programs run: standin.c, which has what the allocator asks for, and here what
 * the program asks for besides: kernels, copies, pinned memory, cuBLAS and cuDNN; cublaslt.c has cuBLASLt, linear.c cuSOLVER, transforms.c cuFFT, graphs.c cuDNN's graphs,
 * ctc.c its loss for sequences, sparse.c cuSPARSE, nccl.c NCCL, nvml.c NVML, driver.c the driver's own functions, images.c the kernels that are compiled for the card. Nothing is computed. A
 * kernel returns at once; what is copied from the device to the host is zero, or what answer() was told. What libraries
 * would have needed as workspace is asked of the rules in workspaces.c.
 *
 * Functions that are not here are refused by name (refused.c): the program then stops with PyTorch's own message at the line
 * that asked. Declarations are those of CUDA 12 and 13, cuBLAS 12 and 13 and cuDNN 9, written out so that no header of CUDA is
 * needed.
 */
#define HAS_KERNELS
#include "mock.h"
#undef EXPORT
#include "standin.c"

#include <unistd.h>

#include "normalizations.h"
#include "planner.h"
#include "usage.h"
#include "workspaces.h"

/* ---- What the driver of the stand-in says ---- */

static uint64_t answer_value;
static size_t answered_bytes;
static int answers;

/* The next copies of up to so many bytes, at most 8, from the device to the host give this value, as often as said; all others give zeros. */
EXPORT void standin_answer(int bytes, uint64_t value, int times) {
  answered_bytes = (size_t)bytes;
  answer_value = value;
  answers = times;
}

static const uint64_t ENDLESS_BYTES = 1ull << 44;

static int64_t card_free_bytes;
static int card_watts;

int standin_watts(void) { return card_watts; }

/* Free bytes of each device before the program asked for the first ones. */
EXPORT int64_t standin_card_free(void) { return card_free_bytes; }

/* Takes the place of a card, whose memory is free but for a context: name, compute capability, multiprocessors, bytes, bytes of the
   cache, of a context and of what no request gets, and watts, with semicolons between them. */
EXPORT int standin_card_of(const char *text) {
  char name[128];
  int major, minor, multiprocessors;
  unsigned long long bytes, context_bytes, kept_bytes;
  int cache_bytes, watts;
  if (sscanf(text, "%127[^;];%d.%d;%d;%llu;%d;%llu;%llu;%d", name, &major, &minor, &multiprocessors, &bytes, &cache_bytes, &context_bytes,
             &kept_bytes, &watts) != 9)
    return INVALID_VALUE;
  card_watts = watts;
  standin_card(name, major, minor, multiprocessors);
  card.cache_bytes = cache_bytes;
  set_memory(bytes, bytes - context_bytes);
  unusable_bytes = kept_bytes;
  card_free_bytes = (int64_t)free_bytes[0];
  return SUCCESS;
}

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("ALLOCSIM_ESTIMATE_CARD");
  if (text) standin_card_of(text);
  const char *count = getenv("ALLOCSIM_ESTIMATE_DEVICES");
  if (count) standin_devices(atoi(count));
  if (getenv("ALLOCSIM_ESTIMATE_BEHIND")) standin_hold(BEHIND);
  if (getenv("ALLOCSIM_ESTIMATE_UNLIMITED")) standin_beyond(ENDLESS_BYTES);
}

/* ---- What each process of the program uses of the devices ---- */

static void use(int device) { usage_begin(&free_bytes, device); }

int standin_usage(int at, int device, unsigned *process, unsigned long long *bytes) {
  uint64_t left, given = (uint64_t)card_free_bytes + beyond_bytes;
  int found = usage_at(at, device, process, &left);
  if (found == 1) *bytes = total_bytes - (uint64_t)card_free_bytes + (given > left ? given - left : 0);
  return found;
}

static int on_device(const void *address) {
  uint64_t a = (uint64_t)address;
  return (a >= RANGES_START && a < RANGES_START + SPACE_BYTES) || (a >= BLOCKS_START && a < BLOCKS_START + SPACE_BYTES);
}

/* ---- Memory of the host ---- */

static Spans pinned;

EXPORT int cudaHostAlloc(void **pointer, size_t bytes, unsigned flags) {
  (void)flags;
  size_t room = bytes ? bytes : 1;
  void *got = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) return result(OUT_OF_MEMORY);
  pthread_mutex_lock(&lock);
  insert(&pinned, (uint64_t)got, room, current_device);
  pthread_mutex_unlock(&lock);
  *pointer = got;
  return SUCCESS;
}
EXPORT int cudaMallocHost(void **pointer, size_t bytes) { return cudaHostAlloc(pointer, bytes, 0); }

EXPORT int cudaFreeHost(void *pointer) {
  pthread_mutex_lock(&lock);
  ptrdiff_t at = containing(&pinned, (uint64_t)pointer);
  if (at >= 0) {
    munmap(pointer, pinned.spans[at].bytes);
    erase(&pinned, (size_t)at);
  }
  pthread_mutex_unlock(&lock);
  return SUCCESS;
}

EXPORT int cudaHostRegister(void *pointer, size_t bytes, unsigned flags) {
  (void)flags;
  pthread_mutex_lock(&lock);
  insert(&pinned, (uint64_t)pointer, bytes, current_device);
  pthread_mutex_unlock(&lock);
  return SUCCESS;
}
EXPORT int cudaHostUnregister(void *pointer) {
  pthread_mutex_lock(&lock);
  ptrdiff_t at = containing(&pinned, (uint64_t)pointer);
  if (at >= 0) erase(&pinned, (size_t)at);
  pthread_mutex_unlock(&lock);
  return SUCCESS;
}
EXPORT int cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  (void)flags;
  *device = host;
  return SUCCESS;
}

typedef struct {
  int type, device;
  void *device_pointer, *host_pointer;
} Pointer;

/* The device of an address: that of its memory, or the one that made it where it is the host's. */
static int device_of(uint64_t address) {
  const Spans *of[] = {&blocks, &ranges, &pinned};
  for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
    ptrdiff_t at = containing(of[i], address);
    if (at >= 0) return of[i]->spans[at].device;
  }
  return current_device;
}

EXPORT int cudaPointerGetAttributes(Pointer *p, const void *address) {
  pthread_mutex_lock(&lock);
  int is_pinned = containing(&pinned, (uint64_t)address) >= 0;
  int device = device_of((uint64_t)address);
  pthread_mutex_unlock(&lock);
  int is_device = on_device(address);
  p->type = is_device ? 2 : is_pinned ? 1 : 0;
  p->device = is_device || is_pinned ? device : -2;
  p->device_pointer = is_device || is_pinned ? (void *)address : NULL;
  p->host_pointer = is_device ? NULL : (void *)address;
  return SUCCESS;
}

/* ---- Copies ---- */

static __thread int flag_was_read;

/* Whether the calling thread copied one unknown byte to the host and has launched nothing since. */
EXPORT int standin_flag_was_read(void) { return flag_was_read; }

static void copy(void *to, const void *from, size_t bytes) {
  if (on_device(to) || !bytes) return;
  if (!on_device(from)) {
    memmove(to, from, bytes);
  } else if (answers && bytes <= answered_bytes) {
    answers--;
    memcpy(to, &answer_value, bytes);
  } else {
    memset(to, 0, bytes);
    flag_was_read = bytes == 1;
  }
}

EXPORT int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
  (void)kind; (void)stream;
  copy(to, from, bytes);
  return SUCCESS;
}
EXPORT int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) { return cudaMemcpyAsync(to, from, bytes, kind, NULL); }
EXPORT int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height, int kind,
                             void *stream) {
  for (size_t row = 0; row < height; row++)
    cudaMemcpyAsync((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width, kind, stream);
  return SUCCESS;
}
EXPORT int cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes, void *stream) {
  (void)to_device; (void)from_device;
  return cudaMemcpyAsync(to, from, bytes, 4, stream);
}
EXPORT int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind) {
  (void)symbol; (void)from; (void)bytes; (void)offset; (void)kind;
  return SUCCESS;
}
EXPORT int cudaMemset(void *to, int value, size_t bytes) {
  if (!on_device(to)) memset(to, value, bytes);
  return SUCCESS;
}
EXPORT int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream) { (void)stream; return cudaMemset(to, value, bytes); }
EXPORT int cudaGetSymbolAddress(void **address, const void *symbol) {
  (void)symbol;
  *address = (void *)RANGES_START;
  return SUCCESS;
}

/* ---- Kernels ---- */

EXPORT void __cudaRegisterVar(void) {}
EXPORT void __cudaRegisterHostVar(void) {}
EXPORT void __cudaRegisterManagedVar(void) {}
EXPORT void __cudaRegisterTexture(void) {}
EXPORT void __cudaRegisterSurface(void) {}
EXPORT void __cudaRegisterUnifiedTable(void) {}
EXPORT char __cudaInitModule(void **handle) { (void)handle; return 1; }
EXPORT unsigned __cudaPushCallConfiguration(void) { return 0; }

typedef struct {
  unsigned x, y, z;
} Sides;

EXPORT int __cudaPopCallConfiguration(Sides *grid, Sides *block, size_t *shared, void **stream) {
  *grid = *block = (Sides){1, 1, 1};
  *shared = 0;
  *stream = NULL;
  return SUCCESS;
}

int standin_capability(void) { return 10 * card.major + card.minor; }

/* Code 209: no kernel image is available for execution on the device. */
static int no_image(void) { return result(209); }

static int launch(const void *function) {
  Image image;
  questions = 0;
  flag_was_read = 0;
  if (!standin_image(function, &image)) return no_image();
  standin_go_on();
  return SUCCESS;
}

EXPORT int __cudaGetKernel(const void **kernel, const void *function) { *kernel = function; return SUCCESS; }
EXPORT int cudaGetFuncBySymbol(const void **kernel, const void *function) { *kernel = function; return SUCCESS; }
EXPORT int __cudaLaunchKernel(const void *function) { return launch(function); }
EXPORT int cudaLaunchKernel(const void *function) { return launch(function); }
EXPORT int cudaLaunchKernelExC(const void *configuration, const void *function) { (void)configuration; return launch(function); }
EXPORT int cudaLaunchCooperativeKernel(const void *function) { return launch(function); }
EXPORT int cudaFuncSetAttribute(const void *function) {
  Image image;
  return standin_image(function, &image) ? SUCCESS : no_image();
}
EXPORT int cudaFuncSetCacheConfig(const void *function) { return cudaFuncSetAttribute(function); }
EXPORT int cudaKernelSetAttributeForDevice(void) { return SUCCESS; }

typedef struct {
  size_t shared, constant, local;
  int threads, registers, ptx, binary, cache, dynamic, carveout, others[20];
} Function;

/* CUB chooses its tiles by the architecture for which a kernel is compiled. */
EXPORT int cudaFuncGetAttributes(Function *f, const void *function) {
  Image image;
  if (!standin_image(function, &image)) return no_image();
  memset(f, 0, offsetof(Function, others));
  f->threads = 1024;
  f->registers = 32;
  f->ptx = image.ptx;
  f->binary = image.binary;
  f->dynamic = 48 << 10;
  return SUCCESS;
}

/* Limited by threads and by the shared memory that is asked for: what the kernel's registers and own memory would allow is not
   known here. */
int standin_blocks(int threads, size_t shared) {
  int fit = threads > 0 ? card.threads / threads : 1;
  /* Each block's is given in units of 128 bytes, after what the system keeps. */
  size_t each = (shared + (card.major >= 8 ? 1 << 10 : 0) + 127) / 128 * 128;
  if (shared && (size_t)fit > card.shared_bytes / each) fit = (int)(card.shared_bytes / each);
  return fit < 1 ? 1 : fit > card.blocks ? card.blocks : fit;
}

EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks_of, const void *function, int threads, size_t shared,
                                                                  unsigned flags) {
  (void)flags;
  Image image;
  if (!standin_image(function, &image)) return no_image();
  *blocks_of = standin_blocks(threads, shared);
  return SUCCESS;
}
EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks_of, const void *function, int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks_of, function, threads, shared, 0);
}

int standin_attribute(int name) {
  switch (name) {
    case 1: return 1024;           /* threads of a block */
    case 2: case 3: return 1024;   /* its sides */
    case 4: return 64;
    case 5: return INT32_MAX;      /* sides of a grid */
    case 6: case 7: return 65535;
    case 8: return 48 << 10;       /* shared memory of a block */
    case 10: return 32;            /* threads of a warp */
    case 11: return INT32_MAX;     /* pitch */
    case 12: case 82: return 65536; /* registers of a block, of a multiprocessor */
    case 13: return card.major == 9 ? 1980000 : 1755000; /* kHz; of an H100 and an H200, as is that of the memory */
    case 14: return 512;           /* alignment of textures */
    case 16: return card.multiprocessors;
    case 19: case 31: case 41: case 78: case 95: case 96: return 1; /* host memory mapped, kernels at once, one address space, priorities, cooperative */
    case 36: return strcmp(card.name, "NVIDIA H200") ? 2619000 : 3201000; /* kHz of the memory */
    case 37: return 5120;          /* bits of its bus */
    case 38: return card.cache_bytes; /* L2 */
    case 39: return card.threads;
    case 75: return card.major;
    case 76: return card.minor;
    case 81: return (int)card.shared_bytes;
    case 97: return (int)card.block_shared_bytes;
    case 106: return card.blocks;  /* blocks of a multiprocessor */
    case 111: return card.major >= 8 ? 1 << 10 : 0; /* shared memory that the system keeps of each block's */
    case 115: return 1;            /* pools of memory */
    case 120: return card.major >= 9; /* clusters */
    default: return 0;
  }
}
EXPORT int cudaDeviceGetAttribute(int *value, int name, int device) { (void)device; *value = standin_attribute(name); return SUCCESS; }

/* The most that a plan for the GPU needs beside one without it where that is not known: partial results of blocks that share a tile. */
EXPORT int64_t standin_split_bytes(void) { return plans_of_unknown_partials() ? (int64_t)card.multiprocessors * (128 << 10) : 0; }

/* The PCI device and the driver do not change what cuDNN plans. */
int card_as_json(char *text, size_t room) {
  int wrote = snprintf(
      text, room,
      "{\"cudaDeviceId\":0,\"deviceName\":\"%s\",\"deviceVer\":%d,\"driverVer\":13000,\"isTccDriver\":0,\"l2CacheSize\":%d,"
      "\"maxBlockSize\":[1024,1024,64],\"maxGridSize\":[2147483647,65535,65535],\"maxCtasPerSM\":%d,\"maxRegistersPerSM\":65536,"
      "\"maxSharedMemoryPerBlock\":49152,\"maxSharedMemoryPerBlockOptin\":%zu,\"maxThreadsPerBlock\":1024,\"maxThreadsPerSM\":%d,"
      "\"memClockRateKHz\":%d,\"multiProcessorCount\":%d,\"pciDeviceId\":0,\"regsPerBlock\":65536,\"reservedSharedMemoryPerBlock\":%d,"
      "\"smClockRateKHz\":%d,\"smCountOrigin\":0,\"supportCoopLaunch\":1,\"totalGlobalMem\":%llu,\"warpSize\":32}",
      card.name, 100 * card.major + 10 * card.minor, card.cache_bytes, card.blocks, card.block_shared_bytes, card.threads, standin_attribute(36),
      card.multiprocessors, card.major >= 8 ? 1 << 10 : 0, standin_attribute(13), (unsigned long long)total_bytes);
  return wrote > 0 && (size_t)wrote < room;
}

/* ---- What is left of the runtime ---- */

EXPORT int cudaDeviceGetPCIBusId(char *text, int length, int device) {
  snprintf(text, (size_t)length, "0000:%02x:00.0", (unsigned)device);
  return SUCCESS;
}
EXPORT int cudaStreamCreateWithFlags(void **stream, unsigned flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }
EXPORT int cudaStreamCreate(void **stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
EXPORT int cudaEventCreate(void **event) { return cudaEventCreateWithFlags(event, 0); }
EXPORT int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data) {
  (void)stream;
  function(data);
  return SUCCESS;
}
EXPORT int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *data, unsigned flags) {
  (void)flags;
  function(stream, SUCCESS, data);
  return SUCCESS;
}
EXPORT int cudaMallocAsync(void **pointer, size_t bytes, void *stream) { (void)stream; return cudaMalloc(pointer, bytes); }
EXPORT int cudaFreeAsync(void *pointer, void *stream) { (void)stream; return cudaFree(pointer); }
EXPORT int cudaProfilerStart(void) { return SUCCESS; }
EXPORT int cudaProfilerStop(void) { return SUCCESS; }
EXPORT int cudaDeviceReset(void) { return SUCCESS; }
EXPORT int cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags, int *status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, 13000, flags, status);
}

/* The driver hands out the latest version of a function under the name without one. */
static void *driver_function(const char *symbol) {
  static const char *const versions[] = {"_v2", ""};
  char name[128];
  Dl_info here, found;
  if (!dladdr((void *)standin_card_free, &here)) return NULL;
  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
    snprintf(name, sizeof name, "%s%s", symbol, versions[i]);
    void *function = dlsym(RTLD_DEFAULT, name);
    if (function && dladdr(function, &found) && found.dli_fbase == here.dli_fbase) return function;
  }
  return NULL;
}

/* ---- cuBLAS ---- */

EXPORT int cublasCreate_v2(void **handle) {
  *handle = calloc(1, 64);
  return *handle ? SUCCESS : 3;
}
EXPORT int cublasDestroy_v2(void *handle) { free(handle); return SUCCESS; }
EXPORT int cublasGetMathMode(void *handle, int *mode) { (void)handle; *mode = 0; return SUCCESS; }
EXPORT int cublasGetPointerMode_v2(void *handle, int *mode) { (void)handle; *mode = 0; return SUCCESS; }

/* They return at once: sizes and workspaces are PyTorch's own, which it has asked of the allocator. */
#define DONE(name) EXPORT int name(void) { return SUCCESS; }
#define OF_EACH_TYPE(name) DONE(cublasS##name) DONE(cublasD##name) DONE(cublasC##name) DONE(cublasZ##name)
DONE(cublasSetStream_v2)
DONE(cublasSetMathMode)
DONE(cublasSetPointerMode_v2)
DONE(cublasSetSmCountTarget)
DONE(cublasSetWorkspace_v2)
DONE(cublasGemmEx)
DONE(cublasGemmStridedBatchedEx)
DONE(cublasGemmBatchedEx)
DONE(cublasSgemmEx)
DONE(cublasDotEx)
DONE(cublasAxpyEx)
DONE(cublasScalEx)
DONE(cublasNrm2Ex)
DONE(cublasSdot_v2)
DONE(cublasDdot_v2)
DONE(cublasCdotc_v2)
DONE(cublasCdotu_v2)
DONE(cublasZdotc_v2)
DONE(cublasZdotu_v2)
DONE(cublasSger_v2)
DONE(cublasDger_v2)
DONE(cublasCgerc_v2)
DONE(cublasCgeru_v2)
DONE(cublasZgerc_v2)
DONE(cublasZgeru_v2)
DONE(cublasSnrm2_v2)
DONE(cublasDnrm2_v2)
DONE(cublasScnrm2_v2)
DONE(cublasDznrm2_v2)
OF_EACH_TYPE(gemm_v2)
OF_EACH_TYPE(gemv_v2)
OF_EACH_TYPE(gemmBatched)
OF_EACH_TYPE(gemmStridedBatched)
OF_EACH_TYPE(axpy_v2)
OF_EACH_TYPE(copy_v2)
OF_EACH_TYPE(scal_v2)
OF_EACH_TYPE(symm_v2)
OF_EACH_TYPE(syrk_v2)
OF_EACH_TYPE(trmm_v2)
OF_EACH_TYPE(trsm_v2)
OF_EACH_TYPE(trsv_v2)
OF_EACH_TYPE(trsmBatched)
OF_EACH_TYPE(getrfBatched)

/* These tell the host whether their arguments were right. */
#define TELLING(name, ...) EXPORT int name(__VA_ARGS__, int *info) { *info = 0; return SUCCESS; }
#define TELLING_OF_EACH_TYPE(name, ...) \
  TELLING(cublasS##name, __VA_ARGS__) TELLING(cublasD##name, __VA_ARGS__) TELLING(cublasC##name, __VA_ARGS__) TELLING(cublasZ##name, __VA_ARGS__)
TELLING_OF_EACH_TYPE(geqrfBatched, void *handle, int m, int n, void *a, int lda, void *tau)
TELLING_OF_EACH_TYPE(gelsBatched, void *handle, int transposed, int m, int n, int columns, void *a, int lda, void *c, int ldc)
TELLING_OF_EACH_TYPE(getrsBatched, void *handle, int transposed, int n, int columns, void *a, int lda, void *pivots, void *b, int ldb)

/* ---- cuDNN ---- */

#define FREED(name) \
  EXPORT int name(void *made) { free(made); return SUCCESS; }

EXPORT int cudnnCreate(void **handle) {
  *handle = calloc(1, 64);
  return *handle ? SUCCESS : 4003;
}
EXPORT int cudnnDestroy(void *handle) { free(handle); return SUCCESS; }
DONE(cudnnSetStream)
EXPORT int cudnnGetStream(void *handle, void **stream) { (void)handle; *stream = NULL; return SUCCESS; }

DONE(cudnnBatchNormalizationBackwardEx)
DONE(cudnnBatchNormalizationForwardInference)
DONE(cudnnBatchNormalizationForwardTrainingEx)
DONE(cudnnPoolingForward)
DONE(cudnnSpatialTfGridGeneratorBackward)
DONE(cudnnSpatialTfGridGeneratorForward)
DONE(cudnnSpatialTfSamplerBackward)
DONE(cudnnSpatialTfSamplerForward)
DONE(cudnnRNNForward)
DONE(cudnnRNNBackwardData_v8)
DONE(cudnnRNNBackwardWeights_v8)

enum { HOPPER = 90, PERSISTENT = 2 };

/* The workspace of batch normalization for an input that is described to cuDNN; 0 where it is not channels last. */
static size_t normalizing_bytes(const void *descriptor, int mode, int backward) {
  static int (*describe)(const void *, int, int *, int *, int *, int *);
  if (!describe) {
    void *library = dlopen("libcudnn.so.9", RTLD_LAZY | RTLD_NOLOAD);
    describe = library ? (int (*)(const void *, int, int *, int *, int *, int *))dlsym(library, "cudnnGetTensorNdDescriptor") : NULL;
  }
  int type, dimensions, sizes[8], strides[8];
  if (!describe || describe(descriptor, 8, &type, &dimensions, sizes, strides) != SUCCESS || dimensions < 3) return 0;
  int64_t channels = sizes[1], space = 1;
  for (int i = 2; i < dimensions; i++) space *= sizes[i];
  int last = (strides[1] == 1 && strides[dimensions - 1] == channels) || channels == 1 || space == 1;
  if (mode != PERSISTENT || !last) return 0;
  int64_t bytes = normalization_bytes(type, backward, sizes[0] * space, channels);
  if (standin_capability() != HOPPER) standin_infer(bytes);
  return (size_t)bytes;
}

EXPORT int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(void *handle, int mode, int operations, void *x, void *z, void *y, void *scale,
                                                                    void *activation, size_t *bytes) {
  (void)handle; (void)operations; (void)z; (void)y; (void)scale; (void)activation;
  *bytes = normalizing_bytes(x, mode, 0);
  return SUCCESS;
}

EXPORT int cudnnGetBatchNormalizationBackwardExWorkspaceSize(void *handle, int mode, int operations, void *x, void *y, void *dy, void *dz, void *dx,
                                                             void *scale, void *activation, size_t *bytes) {
  (void)handle; (void)operations; (void)y; (void)dy; (void)dz; (void)dx; (void)scale; (void)activation;
  *bytes = normalizing_bytes(x, mode, 1);
  return SUCCESS;
}

EXPORT int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(void *handle, int mode, int operations, void *activation, void *x, size_t *bytes) {
  (void)handle; (void)mode; (void)operations; (void)activation; (void)x;
  *bytes = 0; /* without an activation nothing is kept */
  return SUCCESS;
}
/* The state of one generator for each thread that the GPU holds: bytes as cuDNN 9.10 gives for an H100. */
EXPORT int cudnnDropoutGetStatesSize(void *handle, size_t *bytes) {
  (void)handle;
  *bytes = (size_t)card.multiprocessors * (size_t)card.threads * 16;
  return SUCCESS;
}

/* ---- cuDNN: recurrent networks ---- */

typedef struct {
  float share;
} Dropout;

EXPORT int cudnnCreateDropoutDescriptor(void **made) {
  *made = calloc(1, sizeof(Dropout));
  return *made ? SUCCESS : 4003;
}
FREED(cudnnDestroyDropoutDescriptor)
EXPORT int cudnnSetDropoutDescriptor(Dropout *d, void *handle, float share, void *states, size_t bytes, unsigned long long seed) {
  (void)handle; (void)states; (void)bytes; (void)seed;
  d->share = share;
  return SUCCESS;
}
EXPORT int cudnnRestoreDropoutDescriptor(Dropout *d, void *handle, float share, void *states, size_t bytes, unsigned long long seed) {
  return cudnnSetDropoutDescriptor(d, handle, share, states, bytes, seed);
}

typedef struct {
  int cell, biases, directions, type, input, hidden, projected, layers, drops;
} Recurrent;

EXPORT int cudnnCreateRNNDescriptor(void **made) {
  *made = calloc(1, sizeof(Recurrent));
  return *made ? SUCCESS : 4003;
}
FREED(cudnnDestroyRNNDescriptor)
EXPORT int cudnnSetRNNDescriptor_v8(Recurrent *r, int algorithm, int cell, int bias, int direction, int input_mode, int type, int precision,
                                    int math, int input, int hidden, int projected, int layers, const Dropout *dropout, unsigned flags) {
  (void)algorithm; (void)input_mode; (void)precision; (void)math; (void)flags;
  *r = (Recurrent){cell, bias == 2 ? 2 : bias == 0 ? 0 : 1, direction == 1 ? 2 : 1, type, input, hidden, projected, layers, dropout && dropout->share > 0};
  return SUCCESS;
}

static int gates(const Recurrent *r) { return r->cell == 2 ? 4 : r->cell == 3 ? 3 : 1; }
static size_t type_bytes(int type) { return type == 1 ? 8 : type == 2 || type == 9 ? 2 : 4; }
static int output_of(const Recurrent *r) { return r->projected > 0 ? r->projected : r->hidden; }
static int input_of(const Recurrent *r, int layer) { return layer < r->directions ? r->input : r->directions * output_of(r); }

static size_t layer_matrices(const Recurrent *r, int layer) {
  size_t count = (size_t)gates(r) * (size_t)r->hidden * (size_t)(input_of(r, layer) + output_of(r));
  if (r->projected > 0 && r->projected < r->hidden) count += (size_t)r->projected * (size_t)r->hidden;
  return count;
}
static size_t layer_biases(const Recurrent *r) { return (size_t)r->biases * (size_t)gates(r) * (size_t)r->hidden; }

EXPORT int cudnnGetRNNWeightSpaceSize(void *handle, const Recurrent *r, size_t *bytes) {
  (void)handle;
  size_t count = 0;
  for (int layer = 0; layer < r->layers * r->directions; layer++) count += layer_matrices(r, layer) + layer_biases(r);
  *bytes = count * type_bytes(r->type);
  return SUCCESS;
}

static int real_set_tensor(void *descriptor, int type, int dimensions, const int *sizes, const int *strides) {
  static int (*real)(void *, int, int, const int *, const int *);
  if (!real) {
    void *library = dlopen("libcudnn.so.9", RTLD_LAZY | RTLD_NOLOAD);
    real = library ? (int (*)(void *, int, int, const int *, const int *))dlsym(library, "cudnnSetTensorNdDescriptor") : NULL;
  }
  return real ? real(descriptor, type, dimensions, sizes, strides) : 3000;
}

/* All matrices layer by layer, then all biases, as cuDNN lays them out. */
EXPORT int cudnnGetRNNWeightParams(void *handle, const Recurrent *r, int layer, size_t space_bytes, const char *space, int id,
                                   void *matrix, void **matrix_at, void *bias, void **bias_at) {
  (void)handle; (void)space_bytes;
  size_t bytes = type_bytes(r->type), before = 0, biases_at = 0;
  int n = gates(r), projects = r->projected > 0 && r->projected < r->hidden;
  for (int i = 0; i < r->layers * r->directions; i++) {
    if (i < layer) before += layer_matrices(r, i);
    biases_at += layer_matrices(r, i);
  }
  void *unused;
  if (!matrix_at) matrix_at = &unused;
  if (!bias_at) bias_at = &unused;
  *matrix_at = *bias_at = NULL;
  int rows = r->hidden, columns;
  size_t offset = before;
  if (id < n) {
    columns = input_of(r, layer);
    offset += (size_t)id * (size_t)rows * (size_t)columns;
  } else if (id < 2 * n) {
    columns = output_of(r);
    offset += (size_t)n * (size_t)rows * (size_t)input_of(r, layer) + (size_t)(id - n) * (size_t)rows * (size_t)columns;
  } else if (projects && id == 2 * n) {
    columns = r->hidden;
    rows = r->projected;
    offset += (size_t)n * (size_t)r->hidden * (size_t)(input_of(r, layer) + output_of(r));
  } else {
    return SUCCESS;
  }
  *matrix_at = (void *)(space + offset * bytes);
  int code = !matrix ? SUCCESS : real_set_tensor(matrix, r->type, 3, (int[]){1, rows, columns}, (int[]){rows * columns, columns, 1});
  int which = id < n ? 0 : 1;
  if (code == SUCCESS && id < 2 * n && which < r->biases) {
    size_t at = biases_at + (size_t)layer * layer_biases(r) + (size_t)id * (size_t)r->hidden;
    *bias_at = (void *)(space + at * bytes);
    if (bias) code = real_set_tensor(bias, r->type, 3, (int[]){1, r->hidden, 1}, (int[]){r->hidden, 1, 1});
  }
  return code;
}

typedef struct {
  int type, length, batch, size, packed;
  int64_t rows, rows_at_once;
} Sequences;

EXPORT int cudnnCreateRNNDataDescriptor(void **made) {
  *made = calloc(1, sizeof(Sequences));
  return *made ? SUCCESS : 4003;
}
FREED(cudnnDestroyRNNDataDescriptor)
EXPORT int cudnnSetRNNDataDescriptor(Sequences *s, int type, int layout, int length, int batch, int size, const int *lengths, void *fill) {
  (void)fill;
  int64_t rows = 0, at_once = 0;
  for (int i = 0; i < batch; i++) {
    rows += lengths[i];
    at_once += lengths[i] < STEPS_AT_ONCE ? lengths[i] : STEPS_AT_ONCE;
  }
  *s = (Sequences){type, length, batch, size, layout == 1, rows, at_once};
  return SUCCESS;
}
EXPORT int cudnnGetRNNTempSpaceSizes(void *handle, const Recurrent *r, int training, const Sequences *x, size_t *work, size_t *reserve) {
  (void)handle;
  const Recurrence made = {gates(r), r->directions, r->layers, r->hidden, output_of(r), input_of(r, 0), x->length, x->batch, x->packed, r->drops, x->rows, x->rows_at_once, type_bytes(r->type)};
  recurrent_bytes(&made, training, work, reserve);
  return SUCCESS;
}
