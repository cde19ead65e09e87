package org.allocsim.web.standin.tools.jackson.core.internal.shaded.fdp;

/** Floats, which nothing reads, as the platform reads them. */
public final class JavaFloatParser {
  private JavaFloatParser() {}

  /** Reads a text. */
  public static float parseFloat(CharSequence text) {
    return Float.parseFloat(text.toString());
  }

  /** Reads a part of a text. */
  public static float parseFloat(char[] text, int from, int length) {
    return Float.parseFloat(new String(text, from, length));
  }
}
