package org.allocsim.reports.fuzz;

/**
 * Choices that the bytes of an input make one after the other; after its end the first is taken.
 */
final class ByteChoices {
  private final byte[] input;
  private int at;

  ByteChoices(byte[] input) {
    this.input = input;
  }

  /** A number below a bound. */
  int below(int bound) {
    return bound < 2 ? 0 : next() % bound;
  }

  /** Whether something holds that does once in so many times. */
  boolean rarely(int times) {
    return next() % times == times - 1;
  }

  /** One of some things. */
  @SafeVarargs
  final <T> T of(T... things) {
    return things[below(things.length)];
  }

  private int next() {
    return at < input.length ? input[at++] & 0xff : 0;
  }
}
