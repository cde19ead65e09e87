package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Builds small snapshots as PyTorch writes them. */
final class TestSnapshot {
  private static final long MIB = 1L << 20;

  private final List<List<Object>> histories = new ArrayList<>(List.of(new ArrayList<>()));
  private final List<Object> segments = new ArrayList<>();
  private long timeMicros = 1_000_000;
  private String conf = "";
  private List<Object> frames = List.of();

  /** One small tensor that lives and dies in its 2 MiB segment. */
  static TestSnapshot ofOneTensor() {
    return new TestSnapshot()
        .event("segment_alloc", 64 * MIB, 2 * MIB)
        .event("alloc", 64 * MIB, 1000)
        .event("free_requested", 64 * MIB, 1000)
        .event("free_completed", 64 * MIB, 1000)
        .freeSegment(64 * MIB, 2 * MIB, 1000);
  }

  TestSnapshot event(String action, Object address, Object sizeBytes) {
    timeMicros += 10;
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("action", action);
    entry.put(action.equals("oom") ? "device_free" : "addr", address);
    entry.put("size", sizeBytes);
    entry.put("stream", 0);
    entry.put("time_us", timeMicros);
    if (!frames.isEmpty()) {
      entry.put("frames", frames);
    }
    histories.getLast().add(entry);
    return this;
  }

  /** What follows is of the next device. */
  TestSnapshot nextDevice() {
    histories.add(new ArrayList<>());
    return this;
  }

  /** The program set these. */
  TestSnapshot under(String settings) {
    conf = settings;
    return this;
  }

  /** What follows is called from a line of the program. */
  TestSnapshot calledFrom(String file, int line, String function) {
    frames = List.of(Map.of("filename", file, "line", line, "name", function));
    return this;
  }

  /** The next event happens at this time, with its 10 µs. */
  TestSnapshot until(long micros) {
    timeMicros = micros - 10;
    return this;
  }

  /** The next event happens this much earlier than the last one. */
  TestSnapshot backInTime(long micros) {
    timeMicros -= micros;
    return this;
  }

  TestSnapshot freeSegment(long address, long bytes, long lastRequestBytes) {
    Map<String, Object> block = new LinkedHashMap<>();
    block.put("address", address);
    block.put("size", bytes);
    block.put("requested_size", lastRequestBytes);
    block.put("state", "inactive");
    block.put("frames", List.of());
    Map<String, Object> segment = new LinkedHashMap<>();
    segment.put("device", histories.size() - 1);
    segment.put("address", address);
    segment.put("total_size", bytes);
    segment.put("allocated_size", 0);
    segment.put("active_size", 0);
    segment.put("requested_size", 0);
    segment.put("stream", 0);
    segment.put("segment_type", bytes > 2 * MIB ? "large" : "small");
    segment.put("is_expandable", false);
    segment.put("frames", List.of());
    segment.put("blocks", List.of(block));
    segments.add(segment);
    return this;
  }

  /** A segment that one block of the program fills. */
  TestSnapshot heldSegment(long address, long bytes) {
    freeSegment(address, bytes, bytes);
    @SuppressWarnings("unchecked")
    Map<String, Object> segment = (Map<String, Object>) segments.getLast();
    @SuppressWarnings("unchecked")
    Map<String, Object> block =
        (Map<String, Object>) ((List<Object>) segment.get("blocks")).getFirst();
    block.put("state", "active_allocated");
    segment.put("allocated_size", bytes);
    segment.put("active_size", bytes);
    segment.put("requested_size", bytes);
    return this;
  }

  byte[] bytes() {
    Map<String, Object> snapshot = new LinkedHashMap<>();
    snapshot.put("segments", segments);
    snapshot.put("device_traces", histories);
    if (!conf.isEmpty()) {
      snapshot.put("allocator_settings", Map.of("PYTORCH_CUDA_ALLOC_CONF", conf));
    }
    return PickleBytes.of(snapshot);
  }

  /** The snapshot without its history. */
  byte[] bytesWithoutHistory() {
    return PickleBytes.of(Map.of("segments", segments));
  }

  Path writeTo(Path folder) throws IOException {
    return Files.write(folder.resolve("snapshot.pickle"), bytes());
  }
}
