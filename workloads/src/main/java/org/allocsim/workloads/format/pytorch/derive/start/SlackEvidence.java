package org.allocsim.workloads.format.pytorch.derive.start;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.NavigableMap;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.RequestSizes;
import org.allocsim.workloads.format.pytorch.derive.start.StartReconstruction.Block;
import org.jspecify.annotations.Nullable;

/**
 * What a history shows of rests that were never split off, so that they belong to the block in
 * front. While such a block lives, an allocation after it begins where the rest ends; and every
 * other allocation, which best fit put elsewhere, shows which sizes the free block after the rest
 * cannot have had.
 */
final class SlackEvidence {
  /** Largest rest that PyTorch 2.11 leaves with a block of the large pool. */
  private static final long MAX_SLACK_BYTES = 1L << 20;

  private final AllocatorConfig config;
  private final List<Candidate> candidates = new ArrayList<>();

  /** A block that may be larger than its request. */
  private static final class Candidate {
    final long address;
    final long end;

    /** Rests, in units, that some allocation rules out. */
    final BitSet ruledOut = new BitSet();

    final int most;
    int shown = -1;

    Candidate(long address, long end, int most) {
      this.address = address;
      this.end = end;
      this.most = most;
    }

    int units() {
      int possible = ruledOut.nextClearBit(0);
      return shown >= 0 ? shown : possible > most ? 0 : possible;
    }
  }

  /** A free block is chosen if it has at least {@code least} and less than {@code end} bytes. */
  private record Chosen(long least, long end) {}

  SlackEvidence(AllocatorConfig config) {
    this.config = config;
  }

  /** Maximum bytes that a block may be larger than its request, if it can be split at all. */
  static long maxSlackBytes(Block block, AllocatorConfig config) {
    boolean oversize = Long.compareUnsigned(block.bytes, config.maxSplitBytes()) >= 0;
    return oversize ? config.maxNonSplitRoundingBytes() : MAX_SLACK_BYTES;
  }

  /** Watches a block with a free one after it that is too large to be a rest. */
  void watch(Block block, Block gap) {
    // What is left of the gap is a block of its own, which is never smaller than a rest.
    long most =
        Math.min(
            maxSlackBytes(block, config),
            gap.bytes - MAX_SLACK_BYTES - RequestSizes.MIN_BLOCK_BYTES);
    candidates.add(
        new Candidate(block.address, block.end(), (int) (most / RequestSizes.MIN_BLOCK_BYTES)));
  }

  boolean isEmpty() {
    return candidates.isEmpty();
  }

  /** The end of a watched block, with its rest. */
  void forEach(EndOfBlock consumer) {
    for (Candidate candidate : candidates) {
      consumer.ends(
          candidate.address, candidate.end + candidate.units() * RequestSizes.MIN_BLOCK_BYTES);
    }
  }

  /** Takes in where a block ends. */
  @FunctionalInterface
  interface EndOfBlock {
    /** The block at {@code address} ends at {@code end}. */
    void ends(long address, long end);
  }

  /**
   * An allocation, with the blocks right before it.
   *
   * @param address where it was put
   * @param bytes its rounded size
   * @param from the free block that it was put in, with the rest in front
   * @param isNew whether that came from the device for this allocation
   */
  void allocated(
      NavigableMap<Long, Block> blocks, long address, long bytes, Block from, boolean isNew) {
    if (from.run.small() || from.run.expandable()) {
      return;
    }
    long fromBytes = isNew ? Long.MAX_VALUE : from.end() - address;
    for (Candidate candidate : candidates) {
      Block gap = gapBehind(candidate, blocks);
      if (gap == null) {
        continue;
      }
      if (gap == from) {
        long units = (address - candidate.end) / RequestSizes.MIN_BLOCK_BYTES;
        if (units <= candidate.most) {
          candidate.shown = (int) units;
        }
      } else if (gap.run.stream() == from.run.stream()
          && (gap.run.equals(from.run) || (mayBeDefault(gap.run) && mayBeDefault(from.run)))) {
        ruleOut(candidate, gap, chosen(bytes, fromBytes));
        boolean precedes = Long.compareUnsigned(gap.address, address) < 0;
        if (precedes && !isNew) {
          ruleOut(candidate, gap, chosen(bytes, fromBytes + RequestSizes.MIN_BLOCK_BYTES));
        }
      }
    }
  }

  /** A failure: no free block of the stream would do. */
  void failed(NavigableMap<Long, Block> blocks, long bytes, int stream) {
    for (Candidate candidate : candidates) {
      Block gap = gapBehind(candidate, blocks);
      if (gap != null && gap.run.stream() == stream && mayBeDefault(gap.run)) {
        ruleOut(candidate, gap, chosen(bytes, Long.MAX_VALUE));
      }
    }
  }

  /** Whether blocks are in the default pool, as most are where the history does not say. */
  private static boolean mayBeDefault(StartReconstruction.Run run) {
    return run.pool() == null || run.pool().isDefault();
  }

  /** Sizes of free blocks that would be chosen before one of {@code fromBytes}. */
  private Chosen chosen(long bytes, long fromBytes) {
    boolean oversize = Long.compareUnsigned(bytes, config.maxSplitBytes()) >= 0;
    long tooLarge = oversize ? bytes + config.maxNonSplitRoundingBytes() : config.maxSplitBytes();
    return new Chosen(bytes, Long.compareUnsigned(fromBytes, tooLarge) < 0 ? fromBytes : tooLarge);
  }

  private static void ruleOut(Candidate candidate, Block gap, Chosen chosen) {
    // The gap without the rest would have been chosen: gap − rest is in [least, end).
    long last = gap.bytes - chosen.least;
    long first =
        chosen.end < 0 ? 0 : Math.max(0, gap.bytes - chosen.end + RequestSizes.MIN_BLOCK_BYTES);
    if (last >= first && first / RequestSizes.MIN_BLOCK_BYTES <= candidate.most) {
      long lastUnit = Math.min(candidate.most, last / RequestSizes.MIN_BLOCK_BYTES);
      candidate.ruledOut.set((int) (first / RequestSizes.MIN_BLOCK_BYTES), (int) lastUnit + 1);
    }
  }

  /** The free block right after a watched one, rest included; null if it lives no more. */
  private static @Nullable Block gapBehind(Candidate candidate, NavigableMap<Long, Block> blocks) {
    Block block = blocks.get(candidate.address);
    if (block == null || block.state == BlockState.INACTIVE || block.end() != candidate.end) {
      return null;
    }
    Block gap = blocks.get(candidate.end);
    boolean isGap = gap != null && gap.state == BlockState.INACTIVE && gap.run.equals(block.run);
    return isGap ? gap : null;
  }
}
