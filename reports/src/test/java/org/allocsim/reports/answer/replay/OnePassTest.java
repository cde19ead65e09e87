package org.allocsim.reports.answer.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.reports.input.ReplaySetup;
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
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
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
    OpenedTrace input =
        TraceSource.open("samples/gpt_oom.pickle.xz", null, (_, _) -> {})
            .read(ReadingOptions.of(PyTorchVersion.V2_11));
    RecordedCircumstances circumstances =
        RecordedCircumstances.of(new DeviceTrace(input, 0), MemoryLimit.NONE, null);
    Counted counted = new Counted(Policies.named("pytorch").orElseThrow(), new AtomicInteger());
    ReplaySetup setup =
        new ReplaySetup(
            input,
            0,
            new PolicyChoice(counted, Map.of("conf", conf, "torch-version", "2.11")),
            ConfigParser.parse(conf, PyTorchVersion.V2_11),
            circumstances.profile(),
            circumstances.limitBytes(),
            AfterOom.CONTINUE,
            false);
    replay(setup);
    assertEquals(1, counted.made().get());
  }

  private static void replay(ReplaySetup setup) throws IOException {
    new ReplayRequest(setup, null, false, false, null).replay(null);
  }
}
