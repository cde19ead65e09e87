package org.allocsim.reports.cli.option;

import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.source.TraceSource;
import picocli.CommandLine.Option;

/** The option that says by the rules of which release PyTorch's allocator works. */
public final class TorchVersionOption {
  @Option(
      names = "--torch-version",
      paramLabel = "VERSION",
      description =
          "Rules of this PyTorch release, 2.0 to 2.14 (default: what a recording shows, else"
              + " 2.14).",
      converter = TorchVersionConverter.class)
  private PyTorchVersion version;

  private PyTorchVersion recorded = PyTorchVersion.DEFAULT;
  private PyTorchVersion oldest = PyTorchVersion.DEFAULT;

  /** Takes the release that a trace shows, if it shows one, for the default. */
  public void follow(TraceSource source) {
    recorded = source.release().orElse(PyTorchVersion.DEFAULT);
    oldest = source.oldestRelease().orElse(recorded);
  }

  /** Whether a release was chosen. */
  public boolean isGiven() {
    return version != null;
  }

  /** The release that was chosen, or the oldest that a trace may be of, or the default one. */
  public PyTorchVersion oldest() {
    return version == null ? oldest : version;
  }

  /** The release that was chosen, or that a trace shows, or the default one. */
  public PyTorchVersion version() {
    return version == null ? recorded : version;
  }
}
