// Sends the requests of a trace to PyTorch's own caching allocator and measures the time of each.
//
//   torch_allocator SAMPLES TRACE.jsonl
//
// request_passes.h says what a trace, a pass and a sample are. Prints one JSON object; what the
// trace holds beside allocations and frees is counted under "ignored".

#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>

#include <exception>
#include <string>

#include "request_passes.h"

namespace {

namespace caching = c10::cuda::CUDACachingAllocator;

struct PyTorch {
  bool allocate(void** pointer, size_t bytes) {
    try {
      *pointer = caching::raw_alloc(bytes);
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }
  void release(void* pointer) { caching::raw_delete(pointer); }
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) beside::fail("torch_allocator takes how many samples, and a trace");
  const int samples = beside::samples(arguments[1]);
  const beside::Trace trace = beside::read(arguments[2]);
  if (cudaFree(nullptr) != cudaSuccess) beside::fail("there is no usable GPU");
  caching::init(1);
  PyTorch allocator;
  beside::measure(allocator, trace, samples, "\"cuda\":" + std::to_string(CUDART_VERSION));
  caching::emptyCache();
  return 0;
}
