package org.allocsim.reports.answer.part;

import org.allocsim.reports.document.Term;
import org.allocsim.reports.document.Unit;

/**
 * What several answers call and explain alike. A quantity of one answer only is described there.
 */
public final class Columns {
  public static final Term ADDRESS = new Term(Unit.TEXT, "address", "Address, in decimal.");
  public static final Term ADDRESSES =
      new Term(
          Unit.TEXT,
          "addresses",
          "Source of addresses: recorded, or simulated as the driver would assign them.");
  public static final Term ADDRESSES_COMPARED =
      new Term(Unit.COUNT, "addresses_compared", "Addresses that were compared.");
  public static final Term ADDRESSES_EQUAL =
      new Term(Unit.COUNT, "addresses_equal", "Addresses that are equal.");
  public static final Term ALLOCATED_BYTES =
      new Term(Unit.BYTES, "allocated_bytes", "Size of the blocks after rounding.");
  public static final Term ALLOCATOR_CHANGE_BYTES =
      new Term(
          Unit.BYTES,
          "allocator_change_bytes",
          "The part caused by the allocator: rounding and slack.");
  public static final Term ALLOCATOR_SECONDS =
      new Term(Unit.SECONDS, "allocator_seconds", "Time that the host spent in the allocator.");
  public static final Term BLOCKS = new Term(Unit.COUNT, "blocks", "Number of blocks.");
  public static final Term BY =
      new Term(
          Unit.TEXT,
          "by",
          "What blocks of a group have in common: stack, size, phase or" + " category.");
  public static final Term BYTES = new Term(Unit.BYTES, "bytes", "Its size.");
  public static final Term CACHE_BYTES =
      new Term(Unit.BYTES, "cache_bytes", "Size of the KV cache.");
  public static final Term CAPACITY_BYTES =
      new Term(Unit.BYTES, "capacity_bytes", "Device memory available to the program.");
  public static final Term CASES = new Term(Unit.COUNT, "cases", "Number of cases.");
  public static final Term COMPARED = new Term(Unit.COUNT, "compared", "Number of comparisons.");
  public static final Term CONF =
      new Term(
          Unit.TEXT,
          "conf",
          "Settings of PyTorch's allocator, as in PYTORCH_CUDA_ALLOC_CONF; "
              + "empty: the default.");
  public static final Term COPIES = new Term(Unit.COUNT, "runs", "Number of copies.");
  public static final Term COUNT = new Term(Unit.COUNT, "count", "How many.");
  public static final Term DATE = new Term(Unit.TEXT, "date", "Day of the run, UTC.");
  public static final Term DEFAULT = new Term(Unit.TEXT, "default", "Default value.");
  public static final Term DEVICE =
      new Term(Unit.TEXT, "device", "Name of the simulated device's profile.");
  public static final Term DEVICE_BYTES =
      new Term(Unit.BYTES, "device_bytes", "Memory of the device.");
  public static final Term DEVICE_INDEX =
      new Term(Unit.COUNT, "device_index", "Index of the recorded device.");
  public static final Term DEVICE_NUMBER =
      new Term(Unit.COUNT, "device", "Index of the recorded device.");
  public static final Term DRIVER = new Term(Unit.TEXT, "driver", "Version of the driver.");
  public static final Term DRIVER_CALLS = new Term(Unit.COUNT, "driver_calls", "Driver calls.");
  public static final Term DRIVER_CALLS_OF_RANKS =
      new Term(Unit.COUNT, "driver_calls", "Driver calls, over all ranks.");
  public static final Term END_SECONDS =
      new Term(
          Unit.SECONDS,
          "end_seconds",
          "Time from the first request to the end of the last answer.");
  public static final Term ERROR = new Term(Unit.TEXT, "error", "Why it could not be read.");
  public static final Term EVENTS = new Term(Unit.COUNT, "events", "Rows of the recorded history.");
  public static final Term EVENTS_IN_ALL =
      new Term(Unit.COUNT, "events", "Total number of events.");
  public static final Term EVENTS_MATCHED =
      new Term(Unit.COUNT, "events_matched", "Events before the first one that differs.");
  public static final Term EVENTS_RECORDED =
      new Term(Unit.COUNT, "events_recorded", "Recorded events.");
  public static final Term EVENTS_WITH_STACK =
      new Term(Unit.COUNT, "events_with_stack", "Rows with a stack.");
  public static final Term EXACT = new Term(Unit.FLAG, "exact", "Whether everything is equal.");
  public static final Term EXACT_COMPARISONS =
      new Term(Unit.COUNT, "exact", "Comparisons without an error.");
  public static final Term EXIT_CODE =
      new Term(Unit.COUNT, "exit_code", "Exit code of the verdict.");
  public static final Term FAILED_RANKS =
      new Term(Unit.COUNT, "failed_ranks", "Ranks with a failed request.");
  public static final Term FAILED_REQUESTS =
      new Term(Unit.COUNT, "failed_requests", "Failed requests.");
  public static final Term FAILED_RUNS =
      new Term(Unit.COUNT, "failed_runs", "Copies that ran out of memory.");
  public static final Term FILE = new Term(Unit.TEXT, "file", "File name as given.");
  public static final Term FIRST_DIFFERENCE =
      new Term(Unit.TEXT, "first_difference", "The first call that differs.");
  public static final Term FITS =
      new Term(Unit.FLAG, "fits", "Whether every request succeeds on the GPU.");
  public static final Term FORMAT = new Term(Unit.TEXT, "format", "Id of the trace's format.");
  public static final Term FREE_BYTES = new Term(Unit.BYTES, "free_bytes", "Free bytes.");
  public static final Term FREE_CHUNKS = new Term(Unit.COUNT, "free_chunks", "Free chunks.");
  public static final Term GPU_BYTES = new Term(Unit.BYTES, "gpu_bytes", "Size of the GPU.");
  public static final Term GPU_MEMORY_UTILIZATION_RATIO =
      new Term(
          Unit.RATIO,
          "gpu_memory_utilization_ratio",
          "Fraction of the GPU that the engine may use.");
  public static final Term GPU_NAME = new Term(Unit.TEXT, "device", "Name of the GPU.");
  public static final Term GPU_SOURCE = new Term(Unit.TEXT, "gpu_source", "Its source.");
  public static final Term HEADLINE = new Term(Unit.TEXT, "headline", "The verdict in a sentence.");
  public static final Term HIGH_RESERVED_BYTES =
      new Term(Unit.BYTES, "high_reserved_bytes", "Upper end of its interval.");
  public static final Term HOLDS = new Term(Unit.FLAG, "passes", "Whether every limit is met.");
  public static final Term ID = new Term(Unit.TEXT, "id", "Its name on the command line.");
  public static final Term IMBALANCE_RATIO =
      new Term(
          Unit.RATIO,
          "imbalance_ratio",
          "The highest of these over the median; 1 where all are alike.");
  public static final Term IN_USE_BYTES = new Term(Unit.BYTES, "in_use_bytes", "Bytes in use.");
  public static final Term KIND =
      new Term(Unit.TEXT, "kind", "Where it comes from: failure, claim or need.");
  public static final Term LARGEST_SIZE =
      new Term(
          Unit.COUNT,
          "largest_size",
          "Largest batch size or length at which every request succeeds on the GPU; 0 if there is"
              + " none.");
  public static final Term LEAK_VERDICT =
      new Term(
          Unit.TEXT,
          "leak_verdict",
          "How memory develops over the steps: LEAK, FRAGMENTATION, PLATEAU or NONE.");
  public static final Term LIMIT_BYTES =
      new Term(Unit.BYTES, "limit_bytes", "The allocator's own limit.");
  public static final Term LINE = new Term(Unit.COUNT, "line", "Line of the input, from 1.");
  public static final Term LOW_RESERVED_BYTES =
      new Term(Unit.BYTES, "low_reserved_bytes", "Lower end of its interval.");
  public static final Term MEANING = new Term(Unit.TEXT, "meaning", "What it does.");
  public static final Term MEAN_TOKENS =
      new Term(Unit.NUMBER, "mean_tokens", "Mean number of stored tokens of running sequences.");
  public static final Term MEASURED_CALLS =
      new Term(Unit.COUNT, "measured_calls", "Driver calls made.");
  public static final Term MEASURED_NANOS =
      new Term(Unit.NANOS, "measured_nanos", "Measured time.");
  public static final Term MEDIAN_RESERVED_BYTES =
      new Term(Unit.BYTES, "median_reserved_bytes", "Median of the ranks' peak reserved memory.");
  public static final Term MISSING_AT_FAILURE =
      new Term(
          Unit.BYTES,
          "missing_bytes",
          "Memory missing for the failed request; 0 or less if memory was not short.");
  public static final Term MISSING_BYTES =
      new Term(
          Unit.BYTES,
          "missing_bytes",
          "Additional memory that the best of the usual settings needs.");
  public static final Term MODEL = new Term(Unit.TEXT, "model", "Name of the model.");
  public static final Term NAME = new Term(Unit.TEXT, "name", "Its name.");
  public static final Term NOT_RUN = new Term(Unit.TEXT, "not_run", "Why the case did not run.");
  public static final Term NOT_RUN_BECAUSE =
      new Term(Unit.TEXT, "not_run_reason", "Why the policy cannot serve the program.");
  public static final Term OS = new Term(Unit.TEXT, "os", "Where the program will run.");
  public static final Term PASSES =
      new Term(Unit.FLAG, "passes", "Whether every request succeeds.");
  public static final Term PASSES_CHECKS =
      new Term(Unit.FLAG, "passes", "Whether every check holds.");
  public static final Term PEAK_ALLOCATED_BYTES =
      new Term(Unit.BYTES, "peak_allocated_bytes", "Peak memory in blocks in use.");
  public static final Term PEAK_REQUESTED_BYTES =
      new Term(
          Unit.BYTES,
          "peak_requested_bytes",
          "Peak of requested memory; it cannot run with less free memory.");
  public static final Term PEAK_RESERVED_BYTES =
      new Term(Unit.BYTES, "peak_reserved_bytes", "Peak reserved memory.");
  public static final Term PEAK_RESERVED_OF_RANKS =
      new Term(Unit.BYTES, "peak_reserved_bytes", "Peak reserved memory of any rank.");
  public static final Term PEAK_RESERVED_PREDICTED =
      new Term(
          Unit.BYTES,
          "peak_reserved_bytes",
          "Predicted peak of reserved memory, on a GPU with ample memory.");
  public static final Term POLICY =
      new Term(Unit.TEXT, "policy", "The allocator with its options.");
  public static final Term POLICY_ID = new Term(Unit.TEXT, "policy", "Id of the policy.");
  public static final Term PREDICTED_CALLS =
      new Term(Unit.COUNT, "predicted_calls", "Driver calls predicted.");
  public static final Term PREEMPTIONS =
      new Term(
          Unit.COUNT, "preemptions", "Sequences preempted for lack of memory, then restarted.");
  public static final Term PROCESS = new Term(Unit.TEXT, "process", "Name of the process.");
  public static final Term PROGRAM_CHANGE_BYTES =
      new Term(Unit.BYTES, "program_change_bytes", "The part caused by the program's requests.");
  public static final Term RECORDED_CONF =
      new Term(Unit.TEXT, "recorded_conf", "Settings the program was recorded with.");
  public static final Term REQUESTED_BYTES =
      new Term(Unit.BYTES, "requested_bytes", "Requested bytes.");
  public static final Term REQUESTS =
      new Term(Unit.COUNT, "requests", "Number of requests in the trace.");
  public static final Term RESERVED_BYTES =
      new Term(Unit.BYTES, "reserved_bytes", "Memory reserved from the device.");
  public static final Term RESERVED_BY_PYTORCH =
      new Term(Unit.BYTES, "reserved_bytes", "Memory that PyTorch reserves from the device.");
  public static final Term RESERVED_CHANGE_BYTES =
      new Term(Unit.BYTES, "reserved_change_bytes", "Change of reserved memory.");
  public static final Term ROUNDING_CHANGE_BYTES =
      new Term(Unit.BYTES, "rounding_change_bytes", "Change of memory lost to rounding.");
  public static final Term RUNS = new Term(Unit.COUNT, "runs", "Runs simulated.");
  public static final Term SCENARIO = new Term(Unit.TEXT, "scenario", "Name of the scenario.");
  public static final Term SENTENCE = new Term(Unit.TEXT, "sentence", "The verdict in a sentence.");
  public static final Term SERVED = new Term(Unit.COUNT, "served", "Requests answered.");
  public static final Term SHA256 =
      new Term(Unit.TEXT, "sha256", "Digest of the file's bytes, in hexadecimal.");
  public static final Term SIZE = new Term(Unit.NUMBER, "size", "Its batch size or length.");
  public static final Term SLACK_CHANGE_BYTES =
      new Term(
          Unit.BYTES, "slack_change_bytes", "Change of reserved memory that no allocation uses.");
  public static final Term SPAN_NANOS =
      new Term(Unit.NANOS, "span_nanos", "Time from the first to the last row.");
  public static final Term STATISTICS_COMPARED =
      new Term(Unit.COUNT, "statistics_compared", "Statistics compared.");
  public static final Term SUMMARY = new Term(Unit.TEXT, "summary", "What it is.");
  public static final Term TORCH_VERSION =
      new Term(Unit.TEXT, "torch_version", "PyTorch release whose rules apply.");
  public static final Term TOTAL_BYTES = new Term(Unit.BYTES, "total_bytes", "Its memory.");
  public static final Term TOTAL_OF_GPU = new Term(Unit.BYTES, "total_bytes", "Memory of the GPU.");
  public static final Term TRACE = new Term(Unit.TEXT, "trace", "Its requests.");
  public static final Term UNIT = new Term(Unit.TEXT, "unit", "What an event is.");
  public static final Term VERDICT = new Term(Unit.TEXT, "verdict", "Outcome of the claim.");
  public static final Term WALL_SECONDS =
      new Term(Unit.SECONDS, "wall_seconds", "Wall time of the replays.");
  public static final Term WALL_SECONDS_OF_FILE =
      new Term(Unit.SECONDS, "wall_seconds", "Time spent on the file.");
  public static final Term WALL_SECONDS_OF_SEARCH =
      new Term(Unit.SECONDS, "wall_seconds", "Wall time of the search.");
  public static final Term WALL_SECONDS_OF_SIMULATION =
      new Term(Unit.SECONDS, "wall_seconds", "Wall time of the simulation.");

  private Columns() {}
}
