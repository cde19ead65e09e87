package org.allocsim.analysis.tuning;

import java.util.Locale;

/**
 * Something to know about a configuration string.
 *
 * @param kind what it is
 * @param severity how much it matters
 * @param message a sentence for the user
 */
public record LintFinding(Kind kind, Severity severity, String message) {
  public enum Kind {
    /** PyTorch refuses the string. */
    ILLEGAL,
    /** PyTorch does not look at it. */
    IGNORED,
    /** It is read and changes nothing. */
    INERT,
    /** It makes things worse in a way that was seen in the field. */
    DANGEROUS,
    /** The platform does not offer it. */
    UNSUPPORTED;

    /** The word in tables. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** How much a finding matters. */
  public enum Severity {
    /** The string does not do what it says. */
    ERROR,
    /** A part of it does nothing, or is better left out. */
    WARNING;

    /** The word in front of the message. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
