// What the programs beside this file share: the requests of a trace, passes over them, and their
// time.
//
// A trace is what 'allocsim convert SNAPSHOT -o TRACE.jsonl' writes, of a program on one stream. A
// pass allocates and gives back as the trace does, then gives back what is left, as allocsim's own
// benchmark does. After passes that fill caches, a sample is as many passes as take a fifth of a
// second.
//
// An allocator is a class with
//   bool allocate(void** pointer, size_t bytes)   false where it refuses
//   void release(void* pointer)                   which does not fail

#ifndef ALLOCSIM_BESIDE_REQUEST_PASSES_H
#define ALLOCSIM_BESIDE_REQUEST_PASSES_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace beside {

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
  // Rows that are neither allocations nor frees, and not those that name a stream.
  uint64_t ignored = 0;
};

[[noreturn]] inline void fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

// The integer behind "key": in a line, or -1 where the key is absent.
inline int64_t number(const std::string& line, const char* key) {
  const std::string quoted = std::string("\"") + key + "\":";
  const size_t at = line.find(quoted);
  return at == std::string::npos ? -1 : std::strtoll(line.c_str() + at + quoted.size(), nullptr, 10);
}

inline bool has_op(const std::string& line, const char* op) {
  return line.find(std::string("\"op\":\"") + op + "\"") != std::string::npos;
}

// Ends the program, with a sentence, where the file cannot be read or has no requests.
inline Trace read(const std::string& name) {
  std::ifstream in(name);
  if (!in) fail(name + ": cannot be read; check the path");
  std::string line;
  if (!std::getline(in, line) || line.find("\"allocsim\":\"trace\"") == std::string::npos) {
    fail(name + ": is no plain trace of allocsim; make one with 'allocsim convert'");
  }
  Trace trace;
  std::unordered_map<int64_t, uint32_t> live;
  while (std::getline(in, line)) {
    const int64_t id = number(line, "id");
    if (has_op(line, "alloc")) {
      if (number(line, "stream") > 0) {
        fail(name + ": uses several streams, which this does not drive");
      }
      live[id] = trace.slots;
      trace.requests.push_back({true, trace.slots++, static_cast<size_t>(number(line, "bytes"))});
    } else if (has_op(line, "free")) {
      const auto freed = live.find(id);
      if (freed == live.end()) fail(name + ": frees what is not live, id " + std::to_string(id));
      trace.requests.push_back({false, freed->second, 0});
      live.erase(freed);
    } else if (!has_op(line, "stream")) {
      trace.ignored++;
    }
  }
  for (const auto& left : live) trace.requests.push_back({false, left.second, 0});
  if (trace.requests.empty()) fail(name + ": holds no requests");
  return trace;
}

// How many samples an argument asks for.
inline int samples(const char* argument) {
  const int count = std::atoi(argument);
  if (count < 1) fail("at least one sample is needed");
  return count;
}

// Nanoseconds of a pass; failed counts requests that the allocator refused.
template <typename Allocator>
double pass(Allocator& allocator, const Trace& trace, std::vector<void*>& pointers,
            uint64_t& failed) {
  const auto begin = std::chrono::steady_clock::now();
  for (const Request& request : trace.requests) {
    void*& pointer = pointers[request.slot];
    if (!request.allocates) {
      if (pointer != nullptr) allocator.release(pointer);
      pointer = nullptr;
    } else if (!allocator.allocate(&pointer, request.bytes)) {
      pointer = nullptr;
      failed++;
    }
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

// Measures, and prints one JSON object; facts are further members of it, such as "\"cuda\":13000".
template <typename Allocator>
void measure(Allocator& allocator, const Trace& trace, int samples, const std::string& facts) {
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
      "{\"requests_per_pass\":%zu,\"passes\":%llu,\"ignored\":%llu,\"failed\":%llu,%s,"
      "\"ns_per_request\":[%s]}\n",
      trace.requests.size(), static_cast<unsigned long long>(passes),
      static_cast<unsigned long long>(trace.ignored), static_cast<unsigned long long>(failed),
      facts.c_str(), values.c_str());
}

}  // namespace beside

#endif  // ALLOCSIM_BESIDE_REQUEST_PASSES_H
