package org.allocsim.web.standin.java.util;

/** Texts with something between them. */
public final class StringJoiner {
  private final String between;
  private final String prefix;
  private final String suffix;
  private final StringBuilder text = new StringBuilder();
  private boolean isEmpty = true;

  /** No texts yet. */
  public StringJoiner(CharSequence between) {
    this(between, "", "");
  }

  /** No texts yet, and what stands before and after them. */
  public StringJoiner(CharSequence between, CharSequence prefix, CharSequence suffix) {
    this.between = between.toString();
    this.prefix = prefix.toString();
    this.suffix = suffix.toString();
  }

  /** Appends a text. */
  public StringJoiner add(CharSequence more) {
    text.append(isEmpty ? "" : between).append(more);
    isEmpty = false;
    return this;
  }

  /** Characters of the whole. */
  public int length() {
    return prefix.length() + text.length() + suffix.length();
  }

  @Override
  public String toString() {
    return prefix + text + suffix;
  }
}
