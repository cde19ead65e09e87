package org.allocsim.simulator.policy.classic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The fits written down as the specification states them: a plain list of free blocks without the
 * top, oldest first, that is searched from end to end.
 */
final class NaiveFits {
  private record Block(long offset, long bytes) {
    long end() {
      return offset + bytes;
    }
  }

  private final String rule;
  private final long unitBytes;
  private final List<Block> free = new ArrayList<>();
  private final Map<Integer, Block> live = new HashMap<>();
  private long top;
  private long rover;

  NaiveFits(String rule, long unitBytes) {
    this.rule = rule;
    this.unitBytes = unitBytes;
  }

  long allocate(int allocation, long requestedBytes) {
    long bytes = (requestedBytes + unitBytes - 1) / unitBytes * unitBytes;
    Optional<Block> chosen = choose(bytes);
    long offset;
    if (chosen.isPresent()) {
      Block block = chosen.get();
      offset = block.offset();
      free.remove(block);
      if (block.bytes() > bytes) {
        free.add(new Block(offset + bytes, block.bytes() - bytes));
      }
    } else {
      offset = top;
      top += bytes;
    }
    live.put(allocation, new Block(offset, bytes));
    rover = offset + bytes;
    return offset;
  }

  void free(int allocation) {
    Block block = live.remove(allocation);
    for (Block other : List.copyOf(free)) {
      if (other.end() == block.offset()) {
        free.remove(other);
        block = new Block(other.offset(), other.bytes() + block.bytes());
      } else if (block.end() == other.offset()) {
        free.remove(other);
        block = new Block(block.offset(), block.bytes() + other.bytes());
      }
    }
    if (block.end() == top) {
      top = block.offset();
    } else {
      free.add(block);
    }
  }

  private Optional<Block> choose(long bytes) {
    Comparator<Block> byOffset = Comparator.comparingLong(Block::offset);
    Comparator<Block> bySize = Comparator.comparingLong(Block::bytes);
    return switch (rule) {
      case "first-fit" -> fitting(bytes).min(byOffset);
      case "best-fit" -> fitting(bytes).min(bySize.thenComparing(byOffset));
      case "worst-fit" -> fitting(bytes).min(bySize.reversed().thenComparing(byOffset));
      case "next-fit" ->
          fitting(bytes)
              .filter(block -> block.offset() >= rover)
              .min(byOffset)
              .or(() -> fitting(bytes).min(byOffset));
      case "tlsf" -> goodFit(bytes);
      default -> throw new IllegalArgumentException(rule);
    };
  }

  private Stream<Block> fitting(long bytes) {
    return free.stream().filter(block -> block.bytes() >= bytes);
  }

  /** The newest block of the lowest class none of whose sizes is too small. */
  private Optional<Block> goodFit(long bytes) {
    Block best = null;
    for (Block block : free) {
      long low = classStart(block.bytes());
      if (low >= bytes && (best == null || low <= classStart(best.bytes()))) {
        best = block;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Smallest size of the class of a size: 32 classes a doubling, steps of 8 below 256. */
  private static long classStart(long bytes) {
    long width = 8;
    while (width * 64 <= bytes) {
      width *= 2;
    }
    return bytes / width * width;
  }
}
