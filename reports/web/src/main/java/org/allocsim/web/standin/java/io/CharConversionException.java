package org.allocsim.web.standin.java.io;

import java.io.IOException;

/** Bytes that are no characters. */
public final class CharConversionException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Says what is wrong. */
  public CharConversionException(String message) {
    super(message);
  }
}
