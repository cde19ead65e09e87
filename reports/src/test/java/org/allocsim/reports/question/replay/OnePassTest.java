package org.allocsim.reports.question.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After the requests are derived, a replay makes one allocator and no more. */
class OnePassTest {
  /** PyTorch's allocator, whose instances are counted. */
  private record Counted(PolicyProvider pytorch, AtomicInteger made) implements PolicyProvider {
    @Override
    public PolicySpec spec() {
      return pytorch.spec();
    }

    @Override
    public AllocatorPolicy create(
        PolicySettings settings, FutureRequests future, DeviceMemory device, EffectListener hears)
        throws PolicyOptionException, UnfitTraceException {
      made.incrementAndGet();
      return pytorch.create(settings, future, device, hears);
    }

    @Override
    public long oversizeBytes(PolicySettings settings) throws PolicyOptionException {
      return pytorch.oversizeBytes(settings);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "max_split_size_mb:64", "expandable_segments:True"})
  void replayOfTheSampleSimulatesOnce(String conf) throws Exception {
    AskedTrace trace =
        AskedTrace.ofName(
            "samples/gpt_oom.pickle.xz",
            null,
            Conditions.RECORDED.by(PyTorchVersion.V2_11).under(conf));
    Counted counted = new Counted(Policies.named("pytorch").orElseThrow(), new AtomicInteger());
    new ReplayQuestion(
            new PolicyChoice(counted, Map.of("conf", conf, "torch-version", "2.11")),
            null,
            AfterOom.CONTINUE,
            null,
            false,
            ReplayQuestion.Files.NONE)
        .ask(new Asked(List.of(trace)));
    assertEquals(1, counted.made().get());
  }
}
