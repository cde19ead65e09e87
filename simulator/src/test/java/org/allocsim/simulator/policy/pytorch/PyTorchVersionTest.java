package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.message.OutOfMemoryMessage.Template;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion.Certainty;
import org.junit.jupiter.api.Test;

class PyTorchVersionTest {
  @Test
  void versionsAreFoundByIdAndByFullVersion() {
    for (PyTorchVersion version : PyTorchVersion.values()) {
      assertEquals(version, PyTorchVersion.of(version.id()));
    }
    assertEquals(PyTorchVersion.V2_11, PyTorchVersion.of("2.11.0+cu130"));
    assertEquals(PyTorchVersion.V2_1, PyTorchVersion.of("2.1.2"));
    assertEquals("2.14", PyTorchVersion.V2_14.toString());
    assertEquals("2.14", PyTorchVersion.DEFAULT.id());
  }

  @Test
  void unknownVersionsAreRefusedWithTheRange() {
    for (String text : List.of("", "2", "1.13", "2.16", "3.0", "2.x", "2.-1", "2.99999999999")) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> PyTorchVersion.of(text), text);
      assertTrue(e.getMessage().contains("2.0 to 2.15"), e.getMessage());
    }
  }

  @Test
  void keysAreKnownFromTheirReleaseOn() {
    assertTrue(PyTorchVersion.V2_0.knowsKey("max_split_size_mb"));
    assertFalse(PyTorchVersion.V2_0.knowsKey("expandable_segments"));
    assertTrue(PyTorchVersion.V2_1.knowsKey("expandable_segments"));
    assertFalse(PyTorchVersion.V2_5.knowsKey("max_non_split_rounding_mb"));
    assertTrue(PyTorchVersion.V2_6.knowsKey("max_non_split_rounding_mb"));
    assertFalse(PyTorchVersion.V2_10.knowsKey("large_segment_size_mb"));
    assertTrue(PyTorchVersion.V2_11.knowsKey("large_segment_size_mb"));
    assertFalse(PyTorchVersion.V2_11.knowsKey("throw_on_cudamalloc_oom"));
    assertTrue(PyTorchVersion.V2_12.knowsKey("throw_on_cudamalloc_oom"));
    assertFalse(PyTorchVersion.V2_14.knowsKey("expandable_segments_reserve"));
    assertTrue(PyTorchVersion.V2_15.knowsKey("expandable_segments_reserve"));
    assertFalse(PyTorchVersion.V2_14.knowsKey("no_such_key"));
  }

  @Test
  void wordingOfTheOutOfMemoryMessageFollowsTheRelease() {
    assertEquals(Template.V2_0, Template.of(PyTorchVersion.V2_0, false));
    assertEquals(Template.V2_1, Template.of(PyTorchVersion.V2_1, true));
    assertEquals(Template.V2_2, Template.of(PyTorchVersion.V2_3, true));
    assertEquals(Template.V2_4, Template.of(PyTorchVersion.V2_4, true));
    assertEquals(Template.V2_5, Template.of(PyTorchVersion.V2_9, true));
    assertEquals(Template.V2_10, Template.of(PyTorchVersion.V2_10, true));
    assertEquals(Template.V2_11, Template.of(PyTorchVersion.V2_11, true));
    assertEquals(Template.V2_11, Template.of(PyTorchVersion.V2_14, false));
    assertEquals(Template.V2_14_EXPANDABLE, Template.of(PyTorchVersion.V2_14, true));
  }

  @Test
  void decisionsThatDifferBetweenReleases() {
    assertTrue(PyTorchVersion.V2_9.isFractionOneALimit());
    assertFalse(PyTorchVersion.V2_10.isFractionOneALimit());
    assertFalse(PyTorchVersion.V2_5.hasNonSplitRoundingSetting());
    assertTrue(PyTorchVersion.V2_6.hasNonSplitRoundingSetting());
    assertFalse(PyTorchVersion.V2_5.hasExpandablePrivatePools());
    assertTrue(PyTorchVersion.V2_6.hasExpandablePrivatePools());
    assertFalse(PyTorchVersion.V2_4.skipsExpandableOnRelease());
    assertTrue(PyTorchVersion.V2_5.skipsExpandableOnRelease());
    assertFalse(PyTorchVersion.V2_0.hasExpandableSegments());
    assertFalse(PyTorchVersion.V2_12.processesEventsInUserPools());
    assertTrue(PyTorchVersion.V2_13.processesEventsInUserPools());
  }

  @Test
  void itIsSaidHowSureTheRulesOfEachReleaseAre() {
    assertEquals(Certainty.RECORDED, PyTorchVersion.V2_11.certainty());
    assertEquals(Certainty.ENCLOSED, PyTorchVersion.V2_7.certainty());
    assertEquals(Certainty.DATED, PyTorchVersion.V2_12.certainty());
    assertEquals(Certainty.READ, PyTorchVersion.V2_15.certainty());
    assertEquals(
        "releases 2.0, 2.1, 2.2, 2.4, 2.6, 2.9, 2.10, 2.11, 2.14 recorded; 2.7, 2.8 between"
            + " recorded releases that behave the same; rules of 2.3, 2.5, 2.12, 2.13 dated by"
            + " their pull requests; 2.15 read on the main branch before its release",
        PyTorchVersion.evidence());
  }

  @Test
  void aReleaseThatIsNotOutDecidesLikeTheNewest() {
    assertEquals(decisions(PyTorchVersion.DEFAULT), decisions(PyTorchVersion.V2_15));
  }

  /** All that allocators decide by, and what settings they refuse. */
  private static List<Boolean> decisions(PyTorchVersion version) {
    return List.of(
        version.isFractionOneALimit(),
        version.roundsLimits(),
        version.roundsToOneDivision(),
        version.splitsPrivatePoolsByTheSetting(),
        version.hasNonSplitRoundingSetting(),
        version.hasExpandablePrivatePools(),
        version.ordersBySegmentAge(),
        version.hasExpandableSegments(),
        version.skipsExpandableOnRelease(),
        version.processesEventsInUserPools(),
        version.hasTolerantConfigParser(),
        version.allowsZeroDivisions());
  }

  private static PyTorchVersion recorded(PyTorchVersion from, int step) {
    int next = from.ordinal() + step;
    while (PyTorchVersion.values()[next].certainty() != Certainty.RECORDED) {
      next += step;
    }
    return PyTorchVersion.values()[next];
  }

  @Test
  void aReleaseIsEnclosedWhereTheRecordedOnesAroundItDecideAlikeAndDatedElsewhere() {
    for (PyTorchVersion version : PyTorchVersion.values()) {
      if (version.certainty() == Certainty.ENCLOSED || version.certainty() == Certainty.DATED) {
        List<Boolean> before = decisions(recorded(version, -1));
        List<Boolean> after = decisions(recorded(version, 1));
        assertEquals(
            before.equals(after) ? Certainty.ENCLOSED : Certainty.DATED,
            version.certainty(),
            version.id());
        for (int i = 0; i < before.size(); i++) {
          boolean decides = decisions(version).get(i);
          assertTrue(decides == before.get(i) || decides == after.get(i), version.id());
        }
      }
    }
  }

  @Test
  void boundariesBetweenRecordedReleasesFollowThePullRequests() {
    // 126830 and 126833, May 2024; the branch of 2.3 was cut in March, that of 2.4 in June.
    assertFalse(PyTorchVersion.V2_3.roundsToOneDivision());
    assertFalse(PyTorchVersion.V2_3.allowsZeroDivisions());
    assertTrue(PyTorchVersion.V2_4.allowsZeroDivisions());
    // 134338, August 2024, before 2.5; 135524 and 136174, September 2024, after it.
    assertTrue(PyTorchVersion.V2_5.skipsExpandableOnRelease());
    assertFalse(PyTorchVersion.V2_5.knowsKey("pinned_use_background_threads"));
    assertFalse(PyTorchVersion.V2_5.hasNonSplitRoundingSetting());
    // 179444, 181830, 183591, April and May 2026, between 2.12 and 2.13.
    assertFalse(PyTorchVersion.V2_12.roundsLimits());
    assertFalse(PyTorchVersion.V2_12.processesEventsInUserPools());
    assertFalse(PyTorchVersion.V2_12.ordersBySegmentAge());
    assertTrue(PyTorchVersion.V2_13.roundsLimits());
    assertTrue(PyTorchVersion.V2_13.ordersBySegmentAge());
  }

  @Test
  void aMistypedNameIsAnsweredWithTheSimilarOne() {
    ConfigException typed =
        new ConfigException(
            "ValueError", "Unrecognized key ", "max_split_size", List.of("max_split_size_mb"));
    assertTrue(typed.sentence().startsWith("Unrecognized key; "), typed.sentence());
    assertTrue(typed.sentence().contains("max_split_size_mb"), typed.sentence());
    ConfigException plain = new ConfigException("ValueError", "stoi");
    assertEquals("stoi", plain.sentence());
    assertEquals("look it up", plain.remedy("look it up"));
  }

  @Test
  void divisionsAreEqualWhereAllSlotsAreAndOneMeansTheSame() {
    long[] slots = new long[RoundupDivisions.SLOTS];
    Arrays.setAll(slots, i -> i);
    RoundupDivisions one = RoundupDivisions.of(slots);
    assertEquals(RoundupDivisions.of(slots), one);
    assertEquals(RoundupDivisions.of(slots).hashCode(), one.hashCode());
    assertNotEquals(RoundupDivisions.NONE, one);
    assertNotEquals(RoundupDivisions.NONE.hashCode(), one.hashCode());
    assertNotEquals(one.whereOneKeepsSizes(), one);
    assertEquals(Arrays.toString(slots), one.toString());
    assertEquals(5, one.slot(5));
  }

  @Test
  void sizesOfOneDivisionStayAsTheyAreWhereTheReleaseSaysSo() {
    long[] ones = new long[RoundupDivisions.SLOTS];
    Arrays.fill(ones, 1);
    RoundupDivisions rounds = RoundupDivisions.of(ones);
    RoundupDivisions keeps = rounds.whereOneKeepsSizes();
    assertEquals(1024, RequestSizes.round(700, rounds));
    assertEquals(700, RequestSizes.round(700, keeps));
    assertEquals(513, RequestSizes.round(513, keeps));
    assertEquals(512, RequestSizes.round(100, keeps));
  }

  @Test
  void aStepBelowOneByteRoundsUpToThePowerOfTwo() {
    long[] many = new long[RoundupDivisions.SLOTS];
    Arrays.fill(many, 1L << 62);
    assertEquals(1024, RequestSizes.round(700, RoundupDivisions.of(many)));
  }
}
