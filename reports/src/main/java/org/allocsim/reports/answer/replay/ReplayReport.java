package org.allocsim.reports.answer.replay;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Collectors;
import org.allocsim.reports.answer.part.RecordingMaps;
import org.allocsim.reports.input.Addresses;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.workloads.format.pytorch.derive.Inference;

/**
 * Everything that a replay found, for people and as JSON.
 *
 * @param file name of the trace as the user gave it
 * @param sha256 digest of the file's bytes, in hexadecimal
 * @param events rows of the recorded history, or requests where there is none
 * @param requests allocation requests among them
 * @param settings the recorded {@code allocator_settings}
 * @param policy id of the policy
 * @param torchVersion whose rules applied; null for policies that are not PyTorch's
 * @param conf configuration string that applied; null for policies that are not PyTorch's
 * @param options of the policy, those that are not defaults
 * @param device name of the device profile
 * @param deviceIndex index of the recorded device
 * @param deviceBytes size of the device
 * @param limitBytes the allocator's own limit, −1 without one
 * @param addresses where addresses came from
 * @param stats PyTorch's statistics at the end
 * @param summary PyTorch's summary table
 * @param fragmentation where reserved memory went
 * @param ooms requests that failed
 * @param driverCalls calls of the device, by name; empty where the device was a recording
 * @param driverNanos minimum time that these calls take, −1 where it is not known
 * @param seconds wall time of the replay
 * @param inferences what was inferred from the recording
 * @param notes what the reader passed over, and remarks on the replay
 * @param timeline memory over time
 * @param insertion calls that the program was replayed with and did not make, null for none
 * @param insertions number of these calls
 * @param time what happened in simulated time; null where the replay had none
 * @param pictures what only charts show
 */
public record ReplayReport(
    String file,
    String sha256,
    long events,
    long requests,
    Map<String, Object> settings,
    String policy,
    String torchVersion,
    String conf,
    Map<String, String> options,
    String device,
    int deviceIndex,
    long deviceBytes,
    long limitBytes,
    Addresses addresses,
    SortedMap<String, Long> stats,
    String summary,
    Fragmentation fragmentation,
    List<FailedRequest> ooms,
    SortedMap<String, Long> driverCalls,
    long driverNanos,
    double seconds,
    List<Inference> inferences,
    List<String> notes,
    MemoryTimeline timeline,
    CacheInsertion insertion,
    int insertions,
    SimulatedTime time,
    ReplayPictures pictures) {
  private static final double NANOS_PER_SECOND = 1e9;

  /** The policy with its settings, in a line. */
  public String policyLabel() {
    if (conf != null) {
      return policy + " " + torchVersion + ", PYTORCH_CUDA_ALLOC_CONF=\"" + conf + "\"";
    }
    return options.isEmpty()
        ? policy
        : policy
            + options.entrySet().stream()
                .map(option -> option.getKey() + "=" + option.getValue())
                .collect(Collectors.joining(";", "(", ")"));
  }

  /** The JSON object; only {@code seconds} differs between two runs. */
  public Map<String, Object> toMap() {
    Map<String, Object> trace = new LinkedHashMap<>();
    trace.put("file", file);
    trace.put("sha256", sha256);
    trace.put("events", events);
    trace.put("allocation_requests", requests);
    trace.put("torch_settings", settings);
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("trace", trace);
    map.put("policy", policy);
    map.put("torch_version", torchVersion);
    map.put("conf", conf);
    map.put("options", new LinkedHashMap<>(options));
    map.put("device", device);
    map.put("device_bytes", deviceBytes);
    map.put("device_index", deviceIndex);
    map.put("addresses", addresses.toString());
    map.put("inserted", insertion == null ? null : inserted());
    map.put("limit_bytes", limitBytes < 0 ? null : limitBytes);
    map.put("lower_bound_bytes", pictures.neededBytes(deviceIndex));
    map.put("stats", stats);
    map.put("fragmentation", fragmentation.toMap());
    map.put("failed_requests", ooms.stream().map(ReplayReport::oom).toList());
    map.put("driver_calls", driverCalls.isEmpty() ? null : driverCalls);
    map.put("driver_seconds", driverNanos < 0 ? null : driverNanos / NANOS_PER_SECOND);
    map.put("time", time == null ? null : time.toMap());
    map.put("inferences", RecordingMaps.inferences(inferences));
    map.put("notes", notes);
    map.put("wall_seconds", seconds);
    return map;
  }

  private Map<String, Object> inserted() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("call", "empty_cache");
    map.put("place", insertion.toString());
    map.put("count", insertions);
    return map;
  }

  private static Map<String, Object> oom(FailedRequest oom) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("request_index", oom.requestIndex());
    map.put("requested_bytes", oom.requestedBytes());
    map.put("reserved_bytes", oom.reservedBytes());
    map.put("message", oom.message());
    return map;
  }
}
