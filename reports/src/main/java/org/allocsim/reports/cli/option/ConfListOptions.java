package org.allocsim.reports.cli.option;

import org.allocsim.reports.question.replay.ConfChoices;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that names the settings under which policy pytorch runs. */
public final class ConfListOptions {
  @Option(
      names = {"--confs", "--conf"},
      paramLabel = "A;B;...",
      description =
          "Settings of policy pytorch, separated by semicolons; an empty one is PyTorch's default "
              + "(default: the recorded ones and expandable segments).")
  private String confs;

  /** The settings as they were given, or null. */
  public @Nullable String given() {
    return confs;
  }

  /** The settings. */
  public ConfChoices choices() {
    return ConfChoices.of(confs);
  }
}
