package org.allocsim.analysis.oom;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Puts the messages of one writer of a log together from the lines it wrote, without white space,
 * and cuts them where the next message begins. Holds a few thousand characters at most, beside the
 * line being added.
 */
final class OomAssembly {
  /** Longest message, without white space: room for about a hundred processes. */
  private static final int MAX_CHARS = 8192;

  /** Lines after which a message that nothing else ends counts as complete. */
  private static final int MAX_LINES = 60;

  /** Two phrases this close together open one message. */
  private static final int SAME_MESSAGE_CHARS = 120;

  /** Text kept in front of a phrase that may still come: its own first part. */
  private static final int TAIL_CHARS = 96;

  /** Phrases that open a message, in the order in which they may stand in one. */
  static final List<String> OPENINGS =
      List.of(
          "Free memory on device",
          "free memory on device",
          "KV cache is needed",
          "maximum number of tokens that can be stored in KV cache",
          "No available memory for the cache blocks",
          "Cannot auto-fit max_model_len",
          "Not enough memory",
          "leave no GPU memory for the KV cache",
          "to fit in any sequence in kvCache",
          "The memory capacity is unbalanced",
          "java.lang.OutOfMemoryError",
          "std::bad_alloc",
          "RMM failure at",
          "Maximum pool size exceeded",
          "[FAILURE maximum pool size exceeded",
          "Out of GPU memory",
          "TotalUsedMemStatistics",
          "due to insufficient GPU memory",
          "rtMalloc fail",
          "CUDA memory with byte size",
          "Requested buffer size exceeds device",
          "Bytes of memory on device",
          "CallbackErrorOutOfMemory",
          "bytes from HOST memory",
          "allocate [HOST] memory",
          "failed to allocate GPU or CPU memory",
          "CUFFT_ALLOC_FAILED",
          "unable to allocate shared memory(shm)",
          "Error while creating shared memory segment",
          "No space left on device: /dev/shm",
          "/dev/shm or /tmp mount likely just ran out of space",
          "Available memory of",
          "oom-kill",
          "oom_kill",
          "OOMKilled",
          "cgroup out-of-memory",
          "killed due to the node running low on memory",
          "killed due to memory pressure",
          "NVML_SUCCESS == r INTERNAL ASSERT FAILED",
          "out of shared memory",
          "insufficient shared memory",
          "requires more system memory",
          "exceeded memory limit",
          "Exceeded step memory limit",
          "Exceeded job memory limit",
          "exceeding memory limits",
          "TERM_MEMLIMIT",
          "memory budget. Restarting",
          "WinError 1455",
          "os error 1455",
          "paging file is too small",
          "(-4:Insufficient memory)",
          "is killed by signal: Killed",
          "pinned host memory",
          "of pinned memory",
          "cudaHostAlloc",
          "cudaMallocHost",
          "allocate CUDA_Host buffer",
          "allocate CPU buffer",
          "ggml_aligned_malloc",
          "ggml_backend_cpu_buffer_type_alloc_buffer",
          "memory allocation of",
          "bytes on host: CUDA_ERROR_OUT_OF_MEMORY",
          "Cannot allocate memory",
          "ArrayMemoryError",
          "_exceptions.MemoryError",
          "Unable to allocate",
          "DefaultCPUAllocator",
          "OOM when allocating",
          "CUBLAS_STATUS_ALLOC_FAILED",
          "CUDNN_STATUS_ALLOC_FAILED",
          "enforce allocating <= available failed",
          ": Out Of Memory",
          "OutOfMemory (Requested size was",
          "cuMemAllocAsync failed to allocate",
          "requested buffer of size",
          "Requested amount of GPU memory",
          "Requested amount of memory",
          "bytes) from device",
          "Failed to allocate request for",
          "Allocation on device",
          "ERROR_OUT_OF_MEMORY",
          "ERROR_OutOfMemory",
          "OUT_OF_DEVICE_MEMORY",
          "OutOfDeviceMemory",
          "OUT_OF_HOST_MEMORY",
          "Out of memory",
          "out of memory",
          "preemptively rejected",
          "Attempting to reserve",
          "Attempting to allocate",
          "Tried to allocate",
          "tried to allocate",
          "total capac");

  /** The phrases as {@link CompactText} leaves them. */
  static final List<String> PHRASES =
      OPENINGS.stream().map(phrase -> phrase.replace(" ", "")).toList();

  /** The last phrase opens a message that lost its first half, or lies in another one. */
  private static final int FIELD = PHRASES.size() - 1;

  /** Words in front of a phrase that belong to its message. */
  private static final Pattern LEAD =
      Pattern.compile(
          "(?:(?:CUDA|HIP|XPU|NPU|MPSbackend|runtime:|JavaScriptheap)(?:error:)?"
              + "|allocating[\\d.]{1,16}MiBondevice\\d{1,4}:cudaMallocfailed:"
              + "|(?:[GN]PU\\d{1,6}hasa|\\([GN]PU\\d{1,6};[\\d.]{1,12}[KMGT]iB)"
              + "|[\\d.]{1,12}GiB|cantallocate\\d{1,20}|instanceof|tasks?[\\d,-]{1,40}|DataLoaderworker\\(pid\\d{1,9}\\)|failedtoalloc(?:ate)?[\\d.]{1,20}(?:[KMG]i?B)?"
              + "|failedtoallocate[\\d.]{1,20}[KMGT]?(?:i?B)?\\(\\d{1,20})$");

  private static final String WORRY = "running";

  /** Receives messages. */
  interface Sink {
    /** Takes a message without white space and the number of the line it began in. */
    void message(String text, long line);
  }

  private record Phrase(int offset, int kind) {}

  /** From {@code offset} on the text is of this line. */
  private record LineStart(int offset, long line) {}

  private final Sink sink;
  private final StringBuilder text = new StringBuilder();
  private final List<LineStart> starts = new ArrayList<>();
  private final List<Phrase> phrases = new ArrayList<>();

  /** Phrases that begin and end before this offset are known. */
  private int searched;

  private int linesSinceOpened;

  OomAssembly(Sink sink) {
    this.sink = sink;
  }

  /** Adds a line, or a piece of one. Returns whether a message is open and wants more lines. */
  boolean append(String content, long line) {
    starts.add(new LineStart(text.length(), line));
    CompactText.append(content, text);
    linesSinceOpened++;
    return cut(false);
  }

  /** The writer wrote its last line. */
  void end() {
    cut(true);
  }

  private boolean cut(boolean atEnd) {
    List<Integer> openings = openings();
    int done = 0;
    boolean open = false;
    for (int i = 0; i < openings.size(); i++) {
      int from = openings.get(i);
      int to = i + 1 < openings.size() ? openings.get(i + 1) : text.length();
      boolean last = i + 1 == openings.size();
      boolean complete =
          !last || atEnd || to - from >= MAX_CHARS || from == 0 && linesSinceOpened > MAX_LINES;
      if (complete) {
        int end = Math.min(to, from + MAX_CHARS);
        sink.message(text.substring(from, end), lineAt(from));
        done = to;
      } else {
        if (from > 0) {
          linesSinceOpened = 0;
        }
        done = from;
        open = true;
      }
    }
    if (!open) {
      linesSinceOpened = 0;
    }
    drop(open || atEnd ? done : Math.max(done, text.length() - TAIL_CHARS));
    return open;
  }

  /** Finds the phrases in the text that was added since the last call. */
  private void findPhrases() {
    int known = phrases.size();
    for (int kind = 0; kind < PHRASES.size(); kind++) {
      String phrase = PHRASES.get(kind);
      int from = Math.max(0, searched - phrase.length() + 1);
      for (int at = text.indexOf(phrase, from); at >= 0; at = text.indexOf(phrase, at + 1)) {
        if (!isWorry(at)) {
          phrases.add(new Phrase(at, kind));
        }
      }
    }
    searched = text.length();
    if (phrases.size() > known) {
      phrases.sort(Comparator.comparingInt(Phrase::offset));
    }
  }

  /** "If you are running out of memory" is advice, and no failure. */
  private boolean isWorry(int offset) {
    int from = offset - WORRY.length();
    return from >= 0 && text.indexOf(WORRY + "outofmemory", from) == from;
  }

  /** Where messages begin. */
  private List<Integer> openings() {
    findPhrases();
    List<Integer> openings = new ArrayList<>();
    Phrase previous = null;
    boolean hasField = false;
    for (Phrase phrase : phrases) {
      boolean sameMessage =
          previous != null
              && (phrase.kind == FIELD
                  ? !hasField
                  : phrase.kind > previous.kind
                      && phrase.offset - previous.offset <= SAME_MESSAGE_CHARS);
      if (!sameMessage) {
        openings.add(withLead(phrase.offset));
      }
      hasField = phrase.kind == FIELD || sameMessage && hasField;
      previous = phrase;
    }
    return openings;
  }

  private int withLead(int offset) {
    Matcher lead = LEAD.matcher(text).region(Math.max(0, offset - TAIL_CHARS), offset);
    return lead.find() ? lead.start() : offset;
  }

  private long lineAt(int offset) {
    int index =
        Collections.binarySearch(
            starts, new LineStart(offset, 0), (a, b) -> Integer.compare(a.offset, b.offset));
    if (index < 0) {
      return starts.get(Math.max(0, -index - 2)).line;
    }
    // Lines that left no characters share their offset with the next one.
    while (index + 1 < starts.size() && starts.get(index + 1).offset == offset) {
      index++;
    }
    return starts.get(index).line;
  }

  private void drop(int count) {
    if (count <= 0) {
      return;
    }
    text.delete(0, count);
    List<LineStart> kept = new ArrayList<>();
    for (LineStart start : starts) {
      if (start.offset <= count) {
        if (!kept.isEmpty()) {
          kept.removeLast();
        }
        kept.add(new LineStart(0, start.line));
      } else {
        kept.add(new LineStart(start.offset - count, start.line));
      }
    }
    starts.clear();
    starts.addAll(kept);
    phrases.removeIf(phrase -> phrase.offset < count);
    phrases.replaceAll(phrase -> new Phrase(phrase.offset - count, phrase.kind));
    searched = Math.max(0, searched - count);
  }
}
