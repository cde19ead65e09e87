package org.allocsim.analysis.oom;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the dumps that BFC allocators print when a request fails, in the words of TensorFlow 0.7 to
 * 2.x and XLA of 2026: line by line, whatever stands before the words, in constant memory.
 */
final class BfcDumpReader {
  /** Dumps that are kept; more are counted. */
  public static final int MAX_DUMPS = 1000;

  private static final int BINS = 21;

  private static final Pattern FAILED =
      Pattern.compile(
          "(?:Allocator \\(([^)\\s]{1,100})\\) )?[Rr]an out of memory trying to allocate"
              + " (\\d{1,20}(?:\\.\\d{1,9})?)([KMGT]iB|B)(?: \\(rounded to (\\d{1,18})\\))?");
  private static final Pattern NAME = Pattern.compile("BFCAllocator dump for ([\\w.:/-]{1,100})");
  private static final Pattern BIN = Pattern.compile("Bin \\((\\d{1,18})\\):\\s+Total Chunks:");
  private static final Pattern WANTED_BIN =
      Pattern.compile("Bin for (\\d{1,20}(?:\\.\\d{1,9})?)([KMGT]iB|B) was ");
  private static final Pattern CHUNK =
      Pattern.compile("(InUse|Chunk|Free) {1,2}at (?:0x)?[0-9a-fA-F]{1,16} of size (\\d{1,18})");
  private static final Pattern LIMIT = Pattern.compile("^\\s*Limit:\\s+(\\d{1,18})\\b");
  private static final Pattern IN_USE = Pattern.compile("^\\s*InUse:\\s+(\\d{1,18})\\b");
  private static final Pattern REGIONS =
      Pattern.compile("total_region_allocated_bytes_: (\\d{1,18})");
  private static final Pattern TENSOR =
      Pattern.compile("OOM when allocating tensor with shape\\[([\\d,]{1,200})\\] and type (\\w+)");
  private static final Pattern END = Pattern.compile("^\\s*MaxAllocSize:\\s+\\d");

  private final List<BfcDump> dumps = new ArrayList<>();
  private boolean open;
  private boolean hasContent;
  private long line;
  private String allocator = "";
  private @Nullable ByteRange request;
  private boolean isRounded;
  private long limitBytes;
  private boolean awaitsLimit;
  private int regions;
  private long largestFreeBytes;

  /** From the statistics of the pool; 0 where they are not printed. */
  private long inUseBytes;

  /** Bytes of all regions, −1 where they are not printed. */
  private long regionBytes;

  private final long[] usedChunks = new long[BINS];
  private final long[] usedBytes = new long[BINS];
  private final long[] freeChunks = new long[BINS];
  private final long[] freeBytes = new long[BINS];

  /** The next line of the log. */
  void line(String text, long number) {
    if (text.contains("an out of memory trying")) {
      failed(text, number);
    } else if (text.contains("BFCAllocator dump for")) {
      named(text, number);
    } else if (text.contains(" of size ")) {
      sized(text, number);
    } else if (text.contains("Bin (") || text.contains("Bin for ")) {
      bin(text, number);
    } else if (text.contains("OOM when allocating tensor")) {
      tensor(text);
    } else if (open || text.contains("bfc_allocator") && text.contains("Stats:")) {
      begin(number);
      stats(text);
    } else if (text.contains("total_region_allocated_bytes_")) {
      begin(number);
      regionBytes = number(REGIONS, text, -1);
    }
  }

  private void failed(String text, long number) {
    Matcher matcher = FAILED.matcher(text);
    if (!matcher.find()) {
      return;
    }
    if (open && (!hasContent || isRounded || text.contains("ummary follows"))) {
      close();
    }
    begin(number);
    if (matcher.group(1) != null) {
      allocator = matcher.group(1);
    }
    request =
        matcher.group(4) != null
            ? PrintedSize.of(matcher.group(4), "bytes").bytes()
            : printed(matcher.group(2), matcher.group(3));
    isRounded = true;
    if (hasContent) {
      // TensorFlow 1.x and before print the reason after the chunks.
      close();
    }
  }

  /** A size with a unit; the request was rounded up, by less than 256 bytes. */
  private static ByteRange printed(String number, String unit) {
    ByteRange range = PrintedSize.of(number, unit.equals("B") ? "bytes" : unit).bytes();
    return new ByteRange(range.low(), range.value(), range.high() + 255);
  }

  private void named(String text, long number) {
    Matcher matcher = NAME.matcher(text);
    if (matcher.find()) {
      if (hasContent) {
        close();
      }
      begin(number);
      allocator = matcher.group(1);
    }
  }

  private void bin(String text, long number) {
    Matcher matcher = BIN.matcher(text);
    if (matcher.find()) {
      if (hasContent && chunks() > 0) {
        close();
      }
      begin(number);
      hasContent = true;
      return;
    }
    matcher = WANTED_BIN.matcher(text);
    if (open && request == null && matcher.find()) {
      request = printed(matcher.group(1), matcher.group(2));
    }
  }

  private void sized(String text, long number) {
    if (open && text.contains("Next region of size ")) {
      regions++;
      return;
    }
    Matcher matcher = CHUNK.matcher(text);
    if (!matcher.find()) {
      return;
    }
    begin(number);
    hasContent = true;
    long bytes = Long.parseLong(matcher.group(2));
    int bin = Math.max(0, Math.min(BINS - 1, 63 - Long.numberOfLeadingZeros(bytes | 1) - 8));
    if (matcher.group(1).equals("Free")) {
      freeChunks[bin]++;
      freeBytes[bin] += bytes;
      largestFreeBytes = Math.max(largestFreeBytes, bytes);
    } else {
      usedChunks[bin]++;
      usedBytes[bin] += bytes;
    }
  }

  private void stats(String text) {
    if (text.contains("Stats:")) {
      awaitsLimit = true;
    }
    int words = text.indexOf("Limit:");
    Matcher limit = LIMIT.matcher(words < 0 ? text : text.substring(words));
    if (awaitsLimit && limit.find()) {
      limitBytes = Long.parseLong(limit.group(1));
    }
    if (awaitsLimit) {
      inUseBytes = number(IN_USE, text, inUseBytes);
      hasContent |= inUseBytes > 0;
    }
    if (text.contains("total_region_allocated_bytes_")) {
      regionBytes = number(REGIONS, text, -1);
    }
    if (awaitsLimit && isRounded && END.matcher(text).find()) {
      close();
    }
  }

  private static long number(Pattern pattern, String text, long otherwise) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : otherwise;
  }

  /** The operation that failed names the tensor, from which the request follows. */
  private void tensor(String text) {
    Matcher matcher = TENSOR.matcher(text);
    if (!open || request != null || text.contains("by allocator cpu") || !matcher.find()) {
      return;
    }
    double bytes =
        switch (matcher.group(2)) {
          case "bool", "int8", "uint8", "qint8", "quint8" -> 1;
          case "half", "bfloat16", "int16", "uint16" -> 2;
          case "float", "int32", "uint32" -> 4;
          case "double", "int64", "uint64", "complex64" -> 8;
          case "complex128" -> 16;
          default -> Double.NaN;
        };
    for (String size : matcher.group(1).split(",", -1)) {
      bytes *= Double.parseDouble(size);
    }
    if (bytes > 0) {
      request = new ByteRange(bytes, bytes, bytes + 255);
      close();
    }
  }

  private void begin(long number) {
    if (!open) {
      open = true;
      hasContent = false;
      line = number;
      allocator = "";
      request = null;
      isRounded = false;
      limitBytes = -1;
      awaitsLimit = false;
      regions = 0;
      largestFreeBytes = 0;
      inUseBytes = 0;
      regionBytes = -1;
      for (int bin = 0; bin < BINS; bin++) {
        usedChunks[bin] = 0;
        usedBytes[bin] = 0;
        freeChunks[bin] = 0;
        freeBytes[bin] = 0;
      }
    }
  }

  private long chunks() {
    long sum = 0;
    for (int bin = 0; bin < BINS; bin++) {
      sum += usedChunks[bin] + freeChunks[bin];
    }
    return sum;
  }

  private void close() {
    if (open && hasContent && dumps.size() < MAX_DUMPS) {
      dumps.add(dump());
    }
    open = false;
    hasContent = false;
  }

  private BfcDump dump() {
    List<BfcDump.Bin> bins = new ArrayList<>();
    long[] sums = new long[4];
    for (int bin = 0; bin < BINS; bin++) {
      if (usedChunks[bin] + freeChunks[bin] > 0) {
        bins.add(
            new BfcDump.Bin(
                256L << bin, usedChunks[bin], usedBytes[bin], freeChunks[bin], freeBytes[bin]));
      }
      sums[0] += usedChunks[bin];
      sums[1] += usedBytes[bin];
      sums[2] += freeChunks[bin];
      sums[3] += freeBytes[bin];
    }
    if (sums[0] + sums[2] == 0) {
      // Without chunks the statistics show the sums; a pool counts as grown to its limit.
      sums[1] = inUseBytes;
      sums[3] = Math.max(0, (regionBytes < 0 ? limitBytes : regionBytes) - inUseBytes);
    }
    return new BfcDump(
        line,
        allocator,
        request,
        limitBytes,
        regions,
        bins,
        sums[0],
        sums[1],
        sums[2],
        sums[3],
        largestFreeBytes);
  }

  /** The dumps, once the log has ended. */
  public List<BfcDump> finish() {
    close();
    return List.copyOf(dumps);
  }
}
