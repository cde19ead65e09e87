/*
 * A stand-in for a GPU on which whole PyTorch programs run: standin.c, which has what the allocator asks for, and here what
 * the program asks for besides: kernels, copies, pinned memory, cuBLAS, cuBLASLt and cuDNN; linear.c has cuSOLVER and cuFFT. Nothing is computed. A
 * kernel returns at once; what is copied from the device to the host is zero, or what answer() was told. What libraries
 * would have needed as workspace is asked of the rules in workspaces.c.
 *
 * Functions that are not here are those of the real libraries, which find no driver and say so: the program then stops
 * with PyTorch's own message at the line that asked. Declarations are those of CUDA 12 and 13, cuBLAS 12 and 13 and
 * cuDNN 9, written out so that no header of CUDA is needed.
 */
#define HAS_KERNELS
#include "standin.c"

#include <dlfcn.h>

#include "workspaces.h"

/* ---- What the driver of the stand-in says ---- */

static uint64_t answer_value;
static int answers;

/* From now on, copies of up to 8 bytes from the device to the host give this; with 0 as first argument, zeros again. */
EXPORT void standin_answer(int on, uint64_t value) {
  answers = on;
  answer_value = value;
}

static const uint64_t ENDLESS_BYTES = 1ull << 44;

__attribute__((constructor)) static void begin(void) {
  /* Name, compute capability, multiprocessors, bytes and bytes of the cache of the GPU, as the command sets them. */
  const char *text = getenv("ALLOCSIM_ESTIMATE_CARD");
  char name[128];
  int major, minor, multiprocessors;
  unsigned long long bytes;
  int cache_bytes;
  if (text && sscanf(text, "%127[^;];%d.%d;%d;%llu;%d", name, &major, &minor, &multiprocessors, &bytes, &cache_bytes) == 6) {
    standin_card(name, major, minor, multiprocessors);
    card.cache_bytes = cache_bytes;
    standin_memory(bytes);
  }
  const char *count = getenv("ALLOCSIM_ESTIMATE_DEVICES");
  if (count) standin_devices(atoi(count));
  if (getenv("ALLOCSIM_ESTIMATE_BEHIND")) standin_hold(BEHIND);
  standin_beyond(ENDLESS_BYTES);
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
  insert(&pinned, (uint64_t)got, room);
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
  insert(&pinned, (uint64_t)pointer, bytes);
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

EXPORT int cudaPointerGetAttributes(Pointer *p, const void *address) {
  pthread_mutex_lock(&lock);
  int is_pinned = containing(&pinned, (uint64_t)address) >= 0;
  pthread_mutex_unlock(&lock);
  int is_device = on_device(address);
  p->type = is_device ? 2 : is_pinned ? 1 : 0;
  p->device = is_device || is_pinned ? current_device : -2;
  p->device_pointer = is_device || is_pinned ? (void *)address : NULL;
  p->host_pointer = is_device ? NULL : (void *)address;
  return SUCCESS;
}

/* ---- Copies ---- */

static void copy(void *to, const void *from, size_t bytes) {
  if (on_device(to) || !bytes) return;
  if (!on_device(from)) {
    memmove(to, from, bytes);
  } else if (answers && bytes <= sizeof answer_value) {
    memcpy(to, &answer_value, bytes);
  } else {
    memset(to, 0, bytes);
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

EXPORT void **__cudaRegisterFatBinary(void *binary) { (void)binary; static void *handle; return &handle; }
EXPORT void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }
EXPORT void __cudaUnregisterFatBinary(void **handle) { (void)handle; }
EXPORT void __cudaRegisterFunction(void) {}
EXPORT void __cudaRegisterVar(void) {}
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
EXPORT int __cudaGetKernel(const void **kernel, const void *function) { *kernel = function; return SUCCESS; }
EXPORT int __cudaLaunchKernel(void) { questions = 0; return SUCCESS; }
EXPORT int cudaLaunchKernel(void) { questions = 0; return SUCCESS; }
EXPORT int cudaLaunchKernelExC(void) { return cudaLaunchKernel(); }
EXPORT int cudaLaunchCooperativeKernel(void) { return SUCCESS; }
EXPORT int cudaFuncSetAttribute(void) { return SUCCESS; }
EXPORT int cudaFuncSetCacheConfig(void) { return SUCCESS; }
EXPORT int cudaKernelSetAttributeForDevice(void) { return SUCCESS; }

typedef struct {
  size_t shared, constant, local;
  int threads, registers, ptx, binary, cache, dynamic, carveout, others[20];
} Function;

/* CUB chooses its tiles by the architecture for which a kernel is compiled. */
EXPORT int cudaFuncGetAttributes(Function *f, const void *function) {
  (void)function;
  memset(f, 0, offsetof(Function, others));
  f->threads = 1024;
  f->registers = 32;
  f->ptx = f->binary = 10 * card.major + card.minor;
  f->dynamic = 48 << 10;
  return SUCCESS;
}

/* Limited by threads alone: what registers and shared memory would allow is not known here. */
EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks_of, const void *function, int threads, size_t shared,
                                                                  unsigned flags) {
  (void)function; (void)shared; (void)flags;
  int fit = threads > 0 ? card.threads / threads : 1;
  *blocks_of = fit < 1 ? 1 : fit > 32 ? 32 : fit;
  return SUCCESS;
}
EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks_of, const void *function, int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks_of, function, threads, shared, 0);
}

static int attribute(int name) {
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
    case 13: return 1755000;       /* kHz */
    case 14: return 512;           /* alignment of textures */
    case 16: return card.multiprocessors;
    case 19: case 31: case 41: case 78: case 95: case 96: return 1; /* host memory mapped, kernels at once, one address space, priorities, cooperative */
    case 36: return 2619000;       /* kHz of the memory */
    case 37: return 5120;          /* bits of its bus */
    case 38: return card.cache_bytes; /* L2 */
    case 39: return card.threads;
    case 75: return card.major;
    case 76: return card.minor;
    case 81: return (int)card.shared_bytes;
    case 97: return (int)card.block_shared_bytes;
    case 106: return 32;           /* blocks of a multiprocessor */
    case 115: return 1;            /* pools of memory */
    case 120: return card.major >= 9; /* clusters */
    default: return 0;
  }
}
EXPORT int cudaDeviceGetAttribute(int *value, int name, int device) { (void)device; *value = attribute(name); return SUCCESS; }

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
/* ---- Kernels that are compiled while the program runs (NVRTC) ---- */

static int loaded(void **object) {
  static char module;
  *object = &module;
  return SUCCESS;
}

EXPORT int cuModuleLoad(void **module) { return loaded(module); }
EXPORT int cuModuleLoadData(void **module) { return loaded(module); }
EXPORT int cuModuleLoadDataEx(void **module) { return loaded(module); }
EXPORT int cuModuleGetFunction(void **function) { return loaded(function); }
EXPORT int cuModuleUnload(void) { return SUCCESS; }
EXPORT int cuFuncSetAttribute(void) { return SUCCESS; }
EXPORT int cuFuncSetCacheConfig(void) { return SUCCESS; }
EXPORT int cuLaunchKernel(void) { return cudaLaunchKernel(); }
EXPORT int cuLaunchCooperativeKernel(void) { return cudaLaunchKernel(); }

/* As many as a multiprocessor has threads for; registers and shared memory are not looked at. */
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads) {
  (void)function;
  *blocks = threads > 0 && threads < card.threads ? card.threads / threads : 1;
  return SUCCESS;
}

EXPORT int cudaProfilerStart(void) { return SUCCESS; }
EXPORT int cudaProfilerStop(void) { return SUCCESS; }
EXPORT int cudaDeviceReset(void) { return SUCCESS; }

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
OF_EACH_TYPE(gelsBatched)
OF_EACH_TYPE(geqrfBatched)
OF_EACH_TYPE(getrfBatched)
OF_EACH_TYPE(getrsBatched)

/* ---- cuBLASLt ---- */

#define MADE(name)                              \
  EXPORT int name(void **made) {                \
    *made = calloc(1, 256);                     \
    return *made ? SUCCESS : 3;                 \
  }
#define FREED(name) \
  EXPORT int name(void *made) { free(made); return SUCCESS; }
MADE(cublasLtMatmulDescCreate)
MADE(cublasLtMatrixLayoutCreate)
MADE(cublasLtMatmulPreferenceCreate)
FREED(cublasLtMatmulDescDestroy)
FREED(cublasLtMatrixLayoutDestroy)
FREED(cublasLtMatmulPreferenceDestroy)
DONE(cublasLtMatmulDescSetAttribute)
DONE(cublasLtMatrixLayoutSetAttribute)
DONE(cublasLtMatmulPreferenceSetAttribute)
DONE(cublasLtMatmul)
DONE(cublasLtMatmulAlgoInit)
DONE(cublasLtMatmulAlgoCheck)
DONE(cublasLtMatmulAlgoConfigSetAttribute)
DONE(cublasLtMatmulAlgoConfigGetAttribute)

/* One algorithm, without a workspace of its own. */
EXPORT int cublasLtMatmulAlgoGetHeuristic(void *handle, void *operation, void *a, void *b, void *c, void *d, void *preference,
                                          int wanted, void *results, int *count) {
  (void)handle; (void)operation; (void)a; (void)b; (void)c; (void)d; (void)preference;
  *count = wanted > 0;
  if (wanted > 0) memset(results, 0, 96);
  return SUCCESS;
}

/* ---- cuDNN ---- */

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
DONE(cudnnCTCLoss)
DONE(cudnnCTCLoss_v8)
DONE(cudnnPoolingForward)
DONE(cudnnSpatialTfGridGeneratorBackward)
DONE(cudnnSpatialTfGridGeneratorForward)
DONE(cudnnSpatialTfSamplerBackward)
DONE(cudnnSpatialTfSamplerForward)
DONE(cudnnRNNForward)
DONE(cudnnRNNBackwardData_v8)
DONE(cudnnRNNBackwardWeights_v8)
DONE(cudnnSetDropoutDescriptor)
DONE(cudnnRestoreDropoutDescriptor)

EXPORT int cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(void *h, int mode, int ops, void *x, void *z, void *y, void *p,
                                                                    void *act, size_t *bytes) {
  (void)h; (void)mode; (void)ops; (void)x; (void)z; (void)y; (void)p; (void)act;
  *bytes = 0;
  return SUCCESS;
}
EXPORT int cudnnGetBatchNormalizationBackwardExWorkspaceSize(void *h, int mode, int ops, void *x, void *y, void *dy, void *dz, void *dx,
                                                             void *p, void *act, size_t *bytes) {
  (void)h; (void)mode; (void)ops; (void)x; (void)y; (void)dy; (void)dz; (void)dx; (void)p; (void)act;
  *bytes = 0;
  return SUCCESS;
}
EXPORT int cudnnGetBatchNormalizationTrainingExReserveSpaceSize(void *h, int mode, int ops, void *act, void *x, size_t *bytes) {
  (void)h; (void)mode; (void)ops; (void)act; (void)x;
  *bytes = 0;
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
  int cell, biases, directions, type, input, hidden, projected, layers;
} Recurrent;

EXPORT int cudnnCreateRNNDescriptor(void **made) {
  *made = calloc(1, sizeof(Recurrent));
  return *made ? SUCCESS : 4003;
}
FREED(cudnnDestroyRNNDescriptor)
EXPORT int cudnnSetRNNDescriptor_v8(Recurrent *r, int algorithm, int cell, int bias, int direction, int input_mode, int type, int precision,
                                    int math, int input, int hidden, int projected, int layers, void *dropout, unsigned flags) {
  (void)algorithm; (void)input_mode; (void)precision; (void)math; (void)dropout; (void)flags;
  *r = (Recurrent){cell, bias == 2 ? 2 : bias == 0 ? 0 : 1, direction == 1 ? 2 : 1, type, input, hidden, projected, layers};
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
  int type, length, batch, size;
  int64_t rows;
} Sequences;

EXPORT int cudnnCreateRNNDataDescriptor(void **made) {
  *made = calloc(1, sizeof(Sequences));
  return *made ? SUCCESS : 4003;
}
FREED(cudnnDestroyRNNDataDescriptor)
EXPORT int cudnnSetRNNDataDescriptor(Sequences *s, int type, int layout, int length, int batch, int size, const int *lengths, void *fill) {
  (void)layout; (void)fill;
  int64_t rows = 0;
  for (int i = 0; i < batch; i++) rows += lengths[i];
  *s = (Sequences){type, length, batch, size, rows};
  return SUCCESS;
}
EXPORT int cudnnGetRNNTempSpaceSizes(void *handle, const Recurrent *r, int training, const Sequences *x, size_t *work, size_t *reserve) {
  (void)handle;
  recurrent_bytes(gates(r), r->directions, r->layers, r->hidden, output_of(r), input_of(r, 0), x->rows, x->batch, type_bytes(r->type), training, work,
                  reserve);
  return SUCCESS;
}

/* ---- cuDNN: graphs of operations ---- */

enum { ENGINE = 2, ENGINE_CONFIG = 3, HEURISTICS = 4, PLAN = 5, FORWARD = 10, BACKWARD_FILTER = 11, BACKWARD_DATA = 12, GRAPH = 15, TENSOR = 17 };
enum { TYPE_DESCRIPTOR = 15, TYPE_INT64 = 3 };

/* What was set, by attribute. The program frees descriptors in any order, so that each keeps copies of what it refers to. */
typedef struct Attribute {
  int name, type;
  int64_t count;
  size_t bytes;
  void *data;
  struct Attribute *next;
} Attribute;

typedef struct {
  int kind;
  int64_t workspace;
  Convolution convolution;
  int trials;
  Attribute *attributes;
} Descriptor;

static size_t element_bytes(int type) {
  switch (type) {
    case 0: case 3: case 5: case 6: case 15: return 8;
    case 26: return 16;
    case 2: case 24: return 1;
    default: return 4;
  }
}

static Attribute *find(const Descriptor *d, int name) {
  for (Attribute *a = d->attributes; a; a = a->next)
    if (a->name == name) return a;
  return NULL;
}

EXPORT int cudnnBackendCreateDescriptor(int kind, void **made) {
  Descriptor *d = calloc(1, sizeof *d);
  if (!d) return 4003;
  d->kind = kind;
  *made = d;
  return SUCCESS;
}
EXPORT int cudnnBackendDestroyDescriptor(Descriptor *d) {
  if (!d) return SUCCESS;
  for (Attribute *a = d->attributes; a;) {
    Attribute *next = a->next;
    free(a->data);
    free(a);
    a = next;
  }
  free(d);
  return SUCCESS;
}

static void set(Descriptor *d, int name, int type, int64_t count, const void *data) {
  Attribute *a = find(d, name);
  if (!a) {
    a = calloc(1, sizeof *a);
    if (!a) abort();
    a->name = name;
    a->next = d->attributes;
    d->attributes = a;
  } else {
    free(a->data);
  }
  a->type = type;
  a->count = count;
  a->bytes = (size_t)count * element_bytes(type);
  a->data = malloc(a->bytes ? a->bytes : 1);
  if (!a->data) abort();
  memcpy(a->data, data, a->bytes);
}

static void read_tensor(const Descriptor *tensor, Tensor *t) {
  const Attribute *type = find(tensor, 901), *sizes = find(tensor, 902), *strides = find(tensor, 903);
  memset(t, 0, sizeof *t);
  if (!type || !sizes || !strides) return;
  t->type = *(int *)type->data;
  t->dimensions = sizes->count < MOST_DIMENSIONS ? (int)sizes->count : MOST_DIMENSIONS;
  for (int i = 0; i < t->dimensions; i++) {
    t->sizes[i] = ((int64_t *)sizes->data)[i];
    t->strides[i] = ((int64_t *)strides->data)[i];
  }
}

static void read_operation(const Descriptor *operation, Convolution *c) {
  int first = operation->kind == FORWARD ? 702 : operation->kind == BACKWARD_DATA ? 708 : operation->kind == BACKWARD_FILTER ? 714 : 0;
  if (!first) return;
  c->kind = operation->kind - FORWARD;
  /* Filter, input and output stand in this order; of the gradient of the filter, the filter. */
  const Attribute *convolution = find(operation, first);
  Tensor *tensors[] = {&c->filter, &c->input, &c->output};
  for (int i = 0; i < 3; i++) {
    const Attribute *a = find(operation, first + 1 + i);
    if (a) read_tensor(*(Descriptor **)a->data, tensors[i]);
  }
  const Descriptor *d = convolution ? *(Descriptor **)convolution->data : NULL;
  const Attribute *precision = d ? find(d, 100) : NULL, *strides = d ? find(d, 103) : NULL, *dilations = d ? find(d, 102) : NULL;
  if (precision) c->precision = *(int *)precision->data;
  for (int i = 0; i < 3; i++) {
    c->strides[i] = strides && i < strides->count ? ((int64_t *)strides->data)[i] : 1;
    c->dilations[i] = dilations && i < dilations->count ? ((int64_t *)dilations->data)[i] : 1;
  }
}

EXPORT int cudnnBackendSetAttribute(Descriptor *d, int name, int type, int64_t count, const void *data) {
  set(d, name, type, count, data);
  if (type != TYPE_DESCRIPTOR) return SUCCESS;
  for (int64_t i = 0; i < count; i++) {
    const Descriptor *from = ((Descriptor *const *)data)[i];
    if (!from) continue;
    if (d->kind == GRAPH) {
      read_operation(from, &d->convolution);
    } else if (d->kind != FORWARD && d->kind != BACKWARD_DATA && d->kind != BACKWARD_FILTER) {
      d->convolution = from->convolution;
      d->trials = from->trials;
    }
  }
  return SUCCESS;
}

EXPORT int cudnnBackendFinalize(Descriptor *d) {
  int capability = 10 * card.major + card.minor;
  if (d->kind == PLAN) d->workspace = d->convolution.filter.dimensions ? convolution_bytes(&d->convolution, d->trials, capability) : attention_bytes(capability);
  return SUCCESS;
}
EXPORT int cudnnBackendInitialize(Descriptor *d) { (void)d; return SUCCESS; }
EXPORT int cudnnBackendExecute(void *handle, void *plan, void *pack) { (void)handle; (void)plan; (void)pack; return SUCCESS; }

EXPORT int cudnnBackendGetAttribute(Descriptor *d, int name, int type, int64_t room, int64_t *count, void *data) {
  int64_t ignored;
  if (!count) count = &ignored;
  *count = 0;
  if (d->kind == HEURISTICS && name == 202) {
    /* Configurations of engines, into the descriptors that were made for them: the best, and the largest, which benchmarks alone try. */
    *count = d->convolution.filter.dimensions && (!data || room > 1) ? 2 : 1;
    for (int i = 0; data && i < *count && i < room; i++) {
      Descriptor *config = ((Descriptor **)data)[i];
      config->convolution = d->convolution;
      config->trials = i;
    }
    return SUCCESS;
  }
  if (d->kind == ENGINE_CONFIG && name == 300) {
    *count = 1;
    if (data && room > 0) {
      Descriptor *engine = *(Descriptor **)data;
      engine->convolution = d->convolution;
    }
    return SUCCESS;
  }
  if (name == 402 || name == 303) {
    *count = 1;
    if (data && room > 0) *(int64_t *)data = d->workspace;
    return SUCCESS;
  }
  if (d->kind == ENGINE_CONFIG && name == 304) { /* shared memory: within what the program allows */
    *count = 1;
    if (data && room > 0) *(int32_t *)data = 0;
    return SUCCESS;
  }
  if (name == 405) { /* the plan as text */
    static const char text[] = "{}";
    *count = sizeof text;
    if (data && room > 0) memcpy(data, text, (size_t)room < sizeof text ? (size_t)room : sizeof text);
    return SUCCESS;
  }
  const Attribute *a = find(d, name);
  if (a && a->type == type) {
    *count = a->count;
    size_t bytes = (size_t)room * element_bytes(type);
    if (data) memcpy(data, a->data, bytes < a->bytes ? bytes : a->bytes);
  } else if (d->kind == ENGINE && name == 1301) {
    *count = 1;
    if (data && room > 0) *(int64_t *)data = 0;
  }
  return SUCCESS;
}
