package org.allocsim.simulator.device.span;

import org.jspecify.annotations.Nullable;

/**
 * Disjoint address spans; spans that touch are one. A few lie in arrays, many in trees, so that no
 * operation takes more than logarithmic time.
 */
public final class Spans {
  /** No address. */
  public static final long NONE = -1;

  /** So many spans are no longer few: about where arrays begin to cost more than trees. */
  private static final int MANY = 256;

  /** So many are few again; much fewer, lest spans move to and fro. */
  private static final int FEW = 64;

  private final FewSpans few = new FewSpans();

  /** Null until it is needed. */
  private @Nullable ManySpans many;

  /** One of the two; the other one is empty. */
  private SpanStore spans = few;

  /** Forgets all spans. */
  public void clear() {
    spans.clear();
    spans = few;
  }

  /** Length of the largest span, 0 without one. */
  public long largestBytes() {
    return spans.largestBytes();
  }

  /** Whether one span covers the whole of [start, start + bytes). */
  public boolean covers(long start, long bytes) {
    return covers(spans.floor(start), start, bytes);
  }

  private boolean covers(int span, long start, long bytes) {
    return span != SpanStore.NONE && spans.end(span) - start >= bytes;
  }

  /** Whether any address of [start, start + bytes) lies in a span. */
  public boolean overlaps(long start, long bytes) {
    return overlaps(spans.floor(start), start, bytes);
  }

  private boolean overlaps(int below, long start, long bytes) {
    if (below != SpanStore.NONE && spans.end(below) > start) {
      return true;
    }
    int above = spans.above(below);
    return above != SpanStore.NONE && spans.start(above) - start < bytes;
  }

  /**
   * Start of the smallest span of at least this size, the lowest among equals, or {@link #NONE}.
   */
  public long bestFit(long bytes) {
    return startOf(spans.bestFit(bytes));
  }

  /** Start of the lowest span of at least this size, or {@link #NONE}. */
  public long firstFit(long bytes) {
    return startOf(spans.firstFit(bytes));
  }

  private long startOf(int span) {
    return span == SpanStore.NONE ? NONE : spans.start(span);
  }

  /** The first address that lies in a span, but none below {@code address}, or {@link #NONE}. */
  public long firstFrom(long address) {
    int span = spans.floor(address);
    return covers(span, address, 1) ? address : startOf(spans.above(span));
  }

  /** End of the span that an address lies in. */
  public long endOf(long address) {
    return spans.end(spans.floor(address));
  }

  /** Whether a span starts at an address. */
  public boolean startsAt(long address) {
    return startOf(spans.floor(address)) == address;
  }

  /** Adds [start, start + bytes), which overlaps no span, and joins it with what it touches. */
  public void add(long start, long bytes) {
    int below = spans.floor(start);
    if (overlaps(below, start, bytes)) {
      throw new IllegalArgumentException(
          "range 0x%x of %d bytes overlaps a known one".formatted(start, bytes));
    }
    int above = spans.above(below);
    long end = start + bytes;
    boolean joinsBelow = below != SpanStore.NONE && spans.end(below) == start;
    boolean joinsAbove = above != SpanStore.NONE && spans.start(above) == end;
    if (joinsBelow && joinsAbove) {
      long joinedEnd = spans.end(above);
      spans.remove(above);
      spans.change(below, spans.start(below), joinedEnd);
      keepFew();
    } else if (joinsBelow) {
      spans.change(below, spans.start(below), end);
    } else if (joinsAbove) {
      spans.change(above, start, spans.end(above));
    } else {
      spans.add(start, end);
      keepMany();
    }
  }

  /** Removes [start, start + bytes), which lies in one span. */
  public void remove(long start, long bytes) {
    int span = spans.floor(start);
    if (!covers(span, start, bytes)) {
      throw new IllegalArgumentException(
          "range 0x%x of %d bytes is not wholly inside a known one".formatted(start, bytes));
    }
    long spanStart = spans.start(span);
    long spanEnd = spans.end(span);
    long end = start + bytes;
    if (start == spanStart && end == spanEnd) {
      spans.remove(span);
      keepFew();
    } else if (start == spanStart) {
      spans.change(span, end, spanEnd);
    } else {
      spans.change(span, spanStart, start);
      if (end < spanEnd) {
        spans.add(end, spanEnd);
        keepMany();
      }
    }
  }

  private void keepMany() {
    if (spans == few && few.count() >= MANY) {
      if (many == null) {
        many = new ManySpans();
      }
      move(many);
    }
  }

  private void keepFew() {
    if (spans == many && many.count() <= FEW) {
      move(few);
    }
  }

  private void move(SpanStore target) {
    for (int span = spans.above(SpanStore.NONE); span != SpanStore.NONE; span = spans.above(span)) {
      target.add(spans.start(span), spans.end(span));
    }
    spans.clear();
    spans = target;
  }
}
