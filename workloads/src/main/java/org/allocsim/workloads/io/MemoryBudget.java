package org.allocsim.workloads.io;

import org.jspecify.annotations.Nullable;

/**
 * What a reader may hold of a file. Real files say something in every byte, so what is held grows
 * with what was read: at most {@value #MAX_PER_PLAIN_BYTE} bytes for each plain byte, {@value
 * #MAX_PER_STORED_BYTE} for each byte as stored, {@value #FREE_BYTES} aside. Whatever the file,
 * three fifths of the Java heap are the end, as what is held is copied once when it is complete.
 *
 * <p>Readers count what they hold as it grows. The sums are estimates, somewhat above what the JVM
 * takes.
 */
public final class MemoryBudget {
  /** Bytes that a file may take whatever its size. */
  public static final long FREE_BYTES = 256L << 20;

  /** Bytes that may be held of each plain byte: lines and entries of real files have 30 or more. */
  public static final int MAX_PER_PLAIN_BYTE = 8;

  /** Bytes that may be held of each byte as stored; recordings of PyTorch need at most 20. */
  public static final int MAX_PER_STORED_BYTE = 64;

  private static final int HEAP_SHARE_DIVIDEND = 3;
  private static final int HEAP_SHARE_DIVISOR = 5;

  /** The variable that sets the Java heap, as messages name it. */
  public static final String HEAP_VARIABLE = "ALLOCSIM_HEAP";

  /** Later parts of a file may say more than earlier ones. */
  private static final double MARGIN = 1.1;

  private final long heapBytes;
  private long heldBytes;

  /** Nothing is held yet. */
  public MemoryBudget() {
    this(Runtime.getRuntime().maxMemory());
  }

  /** Nothing is held yet, in a heap of this size. */
  MemoryBudget(long heapBytes) {
    this.heapBytes = heapBytes;
  }

  /** What is wrong and what helps. */
  public record Excess(String cause, String remedy) {}

  /** Further bytes are held. */
  public void add(long bytes) {
    heldBytes += bytes;
  }

  /** Bytes held so far. */
  public long heldBytes() {
    return heldBytes;
  }

  /** Bytes that may be held after so much was read; they change slowly as more is read. */
  public long maxBytes(long plainBytes, long storedBytes) {
    return Math.min(
        heapBytes / HEAP_SHARE_DIVISOR * HEAP_SHARE_DIVIDEND,
        FREE_BYTES + Math.min(MAX_PER_PLAIN_BYTE * plainBytes, MAX_PER_STORED_BYTE * storedBytes));
  }

  /**
   * Why no more may be held after so much was read; null where more may.
   *
   * @param storedTotalBytes size of the file as stored, −1 where it is unknown
   */
  public @Nullable Excess excess(long plainBytes, long storedBytes, long storedTotalBytes) {
    if (heldBytes <= maxBytes(plainBytes, storedBytes)) {
      return null;
    }
    if (heldBytes > heapBytes / HEAP_SHARE_DIVISOR * HEAP_SHARE_DIVIDEND) {
      return new Excess(
          "the data read so far takes %d MiB, more than three fifths of the Java heap of %d MiB"
              .formatted(heldBytes >> 20, heapBytes >> 20),
          "allow more with %s, such as %s=%dg, or record a shorter history"
              .formatted(
                  HEAP_VARIABLE, HEAP_VARIABLE, enoughGibibytes(storedBytes, storedTotalBytes)));
    }
    return heldBytes > FREE_BYTES + MAX_PER_PLAIN_BYTE * plainBytes
        ? new Excess(
            "%d bytes would take %d MiB in memory, which is implausible for a recording"
                .formatted(plainBytes, heldBytes >> 20),
            "record the program again")
        : new Excess(
            "%d compressed bytes would take %d MiB in memory, which is implausible for a recording"
                .formatted(storedBytes, heldBytes >> 20),
            "if you trust the file, unpack it first and read the result");
  }

  /** A heap for all of the file, if the rest of it is like what was read; else twice this one. */
  private long enoughGibibytes(long storedBytes, long storedTotalBytes) {
    double whole = storedBytes > 0 ? (double) storedTotalBytes / storedBytes : -1;
    double bytes =
        whole < 1
            ? 2.0 * heapBytes
            : heldBytes * whole / HEAP_SHARE_DIVIDEND * HEAP_SHARE_DIVISOR * MARGIN;
    return Math.max(heapBytes >> 30, (long) (bytes / (1L << 30))) + 1;
  }
}
