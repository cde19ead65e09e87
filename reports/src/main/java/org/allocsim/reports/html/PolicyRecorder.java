package org.allocsim.reports.html;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.jspecify.annotations.Nullable;

/**
 * Records where one policy puts every block and what it takes from the device: 24 bytes a block, a
 * row for each change of what is reserved. When the run ends, this becomes a {@link
 * PolicyRecording} and the columns are dropped.
 */
public final class PolicyRecorder implements EffectListener, RunObserver {
  /** Buckets of memory over time on a page, at most. */
  static final int BUCKETS = 1024;

  private static final int MAX_FAILURES = 200;
  private static final long NONE = Long.MIN_VALUE;

  private final TraceColumns trace;
  private final MemoryTimeline timeline;
  private final UnusedShare unused;
  private final SegmentColumns segments = new SegmentColumns();
  private final List<Object> failures = new ArrayList<>();
  private long[] addresses;
  private long[] blockBytes;
  private int[] freed;
  private int[] completed;
  private int event = -1;
  private long failureCount;

  /** The first event after which, while reserved memory has its peak, the most is allocated. */
  private int fullestEvent;

  private long fullestReservedBytes;
  private long fullestAllocatedBytes;
  private @Nullable PolicyRecording recording;

  PolicyRecorder(TraceColumns trace, MemoryTimeline timeline) {
    this.trace = trace;
    this.timeline = timeline;
    unused = new UnusedShare(trace.eventCount());
    int blocks = trace.blockCount();
    addresses = new long[blocks];
    Arrays.fill(addresses, NONE);
    blockBytes = new long[blocks];
    freed = new int[blocks];
    completed = new int[blocks];
    Arrays.fill(freed, trace.eventCount());
    Arrays.fill(completed, trace.eventCount());
  }

  /** Memory over time; the run must give it the times. */
  public MemoryTimeline timeline() {
    return timeline;
  }

  /** What was recorded; null before the end of the run. */
  public @Nullable PolicyRecording recording() {
    return recording;
  }

  @Override
  public EffectListener effects() {
    return this;
  }

  @Override
  public boolean before(int row) {
    look();
    event = trace.position(row);
    return true;
  }

  @Override
  public void end() {
    look();
    event = Math.max(0, event);
    recording = encode();
    addresses = new long[0];
    blockBytes = new long[0];
    freed = new int[0];
    completed = new int[0];
  }

  private void look() {
    if (event >= 0) {
      long reserved = timeline.currentBytes(MemoryTimeline.Series.RESERVED);
      long allocated = timeline.currentBytes(MemoryTimeline.Series.ALLOCATED);
      unused.after(event, reserved, timeline.currentBytes(MemoryTimeline.Series.ACTIVE));
      if (reserved > fullestReservedBytes
          || reserved == fullestReservedBytes && allocated > fullestAllocatedBytes) {
        fullestReservedBytes = reserved;
        fullestAllocatedBytes = allocated;
        fullestEvent = event;
      }
    }
  }

  @Override
  public void blockAllocated(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    int block = trace.block(allocation);
    addresses[block] = address;
    blockBytes[block] = bytes;
    freed[block] = trace.eventCount();
    completed[block] = trace.eventCount();
  }

  @Override
  public void freeRequested(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    freed[trace.block(allocation)] = event;
  }

  @Override
  public void freeCompleted(
      int allocation, long address, long requested, long bytes, int stream, boolean small) {
    int block = trace.block(allocation);
    freed[block] = Math.min(freed[block], event);
    completed[block] = event;
  }

  @Override
  public void segmentAllocated(long address, long bytes, int stream, boolean small) {
    segments.add(SegmentColumns.ALLOCATED, small, event, address, bytes, stream);
  }

  @Override
  public void segmentFreed(long address, long bytes, int stream, boolean small) {
    segments.add(SegmentColumns.FREED, small, event, address, bytes, stream);
  }

  @Override
  public void segmentMapped(long address, long bytes, int stream, boolean small) {
    segments.add(SegmentColumns.MAPPED, small, event, address, bytes, stream);
  }

  @Override
  public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
    segments.add(SegmentColumns.UNMAPPED, small, event, address, bytes, stream);
  }

  @Override
  public void outOfMemory(OutOfMemory failure) {
    failureCount++;
    if (failures.size() < MAX_FAILURES) {
      failures.add(List.of(event, failure.requestedBytes()));
    }
  }

  private PolicyRecording encode() {
    long base = Long.MAX_VALUE;
    for (long address : addresses) {
      base = address == NONE ? base : Math.min(base, address);
    }
    base = segments.lowestAddress(base);
    base = base == Long.MAX_VALUE ? 0 : base;
    long bits = segments.bits(base);
    for (int block = 0; block < addresses.length; block++) {
      bits |= addresses[block] == NONE ? 0 : addresses[block] - base;
    }
    int shift = Math.min(30, Long.numberOfTrailingZeros(bits));
    Map<String, Object> about = new LinkedHashMap<>();
    about.put("base_address", "0x" + Long.toHexString(base));
    about.put("unit_bytes", 1L << shift);
    about.put("failures", List.copyOf(failures));
    about.put("failure_count", failureCount);
    Map<String, Integer> moments = moments();
    about.put("moments", new LinkedHashMap<String, Object>(moments));
    return new PolicyRecording(
        about, timelineBytes(about), blocks(base, shift), moments(moments, base, shift));
  }

  private Map<String, Integer> moments() {
    Map<String, Integer> moments = new LinkedHashMap<>();
    // A peak that is over before its request is has no moment between requests.
    boolean lasts = fullestReservedBytes == segments.peakBytes();
    moments.put("peak", lasts ? fullestEvent : segments.peakEvent());
    if (!failures.isEmpty()) {
      moments.put("first_oom", (Integer) ((List<?>) failures.getFirst()).getFirst());
    }
    moments.put("end", Math.max(0, trace.eventCount() - 1));
    return moments;
  }

  private byte[] blocks(long base, int shift) {
    ColumnWriter out = new ColumnWriter();
    long before = base;
    for (long address : addresses) {
      if (address == NONE) {
        out.put(0);
      } else {
        out.put(1 + ColumnWriter.zigzag((address - before) >> shift));
        before = address;
      }
    }
    for (int block = 0; block < addresses.length; block++) {
      out.putSigned(roundingBytes(block));
    }
    for (int block = 0; block < addresses.length; block++) {
      out.putSigned(addresses[block] == NONE ? 0 : freed[block] - trace.free(block));
    }
    for (int block = 0; block < addresses.length; block++) {
      out.put(completed[block] - freed[block]);
    }
    segments.put(out, base, shift);
    return out.deflated();
  }

  private long roundingBytes(int block) {
    return addresses[block] == NONE ? 0 : blockBytes[block] - trace.requestedBytes(block);
  }

  /** The blocks and the memory that are held at a few moments. */
  private byte[] moments(Map<String, Integer> moments, long base, int shift) {
    ColumnWriter out = new ColumnWriter();
    for (int at : moments.values()) {
      putMoment(at, base, shift, out);
    }
    return out.deflated();
  }

  private void putMoment(int at, long base, int shift, ColumnWriter out) {
    int count = 0;
    for (int block = 0; block < addresses.length && trace.birth(block) <= at; block++) {
      count += isHeld(block, at) ? 1 : 0;
    }
    out.put(count);
    int before = 0;
    for (int block = 0; block < addresses.length && trace.birth(block) <= at; block++) {
      if (isHeld(block, at)) {
        out.put(block - before);
        out.put((addresses[block] - base) >> shift);
        out.putSigned(roundingBytes(block));
        out.putSigned(freed[block] - trace.free(block));
        out.put(completed[block] - freed[block]);
        before = block;
      }
    }
    Map<Long, SegmentColumns.Piece> pieces = segments.heldAfter(at);
    out.put(pieces.size());
    for (Map.Entry<Long, SegmentColumns.Piece> entry : pieces.entrySet()) {
      SegmentColumns.Piece piece = entry.getValue();
      out.put((entry.getKey() - base) >> shift);
      out.put(piece.bytes() >> shift);
      out.put(piece.birth());
      out.put(piece.kind());
      out.putSigned(piece.stream());
    }
  }

  private boolean isHeld(int block, int at) {
    return addresses[block] != NONE && completed[block] > at;
  }

  /** Neighbouring buckets are joined until there are few. */
  private byte[] timelineBytes(Map<String, Object> about) {
    ColumnWriter out = new ColumnWriter();
    int step = Math.max(1, Math.ceilDiv(timeline.bucketCount(), BUCKETS));
    int buckets = Math.ceilDiv(timeline.bucketCount(), step);
    about.put("buckets", buckets);
    long before = 0;
    for (int bucket = 0; bucket < buckets; bucket++) {
      long start = timeline.startEvent(bucket * step);
      out.put(start - before);
      before = start;
    }
    long[] greatest = new long[buckets];
    long[] lowest = new long[buckets];
    for (MemoryTimeline.Series series : MemoryTimeline.Series.values()) {
      Arrays.fill(greatest, Long.MIN_VALUE);
      Arrays.fill(lowest, Long.MAX_VALUE);
      for (int bucket = 0; bucket < timeline.bucketCount(); bucket++) {
        int to = bucket / step;
        greatest[to] = Math.max(greatest[to], timeline.greatestBytes(bucket, series));
        lowest[to] = Math.min(lowest[to], timeline.minBytes(bucket, series));
      }
      long last = 0;
      for (long bytes : greatest) {
        out.putSigned(bytes - last);
        last = bytes;
      }
      for (int bucket = 0; bucket < buckets; bucket++) {
        out.put(greatest[bucket] - lowest[bucket]);
      }
    }
    unused.put(out);
    return out.deflated();
  }
}
