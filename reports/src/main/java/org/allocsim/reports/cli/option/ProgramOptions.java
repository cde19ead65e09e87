package org.allocsim.reports.cli.option;

import org.allocsim.reports.answer.moment.ProgramSettings;
import org.allocsim.reports.input.Settings;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say under what settings, on what device and for which GPU a program is replayed. */
public final class ProgramOptions implements ProgramSettings {
  private static final String POLICY = "pytorch";

  @Option(
      names = "--conf",
      paramLabel = "CONF",
      description = "PYTORCH_CUDA_ALLOC_CONF to replay under (default: the recorded one).")
  private String conf;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Override
  public @Nullable ParsedConfig config() {
    return conf == null ? null : Settings.parse(conf, deviceOptions.torchVersion(), POLICY);
  }

  @Override
  public PyTorchVersion torchVersion() {
    return deviceOptions.torchVersion();
  }

  @Override
  public DeviceProfile profile() {
    return deviceOptions.profile();
  }

  @Override
  public boolean isDeviceGiven() {
    return deviceOptions.isDeviceGiven();
  }

  @Override
  public long limitBytes(ParsedConfig settings, TraceSource source) {
    return deviceOptions.limitBytes(settings, source);
  }

  @Override
  public Integer deviceIndex() {
    return traceOptions.deviceIndex();
  }

  @Override
  public boolean isReplayChosen() {
    return conf != null || deviceOptions.isLimitGiven();
  }

  @Override
  public TraceSource open(String name) {
    TraceSource source = traceOptions.open(name);
    deviceOptions.release().follow(source);
    return source;
  }

  public DeviceOptions device() {
    return deviceOptions;
  }

  /** How traces are read. */
  public TraceOptions trace() {
    return traceOptions;
  }
}
