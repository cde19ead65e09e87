package org.allocsim.analysis.attribution;

/** A file of rules that cannot be read; the message names line, cause and remedy. */
public final class CategoryRulesException extends Exception {
  private static final long serialVersionUID = 1L;

  CategoryRulesException(String message) {
    super(message);
  }
}
