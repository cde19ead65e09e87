package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.trace.PoolId;

/**
 * Passes requests on to a policy and compares three accounts of where memory lies: the address that
 * the policy answers, the one that it reports, and the one that its layout shows.
 */
final class AnswerCheck implements AllocatorPolicy {
  /** Hears one request's outcome. */
  private final class Outcome implements EffectListener {
    private int served;
    private int refused;
    private OutOfMemory failure;
    private long address;

    void forget() {
      served = 0;
      refused = 0;
      failure = null;
      address = 0;
    }

    @Override
    public void blockAllocated(
        int allocation,
        long blockAddress,
        long requestedBytes,
        long blockBytes,
        int stream,
        boolean small) {
      served++;
      address = blockAddress;
    }

    @Override
    public void freeRequested(
        int allocation,
        long blockAddress,
        long requestedBytes,
        long blockBytes,
        int stream,
        boolean small) {
      assertEquals(answered.remove(allocation), blockAddress, "address of a free");
    }

    @Override
    public void outOfMemory(OutOfMemory reported) {
      refused++;
      failure = reported;
    }

    @Override
    public void requestRejected(int allocation, long requestedBytes, String reason) {
      refused++;
    }
  }

  private final Outcome outcome = new Outcome();
  private final Map<Integer, Long> answered = new HashMap<>();
  private final boolean spansBlocks;
  private final long limitBytes;
  private AllocatorPolicy policy;

  /**
   * A check of a policy that is still to be made.
   *
   * @param spansBlocks whether an allocation may have several blocks, of which the layout shows
   *     each with an address of its own
   * @param limitBytes limit that failures have to report, −1 where the policy may have its own
   */
  AnswerCheck(boolean spansBlocks, long limitBytes) {
    this.spansBlocks = spansBlocks;
    this.limitBytes = limitBytes;
  }

  /** What the policy has to report to. */
  EffectListener listener() {
    return outcome;
  }

  /** Names the policy to which requests go. */
  void over(AllocatorPolicy checked) {
    policy = checked;
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    outcome.forget();
    long address = policy.allocate(allocation, requestedBytes, stream, pool);
    return checked(allocation, requestedBytes, stream, address);
  }

  @Override
  public long restoreBlock(int allocation, long blockBytes, int stream, int pool, long place) {
    outcome.forget();
    long address = policy.restoreBlock(allocation, blockBytes, stream, pool, place);
    return checked(allocation, blockBytes, stream, address);
  }

  private long checked(int allocation, long requestedBytes, int stream, long address) {
    assertTrue(outcome.served + outcome.refused <= 1, "more than one outcome of a request");
    if (outcome.served == 1) {
      assertEquals(outcome.address, address, "answered and reported address");
      answered.put(allocation, address);
    } else {
      assertEquals(outcome.refused == 1 ? OUT_OF_MEMORY : 0, address, "answer without a block");
      assertEquals(outcome.refused == 0, requestedBytes == 0, "a request without an outcome");
    }
    if (outcome.failure != null) {
      assertEquals(allocation, outcome.failure.allocation());
      assertEquals(requestedBytes, outcome.failure.requestedBytes());
      assertEquals(stream, outcome.failure.stream());
      if (limitBytes >= 0) {
        assertEquals(limitBytes, outcome.failure.limitBytes());
      }
      // What no device has may be reported as the largest size that is served.
      long minBytes = Math.min(requestedBytes, 1L << 60);
      assertTrue(outcome.failure.roundedBytes() >= minBytes, "a request rounded down");
    }
    return address;
  }

  /** Checks that the layout shows live allocations where the answers said. */
  void check() {
    if (spansBlocks) {
      return;
    }
    Map<Integer, Long> shown = new HashMap<>();
    policy.describeLayout(
        new LayoutVisitor() {
          @Override
          public void segment(
              long address, long bytes, int stream, boolean small, int pool, boolean expandable) {}

          @Override
          public void block(
              long address, long bytes, long requestedBytes, BlockState state, int allocation) {
            if (state == BlockState.ACTIVE_ALLOCATED) {
              shown.put(allocation, address);
            }
          }
        });
    assertEquals(answered, shown, "addresses by allocation, as answered and as the layout shows");
  }

  @Override
  public void free(int allocation) {
    policy.free(allocation);
  }

  @Override
  public void free(int allocation, int stream) {
    policy.free(allocation, stream);
  }

  @Override
  public void useStream(int allocation, int stream, long completionRank) {
    policy.useStream(allocation, stream, completionRank);
  }

  @Override
  public void useComplete(int allocation, int stream) {
    policy.useComplete(allocation, stream);
  }

  @Override
  public void synchronize() {
    policy.synchronize();
  }

  @Override
  public void synchronizeStream(int stream) {
    policy.synchronizeStream(stream);
  }

  @Override
  public void emptyCache() {
    policy.emptyCache();
  }

  @Override
  public void releasePool(int pool, PoolId id) {
    policy.releasePool(pool, id);
  }

  @Override
  public void emptyPool(int pool) {
    policy.emptyPool(pool);
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    policy.describeLayout(visitor);
  }
}
