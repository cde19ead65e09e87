package org.allocsim.analysis.fit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.allocsim.workloads.transform.SizeFit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The project's own programs at a batch that was not generated. */
class ProgramFitTest {
  private static final long AMPLE_BYTES = 1L << 40;

  private static SizeFit.Run run(String program, int batch) throws Exception {
    TraceSource source =
        TraceSource.open("program:" + program + ";batch=" + batch + ")", null, Progress.NONE);
    OpenedTrace opened = source.read(ReadingOptions.of(PyTorchVersion.DEFAULT));
    DeviceTrace trace = new DeviceTrace(opened, opened.device(null));
    return new SizeFit.Run(trace.trace(), trace.device(), batch);
  }

  private static Scenario scenario(long capacityBytes) throws ConfigException {
    return Scenario.of("", PyTorchVersion.DEFAULT, -1, DeviceProfiles.ofCapacity(capacityBytes));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gpt(iterations=3;layers=3;shortest=256;longest=256",
        "vit(iterations=3",
        "resnet(iterations=3"
      })
  void theIntervalHoldsWhatTheProgramReserves(String program) throws Exception {
    ProgramFit fit =
        new ProgramFit(SizeFit.of(List.of(run(program, 4), run(program, 8), run(program, 12))));
    SizeFit.Run larger = run(program, 24);
    Scenario ample = scenario(AMPLE_BYTES);
    RunResult truth = Run.of(ample.setup(larger.trace(), larger.device(), AfterOom.STOP));
    ProgramFit.Prediction prediction = fit.predict(24, ample);
    assertTrue(
        prediction.lowReservedBytes() <= truth.peakReservedBytes()
            && truth.peakReservedBytes() <= prediction.highReservedBytes(),
        prediction.lowReservedBytes()
            + " to "
            + prediction.highReservedBytes()
            + " does not hold "
            + truth.peakReservedBytes());
  }

  @ParameterizedTest
  @ValueSource(longs = {2L << 30, 4L << 30})
  void theLargestFitsAndTheNextDoesNot(long capacityBytes) throws Exception {
    String program = "vit(iterations=2";
    ProgramFit fit = new ProgramFit(SizeFit.of(List.of(run(program, 4), run(program, 8))));
    Scenario scenario = scenario(capacityBytes);
    long largest = fit.largest(scenario);
    assertTrue(largest > 0 && fit.fits(largest, scenario), "largest " + largest);
    assertFalse(fit.fits(largest + 1, scenario), "largest " + largest);
    assertEquals(0, fit.largest(scenario(4 << 20)), "no memory for the weights");
  }
}
