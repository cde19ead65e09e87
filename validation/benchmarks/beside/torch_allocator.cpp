// Sends the requests of traces to PyTorch's own caching allocator and measures the time of each.
//
//   torch_allocator SAMPLES TRACE.jsonl
//
// TRACE.jsonl is what 'allocsim convert SNAPSHOT -o TRACE.jsonl' writes. A pass allocates and gives
// back as the trace does, then gives back what is left, as allocsim's own benchmark does. After
// passes that fill the cache, a sample is as many passes as take a fifth of a second. Prints one
// JSON object; what the trace holds beside allocations and frees is counted under "ignored".

#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace allocator = c10::cuda::CUDACachingAllocator;

namespace {

constexpr int kWarmUpPasses = 3;
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
  std::fprintf(stderr, "torch_allocator: %s\n", message.c_str());
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

// Nanoseconds of a pass; failed counts requests that the allocator refused.
double pass(const Trace& trace, std::vector<void*>& pointers, uint64_t& failed) {
  const auto begin = std::chrono::steady_clock::now();
  for (const Request& request : trace.requests) {
    void*& pointer = pointers[request.slot];
    if (!request.allocates) {
      if (pointer != nullptr) allocator::raw_delete(pointer);
      pointer = nullptr;
    } else {
      try {
        pointer = allocator::raw_alloc(request.bytes);
      } catch (const std::exception&) {
        failed++;
      }
    }
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) fail("takes how many samples, and a trace");
  const int samples = std::atoi(arguments[1]);
  if (samples < 1) fail("at least one sample is needed");
  if (cudaFree(nullptr) != cudaSuccess) fail("there is no usable GPU");
  allocator::init(1);
  const Trace trace = read(arguments[2]);
  if (trace.requests.empty()) fail(std::string(arguments[2]) + ": holds no requests");
  std::vector<void*> pointers(trace.slots, nullptr);
  uint64_t failed = 0;
  for (int i = 0; i < kWarmUpPasses; i++) pass(trace, pointers, failed);
  failed = 0;
  std::string values;
  uint64_t passes = 0;
  for (int sample = 0; sample < samples; sample++) {
    double nanos = 0;
    uint64_t requests = 0;
    while (nanos < kSampleNanos) {
      nanos += pass(trace, pointers, failed);
      requests += trace.requests.size();
      passes++;
    }
    values += (sample == 0 ? "" : ",") + std::to_string(nanos / static_cast<double>(requests));
  }
  // Each allocation makes three events of PyTorch's history, and two requests.
  std::printf(
      "{\"requests_per_pass\":%zu,\"events_per_pass\":%llu,\"passes\":%llu,\"ignored\":%llu,"
      "\"failed\":%llu,\"ns_per_request\":[%s]}\n",
      trace.requests.size(), static_cast<unsigned long long>(3 * trace.allocations),
      static_cast<unsigned long long>(passes), static_cast<unsigned long long>(trace.ignored),
      static_cast<unsigned long long>(failed), values.c_str());
  allocator::emptyCache();
  return 0;
}
