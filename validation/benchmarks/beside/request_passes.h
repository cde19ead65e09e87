// What the programs beside this file share: the requests of a trace, passes over them, and their
// time.
//
// A trace is what 'allocsim convert SNAPSHOT -o TRACE.jsonl' writes, of a program on one stream. A
// pass allocates and gives back as the trace does, then gives back what is left, as allocsim's own
// benchmark does. After passes that fill caches, a sample is as many passes as take a fifth of a
// second.
//
// Samples are measured in a row, or in turns with another program: then each waits for a line of
// standard input. The other one has had the core's caches meanwhile, so a pass that is not measured
// goes ahead, as 'allocsim bench --in-turns' does it.
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
#include <iostream>
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

// Samples of an allocator whose caches have what the trace needs.
template <typename Allocator>
class Sampler {
 public:
  Sampler(Allocator& allocator, const Trace& trace)
      : allocator_(allocator), trace_(trace), pointers_(trace.slots, nullptr) {
    for (int i = 0; i < kWarmUpPasses; i++) unmeasured();
  }

  void unmeasured() {
    uint64_t uncounted = 0;
    pass(allocator_, trace_, pointers_, uncounted);
  }

  // Nanoseconds of a request.
  double sample() {
    double nanos = 0;
    uint64_t requests = 0;
    while (nanos < kSampleNanos) {
      nanos += pass(allocator_, trace_, pointers_, failed_);
      requests += trace_.requests.size();
      passes_++;
    }
    return nanos / static_cast<double>(requests);
  }

  // Members of a JSON object: what was measured, and how many requests the allocator refused.
  std::string counts() const {
    return "\"passes\":" + std::to_string(passes_) + ",\"failed\":" + std::to_string(failed_);
  }

 private:
  Allocator& allocator_;
  const Trace& trace_;
  std::vector<void*> pointers_;
  uint64_t passes_ = 0;
  uint64_t failed_ = 0;
};

// Members of a JSON object: what is replayed, and further facts, such as "\"cuda\":13000".
inline std::string members(const Trace& trace, const std::string& facts) {
  return "\"requests_per_pass\":" + std::to_string(trace.requests.size()) +
         ",\"ignored\":" + std::to_string(trace.ignored) + "," + facts;
}

// Measures samples in a row, and prints one JSON object.
template <typename Allocator>
void measure(Allocator& allocator, const Trace& trace, int samples, const std::string& facts) {
  Sampler<Allocator> sampler(allocator, trace);
  std::string values;
  for (int i = 0; i < samples; i++) {
    values += (i == 0 ? "" : ",") + std::to_string(sampler.sample());
  }
  std::printf("{%s,%s,\"ns_per_request\":[%s]}\n", members(trace, facts).c_str(),
              sampler.counts().c_str(), values.c_str());
}

// Prints a JSON object when all is warm, one with a sample for each line of standard input, and one
// when the input ends.
template <typename Allocator>
void take_turns(Allocator& allocator, const Trace& trace, const std::string& facts) {
  Sampler<Allocator> sampler(allocator, trace);
  std::cout << "{" << members(trace, facts) << "}" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    sampler.unmeasured();
    std::cout << "{\"ns_per_request\":" << std::to_string(sampler.sample()) << "}" << std::endl;
  }
  std::cout << "{" << sampler.counts() << "}" << std::endl;
}

}  // namespace beside

#endif  // ALLOCSIM_BESIDE_REQUEST_PASSES_H
