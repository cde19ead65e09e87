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
import org.allocsim.simulator.trace.PoolOptions;
import org.allocsim.simulator.trace.Precision;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.NumberedIds;
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

  private static final Set<String> TIMED_FIELDS = Set.of("ns", "stream");
  private static final Set<String> COPY_FIELDS =
      Set.of("copy_bytes", "to", "host_memory", "stream");
  private static final Set<String> COLLECTIVE_FIELDS =
      Set.of("collective", "bytes", "ranks", "peer", "stream");
  private static final Set<String> KERNEL_FIELDS =
      Set.of("flops", "memory_bytes", "precision", "stream");

  /** How a pool was made, as torch.cuda.MemPool names it. */
  static final String USE_ON_OOM = "use_on_oom";

  static final String NO_SPLIT = "no_split";

  /** What requests may have beside the fields that all have, by their ops. */
  private static final Map<String, Set<String>> FIELDS =
      Map.ofEntries(
          entry("alloc", "id", "bytes", "stream", "pool"),
          entry("free", "id", "stream"),
          entry("use_stream", "id", "stream", "rank"),
          entry("use_complete", "id", "stream"),
          entry("synchronize", "stream"),
          entry("empty_cache"),
          entry("release_pool", "pool"),
          entry("empty_pool", "pool"),
          entry("restore_block", "id", "bytes", "stream", "pool", "anchor", "offset"),
          entry("begin", "name"),
          entry("end", "name"),
          entry("snapshot"),
          entry("change_settings", "settings"),
          entry("change_limit", "bytes"),
          entry(
              "launch",
              "ns",
              "copy_bytes",
              "to",
              "host_memory",
              "flops",
              "memory_bytes",
              "precision",
              "collective",
              "bytes",
              "ranks",
              "peer",
              "stream"),
          entry("record_event", "event", "stream"),
          entry("wait_event", "event", "stream"),
          entry("synchronize_event", "event"),
          entry("host_work", "ns"),
          entry("load_batch", "loader"),
          entry("host_alloc", "id", "bytes"),
          entry("host_free", "id"),
          entry("host_use_stream", "id", "stream"));

  private static final byte[] END_MARK =
      ("{\"op\":\"" + JsonLinesFormat.END_MARK + "\"").getBytes(StandardCharsets.UTF_8);

  /** Differences of times stay within 64 bits. */
  private static final long MAX_NANOS = 1L << 62;

  private static final long MAX_WORK = 1L << 60;

  // What slow devices do in a nanosecond: bytes of a copy, operations and bytes of a kernel.
  private static final int COPY_SHIFT = 2;

  /** More ranks than any job has, and for each a power of two above the nanoseconds of a step. */
  private static final long MAX_RANKS = 1L << 20;

  private static final int STEP_SHIFT = 15;
  private static final int KERNEL_SHIFT = 8;

  // Bytes that something takes in memory, about.
  private static final int ROW_BYTES = 48;
  private static final int STACK_BYTES = 160;
  private static final int FRAME_BYTES = 20;
  private static final int TEXT_BYTES = 160;
  private static final int HOST_BUFFER_BYTES = 120;
  private static final int LOADER_BYTES = 80;
  private static final int WORK_BYTES = 100;

  private static final Precision[] PRECISIONS = Precision.values();
  private static final Work.Collective.Pattern[] PATTERNS = Work.Collective.Pattern.values();

  private final LineInput lines;
  private final JsonLine line;
  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();
  private final StackTable.Builder stacks = new StackTable.Builder();
  private final Map<Long, Integer> stackNumbers = new HashMap<>();

  /** Texts by themselves: a frame's file and function stand in many lines. */
  private final Map<String, String> texts = new HashMap<>();

  /** Latest allocations by the ids of the file, also freed ones: an anchor may be gone. */
  private final NumberedIds allocations = new NumberedIds();

  /** Live host buffers by the ids of the file. */
  private final Map<Long, Integer> hostBuffers = new HashMap<>();

  private long timeNanos;
  private final long[] latestNanos = new long[Byte.MAX_VALUE + 1];
  private long earlierTimes;
  private long requestedBytes;
  private long workNanos;
  private int device;
  private boolean mayBeRecorded;

  /** What the file holds beside its requests; null where nothing. */
  private @Nullable RecordingLines recording;

  private JsonLinesReader(LineInput lines) {
    this.lines = lines;
    line = new JsonLine(lines);
    stackNumbers.put(0L, StackTable.NONE);
    Arrays.fill(latestNanos, -MAX_NANOS);
  }

  private static Map.Entry<String, Set<String>> entry(String op, String... fields) {
    return Map.entry(op, Set.of(fields));
  }

  static Content read(Path file, Progress progress) throws TraceFormatException {
    try (LineInput lines = new LineInput(file, progress)) {
      return new JsonLinesReader(lines).read();
    }
  }

  private Content read() throws TraceFormatException {
    if (!lines.next()) {
      throw lines.failure("the file is empty", "write it again");
    }
    line.parse();
    line.allow(Set.of("allocsim", "version", JsonLinesFormat.PYTORCH, JsonLinesFormat.REFUSED));
    if (!"trace".equals(line.text("allocsim"))) {
      throw lines.failure("not an allocsim trace", REMEDY);
    }
    long version = line.number("version");
    if (version != JsonLinesFormat.VERSION && version != JsonLinesFormat.RECORDED_VERSION) {
      throw lines.failure(
          "version " + version + " of the format is unknown",
          "write version " + JsonLinesFormat.VERSION + ", or use a newer allocsim");
    }
    trace.ofPyTorch(flag(JsonLinesFormat.PYTORCH));
    if (line.has(JsonLinesFormat.REFUSED)) {
      long refused = line.number(JsonLinesFormat.REFUSED);
      if (refused < 0) {
        throw lines.failure("a size of " + refused + " bytes is negative", REMEDY);
      }
      trace.refuse(refused);
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
            notes()));
  }

  private List<String> notes() {
    return earlierTimes == 0
        ? List.of()
        : List.of(
            "%d %s an earlier time than the previous row on the same device; the file order is used"
                .formatted(earlierTimes, earlierTimes == 1 ? "row has" : "rows have"));
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
              "the requests do not match the recording in the same file",
              ("after changing requests, remove the lines from \"%s\" to \"%s\" and the end mark,"
                      + " and write version %s")
                  .formatted(RecordingLines.BEGIN, RecordingLines.END, JsonLinesFormat.VERSION));
        }
        while (lines.next()) {
          if (lines.length() > 0) {
            throw lines.failure("data after the end mark", "copy it again");
          }
        }
        return new Recorded(recording.snapshot(lines.finishDigest()), recording.device());
      }
      checksum.update(lines.bytes(), 0, lines.length());
      checksum.update('\n');
    }
    throw lines.failure("the end mark is missing, so the file is truncated", "copy it again");
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
          line.allow(Set.of("op", "pool", USE_ON_OOM, NO_SPLIT));
          trace.declarePool(line.pool("pool"), new PoolOptions(flag(USE_ON_OOM), flag(NO_SPLIT)));
        }
        case "loader" -> {
          lines.hold(LOADER_BYTES);
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

  /** A flag that is false if missing. */
  private boolean flag(String name) throws TraceFormatException {
    return line.has(name) && line.flag(name);
  }

  private void stack() throws TraceFormatException {
    line.allow(Set.of("op", "stack", "frames"));
    long number = line.number("stack");
    List<StackTable.Frame> frames = line.frames("frames");
    lines.hold(STACK_BYTES + (long) FRAME_BYTES * frames.size());
    int[] numbers = new int[frames.size()];
    for (int i = 0; i < numbers.length; i++) {
      StackTable.Frame frame = frames.get(i);
      numbers[i] = stacks.frame(text(frame.file()), frame.line(), text(frame.function()));
    }
    if (stackNumbers.putIfAbsent(number, stacks.stack(numbers)) != null) {
      throw lines.failure("stack " + number + " is a duplicate", REMEDY);
    }
  }

  /** The text as it stood in the file first. */
  private String text(String text) throws TraceFormatException {
    String known = texts.putIfAbsent(text, text);
    if (known != null) {
      return known;
    }
    lines.hold(TEXT_BYTES + text.length());
    return text;
  }

  private void request(String op) throws TraceFormatException {
    Set<String> fields = FIELDS.get(op);
    if (fields == null) {
      throw lines.failure("op \"" + op + "\" is unknown", REMEDY);
    }
    line.allowRequest(fields);
    lines.hold(ROW_BYTES);
    timeNanos = line.number("time_ns", timeNanos);
    if (timeNanos > MAX_NANOS || timeNanos < -MAX_NANOS) {
      throw lines.failure("time " + timeNanos + " ns is out of range", REMEDY);
    }
    long index = line.number("device", device);
    if (index < 0 || index > Byte.MAX_VALUE) {
      throw lines.failure("device index " + index + " is outside 0..127", REMEDY);
    }
    device = (int) index;
    long stackNumber = line.number("stack", 0);
    Integer stack = stackNumbers.get(stackNumber);
    if (stack == null) {
      throw lines.failure("stack " + stackNumber + " is not defined before this line", REMEDY);
    }
    if (timeNanos < latestNanos[device]) {
      earlierTimes++;
    }
    latestNanos[device] = timeNanos;
    trace.at(device, timeNanos, stack);
    switch (op) {
      case "alloc" -> {
        put(
            trace.allocate(
                bytes(), line.has("stream") ? line.stream("stream") : 0, line.pool("pool")));
      }
      case "free" -> {
        int allocation = take();
        if (line.has("stream")) {
          trace.free(allocation, line.stream("stream"));
        } else {
          trace.free(allocation);
        }
      }
      case "use_stream" -> {
        long rank = line.number("rank", 0);
        if (line.has("stream")) {
          trace.useStream(known(), line.stream("stream"), rank);
        } else {
          trace.useUnknownStream(known(), rank);
        }
      }
      case "use_complete" -> {
        if (line.has("stream")) {
          trace.useComplete(known(), line.stream("stream"));
        } else {
          trace.useComplete(known());
        }
      }
      case "synchronize" -> {
        if (line.has("stream")) {
          trace.synchronizeStream(line.stream("stream"));
        } else {
          trace.synchronize();
        }
      }
      case "empty_cache" -> {
        trace.emptyCache();
      }
      case "release_pool" -> {
        trace.releasePool(line.pool("pool"));
      }
      case "empty_pool" -> {
        trace.emptyPool(line.pool("pool"));
      }
      case "restore_block" -> restoreBlock();
      case "begin" -> {
        trace.markerBegin(text(line.text("name")));
      }
      case "end" -> {
        trace.markerEnd(text(line.text("name")));
      }
      case "snapshot" -> {
        trace.snapshot();
      }
      case "change_settings" -> {
        trace.changeSettings(text(line.text("settings")));
      }
      case "change_limit" -> {
        trace.changeLimit(line.number("bytes", -1));
      }
      default -> work(op);
    }
  }

  private void work(String op) throws TraceFormatException {
    switch (op) {
      case "launch" -> launch();
      case "record_event" -> {
        trace.recordEvent(intNumber("event"), line.stream("stream"));
      }
      case "wait_event" -> {
        trace.waitEvent(intNumber("event"), line.stream("stream"));
      }
      case "synchronize_event" -> {
        trace.synchronizeEvent(intNumber("event"));
      }
      case "host_work" -> {
        trace.hostWork(work(line.number("ns"), 0));
      }
      case "load_batch" -> {
        trace.loadBatch(intNumber("loader"));
      }
      case "host_alloc" -> {
        lines.hold(HOST_BUFFER_BYTES);
        if (hostBuffers.putIfAbsent(line.number("id"), trace.allocateHost(bytes())) != null) {
          throw lines.failure("host buffer " + line.number("id") + " is live", "free it first");
        }
      }
      case "host_free" -> {
        trace.freeHost(hostBuffer());
        hostBuffers.remove(line.number("id"));
      }
      case "host_use_stream" -> {
        trace.useHostOnStream(hostBuffer(), line.stream("stream"));
      }
      default -> throw lines.failure("op \"" + op + "\" is unknown", REMEDY);
    }
  }

  private void launch() throws TraceFormatException {
    int works = trace.workCount();
    Work work;
    if (line.has("ns")) {
      line.allowRequest(TIMED_FIELDS);
      work = new Work.Timed(work(line.number("ns"), 0));
    } else if (line.has("copy_bytes")) {
      line.allowRequest(COPY_FIELDS);
      work =
          new Work.Copy(
              work(line.number("copy_bytes"), COPY_SHIFT),
              oneOf("to", "host", "device") == 1,
              oneOf("host_memory", "pageable", "pinned") == 1);
    } else if (line.has("collective")) {
      line.allowRequest(COLLECTIVE_FIELDS);
      var pattern = PATTERNS[oneOf("collective", names(PATTERNS))];
      long bytes = work(bytes(), COPY_SHIFT);
      int ranks = ranks();
      work = new Work.Collective(pattern, bytes, ranks, peer(pattern, ranks));
    } else {
      line.allowRequest(KERNEL_FIELDS);
      work =
          new Work.Kernel(
              work(line.number("flops"), KERNEL_SHIFT),
              work(line.number("memory_bytes"), KERNEL_SHIFT),
              PRECISIONS[oneOf("precision", names(PRECISIONS))]);
    }
    trace.launch(work, line.has("stream") ? line.stream("stream") : 0);
    lines.hold((long) WORK_BYTES * (trace.workCount() - works));
  }

  /**
   * An amount of work.
   *
   * @param shift power of two of the amounts that a device does in a nanosecond
   */
  private long work(long amount, int shift) throws TraceFormatException {
    if (amount > MAX_WORK) {
      throw lines.failure(
          "work of " + amount + " nanoseconds, operations or bytes is implausibly large", REMEDY);
    }
    workNanos += Math.max(0, amount) >> shift;
    if (workNanos < 0) {
      throw lines.failure("the work up to here takes more than 2^63 nanoseconds", REMEDY);
    }
    return amount;
  }

  private int ranks() throws TraceFormatException {
    long ranks = line.number("ranks");
    if (ranks < 1 || ranks > MAX_RANKS) {
      throw lines.failure("field \"ranks\" is " + ranks, "write a number from 1 to " + MAX_RANKS);
    }
    return (int) (work(ranks << STEP_SHIFT, 0) >> STEP_SHIFT);
  }

  private int peer(Work.Collective.Pattern pattern, int ranks) throws TraceFormatException {
    if (!line.has("peer")) {
      return Work.Collective.EVERYONE;
    }
    long peer = line.number("peer");
    if (!pattern.isBetweenTwo() || peer < 0 || peer >= ranks) {
      throw lines.failure(
          "field \"peer\" is " + peer, "set it only for send and receive, to a number below ranks");
    }
    return (int) peer;
  }

  private static String[] names(Enum<?>[] values) {
    return Arrays.stream(values)
        .map(each -> each.name().toLowerCase(Locale.ROOT))
        .toArray(String[]::new);
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
    int anchor = AllocationTrace.NO_ALLOCATION;
    if (line.has("anchor")) {
      anchor = allocations.get(line.number("anchor"));
      if (anchor == NumberedIds.NONE) {
        throw lines.failure("the anchor was never allocated", REMEDY);
      }
    }
    long bytes = bytes();
    long offset = line.number("offset");
    if (Long.compareUnsigned(Math.abs(offset), Long.MAX_VALUE - bytes) > 0) {
      throw lines.failure(
          "%d bytes at offset %d extend beyond the last address".formatted(bytes, offset), REMEDY);
    }
    put(
        trace.restoreBlock(
            bytes,
            line.has("stream") ? line.stream("stream") : 0,
            line.pool("pool"),
            anchor,
            offset));
  }

  private long bytes() throws TraceFormatException {
    long bytes = line.number("bytes");
    if (bytes < 0) {
      throw lines.failure("a size of " + bytes + " bytes is negative", REMEDY);
    }
    requestedBytes += bytes;
    if (requestedBytes < 0) {
      throw lines.failure("the sizes up to here add up to more than 2^63 bytes", REMEDY);
    }
    return bytes;
  }

  private void put(int allocation) throws TraceFormatException {
    lines.hold(NumberedIds.BYTES);
    long id = line.number("id");
    if (trace.isLive(allocations.put(id, allocation))) {
      throw lines.failure("allocation " + id + " is already live", "free it first");
    }
  }

  private int take() throws TraceFormatException {
    long id = line.number("id");
    int allocation = allocations.get(id);
    if (!trace.isLive(allocation)) {
      throw lines.failure("allocation " + id + " is not live", "allocate it first");
    }
    return allocation;
  }

  /** The allocation with the id, which may have been freed. */
  private int known() throws TraceFormatException {
    long id = line.number("id");
    int allocation = allocations.get(id);
    if (allocation == NumberedIds.NONE) {
      throw lines.failure("allocation " + id + " was never created", "allocate it first");
    }
    return allocation;
  }
}
