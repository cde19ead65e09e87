package org.allocsim.simulator.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.OptionalLong;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.effect.EffectRows;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.stats.MemoryTimeline.Series;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Follows the recording of a simulated run. */
class RecordedRunTest {
  private static final long MIB = 1 << 20;
  private static final long SIDE = 0x5000;
  private static final DeviceProfile DEVICE = DeviceProfiles.ofCapacity(200 * MIB);

  private static void allocateEach(AllocationTrace.Builder program, long... bytes) {
    for (long each : bytes) {
      program.allocate(each, 0, PoolId.DEFAULT);
    }
  }

  /**
   * Before the recording a free block, a free segment and a block that awaits its free; then a
   * failure.
   */
  private static AllocationTrace program() {
    AllocationTrace.Builder program = new AllocationTrace.Builder();
    program.at(0, 500, 0);
    allocateEach(program, 5 * MIB, 4 * MIB, 3 * MIB, 700);
    int waiting = program.allocate(30 * MIB, 0, PoolId.DEFAULT);
    program.free(1);
    program.free(program.allocate(24 * MIB, 0, PoolId.DEFAULT));
    program.useStream(waiting, SIDE, 0);
    program.free(waiting);
    program.endPrologue();
    program.at(0, 900, 0);
    allocateEach(program, 4 * MIB);
    program.useComplete(waiting, SIDE);
    allocateEach(program, 90 * MIB, 300 * MIB, 800);
    program.emptyCache();
    return program.build(StackTable.empty());
  }

  private static RunSetup simulated(AllocationTrace trace, String policy) {
    return new RunSetup(trace, 0, PolicyChoice.parse(policy), -1, DEVICE);
  }

  /** All that a run did. */
  private static final class Rows extends EffectRows {
    private final EffectLog log = new EffectLog();

    @Override
    protected void row(EffectKind kind, long address, long bytes, int stream) {
      log.add(kind, address, bytes, stream);
    }
  }

  /** What a simulated run did after the prologue. */
  private static RunSetup recorded(RunSetup setup) throws Exception {
    Rows before = new Rows();
    Run start =
        Run.start(
            setup.endingAfter(setup.trace().prologueCount() - 1), RunObserver.hearing(before));
    start.finish();
    Rows all = new Rows();
    Run.of(setup, RunObserver.hearing(all));
    EffectLog log = all.log;
    EffectLog after = new EffectLog();
    for (int row = before.log.count(); row < log.count(); row++) {
      after.add(log.kind(row), log.address(row), log.bytes(row), log.stream(row));
    }
    MemoryLayout layout = MemoryLayout.of(start.policy());
    return setup.with(new MemorySource.Recorded(after, layout, DEVICE.totalBytes()));
  }

  private static EffectLog effects(RunSetup recorded) {
    return ((MemorySource.Recorded) recorded.memory()).effects();
  }

  @ParameterizedTest
  @ValueSource(strings = {"pytorch", "pytorch(conf=expandable_segments:True)"})
  void aRunThatStartsFromALayoutEndsAsTheWholeProgram(String policy) throws Exception {
    RunSetup setup = simulated(program(), policy);
    RunResult whole = Run.of(setup);
    RunResult followed = Run.of(recorded(setup));
    assertEquals(-1, followed.divergedRow());
    assertEquals(-1, whole.divergedRow());
    assertEquals(1, followed.failureCount());
    assertEquals(2, followed.firstFailure().orElseThrow().requestIndex());
    assertEquals(whole.firstFailure(), followed.firstFailure());
    whole
        .stats()
        .forEach((key, value) -> {
          if (key.endsWith(".current")) {
            assertEquals(value, followed.stat(key), key);
          }
        });
    assertEquals(whole.peakReservedBytes(), followed.peakReservedBytes());
    assertEquals(whole.atPeak(), followed.atPeak());
    assertEquals(6, followed.events());
    assertEquals(Map.of(), followed.driverNanosByKind());
    assertEquals(0, followed.peakDeviceBytes());
  }

  @ParameterizedTest
  @ValueSource(strings = {"pytorch", "pytorch(conf=expandable_segments:True)"})
  void whatWasThereBeforeIsNoSumButAPeak(String policy) throws Exception {
    RunSetup setup = simulated(program(), policy);
    Run before = Run.start(setup.endingAfter(setup.trace().prologueCount() - 1));
    before.finish();
    Run restored = Run.start(recorded(setup));
    assertTrue(before.stats().activeBytes() > before.stats().allocatedBytes());
    before
        .stats()
        .toMap()
        .forEach((key, value) -> {
          if (key.endsWith(".current")) {
            assertEquals(value, restored.stats().get(key), key);
          } else if (key.endsWith(".allocated") || key.endsWith(".freed")) {
            assertEquals(0, restored.stats().get(key), key);
          }
        });
    assertEquals(
        MemoryLayout.of(before.policy()).blockCount(),
        MemoryLayout.of(restored.policy()).blockCount());
    RunResult result = Run.of(recorded(setup).endingAfter(setup.trace().prologueCount() - 1));
    assertEquals(-1, result.peakRow());
    assertEquals(before.stats().reservedBytes(), result.atPeak().reservedBytes());
    assertEquals(before.stats().allocatedBytes(), result.atPeak().allocatedBytes());
  }

  @Test
  void callsOfARecordedDeviceAreCounted() throws Exception {
    RunResult result = Run.of(recorded(simulated(program(), "pytorch")));
    // 90 MiB; 300 MiB twice, before and after the cache was given back.
    assertEquals(3, result.driverCallsByKind().get(DriverCall.ALLOCATE));
    assertEquals(result.stat("num_device_free"), result.driverCallsByKind().get(DriverCall.FREE));
    assertNotEquals(0, result.stat("num_device_free"));
  }

  @Test
  void theFirstEffectThatIsNotTheRecordedOneIsNamed() throws Exception {
    RunSetup recorded = recorded(simulated(program(), "pytorch"));
    EffectLog log = effects(recorded);
    EffectLog other = new EffectLog();
    for (int row = 0; row < log.count(); row++) {
      other.add(log.kind(row), log.address(row), log.bytes(row) + (row == 3 ? 512 : 0), 0);
    }
    MemorySource.Recorded source = (MemorySource.Recorded) recorded.memory();
    assertEquals(
        3,
        Run.of(recorded.with(new MemorySource.Recorded(other, source.start(), -1))).divergedRow());
  }

  @Test
  void effectsThatARunDoesNotComeToAreADifferenceUnlessItEndsEarly() throws Exception {
    RunSetup recorded = recorded(simulated(program(), "pytorch"));
    EffectLog log = effects(recorded);
    int produced = log.count();
    log.add(EffectKind.SEGMENT_ALLOC, 0, MIB, 0);
    int lastRow = recorded.trace().eventCount() - 1;
    assertEquals(produced, Run.of(recorded).divergedRow());
    assertEquals(produced, Run.of(recorded.endingAfter(lastRow)).divergedRow());
    assertEquals(-1, Run.of(recorded.endingAfter(lastRow - 1)).divergedRow());
    assertEquals(-1, Run.of(recorded.with(AfterOom.STOP)).divergedRow());
  }

  @Test
  void aRunThatIsToStopAtAFailureAndHasNoneMustComeToAllEffects() throws Exception {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    allocateEach(builder, MIB);
    AllocationTrace trace = builder.build(StackTable.empty());
    RunSetup recorded = recorded(simulated(trace, "pytorch"));
    effects(recorded).add(EffectKind.SEGMENT_ALLOC, 0, MIB, 0);
    assertEquals(2, Run.of(recorded.with(AfterOom.STOP)).divergedRow());
  }

  @Test
  void oneWhoLeavesTheRecordingHasTheBytesThatAreSaidToBeFree() throws Exception {
    Run run = Run.start(recorded(simulated(program(), "pytorch")));
    run.finish();
    assertEquals(OptionalLong.empty(), run.deviceFreeBytes());
    assertEquals(0, run.driverNanos());
    assertEquals(effects(run.setup()).count(), run.follower().orElseThrow().position());
    run.leaveRecording(49 * MIB);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, run.policy().allocate(50, 50 * MIB, 0, 0));
    run.leaveRecording(50 * MIB);
    assertEquals(1L << 60, run.policy().allocate(51, 50 * MIB, 0, 0));
  }

  @Test
  void aTimelineBeginsWithWhatWasThereBeforeTheRecording() throws Exception {
    MemoryTimeline timeline = new MemoryTimeline();
    RunSetup recorded = recorded(simulated(program(), "pytorch"));
    Run start = Run.start(recorded);
    Run.of(recorded, new TimelineObserver(timeline));
    assertEquals(500, timeline.startNanos(0));
    assertEquals(500, timeline.endNanos(0));
    assertEquals(start.stats().reservedBytes(), timeline.firstBytes(0, Series.RESERVED));
    assertEquals(start.stats().activeBytes(), timeline.firstBytes(0, Series.ACTIVE));
    assertEquals(start.stats().allocatedBytes(), timeline.firstBytes(0, Series.ALLOCATED));
    assertEquals(start.stats().requestedBytes(), timeline.firstBytes(0, Series.REQUESTED));
    assertEquals(900, timeline.startNanos(1));
    assertEquals(1, timeline.failureCount());
  }

  @Test
  void aTimelineOfASimulatedRunBeginsWithItsFirstRequest() {
    MemoryTimeline timeline = new MemoryTimeline();
    Run.of(simulated(program(), "direct"), new TimelineObserver(timeline));
    assertEquals(500, timeline.startNanos(0));
    assertEquals(5 * MIB, timeline.firstBytes(0, Series.RESERVED));
    int last = timeline.bucketCount() - 1;
    assertEquals(900, timeline.endNanos(last));
  }

  @Test
  void aRecordingWithoutRequestsHasATimelineThatBeginsAtZero() {
    MemoryTimeline timeline = new MemoryTimeline();
    AllocationTrace empty = new AllocationTrace.Builder().build(StackTable.empty());
    MemoryLayout layout = new MemoryLayout.Builder().build();
    RunSetup setup =
        simulated(empty, "pytorch").with(new MemorySource.Recorded(new EffectLog(), layout, -1));
    assertEquals(-1, Run.of(setup, new TimelineObserver(timeline)).divergedRow());
    assertEquals(0, timeline.startNanos(0));
    assertEquals(1, timeline.bucketCount());
  }
}
