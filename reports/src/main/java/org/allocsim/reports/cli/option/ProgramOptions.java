package org.allocsim.reports.cli.option;

import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.question.AnswerOutputs;
import org.allocsim.reports.question.Asking;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say under what settings, on what device and for which GPU a program is replayed. */
public final class ProgramOptions {
  @Option(
      names = "--conf",
      paramLabel = "CONF",
      description = "PYTORCH_CUDA_ALLOC_CONF to replay under (default: the recorded one).")
  private String conf;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  /** What the options ask for. */
  public Conditions conditions() {
    return deviceOptions.conditions().under(conf).ofDevice(traceOptions.deviceIndex());
  }

  /** Asks about traces under these options. */
  public Asking asking(AnswerOutputs to) {
    return traceOptions.asking(to, conditions());
  }

  /** The settings that were chosen; null for the recorded ones. */
  public @Nullable String conf() {
    return conf;
  }

  public DeviceOptions device() {
    return deviceOptions;
  }
}
