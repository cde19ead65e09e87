package org.allocsim.reports.cli;

import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say under what settings, on what device and for which GPU a program is replayed. */
final class ProgramOptions {
  private static final String POLICY = "pytorch";

  @Option(
      names = "--conf",
      paramLabel = "CONF",
      description = "PYTORCH_CUDA_ALLOC_CONF to replay under (default: the recorded one).")
  private String conf;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  /** Settings that were asked for, or null. */
  ParsedConfig config() {
    return conf == null ? null : Settings.parse(conf, deviceOptions.torchVersion(), POLICY);
  }

  DeviceOptions device() {
    return deviceOptions;
  }

  /** The recorded GPU that was chosen, or null. */
  Integer deviceIndex() {
    return traceOptions.deviceIndex();
  }

  /** How traces are read. */
  TraceOptions trace() {
    return traceOptions;
  }

  /** Whether any option says how to replay, which needs a history. */
  boolean isReplayChosen() {
    return conf != null || deviceOptions.isLimitGiven();
  }
}
