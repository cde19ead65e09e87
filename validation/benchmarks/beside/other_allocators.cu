// Sends the requests of a trace to an allocator of the CUDA driver or toolkit and measures the time
// of each.
//
//   other_allocators SAMPLES ALLOCATOR TRACE.jsonl
//
// ALLOCATOR is one of
//   direct      cudaMalloc and cudaFree
//   cuda-async  cudaMallocAsync and cudaFreeAsync on the device's default pool, which keeps its memory
//   cub         CUB's CachingDeviceAllocator as it is by default: bins of 8^3 to 8^7 bytes, 6 MiB cached
//   cub-all     the same with a cache without limit and bins up to 8^11 bytes
// request_passes.h says what a trace, a pass and a sample are. Prints one JSON object; what the
// trace holds beside allocations and frees is counted under "ignored".

#include <cub/util_allocator.cuh>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>
#include <string>

#include "request_passes.h"

namespace {

// Whether a call succeeded; the runtime forgets an error that is asked for.
bool served(cudaError_t error) {
  if (error == cudaSuccess) return true;
  cudaGetLastError();
  return false;
}

void require(cudaError_t error) {
  if (error != cudaSuccess) beside::fail(std::string("a free failed: ") + cudaGetErrorString(error));
}

struct Direct {
  bool allocate(void** pointer, size_t bytes) { return served(cudaMalloc(pointer, bytes)); }
  void release(void* pointer) { require(cudaFree(pointer)); }
};

struct CudaAsync {
  CudaAsync() {
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX;
    if (cudaDeviceGetDefaultMemPool(&pool, 0) != cudaSuccess ||
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all) != cudaSuccess) {
      beside::fail("the device has no memory pool");
    }
  }
  bool allocate(void** pointer, size_t bytes) {
    return served(cudaMallocAsync(pointer, bytes, 0));
  }
  void release(void* pointer) { require(cudaFreeAsync(pointer, 0)); }
};

struct Cub {
  explicit Cub(bool all)
      : allocator(all ? new cub::CachingDeviceAllocator(
                            8, 3, 11, cub::CachingDeviceAllocator::INVALID_SIZE)
                      : new cub::CachingDeviceAllocator()) {}
  bool allocate(void** pointer, size_t bytes) {
    return served(allocator->DeviceAllocate(pointer, bytes, 0));
  }
  void release(void* pointer) { require(allocator->DeviceFree(pointer)); }
  std::unique_ptr<cub::CachingDeviceAllocator> allocator;
};

template <typename Allocator>
void measure(Allocator allocator, const beside::Trace& trace, int samples) {
  beside::measure(allocator, trace, samples,
                  "\"cub\":" + std::to_string(CUB_VERSION) +
                      ",\"cuda\":" + std::to_string(CUDART_VERSION));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) beside::fail("other_allocators takes how many samples, an allocator and a trace");
  const int samples = beside::samples(arguments[1]);
  const beside::Trace trace = beside::read(arguments[3]);
  if (cudaFree(nullptr) != cudaSuccess) beside::fail("there is no usable GPU");
  const std::string name = arguments[2];
  if (name == "direct") {
    measure(Direct(), trace, samples);
  } else if (name == "cuda-async") {
    measure(CudaAsync(), trace, samples);
  } else if (name == "cub" || name == "cub-all") {
    measure(Cub(name == "cub-all"), trace, samples);
  } else {
    beside::fail(name + ": no such allocator");
  }
  return 0;
}
