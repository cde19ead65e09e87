package org.allocsim.analysis.suite;

/** What the outcomes say about a scenario's subject. */
public enum Verdict {
  /** Every published figure came out. */
  REPRODUCED("reproduced"),
  /** Some published figure did not come out. */
  NOT_REPRODUCED("not reproduced"),
  /** The claim held wherever it was tried. */
  TRUE("true"),
  /** The claim held in some of the places where it was tried. */
  PARTLY_TRUE("partly true"),
  /** The claim held nowhere. */
  WRONG("wrong");

  private final String words;

  Verdict(String words) {
    this.words = words;
  }

  /** The verdict as it is shown. */
  public String words() {
    return words;
  }
}
