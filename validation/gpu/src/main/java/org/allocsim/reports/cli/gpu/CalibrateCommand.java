package org.allocsim.reports.cli.gpu;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.answer.gpu.CalibrateAnswer;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.question.gpu.GpuFailure;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.validation.calibration.Calibration;
import org.allocsim.validation.calibration.CalibrationBounds;
import org.allocsim.validation.calibration.CalibrationException;
import org.allocsim.validation.calibration.CalibrationResult;
import org.allocsim.validation.calibration.GpuTarget;
import org.allocsim.validation.gpu.GpuValidation;
import org.allocsim.validation.gpu.cuda.CudaException;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.profile.ProfileFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code allocsim calibrate}: a device profile from a real GPU. */
@Command(
    name = "calibrate",
    description = "Measures a real NVIDIA GPU and its driver and writes a device profile.")
public final class CalibrateCommand implements Callable<Integer> {
  private static final int MAX_SECONDS = 3600;

  @Spec private CommandSpec spec;

  @Mixin private GpuOption gpu;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "PROFILE.json",
      required = true)
  private String outputName;

  @Option(names = "--name", paramLabel = "NAME")
  private String name;

  @Mixin private OutputOptions outputOptions;

  @Option(names = "--seconds", paramLabel = "N")
  private int seconds = 60;

  @Option(names = "--max-gpu-memory", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long maxBytes;

  @Option(names = "--fill")
  private boolean fill;

  @Override
  public Integer call() {
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw Failure.usage("--seconds " + seconds + " must be 1 to " + MAX_SECONDS);
    }
    if (fill && maxBytes != null) {
      throw Failure.usage(
          "--max-gpu-memory limits memory use, but --fill takes all free memory; omit one of them");
    }
    try (DocumentOutputs outputs = outputOptions.open()) {
      OutputFiles.Output profile = outputs.openGiven("--output", outputName);
      EarlyEnd.begin();
      CalibrationResult result = measure();
      JsonText.write(ProfileFile.fields(result.profile()), profile.stream());
      outputs.write(new CalibrateAnswer(result).document());
    }
    return ExitCodes.DONE;
  }

  private CalibrationResult measure() {
    try (GpuTarget target = GpuTarget.open(gpu.number(), GpuBounds.NONE)) {
      DeviceProfile base =
          GpuValidation.profile(target.identity(), target.identity().freeBytesAtStart());
      long highest = maxBytes != null ? maxBytes : GpuBounds.usualBytes(target.identity());
      if (highest < CalibrationBounds.MIN_BYTES) {
        throw new Failure(
            "calibrate needs 4 GiB of GPU memory, but may use only %d bytes; free or allow more"
                .formatted(highest));
      }
      CalibrationBounds bounds =
          new CalibrationBounds(
              highest, Duration.ofSeconds(seconds).toNanos(), CalibrationBounds.ROUNDS, fill);
      CalibrationResult result = Calibration.of(target, base, bounds, this::report);
      return result.named(
          name != null
              ? name
              : target.cardName().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-"));
    } catch (CudaException | CalibrationException e) {
      throw GpuFailure.of(
          e,
          "all calls were measured, and no profile was written; --seconds says how long it takes");
    }
  }

  private void report(int round) {
    if (round % 10 == 0) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("calibrate: round " + round + " done");
      err.flush();
    }
  }
}
