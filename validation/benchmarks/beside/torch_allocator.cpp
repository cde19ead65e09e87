// Sends the requests of a trace to PyTorch's own caching allocator and measures the time of each, in
// turns with another program.
//
//   torch_allocator TRACE.jsonl
//
// request_passes.h says what a trace, a pass, a sample and a turn are, and what is printed; what the
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
  if (count != 2) beside::fail("torch_allocator takes a trace");
  const beside::Trace trace = beside::read(arguments[1]);
  if (cudaFree(nullptr) != cudaSuccess) beside::fail("there is no usable GPU");
  caching::init(1);
  PyTorch allocator;
  beside::take_turns(allocator, trace, "\"cuda\":" + std::to_string(CUDART_VERSION));
  caching::emptyCache();
  return 0;
}
