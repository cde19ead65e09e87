package org.allocsim.workloads.format.bfclog;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a program wrote with {@code TF_CPP_VMODULE=bfc_allocator=5} (JAX 0.11.2, XLA 2026;
 * level 4 is enough): requests, their places, regions, frees and merges of every BFC allocator.
 *
 * <p>Two threads write at once. A request has its place in the order where the log says what it
 * returns, a free where the log says that it merged or shows the picture after it; see {@link
 * PoolLog} for a free without either. Lines that are cut are made up for by the other lines about
 * the same request or free.
 */
public final class BfcLogReader {
  private static final Pattern REQUEST =
      Pattern.compile("AllocateRaw (\\S+) (\\d{1,18}) alignment=\\d+.*");
  private static final Pattern SERVED = Pattern.compile("AllocateRaw (\\S+)  (\\d{1,18}) (\\S+).*");
  private static final Pattern SERVED_AGAIN =
      Pattern.compile("\\[mem-debug\\] AllocateRaw,([^,\\s]+),(\\d{1,18}),([^,\\s]+).*");
  private static final Pattern FREE =
      Pattern.compile("\\[mem-debug\\] DeallocateRaw,([^,\\s]+),(\\d{1,18}),([^,\\s]+).*");
  private static final Pattern RETURNING = Pattern.compile("Returning: (\\S+)");
  private static final Pattern REGION =
      Pattern.compile("Allocated memory at (0x[0-9a-f]{1,16}) to (0x[0-9a-f]{1,16})");
  private static final Pattern PEAK =
      Pattern.compile("New Peak memory usage of (\\d{1,18}) bytes for (\\S+)");
  private static final Pattern MERGED_NEXT =
      Pattern.compile("Merging c->next (0x[0-9a-f]{1,16}) with c (0x[0-9a-f]{1,16})");
  private static final Pattern MERGED_PREVIOUS =
      Pattern.compile("Merging c (0x[0-9a-f]{1,16}) into c->prev (0x[0-9a-f]{1,16})");
  private static final Pattern PICTURE = Pattern.compile("([AF]): ([x*_]{100})");
  private static final Pattern ADDRESS = Pattern.compile("0x[0-9a-f]{1,16}");
  private static final Pattern DEVICE_NAME = Pattern.compile("GPU_(\\d{1,2})_bfc");

  /** More allocators than any program has; a damaged log may hold any number of names. */
  private static final int MAX_POOLS = 127;

  private static final int MAX_WRITERS = 10_000;

  /** What a thread wrote last. */
  private static final class Writer {
    @Nullable PoolLog asking;
    long askedBytes;
    BfcEffect.@Nullable Region region;
    long peakBytes = -1;
    @Nullable PoolLog servedPool;
    long servedAddress;
    int servedEffect = -1;
    PoolLog.@Nullable Freeing freeing;
  }

  /** Bytes that an allocation or free takes in the trace, and while it is followed. */
  private static final int ROW_BYTES = 300;

  /** As {@link #ROW_BYTES}, where effects are kept. */
  private static final int EFFECT_BYTES = 600;

  private final LineInput input;
  private final boolean keepsEffects;
  private final Map<String, PoolLog> pools = new LinkedHashMap<>();
  private final Map<Long, Writer> writers = new HashMap<>();
  private long firstTimeNanos = LogMessages.UNKNOWN_TIME;
  private long timeNanos;
  private long freeLines;
  private long servedLate;

  private BfcLogReader(LineInput input, boolean keepsEffects) {
    this.input = input;
    this.keepsEffects = keepsEffects;
  }

  /**
   * Reads a log.
   *
   * @param keepsEffects whether the effects are kept, for comparison; some hundred bytes each
   * @throws TraceFormatException where it cannot be read or holds no request
   */
  public static BfcLog read(Path file, boolean keepsEffects, Progress progress)
      throws TraceFormatException {
    try (LineInput input = new LineInput(file, progress)) {
      BfcLogReader reader = new BfcLogReader(input, keepsEffects);
      LogMessages messages = new LogMessages();
      while (input.next()) {
        reader.line(messages);
      }
      return reader.finish();
    }
  }

  private void line(LogMessages messages) throws TraceFormatException {
    TraceFormatException[] refused = {null};
    messages.cut(
        input.text(),
        (time, thread, text) -> {
          try {
            message(time, thread, text);
          } catch (TraceFormatException e) {
            refused[0] = e;
          }
        });
    if (refused[0] != null) {
      throw refused[0];
    }
  }

  private void message(long time, long thread, String text) throws TraceFormatException {
    if (time != LogMessages.UNKNOWN_TIME) {
      firstTimeNanos = firstTimeNanos == LogMessages.UNKNOWN_TIME ? time : firstTimeNanos;
      timeNanos = Math.max(timeNanos, time - firstTimeNanos);
    } else if (!text.contains("llocateRaw")) {
      // Without a prefix it is no message of the allocator but a stack, or what others print.
      return;
    }
    Writer writer = writers.computeIfAbsent(thread, any -> new Writer());
    if (writers.size() > MAX_WRITERS) {
      throw input.failure(
          "it contains more than " + MAX_WRITERS + " threads", "give the log of one program");
    }
    Matcher next;
    if (text.startsWith("Merging") && (next = MERGED_NEXT.matcher(text)).matches()) {
      merged(writer, address(next, 2), address(next, 2), address(next, 1));
      return;
    }
    if (text.startsWith("Merging") && (next = MERGED_PREVIOUS.matcher(text)).matches()) {
      merged(writer, address(next, 1), address(next, 2), address(next, 1));
      return;
    }
    if (text.startsWith("F: ") && (next = PICTURE.matcher(text)).matches()) {
      finishFree(writer);
      if (writer.freeing != null) {
        writer.freeing.pool.picture(writer.freeing, next.group(2));
      }
      return;
    }
    if (thread != LogMessages.UNKNOWN_THREAD) {
      // The thread goes on, so that its free is done.
      finishFree(writer);
      writer.freeing = null;
    }
    other(writer, thread, text);
  }

  private void other(Writer writer, long thread, String text) throws TraceFormatException {
    Matcher matcher;
    if (text.startsWith("AllocateRaw ")) {
      if ((matcher = REQUEST.matcher(text)).matches()) {
        writer.asking = pool(matcher.group(1));
        writer.askedBytes = Long.parseLong(matcher.group(2));
        writer.region = null;
        writer.peakBytes = -1;
        writer.servedPool = null;
      } else if ((matcher = SERVED.matcher(text)).matches()) {
        served(writer, matcher);
      }
    } else if (text.startsWith("[mem-debug] A")
        && (matcher = SERVED_AGAIN.matcher(text)).matches()) {
      served(writer, matcher);
      writer.servedPool = null;
    } else if (text.startsWith("[mem-debug] D") && (matcher = FREE.matcher(text)).matches()) {
      freed(writer, matcher);
    } else if (text.startsWith("DeallocateRaw ")) {
      freeLines++;
    } else if ((matcher = REGION.matcher(text)).matches()) {
      long start = address(matcher, 1);
      writer.region = new BfcEffect.Region(input.number(), start, address(matcher, 2) - start);
    } else if ((matcher = PEAK.matcher(text)).matches()) {
      writer.peakBytes = Long.parseLong(matcher.group(1));
    } else if ((matcher = RETURNING.matcher(text)).matches()) {
      if (thread != LogMessages.UNKNOWN_THREAD && writer.asking != null) {
        serve(writer, writer.asking, writer.askedBytes, place(matcher.group(1)));
      }
    } else if (text.startsWith("A: ")
        && (matcher = PICTURE.matcher(text)).matches()
        && writer.servedPool != null) {
      writer.servedPool.picture(writer.servedEffect, matcher.group(2));
    }
  }

  /** A line names request and place: new where the line about the return is missing. */
  private void served(Writer writer, Matcher matcher) throws TraceFormatException {
    PoolLog pool = pool(matcher.group(1));
    long address = place(matcher.group(3));
    if (writer.servedPool == pool && writer.servedAddress == address) {
      return;
    }
    if (address != 0) {
      servedLate++;
    }
    serve(writer, pool, Long.parseLong(matcher.group(2)), address);
  }

  private void serve(Writer writer, PoolLog pool, long bytes, long address)
      throws TraceFormatException {
    input.hold(keepsEffects ? EFFECT_BYTES : ROW_BYTES);
    int effect = pool.allocated(timeNanos, input.number(), bytes, address, writer.region);
    if (writer.peakBytes >= 0) {
      pool.peak(effect, writer.peakBytes);
    }
    writer.asking = null;
    writer.region = null;
    writer.peakBytes = -1;
    writer.servedPool = pool;
    writer.servedAddress = address;
    writer.servedEffect = effect;
  }

  private void freed(Writer writer, Matcher matcher) throws TraceFormatException {
    PoolLog pool = pool(matcher.group(1));
    long address = place(matcher.group(3));
    if (address != 0) {
      input.hold(keepsEffects ? EFFECT_BYTES : ROW_BYTES);
      finishFree(writer);
      writer.freeing = pool.freeing(timeNanos, input.number(), address);
    }
  }

  private void finishFree(Writer writer) {
    if (writer.freeing != null) {
      writer.freeing.pool.finish(writer.freeing, timeNanos, input.number());
    }
  }

  /** A chunk that was freed merged with a neighbour. */
  private void merged(Writer writer, long freedAddress, long lower, long upper) {
    if (writer.freeing == null || writer.freeing.address != freedAddress) {
      // The line about the free itself is cut.
      finishFree(writer);
      writer.freeing = null;
      for (PoolLog pool : pools.values()) {
        if (pool.isLive(freedAddress)) {
          writer.freeing = pool.freeing(timeNanos, input.number(), freedAddress);
        }
      }
    }
    if (writer.freeing != null) {
      writer.freeing.pool.merged(
          writer.freeing, timeNanos, input.number(), new BfcEffect.Merge(lower, upper));
    }
  }

  private PoolLog pool(String name) throws TraceFormatException {
    PoolLog pool = pools.get(name);
    if (pool == null) {
      if (pools.size() == MAX_POOLS) {
        throw input.failure(
            "it contains more than " + MAX_POOLS + " allocators", "give the log of one program");
      }
      pool = new PoolLog(name, keepsEffects);
      pools.put(name, pool);
    }
    return pool;
  }

  /** An address as it is printed, 0 for all that stands for none. */
  private static long place(String text) {
    return ADDRESS.matcher(text).matches() ? Long.parseUnsignedLong(text.substring(2), 16) : 0;
  }

  private static long address(Matcher matcher, int group) {
    return place(matcher.group(group));
  }

  private BfcLog finish() throws TraceFormatException {
    String sha256 = input.finishDigest();
    List<PoolLog> asked = pools.values().stream().filter(pool -> pool.requests() > 0).toList();
    if (asked.isEmpty()) {
      throw new TraceFormatException(
          input.name(),
          "",
          "it contains no requests to a BFC allocator",
          "record with TF_CPP_MAX_VLOG_LEVEL=0 TF_CPP_VMODULE=bfc_allocator=5");
    }
    List<String> notes = new ArrayList<>();
    AllocationTrace.Builder trace = new AllocationTrace.Builder().ofPyTorch(false);
    List<BfcPool> read = new ArrayList<>();
    int freed = 0;
    for (PoolLog pool : devices(asked)) {
      pool.end();
      int device = read.size();
      notes.add("device %d of the trace is the allocator %s".formatted(device, pool.name()));
      note(notes, pool);
      freed += append(trace, device, pool);
      read.add(new BfcPool(pool.name(), device, pool.effects()));
    }
    if (freed == 0 && freeLines > 0) {
      throw new TraceFormatException(
          input.name(),
          "",
          "it has no addresses of frees",
          "record it at level 4 or more: TF_CPP_VMODULE=bfc_allocator=5");
    }
    count(
        notes,
        servedLate,
        "requests without a complete result line, placed where a later line mentions them");
    return new BfcLog(sha256, trace.build(new StackTable.Builder().build()), read, notes);
  }

  /** The pools of GPUs by their numbers, then the others by their first request. */
  private static List<PoolLog> devices(List<PoolLog> asked) {
    List<PoolLog> sorted = new ArrayList<>(asked);
    sorted.sort((a, b) -> Integer.compare(rank(a.name()), rank(b.name())));
    return sorted;
  }

  private static int rank(String name) {
    Matcher gpu = DEVICE_NAME.matcher(name);
    return gpu.matches() ? Integer.parseInt(gpu.group(1)) : Integer.MAX_VALUE;
  }

  private static void note(List<String> notes, PoolLog pool) {
    String name = pool.name();
    count(notes, pool.failed(), "requests to " + name + " that failed");
    count(
        notes,
        pool.moved(),
        "frees to " + name + " placed after a request that cannot have come after them");
    count(
        notes,
        pool.implied(),
        "frees to " + name + " missing from the log, inserted where their memory is reused");
    count(notes, pool.unknown(), "frees to " + name + " omitted, of memory from before the log");
    if (!pool.isFollowed()) {
      notes.add(
          "the log of "
              + name
              + " does not show all chunks (it is truncated or begins late): frees from another"
              + " thread may appear a few requests too early");
    }
  }

  private static void count(List<String> notes, long count, String what) {
    if (count > 0) {
      notes.add(what + ": " + count);
    }
  }

  /** Appends a pool's rows; answers how many of them free something. */
  private static int append(AllocationTrace.Builder trace, int device, PoolLog pool) {
    AllocationTrace rows = pool.rows().build(new StackTable.Builder().build());
    int[] ids = new int[rows.allocationCount()];
    int frees = 0;
    for (int row = 0; row < rows.eventCount(); row++) {
      trace.at(device, rows.timeNanos(row), 0);
      int allocation = rows.allocation(row);
      switch (rows.kind(row)) {
        case ALLOCATE -> ids[allocation] = trace.allocate(rows.bytes(row), 0, PoolId.DEFAULT);
        case FREE -> {
          trace.free(ids[allocation]);
          frees++;
        }
        default -> throw new IllegalStateException("a pool has only requests and frees");
      }
    }
    return frees;
  }
}
