package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.stream.IntStream;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.policy.PolicyTraits.InactiveSplits;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every policy must do, whatever its rules: the invariants of a memory allocator, the same
 * effects for the same requests, more memory never hurting, an end that holds what its rules say,
 * and sizes that no device has. A policy's own contract test extends this class, names the policy
 * and says where its rules differ from the usual.
 */
public abstract class PolicyContract {
  /** Capacity that no random sequence here fills. */
  private static final long PLENTY_BYTES = 1L << 42;

  private final String policyId;

  /** The contract of a policy with its default options. */
  protected PolicyContract(String policyId) {
    this.policyId = policyId;
  }

  /** Id of the policy. */
  public final String policyId() {
    return policyId;
  }

  /** Options under which the contract is tested. */
  protected Map<String, String> options() {
    return Map.of();
  }

  /** Whether neighbouring free blocks of a segment are always merged. */
  protected boolean mergesFreeBlocks() {
    return true;
  }

  /**
   * Whether one allocation may have several blocks, which are shown with the same allocation id and
   * each with its share of the request.
   */
  protected boolean spansBlocks() {
    return false;
  }

  /** Which free blocks the policy reports as inactive splits. */
  protected InactiveSplits inactiveSplits() {
    return InactiveSplits.BESIDE_OTHER_BLOCKS;
  }

  /** Whether memory may go back to the device when the program frees or the host waits. */
  protected boolean returnsMemoryOnFree() {
    return false;
  }

  /**
   * Bytes still reserved after everything was freed, the host waited and the cache was emptied.
   *
   * @param peakReservedBytes most that was ever reserved
   */
  protected long reservedBytesWhenEmptied(long peakReservedBytes) {
    return 0;
  }

  /** A limit counts in multiples of this; one in between is rounded up. */
  protected long limitUnitBytes() {
    return 1;
  }

  /** Bytes beyond its peak that the device must have for the policy to act as with plenty. */
  protected long headroomBytes() {
    return 0;
  }

  /**
   * Capacity of the smallest device on which the policy must act as with plenty.
   *
   * @param peakBytes most that it took from a device with plenty, whole pages
   */
  protected long sufficientCapacityBytes(long peakBytes) {
    return peakBytes + headroomBytes();
  }

  /** Whether requests of 0 bytes are served with memory, as the real allocator does. */
  protected boolean servesRequestsOfNoBytes() {
    return false;
  }

  private PolicyRun run(AllocationTrace trace, long capacityBytes, long limitBytes) {
    return run(trace, capacityBytes, limitBytes, true);
  }

  private PolicyRun run(
      AllocationTrace trace, long capacityBytes, long limitBytes, boolean checks) {
    return PolicyRun.of(
        policyId,
        options(),
        trace,
        capacityBytes,
        limitBytes,
        new PolicyTraits(mergesFreeBlocks(), spansBlocks(), inactiveSplits()),
        checks);
  }

  private static AllocationTrace random(int seed) {
    return RandomTraces.of(seed, 600, seed % 3 + 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void blocksTileTheirSegmentsAndEffectsAddUpAtEveryRequest(int seed) {
    PolicyRun run = run(random(seed), PLENTY_BYTES, -1);
    assertEquals(0, run.count(EffectKind.OOM));
    assertTrue(run.peakReservedBytes() >= run.peakRequestedBytes(), "a live set that fits nowhere");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void theSameRequestsHaveTheSameEffects(int seed) {
    AllocationTrace trace = random(seed);
    assertEquals(run(trace, PLENTY_BYTES, -1).effects(), run(trace, PLENTY_BYTES, -1).effects());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aDeviceThatHoldsThePeakActsAsOneWithPlenty(int seed) {
    AllocationTrace trace = random(seed);
    PolicyRun plenty = run(trace, PLENTY_BYTES, -1);
    PolicyRun enough = run(trace, sufficientCapacityBytes(plenty.maxDeviceBytes()), -1);
    assertEquals(0, enough.count(EffectKind.OOM));
    assertEquals(plenty.peakReservedBytes(), enough.peakReservedBytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void invariantsHoldWhileRequestsFail(int seed) {
    AllocationTrace trace = random(seed);
    long peak = run(trace, PLENTY_BYTES, -1).maxDeviceBytes();
    PolicyRun tight = run(trace, Math.max(2L << 20, peak / 2), -1);
    assertTrue(tight.maxDeviceBytes() <= Math.max(2L << 20, peak / 2));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void aLimitIsNeverPassed(int seed) {
    AllocationTrace trace = random(seed);
    long limitBytes = run(trace, PLENTY_BYTES, -1).peakRequestedBytes() / 2;
    limitBytes -= limitBytes % limitUnitBytes();
    PolicyRun limited = run(trace, PLENTY_BYTES, limitBytes);
    assertTrue(limited.peakReservedBytes() <= limitBytes);
    assertTrue(limited.count(EffectKind.OOM) > 0);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  protected void whatIsFreedAndEmptiedGoesBackToTheDevice(int seed) {
    PolicyRun run = run(RandomTraces.emptied(seed, 400, 1), PLENTY_BYTES, -1);
    assertEquals(0, run.liveBytes());
    assertEquals(reservedBytesWhenEmptied(run.peakReservedBytes()), run.reservedBytes());
    assertEquals(run.reservedBytes() == 0, run.deviceBytes() == 0, "what the device got back");
  }

  @Test
  void allocationsAndStreamsAreFoundHoweverManyThereAre() {
    PolicyRun run = run(RandomTraces.many(5000, 50), PLENTY_BYTES, -1, false);
    assertEquals(0, run.count(EffectKind.OOM));
    assertEquals(5000, run.count(EffectKind.ALLOC));
    assertEquals(5000, run.count(EffectKind.FREE_COMPLETED));
    assertEquals(0, run.liveBytes());
  }

  @Test
  void aFreeOfWhatIsNotLiveIsIgnored() {
    AllocatorPolicy policy = PolicyRun.policy(policyId(), options(), random(1), PLENTY_BYTES);
    for (int unknown : new int[] {0, 15, 16, 63, 64, 255, 256, 1023, 1024, 1 << 20}) {
      policy.free(unknown, 0);
      policy.useStream(unknown, 1, 0);
      policy.useComplete(unknown, AllocationTrace.ANY_STREAM);
    }
    LayoutVisitor nothing =
        new LayoutVisitor() {
          @Override
          public void segment(
              long address, long bytes, int stream, boolean small, int pool, boolean expandable) {}

          @Override
          public void block(
              long address, long bytes, long requestedBytes, BlockState state, int allocation) {
            assertEquals(BlockState.INACTIVE, state);
          }
        };
    policy.describeLayout(nothing);
  }

  @Test
  void aFreeReturnsMemoryOnlyWhereTheRulesSaySo() {
    boolean anyLowered =
        IntStream.rangeClosed(1, 3)
            .mapToObj(seed -> RandomTraces.emptied(seed, 400, 1))
            .anyMatch(trace -> run(trace, PLENTY_BYTES, -1).hasFreeThatLoweredReserved());
    assertEquals(returnsMemoryOnFree(), anyLowered);
  }

  @Test
  void sizesThatNoDeviceHasAreRefusedAndLeaveEverythingAsItWas() {
    for (long bytes :
        new long[] {Long.MAX_VALUE, Long.MAX_VALUE - 511, 1L << 62, (1L << 61) + 1, 1L << 50}) {
      AllocationTrace.Builder trace = new AllocationTrace.Builder();
      trace.allocate(3 << 20, 0, PoolId.DEFAULT);
      int huge = trace.allocate(bytes, 0, PoolId.DEFAULT);
      trace.free(huge);
      trace.allocate(5 << 20, 0, PoolId.DEFAULT);
      PolicyRun run = run(RandomTraces.build(trace), 1L << 34, -1);
      assertEquals(1, run.refusedRequests(), () -> "a request of " + bytes + " bytes");
      assertEquals(8L << 20, run.liveBytes());
    }
  }

  @Test
  void requestsOfNoBytesGetTheNullAddressAndChangeNothingUnlessTheyAreServed() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int none = trace.allocate(0, 0, PoolId.DEFAULT);
    trace.free(none);
    PolicyRun run = run(RandomTraces.build(trace), 1L << 34, -1);
    if (servesRequestsOfNoBytes()) {
      assertEquals(1, run.count(EffectKind.ALLOC));
    } else {
      assertEquals("", run.effects());
    }
  }
}
