package org.allocsim.analysis.colocate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.analysis.colocate.SharedGpu.LimitRange;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.SharedObserver;
import org.allocsim.simulator.run.SharedResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.TraceSource;
import org.junit.jupiter.api.Test;

class SharedGpuTest {
  private static final long MIB = 1 << 20;
  private static final long SECOND = 1_000_000_000;

  /** Seconds and MiB: asks for so many, gives them back right before the next. */
  private static AllocationTrace waves(long startSecond, long... mibs) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    for (long mib : mibs) {
      trace.at(0, ++startSecond * SECOND, 0);
      int allocation = trace.allocate(mib * MIB, 0, PoolId.DEFAULT);
      trace.at(0, startSecond * SECOND + SECOND / 2, 0);
      trace.free(allocation);
    }
    return trace.build(StackTable.empty());
  }

  private static SharingProgram program(String name, AllocationTrace trace, String policy) {
    return program(name, trace, policy, -1);
  }

  private static SharingProgram program(
      String name, AllocationTrace trace, String policy, long roomBytes) {
    DeviceTrace input = new DeviceTrace(TraceSource.of(name, trace), 0);
    return new SharingProgram(
        name, input, PolicyChoice.parse(policy), -1, 10 * MIB, 2 * MIB, 0, false, roomBytes);
  }

  private static SharedGpu shared(long mib, SharingProgram... programs) {
    DeviceProfile gpu = DeviceProfiles.ofCapacity(mib * MIB);
    return new SharedGpu(List.of(programs), gpu, AfterOom.CONTINUE);
  }

  @Test
  void theDriverRefusesAProcessWhatIsBeyondItsRoom() {
    AllocationTrace waves = waves(0, 100, 300, 50);
    SharedGpu bounded = shared(1_000, program("a", waves, "direct", 300 * MIB));
    assertTrue(bounded.run(SharedObserver.NONE).passes());
    SharedGpu less =
        shared(
            1_000,
            program("a", waves, "direct", 299 * MIB),
            program("b", waves(0, 400, 400, 400), "direct"));
    SharedResult result = less.run(SharedObserver.NONE);
    assertEquals(0, result.firstFailure().orElseThrow().tenant());
    assertEquals(1, result.firstFailure().orElseThrow().request().requestIndex());
    assertTrue(result.tenants().get(1).passes(), "the other has no such bound");
    assertEquals(-1, less.smallestBytes(), "a larger GPU does not help");
  }

  @Test
  void theSmallestGpuHoldsBothWavesWhereTheyMeet() {
    SharedGpu meeting =
        shared(
            1_000,
            program("a", waves(0, 100, 300, 50), "direct"),
            program("b", waves(0, 200, 10, 200), "direct"));
    // 100 + 200, 300 + 10, 50 + 200, and two contexts of 12.
    assertEquals(334 * MIB, meeting.smallestBytes());
    assertEquals(334 * MIB, meeting.run(SharedObserver.NONE).peak().bytes());
    SharedGpu caching =
        shared(
            1_000,
            program("a", waves(0, 100, 300, 50), "pytorch"),
            program("b", waves(0, 200, 10, 200), "pytorch"));
    // Each gives its cache back for itself when it is refused: a keeps 300, b its 200.
    assertEquals(524 * MIB, caching.smallestBytes());
  }

  @Test
  void aLimitKeepsACacheFromTakingWhatTheOtherNeeds() {
    // a could live with 300 MiB, but caches 400; b needs 300 at second 3.
    SharingProgram a = program("a", waves(0, 100, 300, 50), "pytorch");
    SharingProgram b = program("b", waves(0, 10, 10, 300), "pytorch");
    SharedGpu shared = shared(690, a, b);
    assertFalse(shared.run(SharedObserver.NONE).passes());
    LimitRange range = shared.limits(0);
    assertEquals(300 * MIB, range.minBytes());
    // With 400 it would keep its first 100 beside the 300, and b would lack room.
    assertEquals(398 * MIB, range.maxBytes());
    assertEquals(new LimitRange(-1, -1), shared.limits(1));
    assertTrue(
        new SharedGpu(List.of(a.withLimit(range.maxBytes()), b), shared.gpu(), AfterOom.CONTINUE)
            .run(SharedObserver.NONE)
            .passes());
  }

  @Test
  void whoRunsWithoutALimitHasALowestOne() {
    SharedGpu shared =
        shared(
            4_000,
            program("a", waves(0, 100, 300, 50), "direct"),
            program("b", waves(0, 10), "direct"));
    assertEquals(new LimitRange(300 * MIB, -1), shared.limits(0));
    assertEquals(new LimitRange(10 * MIB, -1), shared.limits(1));
  }

  @Test
  void aLimitOfItsOwnThatIsTooSmallIsOnNoGpuEnough() {
    SharingProgram a = program("a", waves(0, 100), "direct").withLimit(50 * MIB);
    SharedGpu shared = shared(4_000, a, program("b", waves(0, 10), "direct"));
    assertEquals(-1, shared.smallestBytes());
    assertEquals(new LimitRange(100 * MIB, -1), shared.limits(0));
  }

  @Test
  void knownGpusAreThoseOfTheSizeAndLarger() {
    assertEquals("h200", SharedGpu.ofSize(120L << 30).getFirst().name());
    assertEquals(List.of(), SharedGpu.ofSize(-1));
    assertEquals(List.of(), SharedGpu.ofSize(1L << 50));
  }

  @Test
  void recordingsThatOverlapKeepTheirClocks() {
    DeviceTrace early = program("early", waves(1_000, 1, 1, 1), "direct").input();
    DeviceTrace late = program("late", waves(1_001, 1, 1), "direct").input();
    DeviceTrace other = program("other", waves(9_000, 1, 1), "direct").input();
    assertEquals(new CommonClock(true, List.of(0L, SECOND)), CommonClock.of(List.of(early, late)));
    assertEquals(new CommonClock(true, List.of(SECOND, 0L)), CommonClock.of(List.of(late, early)));
    assertEquals(new CommonClock(false, List.of(0L, 0L)), CommonClock.of(List.of(early, other)));
    assertEquals(new CommonClock(false, List.of(0L)), CommonClock.of(List.of(early)));
  }
}
