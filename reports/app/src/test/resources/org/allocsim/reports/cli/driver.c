/* A driver of one GPU that is not there: it counts bytes and gives addresses, and computes nothing. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SUCCESS 0
#define OUT_OF_MEMORY 2
#define PAGE (2ull << 20)
#define SLOTS (1u << 20)
#define TOTAL (16ull << 30)

static uint64_t sizes[SLOTS];
static uint64_t next = 1;
static uint64_t used;
static uint64_t ranges = 1ull << 40;

static int take(uint64_t *result, size_t bytes) {
  uint64_t pages = (bytes + PAGE - 1) & -PAGE;
  if (used + pages > TOTAL) {
    return OUT_OF_MEMORY;
  }
  used += pages;
  sizes[next % SLOTS] = pages;
  *result = next++ << 9;
  return SUCCESS;
}

static int give(uint64_t taken) {
  used -= sizes[(taken >> 9) % SLOTS];
  sizes[(taken >> 9) % SLOTS] = 0;
  return SUCCESS;
}

int cuInit(unsigned flags) { return SUCCESS; }
int cuDeviceGetCount(int *count) { *count = 1; return SUCCESS; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return SUCCESS; }
int cuDeviceGetName(char *name, int length, int device) { strncpy(name, "NVIDIA H200", length); return SUCCESS; }
int cuDriverGetVersion(int *version) { *version = 13000; return SUCCESS; }
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = sizes; return SUCCESS; }
int cuDevicePrimaryCtxRelease_v2(int device) { return SUCCESS; }
int cuCtxSetCurrent(void *context) { return SUCCESS; }
int cuCtxSynchronize(void) { return SUCCESS; }
int cuMemGetInfo_v2(size_t *free, size_t *total) { *free = TOTAL - used; *total = TOTAL; return SUCCESS; }
int cuMemGetAllocationGranularity(size_t *bytes, const void *properties, int option) { *bytes = PAGE; return SUCCESS; }
int cuMemAlloc_v2(uint64_t *address, size_t bytes) { return take(address, bytes); }
int cuMemFree_v2(uint64_t address) { return give(address); }
int cuMemAddressReserve(uint64_t *start, size_t bytes, size_t alignment, uint64_t wish, unsigned long long flags) {
  *start = ranges;
  ranges += (bytes + PAGE - 1) & -PAGE;
  return SUCCESS;
}
int cuMemAddressFree(uint64_t start, size_t bytes) { return SUCCESS; }
int cuMemCreate(uint64_t *handle, size_t bytes, const void *properties, unsigned long long flags) { return take(handle, bytes); }
int cuMemRelease(uint64_t handle) { return give(handle); }
int cuMemMap(uint64_t start, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags) { return SUCCESS; }
int cuMemUnmap(uint64_t start, size_t bytes) { return SUCCESS; }
int cuMemSetAccess(uint64_t start, size_t bytes, const void *access, size_t count) { return SUCCESS; }
int cuStreamCreate(void **stream, unsigned flags) { *stream = sizes + next++ % SLOTS; return SUCCESS; }
int cuStreamDestroy_v2(void *stream) { return SUCCESS; }
int cuStreamSynchronize(void *stream) { return SUCCESS; }
int cuMemsetD8Async(uint64_t address, unsigned char value, size_t bytes, void *stream) { return SUCCESS; }
int cuDeviceGetDefaultMemPool(void **pool, int device) { *pool = sizes; return SUCCESS; }
int cuMemPoolCreate(void **pool, const void *properties) { *pool = sizes + 1; return SUCCESS; }
int cuMemPoolDestroy(void *pool) { return SUCCESS; }
int cuMemPoolTrimTo(void *pool, size_t kept) { return SUCCESS; }
int cuMemPoolGetAttribute(void *pool, int attribute, void *value) { *(uint64_t *)value = used; return SUCCESS; }
int cuMemPoolSetAttribute(void *pool, int attribute, void *value) { return SUCCESS; }
int cuMemAllocFromPoolAsync(uint64_t *address, size_t bytes, void *pool, void *stream) { return take(address, bytes); }
int cuMemFreeAsync(uint64_t address, void *stream) { return give(address); }
int cuMemAllocHost_v2(void **address, size_t bytes) { *address = sizes; return SUCCESS; }
int cuMemFreeHost(void *address) { return SUCCESS; }
int cuMemcpyHtoD_v2(uint64_t address, const void *host, size_t bytes) { return SUCCESS; }
int cuMemcpyDtoH_v2(void *host, uint64_t address, size_t bytes) { return SUCCESS; }
