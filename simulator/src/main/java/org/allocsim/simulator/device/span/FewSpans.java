package org.allocsim.simulator.device.span;

import java.util.Arrays;

/** Spans in sorted arrays that are looked through: the quickest, and least memory, while few. */
public final class FewSpans implements SpanStore {
  private static final long UNKNOWN = -1;

  private int count;
  private long[] starts = new long[4];
  private long[] ends = new long[4];
  private long largestBytes;

  @Override
  public int count() {
    return count;
  }

  @Override
  public long start(int span) {
    return starts[span - 1];
  }

  @Override
  public long end(int span) {
    return ends[span - 1];
  }

  @Override
  public int floor(long address) {
    int found = Arrays.binarySearch(starts, 0, count, address);
    return found >= 0 ? found + 1 : -found - 1;
  }

  @Override
  public int above(int span) {
    return span < count ? span + 1 : NONE;
  }

  @Override
  public int bestFit(long bytes) {
    int best = NONE;
    long bestBytes = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      long length = ends[i] - starts[i];
      if (length >= bytes && length < bestBytes) {
        best = i + 1;
        bestBytes = length;
      }
    }
    return best;
  }

  @Override
  public int firstFit(long bytes) {
    for (int i = 0; i < count; i++) {
      if (ends[i] - starts[i] >= bytes) {
        return i + 1;
      }
    }
    return NONE;
  }

  @Override
  public long largestBytes() {
    if (largestBytes == UNKNOWN) {
      largestBytes = 0;
      for (int i = 0; i < count; i++) {
        largestBytes = Math.max(largestBytes, ends[i] - starts[i]);
      }
    }
    return largestBytes;
  }

  @Override
  public void add(long start, long end) {
    int at = floor(start);
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    System.arraycopy(starts, at, starts, at + 1, count - at);
    System.arraycopy(ends, at, ends, at + 1, count - at);
    starts[at] = start;
    ends[at] = end;
    count++;
    grow(end - start);
  }

  @Override
  public void change(int span, long start, long end) {
    shrink(bytes(span));
    starts[span - 1] = start;
    ends[span - 1] = end;
    grow(end - start);
  }

  @Override
  public void remove(int span) {
    shrink(bytes(span));
    System.arraycopy(starts, span, starts, span - 1, count - span);
    System.arraycopy(ends, span, ends, span - 1, count - span);
    count--;
  }

  @Override
  public void clear() {
    count = 0;
    largestBytes = 0;
  }

  private void grow(long bytes) {
    if (largestBytes != UNKNOWN) {
      largestBytes = Math.max(largestBytes, bytes);
    }
  }

  private void shrink(long bytes) {
    if (bytes == largestBytes) {
      largestBytes = UNKNOWN;
    }
  }
}
