package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyOptionsTest {
  private static final PolicySpec SPEC =
      new PolicySpec(
          "example",
          "an example",
          "this test",
          List.of(
              new PolicySpec.Option("chunk", "1MiB", "bytes", "size of a chunk"),
              new PolicySpec.Option("share", "0.5", "", "share of the device"),
              new PolicySpec.Option("count", "3", "", "how many"),
              new PolicySpec.Option("eager", "false", "", "whether at once")));

  private static PolicyOptions options(String name, String value) throws PolicyOptionException {
    return new PolicyOptions(SPEC, new PolicySettings(-1, Map.of(name, value)));
  }

  @Test
  void optionsThatAreNotSetHaveTheirDefaults() throws Exception {
    PolicyOptions options = new PolicyOptions(SPEC, new PolicySettings(-1, Map.of()));
    assertEquals(1 << 20, options.bytes("chunk", 0));
    assertEquals(0.5, options.fraction("share", 0, 1));
    assertEquals(3, options.integer("count", 1, 9));
    assertFalse(options.flag("eager"));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "4096, 4096",
    "64MiB, 67108864",
    "1.5 GiB, 1610612736",
    "9223372036854775807, 9223372036854775807",
    "0.3KiB, 307"
  })
  void sizesAreBytesOrHaveABinaryUnit(String text, long bytes) throws Exception {
    assertEquals(bytes, options("chunk", text).bytes("chunk", 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "64MB", "64M", "-1", "1.5", "9223372036854775808", "8192PiB", "x"})
  void whatIsNoSizeIsRefused(String text) throws Exception {
    PolicyOptions options = options("chunk", text);
    String message =
        assertThrows(PolicyOptionException.class, () -> options.bytes("chunk", 0)).getMessage();
    assertTrue(message.startsWith("option chunk of policy example is '" + text + "'"), message);
  }

  @Test
  void valuesOutsideTheirBoundsAreRefused() throws Exception {
    PolicyOptions chunk = options("chunk", "511");
    assertThrows(PolicyOptionException.class, () -> chunk.bytes("chunk", 512));
    PolicyOptions count = options("count", "10");
    assertThrows(PolicyOptionException.class, () -> count.integer("count", 1, 9));
    PolicyOptions word = options("count", "ten");
    assertThrows(PolicyOptionException.class, () -> word.integer("count", 1, 9));
    PolicyOptions share = options("share", "1.01");
    assertThrows(PolicyOptionException.class, () -> share.fraction("share", 0, 1));
    PolicyOptions eager = options("eager", "yes");
    assertThrows(PolicyOptionException.class, () -> eager.flag("eager"));
  }

  @Test
  void boundsThemselvesAreValid() throws Exception {
    assertEquals(512, options("chunk", "512").bytes("chunk", 512));
    assertEquals(1, options("count", "1").integer("count", 1, 9));
    assertEquals(9, options("count", "9").integer("count", 1, 9));
    assertEquals(-9, options("count", "-9").integer("count", -9, 9));
    assertEquals(0, options("share", "0").fraction("share", 0, 1));
    assertEquals(1, options("share", "1.0").fraction("share", 0, 1));
    PolicyOptions less = options("share", "0.49");
    assertThrows(PolicyOptionException.class, () -> less.fraction("share", 0.5, 1));
  }

  @Test
  void sentencesNameTheBounds() throws Exception {
    PolicyOptions count = options("count", "-1");
    assertEquals(
        "option count of policy example is '-1', which is not a whole number of at least 0",
        assertThrows(PolicyOptionException.class, () -> count.integer("count", 0, Long.MAX_VALUE))
            .getMessage());
    assertEquals(
        "option count of policy example is '-1', which is not a whole number from 0 to 9",
        assertThrows(PolicyOptionException.class, () -> count.integer("count", 0, 9)).getMessage());
  }

  @Test
  void flagsAreTrueOrFalseInAnyCase() throws Exception {
    assertTrue(options("eager", " True ").flag("eager"));
    assertFalse(options("eager", "FALSE").flag("eager"));
  }

  @Test
  void policyMayAskForItsOwnOptionsOnly() throws Exception {
    PolicyOptions options = options("count", "1");
    assertThrows(IllegalArgumentException.class, () -> options.text("colour"));
  }

  @Test
  void optionOfAPolicyWithoutAnyIsRefused() {
    PolicySpec plain = new PolicySpec("plain", "without options", "this test", List.of());
    PolicySettings settings = new PolicySettings(-1, Map.of("colour", "blue"));
    assertEquals(
        "policy plain has no option 'colour'; it has none",
        assertThrows(PolicyOptionException.class, () -> new PolicyOptions(plain, settings))
            .getMessage());
  }

  @Test
  void unknownOptionIsRefusedWithTheKnownOnes() {
    assertEquals(
        "policy example has no option 'colour'; its options are chunk, share, count, eager",
        assertThrows(PolicyOptionException.class, () -> options("colour", "blue")).getMessage());
  }
}
