package org.allocsim.web;

import java.util.Map;
import java.util.function.Function;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.TypeConversionException;

/** What the user chose, under the names of the commands' options. */
final class WebConditions {
  private WebConditions() {}

  /**
   * The conditions; what is missing is as the recording shows it.
   *
   * @throws Failure where a value makes no sense
   */
  static Conditions of(Map<String, String> options) {
    String release = options.get("--torch-version");
    Long limitBytes = read(options, "--memory-limit", new SizeConverter()::convert);
    Long capacityBytes = read(options, "--capacity", new SizeConverter()::convert);
    Integer index = read(options, "--device-index", new TraceOptions.IndexConverter()::convert);
    return new Conditions(
        options.get("--conf"),
        release == null ? null : release(release),
        limitBytes == null ? null : new Conditions.Limit.Size(limitBytes),
        capacityBytes == null ? null : DeviceProfiles.ofCapacity(capacityBytes),
        null,
        index);
  }

  private static PyTorchVersion release(String name) {
    try {
      return PyTorchVersion.of(name);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--torch-version: " + e.getMessage());
    }
  }

  private static <T> @Nullable T read(
      Map<String, String> options, String option, Function<String, T> converter) {
    String text = options.get(option);
    try {
      return text == null ? null : converter.apply(text);
    } catch (TypeConversionException e) {
      throw Failure.usage(option + ": " + e.getMessage());
    }
  }
}
