package org.allocsim.reports.fuzz;

import java.util.Arrays;

/**
 * What Jazzer calls with every input. {@code -Dallocsim.fuzz.target=ID} says what reads it; without
 * it the first byte does.
 */
public final class FuzzEntry {
  private static final FuzzTarget[] TARGETS = FuzzTarget.values();
  private static final String ID = System.getProperty("allocsim.fuzz.target");
  private static final FuzzTarget TARGET = ID == null ? null : FuzzTarget.of(ID);

  private FuzzEntry() {}

  /** One input. */
  public static void fuzzerTestOneInput(byte[] input) {
    if (TARGET != null) {
      TARGET.accept(input);
    } else if (input.length > 0) {
      TARGETS[(input[0] & 0xff) % TARGETS.length].accept(
          Arrays.copyOfRange(input, 1, input.length));
    }
  }
}
