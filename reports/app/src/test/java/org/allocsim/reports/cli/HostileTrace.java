package org.allocsim.reports.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A snapshot whose texts try to be more than text, wherever a snapshot has one. */
final class HostileTrace {
  /** Stands in each of the texts, so that a test sees that it was looked at. */
  static final String MARK = "FORGED";

  /** Begins as a formula; ends lines, rings, colours, turns, links, and opens elements. */
  static final String TEXT =
      "=1+1|`x`<script>alert(1)<\u200b[y](javascript:z)\u001b[31m\u0007\r\n"
          + MARK
          + "\u202e\u2066\u2028&quot;\"'";

  private static final long MIB = 1L << 20;

  private final List<Object> history = new ArrayList<>();
  private final List<Object> annotations = new ArrayList<>();
  private final List<Object> blocks = new ArrayList<>();
  private final long base;
  private long timeMicros = 1_000_000;

  private HostileTrace(long base) {
    this.base = base;
  }

  /** Writes it into a folder, under a name of the same kind. */
  static Path write(Path folder) throws IOException {
    return Files.write(folder.resolve(fileName(".pickle")), new HostileTrace(32 * MIB).bytes());
  }

  /** A name that a file may have. */
  static String fileName(String ending) {
    return TEXT.replace("/", "") + ending;
  }

  private byte[] bytes() {
    event("segment_alloc", base, 20 * MIB, "segment");
    for (int step = 0; step < 6; step++) {
      annotate("START", step);
      long address = base + 2 * MIB * step;
      event("alloc", address, 2 * MIB, "kept " + step);
      long transientAddress = address + 2 * MIB;
      event("alloc", transientAddress, 2 * MIB, "passing");
      event("free_requested", transientAddress, 2 * MIB, "passing");
      event("free_completed", transientAddress, 2 * MIB, "passing");
      annotate("END", step);
      block(address, 2 * MIB, "active_allocated", "kept " + step);
    }
    event("oom", MIB, 100L << 30, "fails");
    block(base + 12 * MIB, 8 * MIB, "inactive", null);
    Map<String, Object> segment = new LinkedHashMap<>();
    segment.put("device", 0);
    segment.put("address", base);
    segment.put("total_size", 20 * MIB);
    segment.put("allocated_size", 12 * MIB);
    segment.put("active_size", 12 * MIB);
    segment.put("requested_size", 12 * MIB);
    segment.put("stream", 0);
    segment.put("segment_type", "large");
    segment.put("is_expandable", false);
    segment.put("frames", frames("segment"));
    segment.put("blocks", blocks);
    Map<String, Object> snapshot = new LinkedHashMap<>();
    snapshot.put("segments", List.of(segment));
    snapshot.put("device_traces", List.of(history));
    snapshot.put("external_annotations", annotations);
    return PickleBytes.of(snapshot);
  }

  private void block(long address, long bytes, String state, String what) {
    Map<String, Object> block = new LinkedHashMap<>();
    block.put("address", address);
    block.put("size", bytes);
    block.put("requested_size", bytes);
    block.put("state", state);
    block.put("frames", what == null ? List.of() : frames(what));
    blocks.add(block);
  }

  private void annotate(String stage, int step) {
    timeMicros += 10;
    Map<String, Object> annotation = new LinkedHashMap<>();
    annotation.put("stage", stage);
    annotation.put("name", TEXT + " step#" + step);
    annotation.put("device", 0);
    annotation.put("time_us", timeMicros);
    annotations.add(annotation);
  }

  private void event(String action, long address, long bytes, String what) {
    timeMicros += 10;
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("action", action);
    entry.put(action.equals("oom") ? "device_free" : "addr", address);
    entry.put("size", bytes);
    entry.put("stream", 0);
    entry.put("time_us", timeMicros);
    entry.put("frames", frames(what));
    entry.put("compile_context", TEXT + what);
    entry.put("user_metadata", TEXT + what);
    history.add(entry);
  }

  private static List<Object> frames(String what) {
    List<Object> frames = new ArrayList<>();
    for (String function : List.of("inner", "outer")) {
      Map<String, Object> frame = new LinkedHashMap<>();
      frame.put("filename", TEXT + function + ".py");
      frame.put("line", 7);
      frame.put("name", TEXT + what + function);
      frames.add(frame);
    }
    return frames;
  }
}
