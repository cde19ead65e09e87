package org.allocsim.analysis.suite;

/** Where a scenario comes from. */
public enum Kind {
  /** A failure that was reported in public, with figures. */
  FAILURE("failure"),
  /** A claim about GPU memory as articles and answers make it. */
  CLAIM("claim"),
  /** A question that users ask of a simulator. */
  NEED("need");

  private final String word;

  Kind(String word) {
    this.word = word;
  }

  /** The kind as it is shown. */
  public String word() {
    return word;
  }
}
