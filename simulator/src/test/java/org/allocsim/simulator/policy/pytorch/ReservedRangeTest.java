package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The figures are those of PyTorch's own tests of August 2026, on a device of 100 GiB. */
class ReservedRangeTest {
  private static final long GIB = 1L << 30;

  private static ParsedConfig parse(String conf) throws ConfigException {
    return ConfigParser.parse(conf, PyTorchVersion.V2_15);
  }

  @ParameterizedTest
  @CsvSource({
    "'', 112.5",
    "expandable_segments_reserve:0.5, 50",
    "expandable_segments_reserve:40G, 40",
    "expandable_segments_reserve:40g, 40",
    "expandable_segments_reserve:+.5e1G, 5",
    "expandable_segments_reserve:1.125, 112.5",
    "expandable_segments_reserve:4, 112.5",
    "expandable_segments_reserve:1e20G, 112.5",
    "'expandable_segments_reserve:0.5,expandable_segments_reserve:abc', 50",
  })
  void aRangeIsAShareOrASizeOfAtMostNineEighths(String conf, double gib) throws Exception {
    assertEquals((long) (gib * GIB), parse(conf).allocator().reservedRange().bytes(100 * GIB));
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "G", "-1", "0", "12X", "inf", "nan", "0x10", "1e999", "40GB"})
  void aBadValueIsWarnedOfAndChangesNothing(String value) throws Exception {
    ParsedConfig parsed = parse("expandable_segments_reserve:" + value);
    assertEquals(ReservedRange.UNSET, parsed.allocator().reservedRange());
    assertEquals(1, parsed.warnings().size());
    assertTrue(parsed.warnings().getFirst().contains("'" + value + "'"));
  }

  @Test
  void rangesOfClassesAreReadAndSaidToHaveNoEffect() throws Exception {
    ParsedConfig parsed =
        parse(
            "expandable_segments_reserve:0.9,"
                + "expandable_segments_reserve_by_class:[serving:0.25,bad:12X,ads:8G],"
                + "max_split_size_mb:64");
    assertEquals(90 * GIB, parsed.allocator().reservedRange().bytes(100 * GIB));
    assertEquals(64L << 20, parsed.allocator().maxSplitBytes());
    List<String> warnings = parsed.warnings();
    assertEquals(2, warnings.size(), warnings.toString());
    assertTrue(warnings.get(0).contains("'12X'"));
    assertTrue(warnings.get(1).contains("no effect on this simulation"));
  }

  @Test
  void aListOfClassesWithoutItsEndIsRefused() {
    assertThrows(
        ConfigException.class, () -> parse("expandable_segments_reserve_by_class:[serving:0.25"));
  }

  @Test
  void releasesUpTo214DoNotKnowTheKeys() {
    assertThrows(
        ConfigException.class,
        () -> ConfigParser.parse("expandable_segments_reserve:0.5", PyTorchVersion.V2_14));
  }

  @Test
  void aChangeOfSettingsKeepsTheRangeItDoesNotName() throws Exception {
    AllocatorConfig before = parse("expandable_segments_reserve:0.5").allocator();
    assertEquals(
        before.reservedRange(),
        ConfigParser.change(before, "max_split_size_mb:64", PyTorchVersion.V2_15)
            .allocator()
            .reservedRange());
  }

  @Test
  void aKeyOfNoReleaseIsIgnoredIfAProgramRanWithItOrNoReleaseFixesTheKeysYet() throws Exception {
    String conf = "shiny_new_knob:[a:1,b:2],max_split_size_mb:64";
    ParsedConfig recorded = ConfigParser.parseRecorded(conf, PyTorchVersion.V2_14);
    assertEquals(64L << 20, recorded.allocator().maxSplitBytes());
    assertTrue(recorded.warnings().getFirst().contains("shiny_new_knob"));
    assertEquals(recorded.warnings(), parse(conf).warnings());
    assertThrows(ConfigException.class, () -> ConfigParser.parse(conf, PyTorchVersion.V2_14));
    assertThrows(ConfigException.class, () -> parse("max_split_size:64"));
    AllocatorConfig changed =
        ConfigParser.changeOrKeep(AllocatorConfig.DEFAULT, conf, PyTorchVersion.V2_14);
    assertEquals(64L << 20, changed.maxSplitBytes());
  }
}
