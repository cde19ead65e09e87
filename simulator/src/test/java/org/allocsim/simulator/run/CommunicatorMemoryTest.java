package org.allocsim.simulator.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.CommunicatorMemory.Layout;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work.Collective;
import org.allocsim.simulator.trace.Work.Collective.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figures without an explanation are what four H200 had less of (NCCL 2.28.9, PyTorch 2.11). */
class CommunicatorMemoryTest {
  private static final long MIB = 1 << 20;
  private static final long LOW_LATENCY = Layout.LOW_LATENCY_BYTES;

  private final CommunicatorMemory nvlink = new CommunicatorMemory(Layout.NVLINK);

  private static Collective all(Pattern pattern) {
    return new Collective(pattern, 1 << 20, 4);
  }

  private static long mebibytesFor(CommunicatorMemory memory, Collective message) {
    long before = memory.bytes();
    assertEquals(memory.send(message), memory.bytes() > before);
    return (memory.bytes() - before) / MIB;
  }

  private static long mebibytesFor(CommunicatorMemory memory, Pattern pattern) {
    return mebibytesFor(memory, all(pattern));
  }

  @Test
  void twoBuffersOfLowLatencyHaveNcclsSizes() {
    assertEquals(8 * 512 * 8 * 16 + 120 * 640 * 8 * 8, LOW_LATENCY);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "defaults, 24, 32, 4, true, 196, 288, 64, 320, 768",
    "NCCL_BUFFSIZE=1M, 24, 32, 1, true, 196, 240, 64, 256, 640",
    "NCCL_BUFFSIZE=8M, 24, 32, 8, true, 196, 384, 64, 448, 1024",
    "NCCL_MAX_NCHANNELS=1, 1, 1, 4, true, 10, 12, 2, 10, 24",
    "NCCL_MAX_NCHANNELS=4, 4, 4, 4, true, 28, 48, 8, 40, 96",
    "NCCL_MIN_NCHANNELS=32, 32, 32, 4, true, 196, 384, 64, 320, 768",
    "NCCL_MAX_P2P_NCHANNELS=2, 24, 2, 4, true, 148, 288, 4, 20, 48",
    "NCCL_P2P_DISABLE=1, 4, 2, 4, false, 28, 0, 0, 0, 0",
  })
  void secondCommunicatorTakesWhatFourGpusHadLess(
      String settings,
      int channels,
      int peerChannels,
      long buffer,
      boolean isDirect,
      long made,
      long ring,
      long sent,
      long received,
      long allToAll) {
    var layout = new Layout(channels, peerChannels, buffer * MIB + LOW_LATENCY, isDirect);
    var memory = new CommunicatorMemory(layout);
    // Whatever the process has once only.
    memory.send(new Collective(Pattern.BROADCAST, 8, 2));
    memory.send(new Collective(Pattern.ALL_TO_ALL, 8, 2));
    assertEquals(made + ring, mebibytesFor(memory, Pattern.ALL_REDUCE), settings);
    assertEquals(0, mebibytesFor(memory, Pattern.REDUCE_SCATTER));
    assertEquals(0, mebibytesFor(memory, Pattern.BROADCAST));
    assertEquals(sent, mebibytesFor(memory, new Collective(Pattern.SEND, 8, 4, 1)));
    assertEquals(0, mebibytesFor(memory, new Collective(Pattern.SEND, 8, 4, 1)));
    assertEquals(received, mebibytesFor(memory, new Collective(Pattern.RECEIVE, 8, 4, 3)));
    assertEquals(allToAll, mebibytesFor(memory, Pattern.ALL_TO_ALL));
    assertEquals(0, mebibytesFor(memory, new Collective(Pattern.RECEIVE, 8, 4, 2)));
  }

  @ParameterizedTest(name = "{0} first")
  @CsvSource({
    "ALL_REDUCE, BROADCAST, 474, 4",
    "BROADCAST, ALL_REDUCE, 478, 0",
    "REDUCE_SCATTER, ALL_TO_ALL, 474, 446",
    "ALL_TO_ALL, ALL_GATHER, 632, 288",
    "BROADCAST, ALL_TO_ALL, 478, 442",
    "SEND, BROADCAST, 312, 288",
    "RECEIVE, BROADCAST, 568, 288",
  })
  void localMemoryGrowsToWhatTheLargestKernelNeeds(
      Pattern first, Pattern second, long firstMebibytes, long secondMebibytes) {
    long madeMebibytes = 366;
    assertEquals(madeMebibytes + firstMebibytes, mebibytesFor(nvlink, new Collective(first, 8, 2)));
    assertEquals(secondMebibytes, mebibytesFor(nvlink, new Collective(second, 8, 2)));
  }

  @Test
  void ranksOfOneMessageShareACommunicator() {
    nvlink.send(all(Pattern.ALL_REDUCE));
    assertEquals(0, mebibytesFor(nvlink, Pattern.ALL_GATHER));
    assertTrue(nvlink.send(new Collective(Pattern.ALL_REDUCE, 8, 2)));
    assertFalse(nvlink.send(new Collective(Pattern.ALL_REDUCE, 8, 2)));
  }

  private static RunResult run(Collective message, long gibibytes) {
    var program = new AllocationTrace.Builder();
    program.allocate(2 * MIB, 0, PoolId.DEFAULT);
    program.launch(message, 0);
    program.allocate(512 * MIB, 0, PoolId.DEFAULT);
    AllocationTrace trace = program.build(StackTable.empty());
    return Run.of(
        new RunSetup(
            trace,
            0,
            PolicyChoice.parse("pytorch"),
            -1,
            DeviceProfiles.ofCapacity(gibibytes << 30)));
  }

  @Test
  void ncclTakesNoMorePagesThanThereAre() {
    DeviceProfile profile = DeviceProfiles.ofCapacity(512 * MIB);
    var device = new SimulatedDevice(profile);
    device.holdForCollectives(20 * MIB);
    assertEquals(492 * MIB, device.freeBytes());
    device.holdForCollectives(600 * MIB);
    long leftBytes = device.freeBytes() - profile.unusableBytes();
    assertTrue(leftBytes >= 0 && leftBytes < profile.pageBytes(), () -> leftBytes + " left");
    assertEquals(512 * MIB, device.freeBytes() + device.collectivesBytes());
    assertEquals(DeviceMemory.REFUSED, device.allocate(profile.pageBytes()));
  }

  @Test
  void whatNcclTakesIsNotLeftForTheProgram() {
    assertEquals(0, run(new Collective(Pattern.ALL_REDUCE, 8, 1), 1).failureCount());
    assertEquals(1, run(new Collective(Pattern.ALL_REDUCE, 8, 2), 1).failureCount());
    RunResult roomy = run(new Collective(Pattern.ALL_REDUCE, 8, 2), 2);
    assertEquals(0, roomy.failureCount());
    assertEquals((20 + 512 + 366 + 474) * MIB, roomy.peakDeviceBytes());
  }
}
