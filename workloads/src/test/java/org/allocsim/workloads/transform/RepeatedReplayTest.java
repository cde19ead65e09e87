package org.allocsim.workloads.transform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.effect.EffectRows;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.program.Programs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Passes over one trace do what a trace does that holds the passes one after the other. */
class RepeatedReplayTest {
  private static final int PASSES = 3;

  private static final class Recorder extends EffectRows {
    final EffectLog effects = new EffectLog();

    @Override
    protected void row(EffectKind kind, long address, long bytes, int stream) {
      effects.add(kind, address, bytes, stream);
    }
  }

  private record Outcome(EffectLog effects, MemoryStats stats, int rows) {}

  private static Outcome replay(AllocationTrace trace, String policyId, long passes)
      throws PolicyOptionException, UnfitTraceException {
    MemoryStats stats = new MemoryStats(-1);
    Recorder recorder = new Recorder();
    AllocatorPolicy policy =
        Policies.named(policyId)
            .orElseThrow()
            .create(
                new PolicySettings(-1, Map.of()),
                new FutureRequests(trace, 0),
                new SimulatedDevice(DeviceProfiles.defaultProfile()),
                EffectListeners.both(stats, recorder));
    int[] rows = new int[1];
    new Replay(trace, 0, policy, EffectListeners.NONE, stats::activeBytes)
        .run(passes, _ -> ++rows[0] > 0);
    return new Outcome(recorder.effects, stats, rows[0]);
  }

  private static void passesEqualCopies(AllocationTrace trace, String policyId)
      throws PolicyOptionException, UnfitTraceException {
    Outcome passes = replay(trace, policyId, PASSES);
    Outcome copies = replay(Repetition.of(trace, PASSES), policyId, 1);
    assertEquals(copies.stats.toMap(), passes.stats.toMap());
    assertEquals(copies.effects.count(), passes.effects.count());
    for (int row = 0; row < copies.effects.count(); row++) {
      String place = "effect " + row;
      assertEquals(copies.effects.kind(row), passes.effects.kind(row), place);
      assertEquals(copies.effects.address(row), passes.effects.address(row), place);
      assertEquals(copies.effects.bytes(row), passes.effects.bytes(row), place);
      assertEquals(copies.effects.stream(row), passes.effects.stream(row), place);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "prefetch, pytorch",
    "cuda-graph, pytorch",
    "prefetch, cuda-async",
    "mlp, direct",
    "mlp, pytorch",
    "mlp, slab",
    "mlp, gmlake",
    "mlp, buddy"
  })
  void passesDoWhatCopiesDo(String program, String policyId)
      throws PolicyOptionException, UnfitTraceException {
    passesEqualCopies(Programs.generate(program, Map.of(), 1), policyId);
  }

  @Test
  void passBeginsWithThePrologueAndWithoutWhatTheLastOneLeft()
      throws PolicyOptionException, UnfitTraceException {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    int kept = builder.allocate(3 << 20, 0, PoolId.DEFAULT);
    int undone = builder.allocate(5 << 20, 0, PoolId.DEFAULT);
    builder.endPrologue();
    builder.free(undone);
    int used = builder.allocate(700, 0, PoolId.DEFAULT);
    builder.useStream(used, 7, 1);
    builder.allocate(900, 7, PoolId.DEFAULT);
    builder.free(used);
    AllocationTrace trace = builder.build(new StackTable.Builder().build());
    assertTrue(trace.prologueCount() > kept);
    passesEqualCopies(trace, "pytorch");
    Outcome outcome = replay(trace, "pytorch", 1_000);
    assertEquals(2 + 1_000 * 5, outcome.rows);
    assertEquals(2 + 999 + 2_000, outcome.stats.get("allocation.all.allocated"));
    assertEquals(2, outcome.stats.get("allocation.all.current"));
  }
}
