package org.allocsim.reports.plugin;

import org.jspecify.annotations.Nullable;

/** A plugin cannot be used; the message is one sentence with file, cause and remedy. */
public final class PluginException extends Exception {
  private static final long serialVersionUID = 1L;

  PluginException(Object file, String causeAndRemedy, @Nullable Throwable cause) {
    super(file + ": " + causeAndRemedy, cause);
  }
}
