package org.allocsim.workloads.format.jsonl;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.Loader;
import org.allocsim.simulator.trace.Precision;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.RecordedFormat.Content;
import org.allocsim.workloads.format.pytorch.RecordedFormat.Recorded;
import org.allocsim.workloads.format.pytorch.RecordedFormat.Requests;
import org.jspecify.annotations.Nullable;

/** Reads the format line by line into columns. */
final class JsonLinesReader {
  private static final String REMEDY = "the format is described in the user guide";
  private static final Set<String> NO_MORE = Set.of();
  private static final byte[] END_MARK =
      ("{\"op\":\"" + JsonLinesFormat.END_MARK + "\"").getBytes(StandardCharsets.UTF_8);
  private static final Precision[] PRECISIONS = Precision.values();

  private final LineInput lines;
  private final JsonLine line;
  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();
  private final StackTable.Builder stacks = new StackTable.Builder();
  private final Map<Long, Integer> liveIds = new HashMap<>();
  private final Map<Long, Integer> stackNumbers = new HashMap<>();

  /** Allocations by the ids of the file, also freed ones: an anchor may be gone. */
  private final Map<Long, Integer> anchorIds = new HashMap<>();

  /** Live host buffers by the ids of the file. */
  private final Map<Long, Integer> hostBuffers = new HashMap<>();

  private long timeNanos;
  private int device;
  private boolean mayBeRecorded;

  /** What the file holds beside its requests; null where nothing. */
  private @Nullable RecordingLines recording;

  private JsonLinesReader(LineInput lines) {
    this.lines = lines;
    line = new JsonLine(lines);
    stackNumbers.put(0L, StackTable.NONE);
  }

  static Content read(Path file, Progress progress) throws TraceFormatException {
    try (LineInput lines = new LineInput(file, progress)) {
      return new JsonLinesReader(lines).read();
    }
  }

  private Content read() throws TraceFormatException {
    if (!lines.next()) {
      throw lines.failure("the file is empty", "write it anew");
    }
    line.parse();
    line.allow(Set.of("allocsim", "version"));
    if (!"trace".equals(line.text("allocsim"))) {
      throw lines.failure("this is no allocsim trace", REMEDY);
    }
    long version = line.number("version");
    if (version != JsonLinesFormat.VERSION && version != JsonLinesFormat.RECORDED_VERSION) {
      throw lines.failure(
          "version " + version + " of the format is not known",
          "write version " + JsonLinesFormat.VERSION + ", or use a newer allocsim");
    }
    mayBeRecorded = version == JsonLinesFormat.RECORDED_VERSION;
    while (lines.next()) {
      if (lines.length() > 0) {
        row();
        if (recording != null) {
          return recorded(recording);
        }
      }
    }
    return new Requests(
        new TraceFile(
            lines.name(),
            lines.finishDigest(),
            JsonLinesFormat.ID,
            trace.build(stacks.build()),
            List.of()));
  }

  /**
   * What was recorded. The requests that follow are derived from it anew, since what is known of
   * the recorded program may differ by question; they are only checked to be those that belong to
   * it.
   */
  private Recorded recorded(RecordingLines recording) throws TraceFormatException {
    CRC32 checksum = new CRC32();
    while (lines.next()) {
      if (isEnd()) {
        line.parse();
        line.allow(Set.of("op", "crc32"));
        if (line.number("crc32") != checksum.getValue()) {
          throw lines.failure(
              "the requests are not those of the recording in the same file",
              "after a change of requests leave out the lines from \""
                  + RecordingLines.BEGIN
                  + "\" to \""
                  + RecordingLines.END
                  + "\" and the end mark, and write version "
                  + JsonLinesFormat.VERSION);
        }
        while (lines.next()) {
          if (lines.length() > 0) {
            throw lines.failure("the file goes on after its end mark", "copy it again");
          }
        }
        return new Recorded(recording.snapshot(lines.finishDigest()), recording.device());
      }
      checksum.update(lines.bytes(), 0, lines.length());
      checksum.update('\n');
    }
    throw lines.failure("the end mark is missing, so the file is cut off", "copy it again");
  }

  private boolean isEnd() {
    return lines.length() >= END_MARK.length
        && Arrays.equals(lines.bytes(), 0, END_MARK.length, END_MARK, 0, END_MARK.length);
  }

  private RecordingLines recording() throws TraceFormatException {
    if (!mayBeRecorded) {
      throw lines.failure(
          "only version " + JsonLinesFormat.RECORDED_VERSION + " of the format has recordings",
          REMEDY);
    }
    for (Map.Entry<Long, Integer> stack : stackNumbers.entrySet()) {
      if (stack.getKey() != (long) stack.getValue()) {
        throw lines.failure("the stacks are not numbered in order", REMEDY);
      }
    }
    return RecordingLines.read(lines, line, stacks.build());
  }

  private void row() throws TraceFormatException {
    line.parse();
    String op = line.text("op");
    try {
      switch (op) {
        case RecordingLines.BEGIN -> recording = recording();
        case "stack" -> stack();
        case "stream" -> {
          line.allow(Set.of("op", "stream"));
          trace.declareStream(line.stream("stream"));
        }
        case "pool" -> {
          line.allow(Set.of("op", "pool"));
          trace.declarePool(line.pool("pool"));
        }
        case "loader" -> {
          line.allow(Set.of("op", "workers", "prefetch", "batch_ns", "spread_ns", "seed"));
          trace.declareLoader(
              new Loader(
                  intNumber("workers"),
                  intNumber("prefetch"),
                  line.number("batch_ns"),
                  line.number("spread_ns", 0),
                  line.number("seed", 0)));
        }
        case "prologue_end" -> {
          line.allow(Set.of("op"));
          trace.endPrologue();
        }
        default -> request(op);
      }
    } catch (IllegalArgumentException e) {
      throw lines.failure(e.getMessage(), REMEDY);
    }
  }

  private void stack() throws TraceFormatException {
    line.allow(Set.of("op", "stack", "frames"));
    long number = line.number("stack");
    List<StackTable.Frame> frames = line.frames("frames");
    int[] numbers = new int[frames.size()];
    for (int i = 0; i < numbers.length; i++) {
      StackTable.Frame frame = frames.get(i);
      numbers[i] = stacks.frame(frame.file(), frame.line(), frame.function());
    }
    if (stackNumbers.putIfAbsent(number, stacks.stack(numbers)) != null) {
      throw lines.failure("stack " + number + " was given before", REMEDY);
    }
  }

  private void request(String op) throws TraceFormatException {
    timeNanos = line.number("time_ns", timeNanos);
    long index = line.number("device", device);
    if (index < 0 || index > Byte.MAX_VALUE) {
      throw lines.failure("device index " + index + " is outside 0..127", REMEDY);
    }
    device = (int) index;
    long stackNumber = line.number("stack", 0);
    Integer stack = stackNumbers.get(stackNumber);
    if (stack == null) {
      throw lines.failure(
          "stack " + stackNumber + " has no line of its own before this one", REMEDY);
    }
    trace.at(device, timeNanos, stack);
    switch (op) {
      case "alloc" -> {
        allow(Set.of("id", "bytes", "stream", "pool"));
        put(
            trace.allocate(
                bytes(), line.has("stream") ? line.stream("stream") : 0, line.pool("pool")));
      }
      case "free" -> {
        allow(Set.of("id", "stream"));
        int allocation = take();
        if (line.has("stream")) {
          trace.free(allocation, line.stream("stream"));
        } else {
          trace.free(allocation);
        }
      }
      case "use_stream" -> {
        allow(Set.of("id", "stream", "rank"));
        long rank = line.number("rank", 0);
        if (line.has("stream")) {
          trace.useStream(known(), line.stream("stream"), rank);
        } else {
          trace.useUnknownStream(known(), rank);
        }
      }
      case "use_complete" -> {
        allow(Set.of("id", "stream"));
        if (line.has("stream")) {
          trace.useComplete(known(), line.stream("stream"));
        } else {
          trace.useComplete(known());
        }
      }
      case "synchronize" -> {
        allow(Set.of("stream"));
        if (line.has("stream")) {
          trace.synchronizeStream(line.stream("stream"));
        } else {
          trace.synchronize();
        }
      }
      case "empty_cache" -> {
        allow(NO_MORE);
        trace.emptyCache();
      }
      case "release_pool" -> {
        allow(Set.of("pool"));
        trace.releasePool(line.pool("pool"));
      }
      case "empty_pool" -> {
        allow(Set.of("pool"));
        trace.emptyPool(line.pool("pool"));
      }
      case "restore_block" -> restoreBlock();
      case "begin" -> {
        allow(Set.of("name"));
        trace.markerBegin(line.text("name"));
      }
      case "end" -> {
        allow(Set.of("name"));
        trace.markerEnd(line.text("name"));
      }
      case "snapshot" -> {
        allow(NO_MORE);
        trace.snapshot();
      }
      default -> work(op);
    }
  }

  private void work(String op) throws TraceFormatException {
    switch (op) {
      case "launch" -> launch();
      case "record_event" -> {
        allow(Set.of("event", "stream"));
        trace.recordEvent(intNumber("event"), line.stream("stream"));
      }
      case "wait_event" -> {
        allow(Set.of("event", "stream"));
        trace.waitEvent(intNumber("event"), line.stream("stream"));
      }
      case "synchronize_event" -> {
        allow(Set.of("event"));
        trace.synchronizeEvent(intNumber("event"));
      }
      case "host_work" -> {
        allow(Set.of("ns"));
        trace.hostWork(line.number("ns"));
      }
      case "load_batch" -> {
        allow(Set.of("loader"));
        trace.loadBatch(intNumber("loader"));
      }
      case "host_alloc" -> {
        allow(Set.of("id", "bytes"));
        if (hostBuffers.putIfAbsent(line.number("id"), trace.allocateHost(bytes())) != null) {
          throw lines.failure("host buffer " + line.number("id") + " is live", "free it first");
        }
      }
      case "host_free" -> {
        allow(Set.of("id"));
        trace.freeHost(hostBuffer());
        hostBuffers.remove(line.number("id"));
      }
      case "host_use_stream" -> {
        allow(Set.of("id", "stream"));
        trace.useHostOnStream(hostBuffer(), line.stream("stream"));
      }
      default -> throw lines.failure("op \"" + op + "\" is not known", REMEDY);
    }
  }

  private void launch() throws TraceFormatException {
    Work work;
    if (line.has("ns")) {
      allow(Set.of("ns", "stream"));
      work = new Work.Timed(line.number("ns"));
    } else if (line.has("copy_bytes")) {
      allow(Set.of("copy_bytes", "to", "host_memory", "stream"));
      work =
          new Work.Copy(
              line.number("copy_bytes"),
              oneOf("to", "host", "device") == 1,
              oneOf("host_memory", "pageable", "pinned") == 1);
    } else {
      allow(Set.of("flops", "memory_bytes", "precision", "stream"));
      work =
          new Work.Kernel(
              line.number("flops"), line.number("memory_bytes"), PRECISIONS[precision()]);
    }
    trace.launch(work, line.has("stream") ? line.stream("stream") : 0);
  }

  private int precision() throws TraceFormatException {
    return oneOf(
        "precision",
        Arrays.stream(PRECISIONS)
            .map(each -> each.name().toLowerCase(Locale.ROOT))
            .toArray(String[]::new));
  }

  private int oneOf(String field, String... values) throws TraceFormatException {
    int found = List.of(values).indexOf(line.text(field));
    if (found < 0) {
      throw lines.failure(
          "field \"" + field + "\" is \"" + line.text(field) + "\"",
          "write one of " + String.join(", ", values));
    }
    return found;
  }

  private int intNumber(String field) throws TraceFormatException {
    long value = line.number(field);
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw lines.failure(
          "field \"" + field + "\" is " + value, "write a number from 0 to " + Integer.MAX_VALUE);
    }
    return (int) value;
  }

  private int hostBuffer() throws TraceFormatException {
    Integer buffer = hostBuffers.get(line.number("id"));
    if (buffer == null) {
      throw lines.failure("host buffer " + line.number("id") + " is not live", "allocate it first");
    }
    return buffer;
  }

  private void restoreBlock() throws TraceFormatException {
    allow(Set.of("id", "bytes", "stream", "pool", "anchor", "offset"));
    int anchor = AllocationTrace.NO_ALLOCATION;
    if (line.has("anchor")) {
      Integer known = anchorIds.get(line.number("anchor"));
      if (known == null) {
        throw lines.failure("the anchor was never allocated", REMEDY);
      }
      anchor = known;
    }
    put(
        trace.restoreBlock(
            bytes(),
            line.has("stream") ? line.stream("stream") : 0,
            line.pool("pool"),
            anchor,
            line.number("offset")));
  }

  private void allow(Set<String> fields) throws TraceFormatException {
    line.allowRequest(fields);
  }

  private long bytes() throws TraceFormatException {
    long bytes = line.number("bytes");
    if (bytes < 0) {
      throw lines.failure("a size of " + bytes + " bytes is negative", REMEDY);
    }
    return bytes;
  }

  private void put(int allocation) throws TraceFormatException {
    long id = line.number("id");
    if (liveIds.putIfAbsent(id, allocation) != null) {
      throw lines.failure("allocation " + id + " is live already", "free it first");
    }
    anchorIds.put(id, allocation);
  }

  private int take() throws TraceFormatException {
    long id = line.number("id");
    Integer allocation = liveIds.remove(id);
    if (allocation == null) {
      throw lines.failure("allocation " + id + " is not live", "allocate it first");
    }
    return allocation;
  }

  /** The allocation with the id, which may have been freed. */
  private int known() throws TraceFormatException {
    long id = line.number("id");
    Integer allocation = anchorIds.get(id);
    if (allocation == null) {
      throw lines.failure("allocation " + id + " was never made", "allocate it first");
    }
    return allocation;
  }
}
