package org.allocsim.workloads.format.stalloc;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.jspecify.annotations.Nullable;

/** Reads the format, strictly but for frees of memory that the file does not allocate. */
final class StAllocReader {
  private static final String REMEDY = "give a mem_log_dev<N>.txt as STAlloc writes it";
  private static final int FIELDS = 4;

  private final LineInput input;
  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();

  /** Bytes that an allocation, its entry in the map and its free take. */
  private static final int ALLOCATION_BYTES = 220;

  private static final int MARKER_BYTES = 200;

  private final Map<Long, Live> live = new HashMap<>();
  private final Deque<String> layers = new ArrayDeque<>();
  private final long[] fields = new long[FIELDS];
  private @Nullable String iteration;
  private @Nullable String microBatch;
  private boolean ended;
  private long calls;
  private long unknownFrees;
  private long skippedLines;

  private record Live(int allocation, long bytes) {}

  private StAllocReader(LineInput input) {
    this.input = input;
  }

  static TraceFile read(Path file, Progress progress) throws TraceFormatException {
    try (LineInput input = new LineInput(file, progress)) {
      return new StAllocReader(input).read();
    }
  }

  private TraceFile read() throws TraceFormatException {
    while (input.next()) {
      if (input.length() > 0) {
        line();
      }
    }
    endPhases();
    if (calls == 0) {
      throw new TraceFormatException(input.name(), "", "it has no allocations", REMEDY);
    }
    List<String> notes = new ArrayList<>();
    notes.add("the format has no times: calls are placed one microsecond apart");
    TraceFile.add(notes, unknownFrees, "frees without a matching allocation were omitted");
    TraceFile.add(
        notes, skippedLines, "lines after the last iteration are not calls and were omitted");
    String digest = input.finishDigest();
    return new TraceFile(
        input.name(),
        digest,
        StAllocFormat.ID,
        trace.build(new StackTable.Builder().build()),
        notes);
  }

  private void line() throws TraceFormatException {
    byte first = input.bytes()[0];
    if ((first == '0' || first == '1') && input.length() > 1 && input.bytes()[1] == ' ') {
      trace.at(0, calls++ * 1_000, 0);
      fields();
      try {
        if (first == '1') {
          allocate(fields[1], fields[2], fields[3]);
        } else {
          free(fields[1], fields[2], fields[3]);
        }
      } catch (IllegalArgumentException e) {
        throw input.failure(e.getMessage(), REMEDY);
      }
    } else {
      marker(input.text().strip());
    }
  }

  private void allocate(long pointer, long bytes, long stream) throws TraceFormatException {
    input.hold(ALLOCATION_BYTES);
    if (pointer == 0) {
      if (bytes != 0) {
        throw input.failure("an allocation of " + bytes + " bytes has no pointer", REMEDY);
      }
      trace.allocate(0, stream, PoolId.DEFAULT);
      return;
    }
    Live allocated = new Live(trace.allocate(bytes, stream, PoolId.DEFAULT), bytes);
    if (live.put(pointer, allocated) != null) {
      throw input.failure("0x" + Long.toHexString(pointer) + " is allocated twice", REMEDY);
    }
  }

  private void free(long pointer, long bytes, long stream) throws TraceFormatException {
    if (pointer == 0) {
      return;
    }
    Live freed = live.remove(pointer);
    if (freed == null) {
      unknownFrees++;
      return;
    }
    if (freed.bytes() != bytes) {
      throw input.failure(
          "a free of %d bytes does not match the allocation of %d bytes"
              .formatted(bytes, freed.bytes()),
          REMEDY);
    }
    trace.free(freed.allocation(), stream);
  }

  private void marker(String line) throws TraceFormatException {
    input.hold(MARKER_BYTES + line.length());
    if (line.startsWith(StAllocFormat.ITERATION)) {
      endPhases();
      ended = line.substring(StAllocFormat.ITERATION.length()).equals(StAllocFormat.END);
      if (!ended) {
        iteration = line;
        trace.markerBegin(line);
      }
    } else if (line.startsWith(StAllocFormat.MICRO_BATCH)) {
      endMicroBatch();
      microBatch = line;
      trace.markerBegin(line);
    } else if (line.contains(StAllocFormat.LAYER) && line.endsWith("-start")) {
      layers.push(line.substring(0, line.length() - "-start".length()));
      trace.markerBegin(layers.peek());
    } else if (line.contains(StAllocFormat.LAYER) && line.endsWith("-end")) {
      String name = line.substring(0, line.length() - "-end".length());
      if (!layers.removeFirstOccurrence(name)) {
        throw input.failure("a layer ends without a start", REMEDY);
      }
      trace.markerEnd(name);
    } else if (ended) {
      skippedLines++;
    } else {
      throw input.failure("the line is neither a call nor a marker", REMEDY);
    }
  }

  private void endMicroBatch() {
    if (microBatch != null) {
      trace.markerEnd(microBatch);
      microBatch = null;
    }
  }

  private void endPhases() {
    endMicroBatch();
    if (iteration != null) {
      trace.markerEnd(iteration);
      iteration = null;
    }
  }

  /** Splits a call into its numbers. */
  private void fields() throws TraceFormatException {
    byte[] bytes = input.bytes();
    int at = 0;
    for (int field = 0; field < FIELDS; field++) {
      int end = at;
      while (end < input.length() && bytes[end] != ' ') {
        end++;
      }
      fields[field] = number(bytes, at, end);
      at = end + 1;
      if (end == input.length() && field + 1 < FIELDS) {
        throw input.failure("the call has fewer than four fields", REMEDY);
      }
    }
    if (at <= input.length()) {
      throw input.failure("the call has more than four fields", REMEDY);
    }
  }

  private long number(byte[] bytes, int from, int to) throws TraceFormatException {
    boolean hexadecimal = to - from > 2 && bytes[from] == '0' && bytes[from + 1] == 'x';
    int at = hexadecimal ? from + 2 : from;
    if (at == to || to - at > (hexadecimal ? 16 : 18)) {
      throw input.failure("a field is empty or has too many digits", REMEDY);
    }
    long value = 0;
    for (; at < to; at++) {
      int digit = Character.digit(bytes[at], hexadecimal ? 16 : 10);
      if (digit < 0) {
        throw input.failure("a field is not a number", REMEDY);
      }
      value = hexadecimal ? value << 4 | digit : value * 10 + digit;
    }
    return value;
  }
}
