package org.allocsim.reports.cli;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options that say on what device, and under what limit, the recorded program runs. */
final class TraceOptions {
  @ArgGroup(exclusive = true)
  private Limit limit;

  @ArgGroup(exclusive = true)
  private Device device;

  @Option(
      names = "--torch-version",
      paramLabel = "VERSION",
      description =
          "Rules of this PyTorch release, 2.0 to 2.14 (default: ${DEFAULT-VALUE}).",
      converter = TorchVersionConverter.class,
      defaultValue = "2.11")
  private org.allocsim.simulator.policy.pytorch.PyTorchVersion torchVersion;

  /** The allocator's own limit. */
  static final class Limit {
    @Option(
        names = "--memory-fraction",
        paramLabel = "F",
        description = {
          "The allocator may reserve this share of the device's memory, as",
          "torch.cuda.set_per_process_memory_fraction() had it. Recordings do not hold it."
        },
        converter = FractionConverter.class)
    private Double fraction;

    @Option(
        names = "--memory-limit",
        paramLabel = "SIZE",
        description = "The allocator may reserve this much, such as 24GiB.",
        converter = SizeConverter.class)
    private Long limitBytes;
  }

  /** The device. */
  static final class Device {
    @Option(
        names = "--device",
        paramLabel = "PROFILE",
        description = "Device to run on; see 'allocsim list devices'.")
    private String profile;

    @Option(
        names = "--capacity",
        paramLabel = "SIZE",
        description = "The default device with this much memory, such as 16GiB.",
        converter = SizeConverter.class)
    private Long capacityBytes;
  }
}
