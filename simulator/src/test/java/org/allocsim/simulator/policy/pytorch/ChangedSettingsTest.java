package org.allocsim.simulator.policy.pytorch;

import static org.allocsim.simulator.policy.pytorch.AllocatorScript.M;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.trace.PoolId;
import org.junit.jupiter.api.Test;

/**
 * Settings, limit and captures that change while a program runs, as {@code validate pytorch
 * --sequences} compares them with PyTorch 2.14.1's own allocator.
 */
class ChangedSettingsTest {
  private static final PyTorchVersion VERSION = PyTorchVersion.V2_14;

  private static AllocatorScript script(String conf) {
    return script(conf, VERSION);
  }

  private static AllocatorScript script(String conf, PyTorchVersion version) {
    AllocatorScript script =
        AllocatorScript.onDevice(conf, version, ScriptedDevice.UNLIMITED_BYTES);
    script.allocator.expectChanges(ConfigParser::changeOrKeep);
    return script;
  }

  @Test
  void blocksOfBeforeAreMeasuredWithTheSplitLimitOfNow() throws ConfigException {
    AllocatorScript script = script("");
    script.alloc("a", 64 * M).free("a").ignore();
    script.allocator.changeSettings("max_split_size_mb:32");
    script.alloc("b", 20 * M, "SA(S2,20M) A(S2,20M)").emptyCache();
    // PyTorch counts segments when they come and when they go, by the limit of the moment.
    script.expectStat("oversize_segments.current", -1).expectStat("max_split_size", -1);
  }

  @Test
  void partsOfSegmentsThatALowerLimitMakesOversizeAreNotReleased() throws ConfigException {
    AllocatorScript script = AllocatorScript.onDevice("", VERSION, 130 * M);
    script.allocator.expectChanges(ConfigParser::changeOrKeep);
    script.alloc("a", 60 * M).alloc("b", 60 * M).free("a").alloc("c", 2 * M).ignore();
    script.allocator.changeSettings("max_split_size_mb:32");
    script.alloc("d", 64 * M).expectStat("num_ooms", 1).expectStat("num_device_free", 0);
  }

  @Test
  void blocksOfExpandableSegmentsRestWhileTheSettingIsOff() throws ConfigException {
    AllocatorScript script = script("expandable_segments:True");
    script.alloc("a", 4 * M).free("a").ignore();
    script.allocator.changeSettings("expandable_segments:False");
    script.alloc("b", 4 * M, "SA(S1,20M) A(S1,4M)");
    script.allocator.changeSettings("expandable_segments:True");
    // Of 20 MiB that are mapped and 16 MiB in the other segment the smaller rest serves.
    script.alloc("c", 4 * M, "A(S1+4M,4M)");
  }

  @Test
  void privatePoolsOfBeforeGrowFromNowOnExceptThoseOfOtherAllocators() {
    AllocatorScript script = script("");
    script.allocator.definePool(2, new PrivatePoolOptions(false, false, true));
    script.alloc("a", 30 * M, 0, 1).alloc("b", 30 * M, 0, 2).alloc("c", M, 0, 1).ignore();
    script.allocator.changeSettings("expandable_segments:True");
    script.alloc("d", 30 * M, 0, 1, "MAP(E1,40M) A(E1,30M)");
    script.alloc("e", 30 * M, 0, 2, "SA(S4,30M) A(S4,30M)");
    script.alloc("f", M, 0, 1, "A(S3+1M,1M)");
    script.alloc("g", M, 0, 1, "MAP(E2,2M) A(E2,1M)");
    script.alloc("h", M, 0, 2, "SA(S5,2M) A(S5,1M)");
    script.allocator.changeSettings("expandable_segments:False");
    script.alloc("i", 30 * M, 0, 1, "SA(S6,30M) A(S6,30M)");
  }

  @Test
  void privatePoolsOf25DoNotGrowButAreSplitFinelyWhileTheSettingIsOn() {
    AllocatorScript script = script("", PyTorchVersion.V2_5);
    script.alloc("a", 10 * M, 0, 1).alloc("b", 10 * M, 0, 1).free("a", "b").ignore();
    script.alloc("c", 10 * M - 512, 0, 1, "A(S1,10485248)").expectBlock("c", 10 * M);
    script.allocator.changeSettings("expandable_segments:True");
    script.alloc("d", 10 * M - 512, 0, 1, "A(S2,10485248)").expectBlock("d", 10 * M - 512);
    script.alloc("e", 30 * M, 0, 1, "SA(S3,30M) A(S3,30M)");
  }

  @Test
  void aPoolThatIsUsedAgainIsNotGivenUpAnyMore() {
    AllocatorScript script = script("");
    script.alloc("a", 30 * M, 0, 1).free("a");
    script.allocator.releasePool(1, PoolId.unnamed(1));
    script.ignore().alloc("b", 30 * M, 0, 1, "A(S1,30M)").free("b").ignore().emptyCache("");
    long cached = script.allocator.cachedAddressFor(30 * M, 0, 1);
    assertEquals(30 * M, script.allocator.freeBytesAt(cached, 0, 1));
  }

  @Test
  void aChangedLimitHoldsForTheNextSegment() {
    AllocatorScript script = script("");
    script.alloc("a", 64 * M).ignore();
    script.allocator.changeLimit(70 * M);
    script.alloc("b", 20 * M).expectStat("num_ooms", 1).ignore();
    script.allocator.changeLimit(MemoryLimit.NONE);
    script.alloc("c", 20 * M, "SA(S2,20M) A(S2,20M)");
  }

  @Test
  void whatAStringDoesNotNameIsKeptOrReset() throws ConfigException {
    String before =
        "expandable_segments:True,large_segment_size_mb:32,max_split_size_mb:64,"
            + "garbage_collection_threshold:0.5,roundup_power2_divisions:4";
    assertEquals(
        ConfigParser.parse("expandable_segments:True,large_segment_size_mb:32", VERSION)
            .allocator(),
        ConfigParser.change(ConfigParser.parse(before, VERSION).allocator(), "", VERSION)
            .allocator());
  }

  @Test
  void aStringThatTheReleaseRefusesChangesNothing() throws ConfigException {
    AllocatorConfig before = ConfigParser.parse("max_split_size_mb:64", VERSION).allocator();
    assertEquals(before, ConfigParser.changeOrKeep(before, "max_split_size_mb:oops", VERSION));
  }

  @Test
  void changesAreAnnounced() {
    CachingAllocator allocator =
        new CachingAllocator(
            AllocatorConfig.DEFAULT,
            VERSION,
            MemoryLimit.NONE,
            new ScriptedDevice(ScriptedDevice.UNLIMITED_BYTES),
            EffectListeners.NONE);
    assertThrows(IllegalStateException.class, () -> allocator.changeLimit(M));
  }

  @Test
  void aCaptureKeepsTheCacheOfTheDefaultPool() {
    AllocatorScript script = script("");
    script.alloc("a", 64 * M).free("a").ignore();
    script.allocator.capture(true);
    script.emptyCache("");
    script.allocator.capture(false);
    script.emptyCache("SF(S1,64M)");
  }

  @Test
  void freesOfACaptureWaitForItsEnd() {
    AllocatorScript script = script("");
    script.alloc("a", M).alloc("b", M).alloc("c", 512).use("a", 1).ignore();
    script.allocator.capture(true);
    script.use("b", 1).free("a", "b").done("a").expect("FR(S1,1M) FR(S1+1M,1M)");
    script.alloc("d", 512, "A(S2+512,512)");
    script.allocator.capture(false);
    // What the capture used is over; what was used before is an event, which has finished.
    script.alloc("e", M, "FC(S1+1M,1M) FC(S1,1M) A(S2+1024,1M)");
  }
}
