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

  /** A configuration string inside of a sentence. */
  public static String inSentence(String conf) {
    return conf.isEmpty() ? "PyTorch's default settings" : conf;
  }

  /** The configuration string of a recording inside of a sentence. */
  public static String recorded(String conf) {
    return conf.isEmpty() ? "the recorded settings" : "the recorded settings, " + conf;
  }

  /** A line for a shell that puts a configuration string into force. */
  public static String paste(String conf, PyTorchVersion version) {
    return conf.isEmpty()
        ? "unset " + ConfLint.variable(version)
        : "export " + ConfLint.variable(version) + "=\"" + conf + "\"";
  }
}
