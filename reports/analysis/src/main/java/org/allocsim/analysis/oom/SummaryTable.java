package org.allocsim.analysis.oom;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.allocsim.analysis.oom.OomMessage.Amount;

/**
 * The table that {@code torch.cuda.memory_summary()} prints, as far as it shows where memory lies
 * at present. It rounds every number down to its unit.
 *
 * @param line line of the log with which it begins
 * @param source rank, process or host that wrote it, "" where the log does not say
 * @param deviceIndex number of the GPU, −1 where the table does not say
 * @param rows present usage by row; a table that was cut short lacks some
 */
public record SummaryTable(long line, String source, int deviceIndex, Map<Row, ByteRange> rows) {
  /** The rows that are read. */
  public enum Row {
    /** Blocks that the program holds. */
    ALLOCATED("Allocated memory"),
    /** The same and blocks that await the end of their use on other streams. */
    ACTIVE("Active memory"),
    /** What the program asked for, before rounding (PyTorch 2.1 and later). */
    REQUESTED("Requested memory"),
    /** Held from the device. */
    RESERVED("GPU reserved memory"),
    /** Free parts of segments that are partly in use. */
    NON_RELEASABLE("Non-releasable memory");

    private final String caption;

    Row(String caption) {
      this.caption = caption;
    }

    /** The words in front of the numbers. */
    String caption() {
      return caption;
    }
  }

  /** Keeps its own copy. */
  public SummaryTable {
    rows = Map.copyOf(rows.isEmpty() ? Map.of() : new EnumMap<>(rows));
  }

  /** A row's present usage. */
  public Optional<ByteRange> bytes(Row row) {
    return Optional.ofNullable(rows.get(row));
  }

  /** Whether it shows how the cache is split. */
  boolean isComplete() {
    return rows.containsKey(Row.ALLOCATED)
        && rows.containsKey(Row.ACTIVE)
        && rows.containsKey(Row.RESERVED)
        && rows.containsKey(Row.NON_RELEASABLE);
  }

  /** Lost to rounding inside of what the program holds. */
  public Optional<ByteRange> roundingBytes() {
    return difference(Row.ALLOCATED, Row.REQUESTED);
  }

  /** Given back and in use on other streams. */
  public Optional<ByteRange> awaitingBytes() {
    return difference(Row.ACTIVE, Row.ALLOCATED);
  }

  /** Whole free segments. */
  public Optional<ByteRange> releasableBytes() {
    return difference(Row.RESERVED, Row.ACTIVE)
        .flatMap(cached ->
            bytes(Row.NON_RELEASABLE).map(stuck -> OomMessage.atLeastZero(cached.minus(stuck))));
  }

  private Optional<ByteRange> difference(Row whole, Row part) {
    return bytes(whole)
        .flatMap(all -> bytes(part).map(each -> OomMessage.atLeastZero(all.minus(each))));
  }

  /**
   * Whether it can be of the moment of a message: what both print agrees within the rounding. Since
   * 2.4 a message counts the free blocks of private pools as allocated.
   */
  public boolean isOfTheMomentOf(OomMessage message) {
    Optional<ByteRange> allocated = message.bytes(Amount.ALLOCATED);
    Optional<ByteRange> pools = message.bytes(Amount.PRIVATE_POOLS);
    Optional<ByteRange> cached = message.cached();
    if (allocated.isEmpty() || cached.isEmpty() || !isComplete()) {
      return false;
    }
    ByteRange held = pools.isEmpty() ? allocated.get() : allocated.get().minus(pools.get());
    return overlap(held, bytes(Row.ALLOCATED).orElseThrow())
        && overlap(allocated.get().plus(cached.get()), bytes(Row.RESERVED).orElseThrow());
  }

  private static boolean overlap(ByteRange a, ByteRange b) {
    return a.low() <= b.high() && b.low() <= a.high();
  }
}
