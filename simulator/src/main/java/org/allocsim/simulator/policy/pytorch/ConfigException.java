package org.allocsim.simulator.policy.pytorch;

import java.util.List;
import org.allocsim.simulator.typed.SimilarName;

/**
 * A setting that PyTorch refuses. The message is PyTorch's own text, {@link #errorType()} the
 * Python exception that carries it.
 */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Empty unless a name is wrong. */
  private final String typed;

  private final transient List<String> known;
  private final String errorType;

  public ConfigException(String errorType, String message) {
    this(errorType, message, "", List.of());
  }

  /**
   * A name that is not known.
   *
   * @param typed the name
   * @param known the names that would have been right
   */
  public ConfigException(String errorType, String message, String typed, List<String> known) {
    super(message);
    this.errorType = errorType;
    this.typed = typed;
    this.known = known;
  }

  /** {@code "ValueError"}, {@code "RuntimeError"}, {@code "TypeError"} or {@code "IndexError"}. */
  public String errorType() {
    return errorType;
  }

  /**
   * What to do about it: the name that a mistyped one may have meant.
   *
   * @param otherwise the remedy where there is no such name
   */
  public String remedy(String otherwise) {
    return SimilarName.remedy(typed, known, otherwise);
  }

  /** PyTorch's text, and the name that a mistyped one may have meant. */
  public String sentence() {
    String remedy = remedy("");
    return getMessage().strip() + (remedy.isEmpty() ? "" : "; " + remedy);
  }
}
