package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.PolicyTraits.InactiveSplits;

/** Compares the inactive splits that a policy reports with those that its layout shows. */
final class InactiveSplitCheck implements EffectListener {
  private final InactiveSplits rule;
  private long reportedBlocks;
  private long reportedBytes;

  InactiveSplitCheck(InactiveSplits rule) {
    this.rule = rule;
  }

  @Override
  public void inactiveSplitChanged(int blocks, long bytes, boolean small) {
    reportedBlocks += blocks;
    reportedBytes += bytes;
  }

  /** To be called between two requests. */
  void check(AllocatorPolicy policy) {
    if (rule == InactiveSplits.OWN_NOTION) {
      return;
    }
    Walk walk = new Walk();
    policy.describeLayout(walk);
    walk.endSegment();
    assertEquals(walk.splitBlocks, reportedBlocks, "inactive splits, as shown and as reported");
    assertEquals(walk.splitBytes, reportedBytes, "bytes of inactive splits");
  }

  private final class Walk implements LayoutVisitor {
    private long splitBlocks;
    private long splitBytes;
    private int blocks;
    private int freeBlocks;
    private long freeBytes;

    @Override
    public void segment(
        long address, long bytes, int stream, boolean small, int pool, boolean expandable) {
      endSegment();
    }

    @Override
    public void block(
        long address, long bytes, long requestedBytes, BlockState state, int allocation) {
      blocks++;
      if (state == BlockState.INACTIVE) {
        freeBlocks++;
        freeBytes += bytes;
      }
    }

    private void endSegment() {
      boolean counts =
          switch (rule) {
            case BESIDE_OTHER_BLOCKS -> blocks > 1;
            case IN_USED_SEGMENTS -> blocks > freeBlocks;
            case NONE, OWN_NOTION -> false;
          };
      if (counts) {
        splitBlocks += freeBlocks;
        splitBytes += freeBytes;
      }
      blocks = 0;
      freeBlocks = 0;
      freeBytes = 0;
    }
  }
}
