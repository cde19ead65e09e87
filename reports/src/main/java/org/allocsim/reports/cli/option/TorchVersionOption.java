package org.allocsim.reports.cli.option;

import java.util.Objects;
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

  /** What the trace shows that a thread works on: ranks of a job are read side by side. */
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<Shown> shown = new InheritableThreadLocal<>();

  /**
   * The release that a trace shows.
   *
   * @param release the newest that it may be of
   * @param oldest the oldest
   */
  private record Shown(PyTorchVersion release, PyTorchVersion oldest) {
    private static final Shown NOTHING = new Shown(PyTorchVersion.DEFAULT, PyTorchVersion.DEFAULT);
  }

  /**
   * Takes the release that a trace shows, if it shows one, for the default of this thread and of
   * those that it starts from now on.
   */
  public void follow(TraceSource source) {
    PyTorchVersion release = source.release().orElse(PyTorchVersion.DEFAULT);
    shown.set(new Shown(release, source.oldestRelease().orElse(release)));
  }

  private Shown shown() {
    return Objects.requireNonNullElse(shown.get(), Shown.NOTHING);
  }

  /** Whether a release was chosen. */
  public boolean isGiven() {
    return version != null;
  }

  /** The release that was chosen, or the oldest that a trace may be of, or the default one. */
  public PyTorchVersion oldest() {
    return version == null ? shown().oldest() : version;
  }

  /** The release that was chosen, or that a trace shows, or the default one. */
  public PyTorchVersion version() {
    return version == null ? shown().release() : version;
  }
}
