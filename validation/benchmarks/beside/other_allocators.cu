// Sends the requests of traces to allocators of the CUDA driver and toolkit and measures the time
// of each.
//
//   other_allocators SAMPLES ALLOCATOR TRACE.jsonl
//
// ALLOCATOR is one of
//   direct      cudaMalloc and cudaFree
//   cuda-async  cudaMallocAsync and cudaFreeAsync on the device's default pool, which keeps its memory
//   cub         CUB's CachingDeviceAllocator as it is by default: bins of 8^3 to 8^7 bytes, 6 MiB cached
//   cub-all     the same with a cache without limit and bins up to 8^11 bytes
// TRACE.jsonl is what 'allocsim convert SNAPSHOT -o TRACE.jsonl' writes. Passes, samples and output
// are those of torch_allocator.cpp.

#include <cub/util_allocator.cuh>
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

constexpr int kWarmUpPasses = 2;
constexpr double kSampleNanos = 2e8;

struct Request {
  bool allocates;
  uint32_t slot;
  size_t bytes;
};

struct Trace {
  std::vector<Request> requests;
  uint32_t slots = 0;
  uint64_t allocations = 0;
  uint64_t ignored = 0;
};

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "other_allocators: %s\n", message.c_str());
  std::exit(1);
}

// The integer behind "key": in a line, or -1 where the key is absent.
int64_t number(const std::string& line, const char* key) {
  const std::string quoted = std::string("\"") + key + "\":";
  const size_t at = line.find(quoted);
  return at == std::string::npos ? -1 : std::strtoll(line.c_str() + at + quoted.size(), nullptr, 10);
}

bool has_op(const std::string& line, const char* op) {
  return line.find(std::string("\"op\":\"") + op + "\"") != std::string::npos;
}

Trace read(const char* name) {
  std::ifstream in(name);
  if (!in) fail(std::string(name) + ": cannot be read; check the path");
  std::string line;
  if (!std::getline(in, line) || line.find("\"allocsim\":\"trace\"") == std::string::npos) {
    fail(std::string(name) + ": is no plain trace of allocsim; make one with 'allocsim convert'");
  }
  Trace trace;
  std::unordered_map<int64_t, uint32_t> live;
  while (std::getline(in, line)) {
    const int64_t id = number(line, "id");
    if (has_op(line, "alloc")) {
      const int64_t stream = number(line, "stream");
      if (stream > 0) fail(std::string(name) + ": uses several streams, which this does not drive");
      live[id] = trace.slots;
      trace.requests.push_back({true, trace.slots++, static_cast<size_t>(number(line, "bytes"))});
      trace.allocations++;
    } else if (has_op(line, "free")) {
      trace.requests.push_back({false, live.at(id), 0});
      live.erase(id);
    } else if (!has_op(line, "stream")) {
      trace.ignored++;
    }
  }
  for (const auto& left : live) trace.requests.push_back({false, left.second, 0});
  return trace;
}

struct Direct {
  cudaError_t allocate(void** pointer, size_t bytes) { return cudaMalloc(pointer, bytes); }
  cudaError_t release(void* pointer) { return cudaFree(pointer); }
};

struct CudaAsync {
  CudaAsync() {
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX;
    if (cudaDeviceGetDefaultMemPool(&pool, 0) != cudaSuccess ||
        cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all) != cudaSuccess) {
      fail("the device has no memory pool");
    }
  }
  cudaError_t allocate(void** pointer, size_t bytes) { return cudaMallocAsync(pointer, bytes, 0); }
  cudaError_t release(void* pointer) { return cudaFreeAsync(pointer, 0); }
};

struct Cub {
  explicit Cub(bool all)
      : allocator(all ? new cub::CachingDeviceAllocator(
                            8, 3, 11, cub::CachingDeviceAllocator::INVALID_SIZE)
                      : new cub::CachingDeviceAllocator()) {}
  cudaError_t allocate(void** pointer, size_t bytes) {
    return allocator->DeviceAllocate(pointer, bytes, 0);
  }
  cudaError_t release(void* pointer) { return allocator->DeviceFree(pointer); }
  std::unique_ptr<cub::CachingDeviceAllocator> allocator;
};

// Nanoseconds of a pass; failed counts requests that the allocator refused.
template <typename Allocator>
double pass(Allocator& allocator, const Trace& trace, std::vector<void*>& pointers,
            uint64_t& failed) {
  const auto begin = std::chrono::steady_clock::now();
  for (const Request& request : trace.requests) {
    void*& pointer = pointers[request.slot];
    if (!request.allocates) {
      if (pointer != nullptr && allocator.release(pointer) != cudaSuccess) fail("a free failed");
      pointer = nullptr;
    } else if (allocator.allocate(&pointer, request.bytes) != cudaSuccess) {
      cudaGetLastError();
      pointer = nullptr;
      failed++;
    }
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

template <typename Allocator>
void measure(Allocator& allocator, const Trace& trace, int samples) {
  std::vector<void*> pointers(trace.slots, nullptr);
  uint64_t failed = 0;
  for (int i = 0; i < kWarmUpPasses; i++) pass(allocator, trace, pointers, failed);
  failed = 0;
  std::string values;
  uint64_t passes = 0;
  for (int sample = 0; sample < samples; sample++) {
    double nanos = 0;
    uint64_t requests = 0;
    while (nanos < kSampleNanos) {
      nanos += pass(allocator, trace, pointers, failed);
      requests += trace.requests.size();
      passes++;
    }
    values += (sample == 0 ? "" : ",") + std::to_string(nanos / static_cast<double>(requests));
  }
  std::printf(
      "{\"requests_per_pass\":%zu,\"passes\":%llu,\"ignored\":%llu,\"failed\":%llu,"
      "\"cub\":%d,\"cuda\":%d,\"ns_per_request\":[%s]}\n",
      trace.requests.size(), static_cast<unsigned long long>(passes),
      static_cast<unsigned long long>(trace.ignored), static_cast<unsigned long long>(failed),
      CUB_VERSION, CUDART_VERSION, values.c_str());
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) fail("takes how many samples, an allocator and a trace");
  const int samples = std::atoi(arguments[1]);
  if (samples < 1) fail("at least one sample is needed");
  if (cudaFree(nullptr) != cudaSuccess) fail("there is no usable GPU");
  const Trace trace = read(arguments[3]);
  if (trace.requests.empty()) fail(std::string(arguments[3]) + ": holds no requests");
  const std::string name = arguments[2];
  if (name == "direct") {
    Direct allocator;
    measure(allocator, trace, samples);
  } else if (name == "cuda-async") {
    CudaAsync allocator;
    measure(allocator, trace, samples);
  } else if (name == "cub" || name == "cub-all") {
    Cub allocator(name == "cub-all");
    measure(allocator, trace, samples);
  } else {
    fail(name + ": no such allocator");
  }
  return 0;
}
