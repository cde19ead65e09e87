package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.simulator.message.OutOfMemoryMessage.Template;
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
    for (String text : List.of("", "2", "1.13", "2.15", "3.0", "2.x", "2.-1", "2.99999999999")) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> PyTorchVersion.of(text), text);
      assertTrue(e.getMessage().contains("2.0 to 2.14"), e.getMessage());
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
}
