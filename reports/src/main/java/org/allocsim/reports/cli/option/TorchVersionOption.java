package org.allocsim.reports.cli.option;

import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import picocli.CommandLine.Option;

/** The option that says by the rules of which release PyTorch's allocator works. */
public final class TorchVersionOption {
  @Option(
      names = "--torch-version",
      paramLabel = "VERSION",
      description = "Rules of this PyTorch release, 2.0 to 2.14 (default: 2.11).",
      converter = TorchVersionConverter.class)
  private PyTorchVersion version;

  /** Whether a release was chosen. */
  boolean isGiven() {
    return version != null;
  }

  /** The release that was chosen, or the default one. */
  public PyTorchVersion version() {
    return version == null ? PyTorchVersion.DEFAULT : version;
  }
}
