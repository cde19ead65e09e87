package org.allocsim.analysis.moment;

import static org.allocsim.analysis.moment.TestPrograms.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Optional;
import org.allocsim.analysis.moment.MomentQuery.Kind;
import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.junit.jupiter.api.Test;

class MomentFinderTest {
  /** Reserved memory has its peak before allocated memory has it. */
  private static Program program() throws Exception {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.at(0, 1_000, 0);
    int first = trace.allocate(60 * MIB, 0, PoolId.DEFAULT);
    trace.at(0, 2_000, 0);
    trace.free(first);
    int second = trace.allocate(70 * MIB, 0, PoolId.DEFAULT);
    trace.at(0, 3_000, 0);
    trace.allocate(50 * MIB, 0, PoolId.DEFAULT);
    trace.free(second);
    trace.at(0, 4_000, 0);
    trace.allocate(500 * MIB, 0, PoolId.DEFAULT);
    trace.allocate(10 * MIB, 0, PoolId.DEFAULT);
    return TestPrograms.modelled(trace, StackTable.empty(), "", 200 * MIB);
  }

  @Test
  void findsEveryKindOfMoment() throws Exception {
    Landmarks landmarks = TestPrograms.survey(program());
    assertEquals(130 * MIB, landmarks.peakReservedBytes());
    assertEquals(120 * MIB, landmarks.peakAllocatedBytes());
    assertEquals(1, landmarks.failures());

    MemoryMoment reserved = TestPrograms.at(landmarks, Kind.PEAK_RESERVED);
    assertEquals(2, reserved.requestIndex());
    assertEquals(2_000, reserved.elapsedNanos());
    assertEquals(new MemoryMoment.Totals(120 * MIB, 120 * MIB, 130 * MIB, 0), reserved.bytes());
    assertEquals(0, reserved.slack().releasableBytes());

    MemoryMoment allocated = TestPrograms.at(landmarks, Kind.PEAK_ALLOCATED);
    assertEquals(2, allocated.requestIndex());
    assertEquals(new MemoryMoment.Totals(120 * MIB, 120 * MIB, 130 * MIB, 0), allocated.bytes());
    assertEquals(10 * MIB, allocated.slack().stuckBytes());

    MemoryMoment end = TestPrograms.at(landmarks, Kind.END);
    assertEquals(4, end.requestIndex());
    assertEquals(60 * MIB, end.bytes().allocatedBytes());
  }

  @Test
  void aFailedRequestIsSeenAfterTheCacheWasReleased() throws Exception {
    MemoryMoment moment = TestPrograms.at(TestPrograms.survey(program()), Kind.FIRST_OOM);
    assertEquals(3, moment.requestIndex());
    assertEquals(new MemoryMoment.Totals(50 * MIB, 50 * MIB, 60 * MIB, 0), moment.bytes());
    assertEquals(500 * MIB, moment.failure().requestedBytes());
    assertEquals(140 * MIB, moment.failure().shortage().deviceFreeBytes());
  }

  @Test
  void aChosenRequestHasItsMoment() throws Exception {
    Landmarks landmarks = TestPrograms.survey(program());
    MemoryMoment moment = TestPrograms.at(landmarks, MomentQuery.afterRequest(0));
    assertEquals(60 * MIB, moment.bytes().reservedBytes());
    Origins origins = Origins.of(landmarks.program().input().trace(), 0);
    assertFalse(landmarks.row(MomentQuery.afterRequest(5), origins).isPresent());
    assertTrue(landmarks.row(MomentQuery.afterRequest(4), origins).isPresent());
  }

  @Test
  void aProgramWithoutFailuresHasNoSuchMoment() throws Exception {
    Landmarks landmarks =
        TestPrograms.survey(TestPrograms.recorded(TestPrograms.shipped("cat_growth")));
    assertEquals(Optional.empty(), landmarks.firstFailure());
    assertEquals(MomentQuery.of(Kind.PEAK_RESERVED), landmarks.failureOrPeak());
  }

  @Test
  void aProgramWithoutRequestsHasAnEmptyPeak() throws Exception {
    Landmarks landmarks =
        TestPrograms.survey(
            TestPrograms.modelled(
                new AllocationTrace.Builder(), StackTable.empty(), "", 200 * MIB));
    MemoryMoment moment = TestPrograms.at(landmarks, Kind.PEAK_RESERVED);
    assertEquals(-1, moment.requestIndex());
    assertEquals(0, moment.bytes().reservedBytes());
  }

  /** The ring of the recorder lost the start; the end must still be what the snapshot says. */
  @Test
  void theEndOfATruncatedHistoryIsThatOfTheSnapshot() throws Exception {
    Path file = TestPrograms.shared("pytorch-other/truncated_ring");
    MemoryMoment end = TestPrograms.at(TestPrograms.survey(TestPrograms.recorded(file)), Kind.END);
    MemoryMoment held = FinalLayout.of(SnapshotReader.read(file, (_, _) -> {}), 0).moment();
    assertEquals(held.bytes(), end.bytes());
    assertEquals(held.slack(), end.slack());
  }
}
