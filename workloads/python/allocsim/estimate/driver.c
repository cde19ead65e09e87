/*
 * The driver's own functions: what libraries ask that load it themselves, kernels that are compiled while a program runs, and
 * extensions with a CUDA runtime of their own. What the runtime has, too, is left to the functions of program_standin.c.
 * Declarations are those of CUDA 12 and 13. Names with and without the version of a function are the same function.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mock.h"

typedef uint64_t Address;

enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_CONTEXT = 201, MAX_DEVICES = 64 };

/* Of the runtime. */
int cudaGetDevice(int *device);
int cudaSetDevice(int device);
int cudaGetDeviceCount(int *count);
int cudaMemGetInfo(size_t *free, size_t *total);
int cudaMalloc(void **pointer, size_t bytes);
int cudaFree(void *pointer);
int cudaHostAlloc(void **pointer, size_t bytes, unsigned flags);
int cudaFreeHost(void *pointer);
int cudaHostRegister(void *pointer, size_t bytes, unsigned flags);
int cudaHostUnregister(void *pointer);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemset(void *to, int value, size_t bytes);
const char *cudaGetErrorName(int code);
int cudaDeviceSynchronize(void);
int cudaDeviceGetPCIBusId(char *text, int length, int device);
int cudaGetDeviceProperties(void *properties, int device);
int cudaStreamCreateWithPriority(void **stream, unsigned flags, int priority);
int cudaStreamSynchronize(void *stream);
int cudaStreamQuery(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaStreamDestroy(void *stream);
int cudaStreamIsCapturing(void *stream, int *status);
int cudaEventCreateWithFlags(void **event, unsigned flags);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventQuery(void *event);
int cudaEventSynchronize(void *event);
int cudaEventElapsedTime(float *milliseconds, void *from, void *to);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *data);
int cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned version, unsigned long long flags, int *status);

typedef struct {
  int type, device;
  void *device_pointer, *host_pointer;
} Pointer;
int cudaPointerGetAttributes(Pointer *p, const void *address);

#define SAME(name, other) EXPORT __typeof__(other) name __attribute__((alias(#other)));

/* ---- Devices and contexts: one for each device, there from the start ---- */

static char contexts[MAX_DEVICES];

static int context_device(const void *context) { return (int)((const char *)context - contexts); }

EXPORT int cuInit(unsigned flags) { (void)flags; return SUCCESS; }
EXPORT int cuDriverGetVersion(int *version) { *version = 13000; return SUCCESS; }
EXPORT int cuDeviceGetCount(int *count) { return cudaGetDeviceCount(count); }
/* Without it cuDNN takes the driver for too old, and plans no kernel that it compiles for the convolution at hand. */
EXPORT int cuGetErrorName(int code, const char **text) { *text = cudaGetErrorName(code); return SUCCESS; }
EXPORT int cuDeviceGetName(char *name, int bytes, int device) {
  char properties[2048];
  cudaGetDeviceProperties(properties, device);
  snprintf(name, (size_t)bytes, "%s", properties);
  return SUCCESS;
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  size_t free;
  return cudaMemGetInfo(&free, bytes);
}
SAME(cuDeviceTotalMem, cuDeviceTotalMem_v2)
EXPORT int cuDeviceGetUuid_v2(char *uuid, int device) {
  memset(uuid, 0, 16);
  uuid[0] = (char)device;
  return SUCCESS;
}
SAME(cuDeviceGetUuid, cuDeviceGetUuid_v2)
EXPORT int cuDeviceGetAttribute(int *value, int name, int device) {
  (void)device;
  *value = standin_attribute(name);
  return SUCCESS;
}
EXPORT int cuDeviceComputeCapability(int *major, int *minor, int device) {
  (void)device;
  *major = standin_capability() / 10;
  *minor = standin_capability() % 10;
  return SUCCESS;
}
EXPORT int cuDeviceGetPCIBusId(char *text, int bytes, int device) { return cudaDeviceGetPCIBusId(text, bytes, device); }

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  if (device < 0 || device >= MAX_DEVICES) return INVALID_VALUE;
  *context = contexts + device;
  return SUCCESS;
}
EXPORT int cuDevicePrimaryCtxRelease_v2(int device) { (void)device; return SUCCESS; }
SAME(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)
EXPORT int cuDevicePrimaryCtxSetFlags_v2(int device) { (void)device; return SUCCESS; }
SAME(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2)
EXPORT int cuCtxGetDevice(int *device) { return cudaGetDevice(device); }
SAME(cuCtxGetDevice_v2, cuCtxGetDevice)
EXPORT int cuCtxGetCurrent(void **context) {
  int device;
  cudaGetDevice(&device);
  *context = contexts + device;
  return SUCCESS;
}
EXPORT int cuCtxSetCurrent(void *context) {
  if (!context) return SUCCESS;
  int device = context_device(context);
  return device < 0 || device >= MAX_DEVICES ? INVALID_CONTEXT : cudaSetDevice(device);
}

enum { MAX_PUSHED = 64 };
static __thread void *pushed[MAX_PUSHED];
static __thread int pushed_count;

EXPORT int cuCtxPushCurrent_v2(void *context) {
  if (pushed_count == MAX_PUSHED) return INVALID_CONTEXT;
  cuCtxGetCurrent(&pushed[pushed_count++]);
  return cuCtxSetCurrent(context);
}
SAME(cuCtxPushCurrent, cuCtxPushCurrent_v2)
EXPORT int cuCtxPopCurrent_v2(void **context) {
  if (context) cuCtxGetCurrent(context);
  return pushed_count ? cuCtxSetCurrent(pushed[--pushed_count]) : SUCCESS;
}
SAME(cuCtxPopCurrent, cuCtxPopCurrent_v2)
EXPORT int cuCtxGetApiVersion(void *context, unsigned *version) { (void)context; *version = 13000; return SUCCESS; }
EXPORT int cuCtxSynchronize(void) { return cudaDeviceSynchronize(); }
EXPORT int cuCtxGetFlags(unsigned *flags) { *flags = 0; return SUCCESS; }
EXPORT int cuCtxGetLimit(size_t *value) { *value = 0; return SUCCESS; }
EXPORT int cuCtxSetLimit(void) { return SUCCESS; }
EXPORT int cuCtxGetStreamPriorityRange(int *least, int *greatest) { *least = 0; *greatest = -5; return SUCCESS; }

/* ---- Memory ---- */

EXPORT int cuMemGetInfo_v2(size_t *free, size_t *total) { return cudaMemGetInfo(free, total); }
SAME(cuMemGetInfo, cuMemGetInfo_v2)
EXPORT int cuMemAlloc_v2(void **address, size_t bytes) { return cudaMalloc(address, bytes); }
SAME(cuMemAlloc, cuMemAlloc_v2)
EXPORT int cuMemFree_v2(void *address) { return cudaFree(address); }
SAME(cuMemFree, cuMemFree_v2)
EXPORT int cuMemAllocAsync(void **address, size_t bytes) { return cudaMalloc(address, bytes); }
EXPORT int cuMemFreeAsync(void *address) { return cudaFree(address); }
EXPORT int cuMemAllocHost_v2(void **address, size_t bytes) { return cudaHostAlloc(address, bytes, 0); }
SAME(cuMemAllocHost, cuMemAllocHost_v2)
EXPORT int cuMemHostAlloc(void **address, size_t bytes, unsigned flags) { return cudaHostAlloc(address, bytes, flags); }
EXPORT int cuMemFreeHost(void *address) { return cudaFreeHost(address); }
EXPORT int cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) { return cudaHostRegister(address, bytes, flags); }
SAME(cuMemHostRegister, cuMemHostRegister_v2)
EXPORT int cuMemHostUnregister(void *address) { return cudaHostUnregister(address); }
EXPORT int cuMemHostGetDevicePointer_v2(void **device, void *host) { *device = host; return SUCCESS; }
SAME(cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2)

EXPORT int cuMemcpy(void *to, const void *from, size_t bytes) { return cudaMemcpyAsync(to, from, bytes, 4, NULL); }
SAME(cuMemcpyAsync, cuMemcpy)
SAME(cuMemcpyHtoD_v2, cuMemcpy)
SAME(cuMemcpyHtoDAsync_v2, cuMemcpy)
SAME(cuMemcpyHtoD, cuMemcpy)
SAME(cuMemcpyHtoDAsync, cuMemcpy)
SAME(cuMemcpyDtoH_v2, cuMemcpy)
SAME(cuMemcpyDtoHAsync_v2, cuMemcpy)
SAME(cuMemcpyDtoH, cuMemcpy)
SAME(cuMemcpyDtoHAsync, cuMemcpy)
SAME(cuMemcpyDtoD_v2, cuMemcpy)
SAME(cuMemcpyDtoDAsync_v2, cuMemcpy)
SAME(cuMemcpyDtoD, cuMemcpy)
SAME(cuMemcpyDtoDAsync, cuMemcpy)

static int set(void *to, size_t bytes) { return cudaMemset(to, 0, bytes); }
#define SET(bits, type)                                                                  \
  EXPORT int cuMemsetD##bits##_v2(void *to, type value, size_t count) { (void)value; return set(to, count * sizeof(type)); } \
  SAME(cuMemsetD##bits, cuMemsetD##bits##_v2)                                            \
  SAME(cuMemsetD##bits##Async, cuMemsetD##bits##_v2)
/* Memory of the device keeps nothing; that of the host is written by programs themselves. */
SET(8, unsigned char)
SET(16, unsigned short)
SET(32, unsigned)

/* One attribute of an address: the rest are zero. */
EXPORT int cuPointerGetAttribute(void *value, int attribute, const void *address) {
  enum { CONTEXT = 1, MEMORY_TYPE = 2, DEVICE_POINTER = 3, HOST_POINTER = 4, BUFFER_ID = 7, IS_MANAGED = 8, ORDINAL = 9 };
  Pointer p;
  cudaPointerGetAttributes(&p, address);
  if (!p.type) return INVALID_VALUE;
  switch (attribute) {
    case CONTEXT: *(void **)value = contexts + p.device; return SUCCESS;
    case MEMORY_TYPE: *(unsigned *)value = (unsigned)p.type; return SUCCESS;
    case DEVICE_POINTER: *(void **)value = p.device_pointer; return SUCCESS;
    case HOST_POINTER: *(void **)value = p.host_pointer; return p.host_pointer ? SUCCESS : INVALID_VALUE;
    case BUFFER_ID: *(uint64_t *)value = (uint64_t)address; return SUCCESS;
    case IS_MANAGED: *(unsigned *)value = 0; return SUCCESS;
    case ORDINAL: *(int *)value = p.device; return SUCCESS;
    default: return standin_refuse("cuPointerGetAttribute", 801);
  }
}

/* ---- Streams and events ---- */

EXPORT int cuStreamCreate(void **stream, unsigned flags) { return cudaStreamCreateWithPriority(stream, flags, 0); }
EXPORT int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) { return cudaStreamCreateWithPriority(stream, flags, priority); }
EXPORT int cuStreamDestroy_v2(void *stream) { return cudaStreamDestroy(stream); }
SAME(cuStreamDestroy, cuStreamDestroy_v2)
EXPORT int cuStreamSynchronize(void *stream) { return cudaStreamSynchronize(stream); }
EXPORT int cuStreamQuery(void *stream) { return cudaStreamQuery(stream); }
EXPORT int cuStreamWaitEvent(void *stream, void *event, unsigned flags) { return cudaStreamWaitEvent(stream, event, flags); }
EXPORT int cuStreamIsCapturing(void *stream, int *status) { return cudaStreamIsCapturing(stream, status); }
EXPORT int cuStreamGetCtx(void *stream, void **context) { (void)stream; return cuCtxGetCurrent(context); }
EXPORT int cuEventCreate(void **event, unsigned flags) { return cudaEventCreateWithFlags(event, flags); }
EXPORT int cuEventDestroy_v2(void *event) { return cudaEventDestroy(event); }
SAME(cuEventDestroy, cuEventDestroy_v2)
EXPORT int cuEventRecord(void *event, void *stream) { return cudaEventRecord(event, stream); }
EXPORT int cuEventQuery(void *event) { return cudaEventQuery(event); }
EXPORT int cuEventSynchronize(void *event) { return cudaEventSynchronize(event); }
EXPORT int cuEventElapsedTime_v2(float *milliseconds, void *from, void *to) { return cudaEventElapsedTime(milliseconds, from, to); }
SAME(cuEventElapsedTime, cuEventElapsedTime_v2)
EXPORT int cuLaunchHostFunc(void *stream, void (*function)(void *), void *data) { return cudaLaunchHostFunc(stream, function, data); }

/* ---- Kernels that are loaded while the program runs: from NVRTC, Triton or an extension ---- */

static int loaded(void **object) {
  static char module;
  *object = &module;
  return SUCCESS;
}

EXPORT int cuModuleLoad(void **module) { return loaded(module); }
EXPORT int cuModuleLoadData(void **module) { return loaded(module); }
EXPORT int cuModuleLoadDataEx(void **module) { return loaded(module); }
EXPORT int cuModuleLoadFatBinary(void **module) { return loaded(module); }
EXPORT int cuModuleGetFunction(void **function) { return loaded(function); }
EXPORT int cuModuleGetLoadingMode(int *mode) { *mode = 2; return SUCCESS; } /* lazy */
EXPORT int cuModuleUnload(void) { return SUCCESS; }
EXPORT int cuLibraryLoadData(void **library) { return loaded(library); }
EXPORT int cuLibraryLoadFromFile(void **library) { return loaded(library); }
EXPORT int cuLibraryUnload(void) { return SUCCESS; }
EXPORT int cuLibraryGetKernel(void **kernel) { return loaded(kernel); }
EXPORT int cuLibraryGetModule(void **module) { return loaded(module); }
EXPORT int cuKernelGetFunction(void **function) { return loaded(function); }
EXPORT int cuFuncGetModule(void **module) { return loaded(module); }
EXPORT int cuFuncLoad(void) { return SUCCESS; }
EXPORT int cuFuncSetAttribute(void) { return SUCCESS; }
EXPORT int cuFuncSetCacheConfig(void) { return SUCCESS; }
EXPORT int cuKernelSetAttribute(void) { return SUCCESS; }
EXPORT int cuKernelSetCacheConfig(void) { return SUCCESS; }
EXPORT int cuLinkCreate_v2(int options, void *names, void *values, void **state) { (void)options; (void)names; (void)values; return loaded(state); }
SAME(cuLinkCreate, cuLinkCreate_v2)
EXPORT int cuLinkAddData_v2(void) { return SUCCESS; }
SAME(cuLinkAddData, cuLinkAddData_v2)
EXPORT int cuLinkComplete(void *state, void **code, size_t *bytes) {
  (void)state;
  static char none[1];
  *code = none;
  *bytes = sizeof none;
  return SUCCESS;
}
EXPORT int cuLinkDestroy(void) { return SUCCESS; }
EXPORT int cuTensorMapEncodeTiled(void) { return SUCCESS; }
EXPORT int cuTensorMapEncodeIm2col(void) { return SUCCESS; }

/* What is not known of a kernel is as that of one that needs little. */
EXPORT int cuFuncGetAttribute(int *value, int name) {
  enum { THREADS = 0, REGISTERS = 4, PTX = 5, MACHINE_CODE = 6, DYNAMIC = 8 };
  switch (name) {
    case THREADS: *value = 1024; break;
    case REGISTERS: *value = 32; break;
    case PTX: case MACHINE_CODE: *value = standin_capability(); break;
    case DYNAMIC: *value = 48 << 10; break;
    default: *value = 0;
  }
  return SUCCESS;
}
EXPORT int cuKernelGetAttribute(int *value, int name) { return cuFuncGetAttribute(value, name); }

EXPORT int cuLaunchKernel(void) {
  standin_go_on();
  return SUCCESS;
}
SAME(cuLaunchKernelEx, cuLaunchKernel)
SAME(cuLaunchCooperativeKernel, cuLaunchKernel)

EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
  (void)function;
  *blocks = standin_blocks(threads, shared);
  return SUCCESS;
}
SAME(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, cuOccupancyMaxActiveBlocksPerMultiprocessor)

/* ---- The driver's functions by name ---- */

/*
 * Tables of functions that are not documented, which the real runtime cannot begin without. NVIDIA's own libraries ask for them in
 * vain, and nobody needs them here; a library that has a runtime of its own cannot work, and is named.
 */
EXPORT int cuGetExportTable(const void **table) {
  static const char *const own[] = {"libcu", "libnv", "libnccl"};
  static char said[256];
  *table = NULL;
  Dl_info caller;
  if (!dladdr(__builtin_return_address(0), &caller) || !caller.dli_fname) return 801;
  const char *slash = strrchr(caller.dli_fname, '/'), *name = slash ? slash + 1 : caller.dli_fname;
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
    if (!strncmp(name, own[i], strlen(own[i]))) return 801;
  if (!*said) snprintf(said, sizeof said, "cuGetExportTable in %s", name);
  return standin_refuse(said, 801);
}

EXPORT int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
  int absent;
  if (!strcmp(symbol, "cuGetProcAddress") || !strcmp(symbol, "")) {
    *function = (void *)cuGetProcAddress_v2;
    absent = 0;
  } else {
    cudaGetDriverEntryPointByVersion(symbol, function, (unsigned)version, flags, &absent);
  }
  if (status) *status = absent;
  return absent ? 500 : SUCCESS; /* not found */
}
EXPORT int cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, NULL);
}
