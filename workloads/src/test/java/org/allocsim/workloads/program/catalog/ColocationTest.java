package org.allocsim.workloads.program.catalog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.program.ProgramOptionException;
import org.allocsim.workloads.program.ProgramProvider;
import org.allocsim.workloads.program.ProgramValues;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ColocationTest {
  private static final long MIB = 1 << 20;
  private static final double GIB = 1L << 30;

  private static AllocationTrace trace(ProgramProvider program, String... settings) {
    Map<String, String> given = new HashMap<>();
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      given.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return program.generate(new ProgramValues(program.id(), program.options(), given), 0);
  }

  private static RunResult after(AllocationTrace trace, int row) {
    RunSetup setup =
        new RunSetup(
            trace, 0, PolicyChoice.parse("pytorch"), -1, DeviceProfiles.ofCapacity(1L << 40));
    return Run.of(setup.endingAfter(row));
  }

  private static long reserved(AllocationTrace trace, int row) {
    return after(trace, row).stat("reserved_bytes.all.current");
  }

  /** Row of the marker that ends a phase. */
  private static int end(AllocationTrace trace, String phase) {
    return row(trace, RequestKind.MARKER_END, phase);
  }

  private static int row(AllocationTrace trace, RequestKind kind, String phase) {
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.kind(row) == kind && trace.markerNameOf(row).equals(phase)) {
        return row;
      }
    }
    throw new AssertionError(phase);
  }

  /** Row of the time that passes last before a row: right before the engine falls asleep. */
  private static int lastWorkBefore(AllocationTrace trace, int row) {
    int found = row;
    while (trace.kind(found) != RequestKind.HOST_WORK) {
      found--;
    }
    return found;
  }

  /** What the second sleep gives back, in GiB. */
  private static double freedGib(AllocationTrace trace) {
    int end = end(trace, "generate 1");
    return (reserved(trace, lastWorkBefore(trace, end)) - reserved(trace, end)) / GIB;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void asleepAnEngineHoldsWhatIsInNoTag(int level) {
    AllocationTrace trace = trace(new ColocatedEngine(), "sleep=" + level);
    for (int i = 0; i < 3; i++) {
      // 256 MiB of buffers and 1 GiB of graphs.
      assertEquals(1_280 * MIB, reserved(trace, end(trace, "generate " + i)));
    }
  }

  @Test
  void awakeAnEngineHoldsAllOfIt() {
    AllocationTrace trace = trace(new ColocatedEngine());
    int awake = lastWorkBefore(trace, end(trace, "generate 1"));
    long allocated = after(trace, awake).stat("requested_bytes.all.current");
    // 7 000 million weights of 2 bytes, 20 GiB of cache, graphs and buffers; layers divide evenly.
    assertEquals(14e9, (double) (allocated - 20_480 * MIB - 1_280 * MIB), 1_000);
  }

  @Test
  void anEngineThatDoesNotSleepKeepsEverything() {
    assertEquals(0, freedGib(trace(new ColocatedEngine(), "sleep=0")));
  }

  @Test
  void whatIsNotEmptiedStaysCached() {
    AllocationTrace trace = trace(new ColocatedEngine(), "empty-cache=false");
    // The last step's 2 GiB of activations.
    assertTrue(reserved(trace, end(trace, "generate 1")) >= (1_280 + 2_048) * MIB);
  }

  @Test
  void wakingInStagesNeedsLessBesideTheTrainersWeights() {
    List<Long> duringSync = new ArrayList<>();
    for (String wake : List.of("stages", "at-once")) {
      AllocationTrace trace = trace(new ColocatedEngine(), "wake=" + wake);
      int sync = row(trace, RequestKind.MARKER_BEGIN, "generate 1");
      while (trace.kind(sync) != RequestKind.HOST_WORK) {
        sync++;
      }
      duringSync.add(reserved(trace, sync));
    }
    assertEquals(20_480 * MIB, duringSync.get(1) - duringSync.get(0));
  }

  @Test
  void aTrainerKeepsWhatItDoesNotOffloadWhileTheEngineGenerates() {
    for (String offload : List.of("none", "optimizer", "all")) {
      AllocationTrace trace = trace(new ColocatedTrainer(), "offload=" + offload);
      long requested =
          after(trace, row(trace, RequestKind.MARKER_BEGIN, "train 0"))
              .stat("requested_bytes.all.current");
      long expected =
          switch (offload) {
            case "none" -> 14L * 7_000_000_000L;
            case "optimizer" -> 2L * 7_000_000_000L;
            default -> 0;
          };
      assertEquals((double) expected, (double) requested, 5_000, offload);
    }
  }

  /** skypilot-org/skypilot#10269: about 56 GB, 16 bytes a parameter, of 14B over four GPUs. */
  @Test
  void aTrainersTensorsAreThePublishedSixteenBytesAParameter() {
    AllocationTrace trace =
        trace(
            new ColocatedTrainer(),
            "parameters=14000",
            "gpus=4",
            "layers=40",
            "activations=1",
            "logits=1");
    long most = after(trace, Integer.MAX_VALUE).peakRequestedBytes();
    assertEquals(56.0, most / 1e9, 0.05);
  }

  /**
   * vllm-project/vllm#17117 (April 2025, a 72B model over GPUs of 80 GB): weights of 8.64 GiB and a
   * cache of 10.74 GiB; "Sleep mode freed 19.51 GiB memory". Ours is 3.5 % more: how the model's
   * matrices are cut is not published, and segments are rounded up.
   */
  @Test
  void aSleepGivesBackWhatVllmReported() {
    AllocationTrace trace =
        trace(
            new ColocatedEngine(),
            "parameters=4638",
            "layers=80",
            "kv-cache=10998",
            "activations=256",
            "graphs=1");
    assertEquals(19.51, freedGib(trace), 0.04 * 19.51);
  }

  /** sgl-project/sglang#2542 (torch_memory_saver, Llama 1B): 3.4 GB before, 1.1 GB after. */
  @Test
  void pausedWeightsAreThoseThatSglangReported() {
    AllocationTrace trace =
        trace(
            new ColocatedEngine(),
            "parameters=1236",
            "layers=16",
            "kv-cache=16",
            "activations=1",
            "bucket=1",
            "graphs=1");
    assertEquals(2.3, freedGib(trace), 0.1);
  }

  @Test
  void whatMakesNoProgramIsRefused() {
    assertThrows(ProgramOptionException.class, () -> trace(new ColocatedEngine(), "sleep=3"));
    assertThrows(
        ProgramOptionException.class,
        () -> trace(new ColocatedTrainer(), "parameters=1", "gpus=1000001"));
    assertThrows(ProgramOptionException.class, () -> trace(new ColocatedTrainer(), "offload=some"));
  }
}
