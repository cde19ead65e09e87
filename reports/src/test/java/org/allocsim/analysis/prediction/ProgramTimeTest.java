package org.allocsim.analysis.prediction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.cli.Golden;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.Work;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.allocsim.workloads.program.Programs;
import org.junit.jupiter.api.Test;

/** Simulated time of programs against the same training steps on an H200. */
class ProgramTimeTest {
  private static final int FEW = 4;
  private static final int MORE = 12;
  private static final double MILLI = 1e6;

  /** Figures of one step: kernels, their time, time from step to step. */
  private record Step(double kernels, double kernelMillis, double wallMillis) {}

  private record Case(String name, String program, Map<String, String> options, Step measured) {}

  /** PyTorch 2.11, CUDA 13, NVIDIA H200; the mean of several steps, kernels by its profiler. */
  private static final List<Case> CASES =
      List.of(
          new Case("GPT-2, 512 tokens, fp32", "gpt", gpt("512"), new Step(496, 19.62, 21.93)),
          new Case("GPT-2, 1 024 tokens, fp32", "gpt", gpt("1024"), new Step(471, 40.00, 42.08)),
          new Case("GPT-2, 512 tokens, bf16", "gpt", bfloat16(), new Step(639, 7.21, 18.59)),
          new Case("ViT-B/16, 16 images, fp32", "vit", Map.of(), new Step(912, 50.96, 52.32)),
          new Case(
              "ResNet-50, 32 images, AMP",
              "resnet",
              Map.of("overflows", "0"),
              new Step(869, 14.36, 68.20)));

  private static Map<String, String> gpt(String tokens) {
    return Map.of("shortest", tokens, "longest", tokens);
  }

  private static Map<String, String> bfloat16() {
    Map<String, String> options = new HashMap<>(gpt("512"));
    options.put("amp", "bfloat16");
    return options;
  }

  private static Step simulated(Case each) {
    DeviceProfile h200 = ShippedProfiles.named("h200");
    AllocationTrace few = trace(each, FEW);
    AllocationTrace more = trace(each, MORE);
    TimeResult first = time(few, h200);
    TimeResult second = time(more, h200);
    double steps = MORE - FEW;
    return new Step(
        (kernels(more) - kernels(few)) / steps,
        (second.compute().totalNanos() - first.compute().totalNanos()) / MILLI / steps,
        (second.endNanos() - first.endNanos()) / MILLI / steps);
  }

  private static AllocationTrace trace(Case each, int iterations) {
    Map<String, String> options = new HashMap<>(each.options);
    options.put("iterations", Integer.toString(iterations));
    return Programs.generate(each.program, options, 1);
  }

  private static TimeResult time(AllocationTrace trace, DeviceProfile profile) {
    PolicyChoice pytorch = PolicyChoice.of(Policies.named(Program.PYTORCH).orElseThrow());
    return Run.of(new RunSetup(trace, 0, pytorch, -1, profile).with(AfterOom.STOP)).time();
  }

  private static int kernels(AllocationTrace trace) {
    int kernels = 0;
    for (int row = 0; row < trace.eventCount(); row++) {
      if (trace.kind(row) == RequestKind.LAUNCH && trace.workOf(row) instanceof Work.Kernel) {
        kernels++;
      }
    }
    return kernels;
  }

  @Test
  void stepsTakeAboutTheTimeThatTheyTookOnAnH200() throws IOException {
    StringBuilder page = new StringBuilder();
    page.append(
        """
        # Time of programs against an H200

        Training steps, each after the one before, with PyTorch 2.11 and CUDA 13 on an NVIDIA
        H200, and the same programs in simulated time with the profile `h200`. Kernels are the
        sum of their times; the step is what passes on the clock.

        | step | kernels | simulated | kernels, ms | simulated | error | step, ms | simulated | error |
        | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
        """);
    for (Case each : CASES) {
      Step is = each.measured;
      Step said = simulated(each);
      page.append(
          "| %s | %.0f | %.0f | %.2f | %.2f | %+.0f %% | %.2f | %.2f | %+.0f %% |%n"
              .formatted(
                  each.name,
                  is.kernels,
                  said.kernels,
                  is.kernelMillis,
                  said.kernelMillis,
                  100 * (said.kernelMillis / is.kernelMillis - 1),
                  is.wallMillis,
                  said.wallMillis,
                  100 * (said.wallMillis / is.wallMillis - 1)));
      if (!each.program.equals("resnet")) {
        assertEquals(1, said.kernelMillis / is.kernelMillis, 0.2, each.name);
        assertEquals(1, said.wallMillis / is.wallMillis, 0.2, each.name);
      }
    }
    page.append(
        """

        In bf16 the GPU waits for the host, measured and simulated: it is busy for less than half
        of the step. The profile has one share of peak arithmetic for all kernels; large products
        in single precision reach more than that, small ones less.

        `ResNet-50`: copies of images, filters and results into the layout of cuDNN's tensor-core
        kernels are counted; that its half-precision kernels for channel-by-channel images reach a
        small share of the GPU at 32 images is not, and the profile has one share for all kernels.
        The measured step also draws its images on the host, 4.8 million normal numbers; that is
        no part of the program, which has `batch-host-ms` for it.
        """);
    Golden.assertGolden("program-times.md", page.toString());
  }

  @Test
  void withoutHostTimeAHostBoundStepIsFaster() {
    Map<String, String> options = new HashMap<>(bfloat16());
    options.put("iterations", "4");
    AllocationTrace slow = Programs.generate("gpt", options, 1);
    options.put("host-nanos-per-kernel", "0");
    AllocationTrace fast = Programs.generate("gpt", options, 1);
    DeviceProfile h200 = ShippedProfiles.named("h200");
    assertTrue(time(fast, h200).endNanos() < time(slow, h200).endNanos());
    assertEquals(time(fast, h200).compute().totalNanos(), time(slow, h200).compute().totalNanos());
  }
}
