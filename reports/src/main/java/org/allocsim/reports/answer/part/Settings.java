package org.allocsim.reports.answer.part;

import org.allocsim.analysis.tuning.ConfLint;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/** How answers name the settings of PyTorch's allocator. */
public final class Settings {
  private Settings() {}

  /** A configuration string as rows of tables name it. */
  public static String name(String conf) {
    return conf.isEmpty() ? "(default)" : conf;
  }

  /** A line for a shell that puts a configuration string into force. */
  public static String paste(String conf, PyTorchVersion version) {
    return conf.isEmpty()
        ? "unset " + ConfLint.variable(version)
        : "export " + ConfLint.variable(version) + "=\"" + conf + "\"";
  }
}
