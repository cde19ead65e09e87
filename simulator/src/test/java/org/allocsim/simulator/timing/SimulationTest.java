package org.allocsim.simulator.timing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.HostMemoryListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.pinned.PinnedHostAllocator;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.Loader;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SimulationTest {
  private static final long SIDE = 16;
  private static final long MIB = 1L << 20;
  private static final long MILLI = 1_000_000;

  private final AllocationTrace.Builder program = new AllocationTrace.Builder();
  private MemoryStats stats;

  private static DeviceProfile profile() {
    return DeviceProfiles.defaultProfile();
  }

  private TimeResult run(Simulation.Observer observer) {
    program.declareStream(0);
    AllocationTrace trace = program.build(new StackTable.Builder().build());
    SimulatedDevice gpu = new SimulatedDevice(profile());
    Simulation simulation = new Simulation(trace, 0, gpu, Roofline.of(profile().compute()));
    stats = new MemoryStats(-1);
    AllocatorPolicy policy =
        new CachingAllocator(
            AllocatorConfig.DEFAULT,
            PyTorchVersion.DEFAULT,
            MemoryLimit.NONE,
            simulation.memory(),
            EffectListeners.both(stats, simulation.listener()));
    AllocatorPolicy host =
        new PinnedHostAllocator(
            simulation.hostMemory(), EffectListeners.NONE, HostMemoryListener.NONE);
    return simulation.run(policy, host, EffectListeners.NONE, stats::activeBytes, observer);
  }

  private TimeResult run() {
    return run(Simulation.Observer.NONE);
  }

  private long peakActiveBytes() {
    return stats.toMap().get("active_bytes.all.peak");
  }

  @Test
  void theHostRunsAheadOfTheGpu() {
    for (int i = 0; i < 10; i++) {
      program.launch(new Work.Timed(MILLI), 0);
    }
    TimeResult time = run();
    assertEquals(10 * profile().compute().launchNanos(), time.hostNanos());
    assertEquals(profile().compute().launchNanos() + 10 * MILLI, time.endNanos());
    assertEquals(10 * MILLI, time.compute().totalNanos());
  }

  @Test
  void theHostIsNoFurtherAheadThanAQueueIsDeep() {
    int launches = Simulation.QUEUE_DEPTH + 10;
    for (int i = 0; i < launches; i++) {
      program.launch(new Work.Timed(1_000 * MILLI), 0);
    }
    TimeResult time = run();
    assertEquals(Simulation.QUEUE_DEPTH, time.maxQueued());
    assertTrue(time.activities().get(HostActivity.QUEUE_FULL) >= 9_000 * MILLI);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void withRecordStreamThePeakGrowsWithTheRunAhead(int ahead) {
    prefetch(ahead, false);
    run();
    assertEquals(ahead * (64 * MIB), peakActiveBytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 8})
  void withAWaitForTheSideStreamThePeakIsFlat(int ahead) {
    prefetch(ahead, true);
    run();
    assertEquals(64 * MIB, peakActiveBytes());
  }

  /** Buffers are made on the main stream, used on a side stream and given back at once. */
  private void prefetch(int ahead, boolean waits) {
    for (int step = 0; step < 32; step++) {
      int buffer = program.allocate(64 * MIB, 0, PoolId.DEFAULT);
      program.launch(new Work.Timed(MILLI), SIDE);
      if (waits) {
        program.synchronizeStream(SIDE);
      } else {
        program.useStream(buffer, SIDE, 0);
      }
      program.free(buffer, 0);
      // The host takes so long that it cannot get further ahead than asked for.
      program.recordEvent(step, SIDE);
      if (step >= ahead - 1) {
        program.synchronizeEvent(step - ahead + 1);
      }
      program.hostWork(1);
    }
  }

  @Test
  void freeingASegmentWaitsForTheDevice() {
    int block = program.allocate(64 * MIB, 0, PoolId.DEFAULT);
    program.launch(new Work.Timed(50 * MILLI), 0);
    program.free(block, 0);
    program.emptyCache();
    TimeResult time = run();
    assertTrue(time.activities().get(HostActivity.ALLOCATOR_WAIT) > 49 * MILLI);
    assertTrue(time.requestNanos().get(RequestKind.EMPTY_CACHE) > 49 * MILLI);
    assertEquals(1, time.requestCounts().get(RequestKind.EMPTY_CACHE));
  }

  @Test
  void activitiesSumUpToTheHostsTime() {
    int loader = program.declareLoader(new Loader(2, 2, 3 * MILLI, MILLI, 4));
    for (int step = 0; step < 20; step++) {
      program.markerBegin("step " + step);
      program.loadBatch(loader);
      int host = program.allocateHost(5 * MIB);
      int block = program.allocate(40 * MIB, 0, PoolId.DEFAULT);
      program.launch(new Work.Copy(5 * MIB, true, step % 2 == 0), 0);
      program.useHostOnStream(host, 0);
      program.launch(new Work.Timed(2 * MILLI), 0);
      program.hostWork(100);
      program.freeHost(host);
      program.free(block, 0);
      if (step % 5 == 4) {
        program.emptyCache();
      }
      program.markerEnd("step " + step);
    }
    program.synchronize();
    TimeResult time = run();
    assertEquals(
        time.hostNanos(), time.activities().values().stream().mapToLong(Long::longValue).sum());
    assertEquals(20, time.steps().size());
    long compute = 0;
    for (Step step : time.steps()) {
      compute += step.computeNanos();
      assertTrue(step.endNanos() >= step.beginNanos());
    }
    assertTrue(compute <= time.compute().totalNanos());
    assertEquals(40 * MILLI, time.compute().totalNanos());
  }

  @Test
  void pinnedBuffersAreReusedOnceTheirCopiesAreDoneAndTakePowersOfTwo() {
    for (int step = 0; step < 8; step++) {
      int host = program.allocateHost(5 * MIB);
      program.launch(new Work.Copy(5 * MIB, true, true), 0);
      program.useHostOnStream(host, 0);
      program.freeHost(host);
      program.synchronize();
    }
    assertEquals(8 * MIB, run().pinnedPeakBytes());
  }

  @Test
  void pinnedBuffersOfUnfinishedCopiesAreNotReused() {
    for (int step = 0; step < 4; step++) {
      int host = program.allocateHost(8 * MIB);
      program.launch(new Work.Timed(MILLI * 1_000), 0);
      program.launch(new Work.Copy(8 * MIB, true, true), 0);
      program.useHostOnStream(host, 0);
      program.freeHost(host);
    }
    assertEquals(32 * MIB, run().pinnedPeakBytes());
  }

  @Test
  void workersTakeIdleGapsAwayFromTheGpuAndNoMemory() {
    double alone = utilisation(0);
    SimulationTest other = new SimulationTest();
    double fed = other.utilisation(4);
    assertTrue(alone < 0.55, "" + alone);
    assertTrue(fed > 0.95, "" + fed);
    assertEquals(stats.toMap(), other.stats.toMap());
  }

  private double utilisation(int workers) {
    int loader = program.declareLoader(new Loader(workers, 2, 10 * MILLI, 0, 1));
    for (int step = 0; step < 100; step++) {
      program.loadBatch(loader);
      int block = program.allocate(64 * MIB, 0, PoolId.DEFAULT);
      program.launch(new Work.Timed(10 * MILLI), 0);
      program.free(block, 0);
      program.synchronize();
    }
    return run().utilisation();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theDriversPoolTakesFromOtherStreamsOnlyWhatTheGpuIsThroughWith(boolean busy)
      throws Exception {
    int block = program.allocate(64 * MIB, 0, PoolId.DEFAULT);
    program.launch(new Work.Timed(busy ? 1_000 * MILLI : 1), 0);
    program.hostWork(MILLI);
    program.free(block, 0);
    program.hostWork(MILLI);
    int other = program.allocate(64 * MIB, SIDE, PoolId.DEFAULT);
    program.free(other, SIDE);
    program.synchronize();
    program.allocate(64 * MIB, SIDE, PoolId.DEFAULT);
    assertEquals((busy ? 128 : 64) * MIB, bytesOfTheDriversPool());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aBlockOfSeveralStreamsComesBackToTheDriversPoolWhenAllAreThrough(boolean busy)
      throws Exception {
    int block = program.allocate(64 * MIB, 0, PoolId.DEFAULT);
    program.launch(new Work.Timed(1), 0);
    program.launch(new Work.Timed(busy ? 1_000 * MILLI : 1), SIDE);
    program.useStream(block, SIDE, 0);
    program.hostWork(MILLI);
    program.free(block, 0);
    program.hostWork(MILLI);
    int other = program.allocate(64 * MIB, 0, PoolId.DEFAULT);
    program.free(other, 0);
    program.synchronize();
    program.allocate(64 * MIB, SIDE, PoolId.DEFAULT);
    assertEquals((busy ? 128 : 64) * MIB, bytesOfTheDriversPool());
  }

  /** What the driver's pool holds after the program; it gives nothing back. */
  private long bytesOfTheDriversPool() throws Exception {
    AllocationTrace trace = program.build(new StackTable.Builder().build());
    SimulatedDevice gpu = new SimulatedDevice(profile());
    Simulation simulation = new Simulation(trace, 0, gpu, Roofline.of(profile().compute()));
    stats = new MemoryStats(-1);
    AllocatorPolicy policy =
        Policies.named("cuda-async")
            .orElseThrow()
            .create(
                new PolicySettings(MemoryLimit.NONE, Map.of("release-threshold", "max")),
                FutureRequests.NONE,
                simulation.memory(),
                EffectListeners.both(stats, simulation.listener()));
    simulation.run(policy, null, EffectListeners.NONE, stats::activeBytes, event -> true);
    return gpu.streamOrdered().orElseThrow().poolReservedBytes();
  }

  @Test
  void theSameProgramGivesTheSameMoments() {
    List<Long> first = moments();
    assertEquals(first, new SimulationTest().moments());
  }

  private List<Long> moments() {
    prefetch(4, false);
    List<Long> moments = new ArrayList<>();
    run(
        new Simulation.Observer() {
          @Override
          public boolean before(int event) {
            return true;
          }

          @Override
          public void at(int event, long hostNanos) {
            moments.add(hostNanos);
          }

          @Override
          public void useCompleted(int allocation, int stream, long nanos) {
            moments.add(nanos);
          }
        });
    return moments;
  }
}
