package org.allocsim.simulator.policy.pytorch.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
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

class ConfigParserTest {
  private static final long MIB = 1 << 20;

  private static ParsedConfig parse(String conf) throws ConfigException {
    return ConfigParser.parse(conf, PyTorchVersion.V2_11);
  }

  private static AllocatorConfig allocator(String conf) throws ConfigException {
    return parse(conf).allocator();
  }

  private static ConfigException failure(String conf) {
    return assertThrows(ConfigException.class, () -> parse(conf), conf);
  }

  @Test
  void emptyStringMeansTheDefaults() throws ConfigException {
    ParsedConfig parsed = parse("");
    assertEquals(AllocatorConfig.DEFAULT, parsed.allocator());
    assertEquals(ParsedConfig.Backend.NATIVE, parsed.backend());
    assertFalse(parsed.releaseLockOnCudaMalloc());
    assertFalse(parsed.pinnedUseBackgroundThreads());
    assertFalse(parsed.pinnedUseCudaHostRegister());
    assertEquals(1, parsed.pinnedNumRegisterThreads());
    assertEquals(0, parsed.pinnedReserveSegmentMebibytes());
    assertEquals(List.of(), parsed.warnings());
    assertEquals("", parsed.text());
  }

  @Test
  void everyKeyIsRead() throws ConfigException {
    String conf =
        "max_split_size_mb:128,max_non_split_rounding_mb:64,garbage_collection_threshold:0.6,"
            + "roundup_power2_divisions:4,expandable_segments:True,"
            + "pinned_use_background_threads:True,backend:native,release_lock_on_cudamalloc:True,"
            + "pinned_use_cuda_host_register:True,pinned_num_register_threads:8,"
            + "pinned_reserve_segment_size_mb:256,graph_capture_record_stream_reuse:True,"
            + "per_process_memory_fraction:0.5,large_segment_size_mb:32";
    ParsedConfig parsed = parse(conf);
    long[] fours = new long[16];
    Arrays.fill(fours, 4);
    assertEquals(
        new AllocatorConfig(
            128 * MIB,
            64 * MIB,
            32 * MIB,
            0.6,
            true,
            RoundupDivisions.of(fours),
            true,
            0.5,
            false,
            ReservedRange.UNSET),
        parsed.allocator());
    assertTrue(parsed.pinnedUseBackgroundThreads());
    assertTrue(parsed.releaseLockOnCudaMalloc());
    assertTrue(parsed.pinnedUseCudaHostRegister());
    assertEquals(8, parsed.pinnedNumRegisterThreads());
    assertEquals(256, parsed.pinnedReserveSegmentMebibytes());
    assertEquals(conf, parsed.text());
    assertEquals(List.of(), parsed.warnings());
  }

  @Test
  void theLastOfSeveralFlagsCounts() throws ConfigException {
    assertFalse(
        allocator("expandable_segments:True,expandable_segments:False").expandableSegments());
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 1})
  void theFractionOfTheDeviceMayBeNoneOrAll(double fraction) throws ConfigException {
    assertEquals(
        fraction, allocator("per_process_memory_fraction:" + fraction).perProcessMemoryFraction());
  }

  @Test
  void hipNamesAreAliases() throws ConfigException {
    ParsedConfig parsed = parse("release_lock_on_hipmalloc:True,pinned_use_hip_host_register:True");
    assertTrue(parsed.releaseLockOnCudaMalloc());
    assertTrue(parsed.pinnedUseCudaHostRegister());
  }

  @Test
  void whiteSpaceIsRemovedEvenInsideWords() throws ConfigException {
    assertEquals(32 * MIB, allocator(" max_split_\tsize_mb : 3 2 ,\n").maxSplitBytes());
  }

  @Test
  void separatorsMustBeThereButMayBeAnyToken() throws ConfigException {
    assertEquals(32 * MIB, allocator("max_split_size_mb,32").maxSplitBytes());
    assertEquals(32 * MIB, allocator("max_split_size_mb:32,").maxSplitBytes());
    AllocatorConfig config = allocator("max_split_size_mb:32:expandable_segments]True");
    assertEquals(32 * MIB, config.maxSplitBytes());
    assertTrue(config.expandableSegments());
    assertEquals(
        RoundupDivisions.of(2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        allocator("roundup_power2_divisions:[1,2:2,4]").roundupDivisions());
  }

  @Test
  void laterValueOfARepeatedKeyWins() throws ConfigException {
    assertEquals(64 * MIB, allocator("max_split_size_mb:32,max_split_size_mb:64").maxSplitBytes());
  }

  @ParameterizedTest
  @CsvSource({"32abc, 32", "20.9, 20", "+33, 33", "0040, 40", "32e9, 32"})
  void leadingNumberCountsAndTheRestIsIgnored(String text, long mebibytes) throws ConfigException {
    assertEquals(mebibytes * MIB, allocator("max_split_size_mb:" + text).maxSplitBytes());
  }

  @Test
  void minusOneWrapsToTheCappedMaximum() throws ConfigException {
    assertEquals(-1048576, allocator("max_split_size_mb:-1").maxSplitBytes());
    assertEquals(-1048576, allocator("max_split_size_mb:18446744073709551615").maxSplitBytes());
    assertEquals(-1048576, allocator("max_split_size_mb:17592186044416").maxSplitBytes());
  }

  @Test
  void numbersBeyond64BitsAreOutOfRange() {
    ConfigException e = failure("max_split_size_mb:18446744073709551616");
    assertEquals("stoull", e.getMessage());
    assertEquals("IndexError", e.errorType());
    assertEquals("stod", failure("garbage_collection_threshold:1e999").getMessage());
    assertEquals("stod", failure("garbage_collection_threshold:1e-400").getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"max_split_size_mb:x", "max_split_size_mb:-", "max_split_size_mb:,"})
  void wordInPlaceOfANumberIsAValueErrorOfTheConversion(String conf) {
    ConfigException e = failure(conf);
    assertEquals("stoull", e.getMessage());
    assertEquals("ValueError", e.errorType());
  }

  @Test
  void wordInPlaceOfAFractionIsAValueErrorOfTheConversion() {
    ConfigException e = failure("garbage_collection_threshold:high");
    assertEquals("stod", e.getMessage());
    assertEquals("ValueError", e.errorType());
  }

  @ParameterizedTest
  @CsvSource({"0.5x, 0.5", ".25, 0.25", "5e-1, 0.5", "0x1p-2, 0.25", "0x.8, 0.5", "+0.75, 0.75"})
  void fractionsAreReadAsCppDoes(String text, double value) throws ConfigException {
    assertEquals(
        value, allocator("garbage_collection_threshold:" + text).garbageCollectionThreshold());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "max_split_size_mb:19|CachingAllocator option max_split_size_mb too small, must be >= 20",
        "max_non_split_rounding_mb:19|"
            + "CachingAllocator option max_non_split_rounding_mb too small, must be >= 20",
        "large_segment_size_mb:10|CachingAllocator option large_segment_size_mb must be > 10 MB",
        "garbage_collection_threshold:0|"
            + "garbage_collect_threshold is invalid, set it in (0.0, 1.0)",
        "garbage_collection_threshold:1.0|"
            + "garbage_collect_threshold is invalid, set it in (0.0, 1.0)",
        "garbage_collection_threshold:nan|"
            + "garbage_collect_threshold is invalid, set it in (0.0, 1.0)",
        "roundup_power2_divisions:3|'For roundups, the divisions has to be power of 2 '",
        "roundup_power2_divisions:0|'For roundups, the divisions has to be power of 2 '",
        "roundup_power2_divisions:[256:3]|"
            + "'For roundups, the divisions has to be power of 2 or 0 to disable roundup '",
        "roundup_power2_divisions:[100:4]|'For roundups, the intervals have to be power of 2 '",
        "roundup_power2_divisions:[0:4]|'For roundups, the intervals have to be power of 2 '",
        "expandable_segments:true|"
            + "Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'true'",
        "max_split_size_mb:32,pinned_use_background_threads:1|"
            + "Expected 'True' or 'False' at index 6 in ConfigTokenizer but got '1'",
        "release_lock_on_cudamalloc:no|"
            + "Expected 'True' or 'False' at index 2 in ConfigTokenizer but got 'no'",
        "backend:jemalloc|Unknown allocator backend, options are native and cudaMallocAsync",
        "pinned_num_register_threads:3|Number of register threads has to be power of 2, got 3",
        "pinned_num_register_threads:0|Number of register threads has to be power of 2, got 0",
        "pinned_num_register_threads:256|"
            + "Number of register threads should be less than or equal to 128, got 256",
        "pinned_reserve_segment_size_mb:0|Pinned reserve segment size has to be greater than 0",
        "per_process_memory_fraction:1.01|"
            + "per_process_memory_fraction is invalid, set it in [0.0, 1.0]",
        "per_process_memory_fraction:-0.1|"
            + "per_process_memory_fraction is invalid, set it in [0.0, 1.0]",
        "max_split:32|Unrecognized key 'max_split' in CUDA allocator config.",
        "throw_on_cudamalloc_oom:True|"
            + "Unrecognized key 'throw_on_cudamalloc_oom' in CUDA allocator config."
      })
  void refusedSettingsAreValueErrorsWithPyTorchsText(String conf, String message) {
    ConfigException e = failure(conf);
    assertEquals(message, e.getMessage());
    assertEquals("ValueError", e.errorType());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nonsense",
        ":",
        "max_split_size_mb",
        "max_split_size_mb:",
        "backend:",
        "expandable_segments",
        "roundup_power2_divisions:[1:2",
        "roundup_power2_divisions:[1:",
        "roundup_power2_divisions:[1"
      })
  void tooShortStringsAreRuntimeErrors(String conf) {
    ConfigException e = failure(conf);
    assertEquals("Index out of bounds in ConfigTokenizer", e.getMessage());
    assertEquals("RuntimeError", e.errorType());
  }

  @ParameterizedTest
  @ValueSource(strings = {"roundup_power2_divisions:[", "backend:[native"})
  void missingClosingBracketIsARuntimeError(String conf) {
    ConfigException e = failure(conf);
    assertEquals(
        "Expected closing bracket ']' in ConfigTokenizer but reached end of config",
        e.getMessage());
    assertEquals("RuntimeError", e.errorType());
  }

  @Test
  void genericKeysAreJudgedBeforeCudaKeys() {
    assertEquals(
        "CachingAllocator option max_split_size_mb too small, must be >= 20",
        failure("backend:jemalloc,max_split_size_mb:1").getMessage());
  }

  @Test
  void largeSegmentSizeIsReadFirstAndRaisesTheMinimumOfOtherSettings() throws ConfigException {
    AllocatorConfig config = allocator("large_segment_size_mb:64");
    assertEquals(64 * MIB, config.largeSegmentBytes());
    assertEquals(64 * MIB, config.maxNonSplitRoundingBytes());
    assertEquals(
        "CachingAllocator option max_split_size_mb too small, must be >= 64",
        failure("max_split_size_mb:32,large_segment_size_mb:64").getMessage());
    assertEquals(11 * MIB, allocator("large_segment_size_mb:11").largeSegmentBytes());
    assertEquals(
        12 * MIB, allocator("max_split_size_mb:12,large_segment_size_mb:11").maxSplitBytes());
  }

  @Test
  void smallestAllowedSplitSizeIsTheLargeSegment() throws ConfigException {
    assertEquals(20 * MIB, allocator("max_split_size_mb:20").maxSplitBytes());
  }

  @Test
  void listOfDivisionsFillsBelowTheFirstBoundaryAndAfterTheLast() throws ConfigException {
    assertEquals(
        RoundupDivisions.of(1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 8, 8, 8, 8),
        allocator("roundup_power2_divisions:[256:1,512:2,1024:4,>:8]").roundupDivisions());
    assertEquals(
        RoundupDivisions.of(2, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        allocator("roundup_power2_divisions:[1:2,8:4]").roundupDivisions());
    assertEquals(
        RoundupDivisions.of(0, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8),
        allocator("roundup_power2_divisions:[>:8]").roundupDivisions());
    assertEquals(
        RoundupDivisions.of(4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4),
        allocator("roundup_power2_divisions:[65536:4,>:8]").roundupDivisions());
    assertEquals(
        RoundupDivisions.NONE, allocator("roundup_power2_divisions:[]").roundupDivisions());
  }

  @Test
  void asyncBackendWithCudaOnlySettingsWarns() throws ConfigException {
    ParsedConfig parsed = parse("backend:cudaMallocAsync,release_lock_on_cudamalloc:True");
    assertEquals(ParsedConfig.Backend.CUDA_MALLOC_ASYNC, parsed.backend());
    assertEquals("cudaMallocAsync", parsed.backend().label());
    assertEquals(
        List.of(
            "backend:cudaMallocAsync ignores max_split_size_mb,roundup_power2_divisions, and"
                + " garbage_collect_threshold."),
        parsed.warnings());
    assertEquals(List.of(), parse("backend:cudaMallocAsync,max_split_size_mb:32").warnings());
  }

  @Test
  void rejectionBeyondTheDeviceIsASettingSince212() throws ConfigException {
    String conf = "throw_on_cudamalloc_oom:True";
    ParsedConfig parsed = ConfigParser.parse(conf, PyTorchVersion.V2_12);
    assertTrue(parsed.allocator().rejectsBeyondDevice());
    assertEquals(List.of(), parsed.warnings());
  }

  @Test
  void keysOfLaterReleasesAreReadOverWithAWarning() throws ConfigException {
    ParsedConfig parsed =
        ConfigParser.parse("pinned_free_catch_all:True,max_split_size_mb:32", PyTorchVersion.V2_13);
    assertEquals(32 * MIB, parsed.allocator().maxSplitBytes());
    assertEquals(
        List.of("pinned_free_catch_all is accepted, but has no effect on this simulation"),
        parsed.warnings());
  }

  @Test
  void largeSegmentSizeIsUnknownBefore211() {
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () -> ConfigParser.parse("large_segment_size_mb:32", PyTorchVersion.V2_10));
    assertEquals(
        "Unrecognized key 'large_segment_size_mb' in CUDA allocator config.", e.getMessage());
  }
}
