package org.allocsim.analysis.attribution;

import java.util.Locale;

/** How a category is known. */
public enum Certainty {
  /** The program said so when it was recorded. */
  RECORDED,
  /** The stack of the allocation shows it. */
  STACK,
  /** It follows from when memory was allocated and freed. */
  INFERRED,
  /** It is not known. */
  UNKNOWN;

  /** Name in files. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }
}
