package org.allocsim.workloads.format.jsonl;

import java.util.Optional;
import java.util.Set;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.metadata.Annotation;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFactsReader;
import org.allocsim.workloads.format.pytorch.metadata.SnapshotSettings;

/** Reads the lines of a recording, from {@code recording} to {@code recording_end}. */
final class RecordingLines {
  /** Op of the first line. */
  static final String BEGIN = "recording";

  /** Op of the last line. */
  static final String END = "recording_end";

  /** Op of a line with a part of what {@code allocsim record} added. */
  static final String FACTS = "record";

  // Bytes that something takes in memory, about.
  private static final int EVENT_BYTES = 50;
  private static final int SEGMENT_BYTES = 300;
  private static final int BLOCK_BYTES = 60;
  private static final int TEXT_BYTES = 120;

  private static final String REMEDY = "convert the recording again";

  private final LineInput lines;
  private final JsonLine line;
  private final JsonRow row;
  private final int device;
  private final Snapshot.Builder snapshot;
  private final StringBuilder facts = new StringBuilder();
  private PoolId lastPool = PoolId.DEFAULT;

  private RecordingLines(LineInput lines, JsonLine line, StackTable stacks)
      throws TraceFormatException {
    this.lines = lines;
    this.line = line;
    row = new JsonRow(lines);
    line.allow(Set.of("op", "device", "streams"));
    device = intNumber("device");
    snapshot = new Snapshot.Builder(line.numbers("streams"), stacks);
  }

  /**
   * Reads on from the first line, which is the one that was read last.
   *
   * @param stacks the stacks of the lines before
   */
  static RecordingLines read(LineInput lines, JsonLine line, StackTable stacks)
      throws TraceFormatException {
    try {
      RecordingLines recording = new RecordingLines(lines, line, stacks);
      recording.read();
      return recording;
    } catch (IllegalArgumentException e) {
      throw lines.failure(e.getMessage(), REMEDY);
    }
  }

  /** The device that was chosen. */
  int device() {
    return device;
  }

  /**
   * What was recorded.
   *
   * @param sha256 digest of the file
   */
  Snapshot snapshot(String sha256) throws TraceFormatException {
    try {
      return snapshot.build(lines.name(), sha256);
    } catch (IllegalArgumentException e) {
      throw lines.failure(e.getMessage(), REMEDY);
    }
  }

  private void read() throws TraceFormatException {
    while (true) {
      if (!lines.next()) {
        throw lines.failure("the file ends within its recording", "copy it again");
      }
      line.parse();
      String op = line.text("op");
      switch (op) {
        case "settings" -> settings();
        case "note" -> {
          lines.hold(TEXT_BYTES + lines.length());
          line.allow(Set.of("op", "text"));
          snapshot.note(line.text("text"));
        }
        case FACTS -> {
          lines.hold(lines.length());
          line.allow(Set.of("op", "text"));
          facts.append(line.text("text"));
        }
        case "annotation" -> annotation();
        case "history" -> history();
        case "segment" -> segment();
        case END -> {
          line.allow(Set.of("op"));
          if (!facts.isEmpty()) {
            snapshot.facts(RecordedFactsReader.read(facts.toString(), Snapshot.MAX_DEVICES));
          }
          return;
        }
        default -> throw lines.failure("op \"" + op + "\" is unknown within a recording", REMEDY);
      }
    }
  }

  private void settings() throws TraceFormatException {
    line.allow(
        Set.of(
            "op",
            "present",
            "conf",
            "max_split_size",
            "garbage_collection_threshold",
            "expandable_segments",
            "roundup_power2_divisions",
            "pinned_num_register_threads",
            "release_lock_on_cudamalloc",
            "pinned_use_cuda_host_register",
            "graph_capture_record_stream_reuse",
            "trace_max_entries",
            "trace_overflowed",
            "torch_version"));
    snapshot.settings(
        new SnapshotSettings(
            line.flag("present"),
            line.text("conf"),
            line.number("max_split_size"),
            line.decimal("garbage_collection_threshold"),
            line.flag("expandable_segments"),
            RoundupDivisions.of(line.numbers("roundup_power2_divisions")),
            line.number("pinned_num_register_threads"),
            line.flag("release_lock_on_cudamalloc"),
            line.flag("pinned_use_cuda_host_register"),
            line.flag("graph_capture_record_stream_reuse"),
            line.number("trace_max_entries"),
            flagIfKnown("trace_overflowed"),
            line.has("torch_version") ? release(line.text("torch_version")) : null));
  }

  private PyTorchVersion release(String id) throws TraceFormatException {
    try {
      return PyTorchVersion.of(id);
    } catch (IllegalArgumentException e) {
      throw lines.failure(e.getMessage(), REMEDY);
    }
  }

  private Optional<Boolean> flagIfKnown(String name) throws TraceFormatException {
    return line.has(name) ? Optional.of(line.flag(name)) : Optional.empty();
  }

  private void annotation() throws TraceFormatException {
    line.allow(Set.of("op", "name", "begin", "device", "time_ns"));
    lines.hold(TEXT_BYTES + lines.length());
    snapshot.annotation(
        new Annotation(
            line.flag("begin") ? Annotation.Stage.START : Annotation.Stage.END,
            line.text("name"),
            intNumber("device"),
            line.number("time_ns")));
  }

  private void history() throws TraceFormatException {
    line.allow(Set.of("op", "rows", "times", "overflowed"));
    long rows = line.number("rows");
    snapshot.device(line.flag("times"), flagIfKnown("overflowed"));
    long timeNanos = 0;
    for (long i = 0; i < rows; i++) {
      row.next();
      lines.hold(EVENT_BYTES);
      EffectKind kind = EffectKind.ofAction(row.text());
      if (kind == null) {
        throw lines.failure("the action \"" + row.text() + "\" is unknown", REMEDY);
      }
      row.requireNumbers(5, 7);
      String impossible = Snapshot.impossible(kind, row.number(0), row.number(1));
      if (impossible != null && row.number(1) >= 0) {
        throw lines.failure(impossible, REMEDY);
      }
      timeNanos += row.number(3);
      snapshot.event(
          kind,
          row.number(0),
          row.number(1),
          row.intNumber(2),
          timeNanos,
          row.intNumber(4),
          row.numbers() == 7 ? pool(row.number(5), row.number(6)) : null);
    }
  }

  /** Most rows name the pool of the row before. */
  private PoolId pool(long capture, long user) {
    if (lastPool.capture() != capture || lastPool.user() != user) {
      lastPool = new PoolId(capture, user);
    }
    return lastPool;
  }

  private void segment() throws TraceFormatException {
    line.allow(
        Set.of(
            "op",
            "device",
            "address",
            "bytes",
            "allocated_bytes",
            "active_bytes",
            "requested_bytes",
            "stream",
            "small",
            "pool",
            "expandable",
            "stack",
            "blocks"));
    lines.hold(SEGMENT_BYTES);
    snapshot.segment(
        new Snapshot.SegmentSums(
            intNumber("device"),
            line.number("address"),
            line.number("bytes"),
            line.number("allocated_bytes"),
            line.number("active_bytes"),
            line.number("requested_bytes"),
            intNumber("stream"),
            line.flag("small"),
            line.pool("pool"),
            line.flag("expandable"),
            intNumber("stack")));
    long blocks = line.number("blocks");
    for (long i = 0; i < blocks; i++) {
      row.next();
      lines.hold(BLOCK_BYTES);
      row.requireNumbers(4, 4);
      snapshot.block(row.number(0), row.number(1), row.number(2), state(), row.intNumber(3));
    }
  }

  private BlockState state() throws TraceFormatException {
    for (BlockState state : BlockState.values()) {
      if (state.label().equals(row.text())) {
        return state;
      }
    }
    throw lines.failure("the state \"" + row.text() + "\" is unknown", REMEDY);
  }

  private int intNumber(String name) throws TraceFormatException {
    long value = line.number(name);
    if (value != (int) value) {
      throw lines.failure("field \"" + name + "\" is " + value, REMEDY);
    }
    return (int) value;
  }
}
