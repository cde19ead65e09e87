package org.allocsim.reports.fuzz;

import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Inputs that are nearly right are read or refused. {@code -Dallocsim.fuzz.structured=N} makes N of
 * each structure.
 */
class FuzzStructureTest {
  private static final int INPUTS = Integer.getInteger("allocsim.fuzz.structured", 500);
  private static final int BYTES = 200;

  @ParameterizedTest
  @EnumSource(FuzzStructure.class)
  void inputsAreReadOrRefused(FuzzStructure structure) {
    Random random = new Random(structure.ordinal());
    for (int i = 0; i < INPUTS; i++) {
      byte[] input = new byte[random.nextInt(BYTES)];
      random.nextBytes(input);
      try {
        structure.read(new ByteChoices(input));
      } catch (Throwable e) {
        throw new AssertionError(HexFormat.of().formatHex(input), e);
      }
    }
  }
}
