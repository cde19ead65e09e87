package org.allocsim.simulator.effect;

/**
 * PyTorch's memory history of one device: a ring that keeps the latest entries ({@code
 * torch.cuda.memory._record_memory_history}, 2.11). When it is full, each new entry replaces the
 * oldest; nothing shows how many were lost, except {@link #lostEntries()} here.
 */
public final class HistoryRecorder extends EffectRows {
  private static final int FIRST_CAPACITY = 1024;
  private static final int LARGEST_CAPACITY = Integer.MAX_VALUE - 8;

  private final int maxEntries;
  private Ring ring;
  private int count;
  private int oldest;
  private long lostEntries;

  /** Columns of equal length. */
  private record Ring(EffectKind[] kinds, long[] addresses, long[] bytes, int[] streams) {
    Ring(int capacity) {
      this(new EffectKind[capacity], new long[capacity], new long[capacity], new int[capacity]);
    }

    int capacity() {
      return bytes.length;
    }

    void set(int at, EffectKind kind, long address, long sizeBytes, int stream) {
      kinds[at] = kind;
      addresses[at] = address;
      bytes[at] = sizeBytes;
      streams[at] = stream;
    }
  }

  /**
   * A history that keeps at most {@code maxEntries} entries, at least 1. PyTorch's default, 2^63 −
   * 1, keeps as many as an array can hold.
   */
  public HistoryRecorder(long maxEntries) {
    this.maxEntries = Math.clamp(maxEntries, 1, LARGEST_CAPACITY);
    ring = new Ring(Math.min(this.maxEntries, FIRST_CAPACITY));
  }

  /** The history of {@code enabled="state"}, which keeps one entry only. */
  public static HistoryRecorder ofState() {
    return new HistoryRecorder(1);
  }

  /** Number of entries that are kept. */
  public int count() {
    return count;
  }

  /** Number of entries that later ones replaced. */
  public long lostEntries() {
    return lostEntries;
  }

  /** A copy of the kept entries, oldest first. */
  public EffectLog entries() {
    EffectLog log = new EffectLog();
    for (int i = 0; i < count; i++) {
      int at = position(i);
      log.add(ring.kinds[at], ring.addresses[at], ring.bytes[at], ring.streams[at]);
    }
    return log;
  }

  /**
   * What a snapshot shows of the history: the entries before it. Its own entry is recorded
   * afterwards, so that only later snapshots contain it.
   *
   * @param activeBytes active bytes at the time of the snapshot, the size of its entry
   */
  public EffectLog snapshot(long activeBytes) {
    EffectLog log = entries();
    snapshotTaken(activeBytes);
    return log;
  }

  @Override
  protected void row(EffectKind kind, long address, long bytes, int stream) {
    if (count < maxEntries) {
      if (count == ring.capacity()) {
        grow();
      }
      ring.set(count++, kind, address, bytes, stream);
      return;
    }
    ring.set(oldest, kind, address, bytes, stream);
    oldest = oldest + 1 == count ? 0 : oldest + 1;
    lostEntries++;
  }

  private int position(int entry) {
    int at = oldest - count + entry;
    return at < 0 ? at + count : at;
  }

  /** Only called before the ring is full, while the oldest entry is still the first. */
  private void grow() {
    long wanted = count + (count >> 1) + 16L;
    Ring larger = new Ring((int) Math.min(maxEntries, wanted));
    System.arraycopy(ring.kinds, 0, larger.kinds, 0, count);
    System.arraycopy(ring.addresses, 0, larger.addresses, 0, count);
    System.arraycopy(ring.bytes, 0, larger.bytes, 0, count);
    System.arraycopy(ring.streams, 0, larger.streams, 0, count);
    ring = larger;
  }
}
