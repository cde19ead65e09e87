package org.allocsim.reports.cli.fleet;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.fleet.sweep.SweepRequest;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.cli.option.LimitOptions;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.output.Failure;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.workloads.profile.ProfileFile;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that say on which GPUs a sweep runs, and under which limit. */
final class SweepGpuOptions {
  @Option(
      names = {"--capacities", "--capacity"},
      paramLabel = "SIZE,...",
      split = ",",
      hideParamSyntax = true,
      description =
          "GPUs with this much free memory, such as 16GiB,24GiB; 'recorded' is each recording's GPU"
              + " and limit if known, otherwise h100-80gb.")
  private List<String> capacities = List.of();

  @Option(
      names = {"--devices", "--device"},
      paramLabel = "PROFILE,...",
      split = ",",
      hideParamSyntax = true,
      description =
          "GPUs from 'allocsim list devices', or files written by 'allocsim calibrate' (default,"
              + " without --capacities: 'recorded'; with a limit: h100-80gb).")
  private List<String> devices = List.of();

  @ArgGroup(exclusive = true)
  private @Nullable LimitOptions limit;

  /** The limit as a share of the GPU; null without one. */
  @Nullable Double fraction() {
    return limit == null ? null : limit.fraction();
  }

  /** The limit in bytes; null without one. */
  @Nullable Long limitBytes() {
    return limit == null ? null : limit.bytes();
  }

  /**
   * The GPUs.
   *
   * @param own gets those that do not come with the program
   */
  List<String> gpus(List<String> own) {
    List<String> gpus = new ArrayList<>();
    try {
      for (String capacity : capacities) {
        gpus.add(
            capacity.strip().equals(SweepRequest.RECORDED)
                ? SweepRequest.RECORDED
                : json(DeviceProfiles.ofCapacity(new SizeConverter().convert(capacity))));
      }
      for (String device : devices) {
        DeviceProfile profile = new ProfileConverter().convert(device.strip());
        gpus.add(json(profile));
        if (!ShippedProfiles.all().contains(profile)) {
          own.add(json(profile));
        }
      }
    } catch (TypeConversionException e) {
      throw Failure.usage(e.getMessage());
    }
    if (gpus.isEmpty()) {
      gpus.add(limit == null ? SweepRequest.RECORDED : json(DeviceProfiles.defaultProfile()));
    }
    return gpus;
  }

  private static String json(DeviceProfile profile) {
    return JsonText.text(ProfileFile.fields(profile));
  }
}
