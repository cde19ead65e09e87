package org.allocsim.reports.html;

/** A page cannot show a number exactly. The message is a sentence that says which, and why. */
public final class PageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PageException(String number) {
    super(
        "a page cannot show "
            + number
            + ", because a browser reads whole numbers below 2^53 only; correct the sizes or times"
            + " of the trace, or leave the page out");
  }
}
