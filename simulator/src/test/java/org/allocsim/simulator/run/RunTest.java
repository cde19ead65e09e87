package org.allocsim.simulator.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.BlockEffects;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;
import org.junit.jupiter.api.Test;

class RunTest {
  private static final long MIB = 1 << 20;
  private static final DeviceProfile SMALL = DeviceProfiles.ofCapacity(100 * MIB);

  private final AllocationTrace.Builder program = new AllocationTrace.Builder();
  private AllocationTrace trace;

  private int allocate(long bytes) {
    return program.allocate(bytes, 0, PoolId.DEFAULT);
  }

  private AllocationTrace trace() {
    if (trace == null) {
      trace = program.build(StackTable.empty());
    }
    return trace;
  }

  private RunSetup setup(String policy) {
    return new RunSetup(trace(), 0, PolicyChoice.parse(policy), -1, SMALL);
  }

  /** Rows: 0 before the recording, then 20 MiB, another device, a free, 6 MiB. */
  private void smallProgram() {
    program.at(0, 1_000, 0);
    allocate(10 * MIB);
    program.endPrologue();
    int freed = allocate(20 * MIB);
    program.at(1, 2_000, 0);
    allocate(50 * MIB);
    program.at(0, 3_000, 0);
    program.free(freed);
    allocate(6 * MIB);
  }

  /**
   * Row 0 fits, rows 1 and 4 are refused, whatever the allocator; the free between is passed over.
   */
  private void failingProgram() {
    allocate(60 * MIB);
    int refused = allocate(50 * MIB);
    program.free(refused);
    allocate(30 * MIB);
    program.allocate(70 * MIB, 0, new PoolId(0, 1));
    allocate(4 * MIB);
  }

  @Test
  void theRowsOfOneDeviceAreSentAndCounted() {
    smallProgram();
    RunResult result = Run.of(setup("direct"));
    assertTrue(result.isRun());
    assertTrue(result.passes());
    assertFalse(result.isStopped());
    assertEquals(4, result.events());
    assertEquals(2, result.requests());
    assertEquals(4, result.lastRow());
    assertEquals(3, result.stat("num_device_alloc"));
    assertEquals(16 * MIB, result.stat("allocated_bytes.all.current"));
    assertEquals(30 * MIB, result.peakReservedBytes());
    assertEquals(new RunResult.Moment(30 * MIB, 30 * MIB, 30 * MIB, 30 * MIB), result.atPeak());
    assertEquals(1, result.peakRow());
    assertEquals(30 * MIB, result.peakDeviceBytes());
    assertEquals(Optional.empty(), result.firstFailure());
    assertNull(result.time());
    assertEquals(-1, result.divergedRow());
  }

  @Test
  void driverCallsAreCountedAndTimedByKind() {
    smallProgram();
    RunSetup setup = setup("direct");
    RunResult result = Run.of(setup);
    SimulatedDevice device = new SimulatedDevice(SMALL);
    device.allocate(10 * MIB);
    long address = device.allocate(20 * MIB);
    for (int page = 0; page < 5; page++) {
      device.takeHiddenPages(1);
    }
    device.runKernels();
    device.free(address, 20 * MIB);
    device.allocate(6 * MIB);
    assertEquals(3, result.driverCallsByKind().get(DriverCall.ALLOCATE));
    assertEquals(1, result.driverCallsByKind().get(DriverCall.FREE));
    assertEquals(0, result.driverCallsByKind().get(DriverCall.MAP));
    assertEquals(
        Map.of(
            DriverCall.ALLOCATE,
            device.driverNanos(DriverCall.ALLOCATE),
            DriverCall.FREE,
            device.driverNanos(DriverCall.FREE)),
        result.driverNanosByKind());
    assertEquals(4, result.driverCalls());
    assertEquals(device.driverNanos(), result.driverNanos());
  }

  @Test
  void aRunGoesOnAfterAFailedRequestOrStopsThere() {
    failingProgram();
    RunResult result = Run.of(setup("direct"));
    assertEquals(2, result.failureCount());
    assertEquals(6, result.events());
    assertFalse(result.passes());
    assertFalse(result.isStopped());
    assertEquals(94 * MIB, result.stat("allocated_bytes.all.current"));
    RunResult stopped = Run.of(setup("direct").with(AfterOom.STOP));
    assertEquals(1, stopped.failureCount());
    assertEquals(2, stopped.events());
    assertEquals(1, stopped.lastRow());
    assertTrue(stopped.isStopped());
    assertFalse(stopped.passes());
  }

  @Test
  void aFailedRequestIsKeptWithItsPlaceAndWhatWasHeld() {
    failingProgram();
    RunResult result = Run.of(setup("direct"));
    FailedRequest first = result.firstFailure().orElseThrow();
    assertEquals(
        new FailedRequest(
            1,
            1,
            1,
            0,
            50 * MIB,
            60 * MIB,
            60 * MIB,
            first.shortage(),
            "Out of memory on device 0: 50.00 MiB are needed, 40.00 MiB are free on the device;"
                + " the allocator holds 60.00 MiB, 60.00 MiB of it in use."),
        first);
    assertEquals(50 * MIB, first.shortage().requestedBytes());
    FailedRequest second = result.failures().get(1);
    assertEquals(3, second.requestIndex());
    assertEquals(4, second.row());
    assertEquals(1, second.pool());
    assertEquals(90 * MIB, second.reservedBytes());
  }

  @Test
  void theLimitOfAnAllocatorStandsInItsMessage() {
    failingProgram();
    RunSetup limited = new RunSetup(trace(), 0, PolicyChoice.parse("direct"), 80 * MIB, SMALL);
    assertEquals(
        "Out of memory on device 0: 50.00 MiB are needed, 40.00 MiB are free on the device, its"
            + " limit is 80.00 MiB; the allocator holds 60.00 MiB, 60.00 MiB of it in use.",
        Run.of(limited).firstFailure().orElseThrow().message());
  }

  @Test
  void aLimitOfZeroIsALimit() {
    program.allocate(MIB, 0, new PoolId(0, 1));
    RunSetup limited = new RunSetup(trace(), 0, PolicyChoice.parse("direct"), 0, SMALL);
    FailedRequest failed = Run.of(limited).firstFailure().orElseThrow();
    assertTrue(failed.message().contains(", its limit is 0 B;"), failed.message());
    assertEquals(1, failed.pool());
  }

  @Test
  void thePeakMayBeAfterTheLastRow() {
    allocate(MIB);
    allocate(20 * MIB);
    RunResult result = Run.of(setup("direct"));
    assertEquals(1, result.peakRow());
    assertEquals(21 * MIB, result.atPeak().allocatedBytes());
    assertEquals(22 * MIB, result.peakDeviceBytes());
  }

  @Test
  void aPassMayHaveOneRow() {
    allocate(MIB);
    RunResult result = Run.of(setup("direct").repeated(3));
    assertEquals(3, result.events());
    assertEquals(3, result.requests());
  }

  @Test
  void settingsThatAreParsedAlreadyAreThoseOfTheChosenPolicy() {
    failingProgram();
    RunPolicy parsed = RunPolicy.pytorch(AllocatorConfig.DEFAULT, PyTorchVersion.DEFAULT);
    RunResult chosen = Run.of(setup("pytorch"));
    RunResult same = Run.of(setup("pytorch").with(parsed));
    assertTrue(same.isSameAs(chosen));
    assertEquals(chosen.failures(), same.failures());
  }

  @Test
  void whereNoObserverFollowsBlocksOnlyTheStatisticsHearOfThem() throws Exception {
    smallProgram();
    List<EffectListener> listeners = new ArrayList<>();
    RunPolicy noting = refusing(new UnfitTraceException("nothing"), listeners);
    assertFalse(Run.of(setup("direct").with(noting)).isRun());
    assertNull(BlockEffects.to(listeners.getFirst(), false).others());
  }

  @Test
  void pyTorchFailsInTheWordsOfItsRelease() {
    failingProgram();
    String message = Run.of(setup("pytorch")).firstFailure().orElseThrow().message();
    assertTrue(
        message.startsWith(
            "CUDA out of memory. Tried to allocate 50.00 MiB. GPU 0 has a total capacity of 100.00"
                + " MiB of which 40.00 MiB is free. Of the allocated memory 60.00 MiB is allocated"
                + " by PyTorch, and 0 bytes is reserved by PyTorch but unallocated."),
        message);
    String old = Run.of(setup("pytorch(torch-version=2.0)")).firstFailure().orElseThrow().message();
    assertTrue(old.contains("(GPU 0; 100.00 MiB total capacity; 60.00 MiB already"), old);
  }

  @Test
  void aRequestThatIsRejectedIsAFailureWithoutShortage() throws Exception {
    program.allocate(1L << 62, 0, PoolId.DEFAULT);
    allocate(200 * MIB);
    Run run = Run.start(setup("pytorch").keepingFailures(1));
    run.finish();
    FailedRequest rejected = run.failures().kept().getFirst();
    assertNull(rejected.shortage());
    assertEquals(1L << 62, rejected.requestedBytes());
    assertFalse(rejected.message().isEmpty());
    assertEquals(2, run.failures().count());
    assertEquals(1, run.failures().kept().size());
    assertEquals(200 * MIB, run.failures().firstShortage().orElseThrow().requestedBytes());
    assertThrows(UnsupportedOperationException.class, () -> run.failures().kept().clear());
    assertEquals(0, Run.of(setup("pytorch").keepingFailures(0)).failures().size());
  }

  @Test
  void aRunEndsAfterALastRow() {
    smallProgram();
    RunResult result = Run.of(setup("direct").endingAfter(1));
    assertEquals(2, result.events());
    assertEquals(1, result.lastRow());
    assertEquals(2, Run.of(setup("direct").endingAfter(1), new Noting()).events());
    RunResult none = Run.of(setup("direct").endingAfter(-1));
    assertEquals(0, none.events());
    assertEquals(-1, none.lastRow());
    assertEquals(0, none.requests());
    assertEquals(-1, none.peakRow());
  }

  @Test
  void theRowsAfterThePrologueAreSentSeveralTimesOver() {
    smallProgram();
    RunResult result = Run.of(setup("direct").repeated(3));
    assertEquals(1 + 3 * 3, result.events());
    assertEquals(6, result.requests());
    assertEquals(16 * MIB, result.stat("allocated_bytes.all.current"));
  }

  @Test
  void failuresOfLaterPassesAreCountedOn() {
    failingProgram();
    List<FailedRequest> failures = Run.of(setup("direct").repeated(2)).failures();
    assertEquals(
        List.of(1L, 3L, 6L, 8L), failures.stream().map(FailedRequest::requestIndex).toList());
    assertEquals(List.of(1, 4, 1, 4), failures.stream().map(FailedRequest::row).toList());
  }

  /** Notes what it hears of; is called before the rows that it names. */
  private static final class Noting implements RunObserver {
    final List<String> heard = new ArrayList<>();
    final int[] wanted;
    int lastAllowed = Integer.MAX_VALUE;
    long ownNanos;
    Run run;

    Noting(int... wanted) {
      this.wanted = wanted;
    }

    @Override
    public void begin(Run begun) {
      run = begun;
      heard.add("begin");
    }

    @Override
    public boolean before(int row) {
      heard.add(row + " after " + run.row());
      return row <= lastAllowed;
    }

    @Override
    public int nextRow() {
      for (int row : wanted) {
        if (row > run.row() + 1) {
          return row;
        }
      }
      return wanted.length == 0 ? 0 : Integer.MAX_VALUE;
    }

    @Override
    public void end() {
      heard.add("end");
    }

    @Override
    public long ownNanos() {
      return ownNanos;
    }
  }

  @Test
  void anObserverIsCalledBeforeTheRowsThatItNames() {
    for (int i = 0; i < 6; i++) {
      allocate(MIB);
    }
    Noting every = new Noting();
    Run.of(setup("direct"), every);
    assertEquals(
        List.of(
            "begin",
            "0 after -1",
            "1 after 0",
            "2 after 1",
            "3 after 2",
            "4 after 3",
            "5 after 4",
            "end"),
        every.heard);
    Noting few = new Noting(2, 5);
    Noting fewer = new Noting(2, 4);
    Run.of(setup("direct"), few, fewer);
    assertEquals(List.of("begin", "0 after -1", "2 after 1", "5 after 4", "end"), few.heard);
    assertEquals(List.of("begin", "0 after -1", "2 after 1", "4 after 3", "end"), fewer.heard);
    Noting none = new Noting(100);
    Run.of(setup("direct").endingAfter(3), none);
    assertEquals(List.of("begin", "0 after -1", "end"), none.heard);
  }

  @Test
  void anObserverIsCalledBeforeTheFirstRowOfEachPass() {
    smallProgram();
    Noting observer = new Noting(100);
    Run.of(setup("direct").repeated(3), observer, new Noting());
    assertEquals(List.of("begin", "0 after -1", "1 after 4", "1 after 4", "end"), observer.heard);
  }

  @Test
  void anObserverMayEndTheRun() {
    smallProgram();
    Noting observer = new Noting();
    observer.lastAllowed = 2;
    RunResult result = Run.of(setup("direct"), observer);
    assertEquals(2, result.events());
    assertEquals(1, result.lastRow());
    assertEquals(List.of("begin", "0 after -1", "1 after 0", "3 after 1", "end"), observer.heard);
  }

  @Test
  void whatObserversTakeForThemselvesIsNoTimeOfTheRun() {
    smallProgram();
    long start = System.nanoTime();
    double seconds = Run.of(setup("direct")).seconds();
    assertTrue(seconds > 0 && seconds <= (System.nanoTime() - start) / 1e9);
    Noting observer = new Noting();
    observer.ownNanos = 5_000_000_000_000L;
    assertEquals(-5_000, Run.of(setup("direct"), observer).seconds(), 600);
  }

  @Test
  void listenersHearAfterTheStatistics() {
    smallProgram();
    List<Long> allocated = new ArrayList<>();
    Run[] run = new Run[1];
    RunObserver observer =
        new RunObserver() {
          private final EffectListener listener =
              new EffectListener() {
                @Override
                public void blockAllocated(
                    int id, long address, long requested, long bytes, int stream, boolean small) {
                  allocated.add(run[0].stats().allocatedBytes());
                }
              };

          @Override
          public EffectListener effects() {
            return listener;
          }

          @Override
          public void begin(Run begun) {
            run[0] = begun;
          }
        };
    Run.of(setup("direct"), observer);
    assertEquals(List.of(10 * MIB, 30 * MIB, 16 * MIB), allocated);
    List<Integer> ids = new ArrayList<>();
    Run.of(
        setup("direct"),
        RunObserver.hearing(
            new EffectListener() {
              @Override
              public void blockAllocated(
                  int id, long address, long requested, long bytes, int stream, boolean small) {
                ids.add(id);
              }
            }));
    assertEquals(List.of(0, 1, 3), ids);
  }

  /** A policy that refuses to be made. */
  private static RunPolicy refusing(Exception reason) {
    return refusing(reason, new ArrayList<>());
  }

  private static RunPolicy refusing(Exception reason, List<EffectListener> listeners) {
    return new RunPolicy() {
      @Override
      public AllocatorPolicy create(
          long limitBytes, FutureRequests requests, DeviceMemory memory, EffectListener listener)
          throws UnfitTraceException, PolicyOptionException {
        listeners.add(listener);
        if (reason instanceof UnfitTraceException unfit) {
          throw unfit;
        }
        throw (PolicyOptionException) reason;
      }

      @Override
      public long oversizeBytes() {
        return -1;
      }

      @Override
      public Optional<OutOfMemoryMessage.Template> wording() {
        return Optional.empty();
      }
    };
  }

  @Test
  void whatCannotBeRunSaysWhy() {
    smallProgram();
    RunSetup setup = setup("direct");
    RunResult unfit = Run.of(setup.with(refusing(new UnfitTraceException("times"))));
    assertEquals("needs times", unfit.notRunBecause());
    assertFalse(unfit.isRun());
    assertFalse(unfit.passes());
    assertTrue(Double.isNaN(unfit.seconds()));
    RunResult wrong = Run.of(setup.with(refusing(new PolicyOptionException("no such size"))));
    assertEquals("no such size", wrong.notRunBecause());
    assertNotNull(Run.of(setup("pytorch(conf=nonsense)")).notRunBecause());
    assertNotNull(Run.of(setup("pytorch(torch-version=0.1)")).notRunBecause());
  }

  @Test
  void aRunShowsItsAllocatorAndDeviceWhileItGoesOn() throws Exception {
    smallProgram();
    RunSetup setup = setup("direct");
    Run run = Run.start(setup);
    assertSame(setup, run.setup());
    assertEquals(-1, run.row());
    assertEquals(0, run.driverNanos());
    assertEquals(OptionalLong.of(100 * MIB), run.deviceFreeBytes());
    assertEquals(3_000, run.nanosAt(3));
    assertEquals(Optional.empty(), run.follower());
    run.finish();
    assertEquals(4, run.row());
    assertEquals(OptionalLong.of(84 * MIB), run.deviceFreeBytes());
    assertEquals(84 * MIB, run.simulatedDevice().orElseThrow().freeBytes());
    assertEquals(run.simulatedDevice().orElseThrow().driverNanos(), run.driverNanos());
    assertTrue(run.driverNanos() > 0);
    run.policy().free(0);
    assertEquals(6 * MIB, run.stats().allocatedBytes());
    assertThrows(IllegalStateException.class, () -> run.leaveRecording(1));
  }

  @Test
  void memoryFromElsewhereIsNeitherCountedNorTimed() throws Exception {
    smallProgram();
    SimulatedDevice given = new SimulatedDevice(SMALL);
    Run run = Run.start(setup("direct").with(new MemorySource.Given(given)));
    RunResult result = run.finish();
    assertEquals(84 * MIB, given.freeBytes());
    assertEquals(30 * MIB, result.peakReservedBytes());
    assertEquals(0, result.peakDeviceBytes());
    assertEquals(0, result.driverCalls());
    assertEquals(-1, result.driverNanos());
    assertEquals(0, run.driverNanos());
    assertEquals(Optional.empty(), run.simulatedDevice());
    assertEquals(OptionalLong.empty(), run.deviceFreeBytes());
    assertEquals(-1, result.divergedRow());
  }

  @Test
  void aProgramWithWorkRunsInTime() throws Exception {
    allocate(MIB);
    program.launch(new Work.Timed(1_000_000), 0);
    program.synchronize();
    allocate(MIB);
    Run run = Run.start(setup("direct"));
    assertEquals(0, run.nanosAt(3));
    RunResult result = run.finish();
    assertTrue(result.time().endNanos() > 1_000_000);
    assertEquals(result.time().hostNanos(), run.nanosAt(3));
    assertEquals(4, result.events());
    assertEquals(2 * MIB, result.stat("allocated_bytes.all.current"));
    assertNull(Run.of(setup("direct").repeated(2)).time());
    MemorySource given = new MemorySource.Given(new SimulatedDevice(SMALL));
    assertNull(Run.of(setup("direct").with(given)).time());
  }

  @Test
  void theAllocatorsWaitingIsPartOfTheTime() {
    int freed = allocate(MIB);
    program.launch(new Work.Timed(7_000_000), 0);
    program.free(freed);
    RunResult result = Run.of(setup("direct"));
    assertTrue(result.time().allocatorNanos() > 6_000_000);
  }

  @Test
  void aRecordedProgramKeepsItsPaceButForTheRecordedDriverTime() {
    program.at(0, 5_000_000, 0);
    allocate(MIB);
    program.at(0, 9_000_000, 0);
    allocate(MIB);
    RunSetup setup = setup("direct");
    long driverNanos = Run.of(setup).driverNanos();
    assertEquals(
        4_000_000 - 1_500_000 + driverNanos,
        Run.of(setup.atPaceBeside(new long[] {0, 1_500_000})).time().hostNanos());
  }

  @Test
  void aProgramWithWorkKeepsNoRecordedPace() {
    program.at(0, 5_000_000, 0);
    allocate(MIB);
    program.at(0, 9_000_000, 0);
    program.launch(new Work.Timed(10), 0);
    assertTrue(Run.of(setup("direct").atPaceBeside(new long[2])).time().hostNanos() < 4_000_000);
  }
}
