package org.allocsim.simulator.policy.pytorch.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.ReservedRange;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The configuration strings of releases before 2.9. */
class StrictConfigReaderTest {
  private static final long MIB = 1 << 20;

  private static ParsedConfig parse(String conf) throws ConfigException {
    return ConfigParser.parse(conf, PyTorchVersion.V2_8);
  }

  @Test
  void everyKeyIsRead() throws ConfigException {
    ParsedConfig parsed =
        parse(
            "max_split_size_mb:128, max_non_split_rounding_mb:64,garbage_collection_threshold:0.6,"
                + "roundup_power2_divisions:[1:2,8:4],expandable_segments:True,backend:native,"
                + "release_lock_on_cudamalloc:True,pinned_use_cuda_host_register:True,"
                + "pinned_num_register_threads:8,pinned_use_background_threads:True,");
    assertEquals(
        new AllocatorConfig(
            128 * MIB,
            64 * MIB,
            20 * MIB,
            0.6,
            true,
            RoundupDivisions.of(2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
            false,
            1.0,
            false,
            ReservedRange.UNSET),
        parsed.allocator());
    assertTrue(parsed.releaseLockOnCudaMalloc());
    assertTrue(parsed.pinnedUseCudaHostRegister());
    assertTrue(parsed.pinnedUseBackgroundThreads());
    assertEquals(8, parsed.pinnedNumRegisterThreads());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "max_split_size_mb:20|CachingAllocator option max_split_size_mb too small, must be > 20",
        "max_non_split_rounding_mb:20|"
            + "CachingAllocator option max_non_split_rounding_mb too small, must be > 20",
        "max_split_size_mb|'Error parsing CachingAllocator settings, expected :'",
        "max_split_size_mb,32|'Error parsing CachingAllocator settings, expected :'",
        "max_split_size_mb:|Error, expecting max_split_size_mb value",
        "max_split_size_mb:x|stoi",
        "max_split_size_mb:2147483648|stoi",
        "max_split_size_mb:32:expandable_segments:True|"
            + "'Error parsing CachingAllocator settings, expected ,'",
        "garbage_collection_threshold:0|garbage_collect_threshold too small, set it 0.0~1.0",
        "garbage_collection_threshold:1|garbage_collect_threshold too big, set it 0.0~1.0",
        "garbage_collection_threshold:x|stod",
        "garbage_collection_threshold:inf|garbage_collect_threshold too big, set it 0.0~1.0",
        "garbage_collection_threshold:-inf|garbage_collect_threshold too small, set it 0.0~1.0",
        "garbage_collection_threshold:nan|garbage_collect_threshold too small, set it 0.0~1.0",
        "garbage_collection_threshold:0e12|garbage_collect_threshold too small, set it 0.0~1.0",
        "garbage_collection_threshold:0X0P-2000|"
            + "garbage_collect_threshold too small, set it 0.0~1.0",
        "garbage_collection_threshold:1e-310|stod",
        "garbage_collection_threshold:0xap-1030|stod",
        "garbage_collection_threshold:|Error, expecting garbage_collection_threshold value",
        "roundup_power2_divisions:3|'For roundups, the divisions has to be power of 2 '",
        "roundup_power2_divisions:|Error, expecting roundup_power2_divisions value",
        "roundup_power2_divisions:[1:|Error parsing roundup_power2_divisions value",
        "roundup_power2_divisions:[1,2]|'Error parsing CachingAllocator settings, expected :'",
        "roundup_power2_divisions:[x:2]|stoul",
        "roundup_power2_divisions:[3:2]|'For roundups, the intervals have to be power of 2 '",
        "roundup_power2_divisions:[1:3]|"
            + "'For roundups, the divisions has to be power of 2 or 0 to disable roundup '",
        "roundup_power2_divisions:[1:2|'Error parsing CachingAllocator settings, expected ,'",
        "expandable_segments:1|Expected a single True/False argument for expandable_segments",
        "expandable_segments:|Expected a single True/False argument for expandable_segments",
        "pinned_use_cuda_host_register:|Error, expecting pinned_use_cuda_host_register value",
        "release_lock_on_hipmalloc:x|"
            + "Expected a single True/False argument for release_lock_on_cudamalloc",
        "pinned_num_register_threads:3|'Number of register threads has to be power of 2 '",
        "pinned_num_register_threads:256|"
            + "Number of register threads should be less than or equal to 128",
        "backend:x|Unknown allocator backend, options are native and cudaMallocAsync",
        "backend:|Error parsing backend value",
        "large_segment_size_mb:32|Unrecognized CachingAllocator option: large_segment_size_mb"
      })
  void refusedSettingsAreRuntimeErrorsWithPyTorchsText(String conf, String message) {
    ConfigException e = assertThrows(ConfigException.class, () -> parse(conf));
    assertEquals(message, e.getMessage());
    assertEquals("RuntimeError", e.errorType());
  }

  @Test
  void restOfAListOfDivisionsAlsoReplacesTheLastListedInterval() throws ConfigException {
    assertEquals(
        RoundupDivisions.of(2, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8),
        parse("roundup_power2_divisions:[1:2,8:4,>:8]").allocator().roundupDivisions());
    assertEquals(
        RoundupDivisions.of(8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8),
        parse("roundup_power2_divisions:[>:8]").allocator().roundupDivisions());
  }

  @Test
  void whatTheFirstBoundaryGetsAllSmallerSizesGetToo() throws ConfigException {
    assertEquals(
        RoundupDivisions.of(4, 4, 4, 4, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        parse("roundup_power2_divisions:[8:4,16:2]").allocator().roundupDivisions());
  }

  @Test
  void oneNumberOfDivisionsIsForAllSizes() throws ConfigException {
    assertEquals(
        RoundupDivisions.of(4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4),
        parse("roundup_power2_divisions:4,expandable_segments:True")
            .allocator()
            .roundupDivisions());
  }

  @Test
  void noDivisionsTurnRoundingOff() throws ConfigException {
    assertEquals(
        RoundupDivisions.NONE,
        parse("roundup_power2_divisions:[1:0]").allocator().roundupDivisions());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2.2|'For roundups, the divisons has to be power of 2 '",
        "2.6|'For roundups, the divisons has to be power of 2 or 0 to disable roundup '",
        "2.7|'For roundups, the divisions has to be power of 2 or 0 to disable roundup '"
      })
  void olderReleasesSpellTheirRefusalDifferently(String release, String message) {
    PyTorchVersion version = PyTorchVersion.of(release);
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () -> ConfigParser.parse("roundup_power2_divisions:[1:3]", version));
    assertEquals(message, e.getMessage());
  }

  @Test
  void noDivisionsAreRefusedBefore23() {
    assertThrows(
        ConfigException.class,
        () -> ConfigParser.parse("roundup_power2_divisions:[1:0]", PyTorchVersion.V2_2));
  }

  @Test
  void oneDivisionKeepsSizesBefore24() throws ConfigException {
    String conf = "roundup_power2_divisions:1";
    RoundupDivisions older =
        ConfigParser.parse(conf, PyTorchVersion.V2_3).allocator().roundupDivisions();
    RoundupDivisions newer =
        ConfigParser.parse(conf, PyTorchVersion.V2_4).allocator().roundupDivisions();
    assertEquals(newer.whereOneKeepsSizes(), older);
    assertNotEquals(newer, older);
  }

  @Test
  void theLastOfSeveralFlagsCounts() throws ConfigException {
    assertFalse(
        parse("expandable_segments:True,expandable_segments:False")
            .allocator()
            .expandableSegments());
  }

  @Test
  void theLargestNumberOfThreadsIs128() throws ConfigException {
    assertEquals(128, parse("pinned_num_register_threads:128").pinnedNumRegisterThreads());
  }

  @Test
  void theLeastNormalNumberIsInRange() throws ConfigException {
    assertEquals(
        Double.MIN_NORMAL,
        parse("garbage_collection_threshold:0x1p-1022").allocator().garbageCollectionThreshold());
  }

  @ParameterizedTest
  @ValueSource(strings = {"\t", "\r", "\n \t"})
  void numbersMayBeginWithWhiteSpace(String space) throws ConfigException {
    assertEquals(32 * MIB, parse("max_split_size_mb:" + space + "32").allocator().maxSplitBytes());
    ConfigException e =
        assertThrows(ConfigException.class, () -> parse("max_split_size_mb:" + space + "\t"));
    assertEquals("stoi", e.getMessage());
  }

  @Test
  void theAsyncBackendAloneDoesNotWarn() throws ConfigException {
    assertEquals(List.of(), parse("backend:cudaMallocAsync").warnings());
  }

  @Test
  void minusOneWrapsToTheCappedMaximum() throws ConfigException {
    assertEquals(-1048576, parse("max_split_size_mb:-1").allocator().maxSplitBytes());
  }

  @Test
  void anyNativeSettingWithTheAsyncBackendWarns() throws ConfigException {
    assertEquals(
        List.of(
            "backend:cudaMallocAsync ignores max_split_size_mb,roundup_power2_divisions, and"
                + " garbage_collect_threshold."),
        parse("backend:cudaMallocAsync,max_split_size_mb:32").warnings());
  }
}
