package org.allocsim.analysis.task;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.allocsim.workloads.io.Compression;

/** How much of the Java heap traces fill, judged by the sizes of their files. */
public final class HeapRoom {
  /** Share of the heap that traces may fill. */
  private static final double SHARE = 0.6;

  /** Bytes of heap that reading a stored byte takes; recordings unpack up to 26 times. */
  private static final int PLAIN_FACTOR = 2;

  private static final int COMPRESSED_FACTOR = 30;

  /** Window of {@code xz -9}, which readers keep whatever the size of the file is. */
  private static final long XZ_BYTES = 64L << 20;

  private HeapRoom() {}

  /** What a trace fills while it is read and run. */
  public static long bytesOf(String name, long storedBytes) {
    return switch (Compression.ofName(name.toLowerCase(Locale.ROOT))) {
      case NONE -> storedBytes * PLAIN_FACTOR;
      case XZ -> storedBytes * COMPRESSED_FACTOR + XZ_BYTES;
      default -> storedBytes * COMPRESSED_FACTOR;
    };
  }

  /** Whether traces that fill so much may be open together. */
  public static boolean has(long bytes) {
    return has(bytes, Runtime.getRuntime().maxMemory());
  }

  private static boolean has(long bytes, long heapBytes) {
    return bytes <= SHARE * heapBytes;
  }

  /**
   * How many traces may be open at a time, whichever of them they are; one at least.
   *
   * @param bytes what each of them fills
   * @param heapBytes size of the heap
   */
  static int together(List<Long> bytes, long heapBytes) {
    List<Long> largestFirst = bytes.stream().sorted(Comparator.reverseOrder()).toList();
    int count = 0;
    long sum = 0;
    for (long each : largestFirst) {
      sum += each;
      if (!has(sum, heapBytes)) {
        break;
      }
      count++;
    }
    return Math.max(1, count);
  }

  /** The same in the heap that there is. */
  public static int together(List<Long> bytes) {
    return together(bytes, Runtime.getRuntime().maxMemory());
  }
}
