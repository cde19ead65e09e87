package org.allocsim.reports.cli.option;

import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that says by the rules of which release PyTorch's allocator works. */
public final class TorchVersionOption {
  @Option(
      names = "--torch-version",
      paramLabel = "VERSION",
      description =
          "Rules of this PyTorch release, 2.0 to 2.15 (default: the recorded one, otherwise 2.14).",
      converter = TorchVersionConverter.class)
  private PyTorchVersion version;

  /** The release that was chosen; null for the one that a trace shows. */
  public @Nullable PyTorchVersion given() {
    return version;
  }
}
