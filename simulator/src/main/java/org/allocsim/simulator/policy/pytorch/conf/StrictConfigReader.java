package org.allocsim.simulator.policy.pytorch.conf;

import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;

/**
 * The parser of releases before 2.10: one pass, separators are checked, every error is a {@code
 * RuntimeError}, numbers are 32-bit. Unlike later releases {@code max_split_size_mb} must be larger
 * than 20, and {@code >} in a list of roundup divisions also replaces the last listed interval.
 */
final class StrictConfigReader {
  private static final int LARGE_SEGMENT_MEBIBYTES = 20;

  private static final String UNKNOWN_BACKEND =
      "Unknown allocator backend, options are native and cudaMallocAsync";

  private final ConfigTokens tokens;
  private final PyTorchVersion version;
  private final ConfigSettings settings;

  StrictConfigReader(String conf, PyTorchVersion version, ConfigSettings settings) {
    this.tokens = new ConfigTokens(conf, true);
    this.version = version;
    this.settings = settings;
  }

  void read() throws ConfigException {
    for (int i = 0; i < tokens.size(); i++) {
      String key = tokens.get(i);
      if (!version.knowsKey(key)) {
        throw unknown("Unrecognized CachingAllocator option: " + key, key, version.keys());
      }
      expect(i + 1, ':');
      i += 2;
      if (key.equals("roundup_power2_divisions")) {
        i = readRoundup(i);
      } else {
        readValue(key, i);
      }
      settings.usesNativeOption |= !key.equals("backend");
      if (i + 1 < tokens.size()) {
        i++;
        expect(i, ',');
      }
    }
  }

  private void readValue(String key, int i) throws ConfigException {
    switch (key) {
      case "max_split_size_mb" -> settings.maxSplitBytes = moreThanLargeSegment(key, i);
      case "max_non_split_rounding_mb" ->
          settings.maxNonSplitRoundingBytes = moreThanLargeSegment(key, i);
      case "garbage_collection_threshold" -> settings.garbageCollectionThreshold = threshold(i);
      case "expandable_segments" -> settings.expandableSegments = bool(key, i);
      case "release_lock_on_cudamalloc", "release_lock_on_hipmalloc" ->
          settings.releaseLockOnCudaMalloc = bool("release_lock_on_cudamalloc", i);
      case "pinned_use_cuda_host_register", "pinned_use_hip_host_register" ->
          settings.pinnedUseCudaHostRegister = bool("pinned_use_cuda_host_register", i);
      case "pinned_use_background_threads" -> settings.pinnedUseBackgroundThreads = bool(key, i);
      case "pinned_num_register_threads" -> settings.pinnedNumRegisterThreads = threads(i);
      case "backend" -> settings.backend = backend(i);
      case "graph_capture_record_stream_reuse" ->
          settings.graphCaptureRecordStreamReuse = bool(key, i);
      default -> throw new AssertionError(key);
    }
  }

  private long moreThanLargeSegment(String key, int i) throws ConfigException {
    long mebibytes = number(value(key, i));
    if (Long.compareUnsigned(mebibytes, LARGE_SEGMENT_MEBIBYTES) <= 0) {
      throw error(
          "CachingAllocator option " + key + " too small, must be > " + LARGE_SEGMENT_MEBIBYTES);
    }
    return ConfigSettings.bytesOfMebibytes(mebibytes);
  }

  private double threshold(int i) throws ConfigException {
    double threshold;
    try {
      threshold = CppNumbers.float64(value("garbage_collection_threshold", i));
    } catch (CppNumbers.BadNumber e) {
      throw error("stod");
    }
    if (!(threshold > 0)) {
      throw error("garbage_collect_threshold too small, set it 0.0~1.0");
    }
    if (!(threshold < 1)) {
      throw error("garbage_collect_threshold too big, set it 0.0~1.0");
    }
    return threshold;
  }

  private long threads(int i) throws ConfigException {
    long threads = number(value("pinned_num_register_threads", i));
    if (!ConfigSettings.isPowerOfTwo(threads)) {
      throw error("Number of register threads has to be power of 2 ");
    }
    if (ConfigSettings.isTooManyThreads(threads)) {
      throw error("Number of register threads should be less than or equal to 128");
    }
    return threads;
  }

  private ParsedConfig.Backend backend(int i) throws ConfigException {
    if (i >= tokens.size()) {
      throw error("Error parsing backend value");
    }
    return switch (tokens.get(i)) {
      case "native" -> ParsedConfig.Backend.NATIVE;
      case "cudaMallocAsync" -> ParsedConfig.Backend.CUDA_MALLOC_ASYNC;
      default -> throw unknown(UNKNOWN_BACKEND, tokens.get(i), ParsedConfig.Backend.LABELS);
    };
  }

  private boolean bool(String key, int i) throws ConfigException {
    if (tokens.is(i, "True")) {
      return true;
    }
    if (tokens.is(i, "False")) {
      return false;
    }
    if (i >= tokens.size() && key.startsWith("pinned_")) {
      throw error("Error, expecting " + key + " value");
    }
    String message = "Expected a single True/False argument for " + key;
    throw i < tokens.size()
        ? unknown(message, tokens.get(i), TolerantConfigReader.FLAGS)
        : error(message);
  }

  /** Reads a roundup value at {@code i} and returns the index of its last token. */
  private int readRoundup(int i) throws ConfigException {
    if (!value("roundup_power2_divisions", i).equals("[")) {
      long divisions = number(tokens.get(i));
      if (!ConfigSettings.isPowerOfTwo(divisions)) {
        throw error(badDivisions());
      }
      settings.divideAll(divisions);
      return i;
    }
    boolean first = true;
    int lastSlot = 0;
    int at = i + 1;
    while (at < tokens.size() && !tokens.is(at, "]")) {
      String boundaryText = tokens.get(at);
      expect(at + 1, ':');
      at += 2;
      if (at >= tokens.size()) {
        throw error("Error parsing roundup_power2_divisions value");
      }
      long divisions = number(tokens.get(at));
      boolean disables = divisions == 0 && version.allowsZeroDivisions();
      if (!disables && !ConfigSettings.isPowerOfTwo(divisions)) {
        throw error(
            badDivisions() + (version.allowsZeroDivisions() ? "or 0 to disable roundup " : ""));
      }
      if (boundaryText.equals(">")) {
        Arrays.fill(settings.roundupDivisions, lastSlot, RoundupDivisions.SLOTS, divisions);
      } else {
        lastSlot = boundarySlot(boundaryText);
        if (first) {
          Arrays.fill(settings.roundupDivisions, 0, lastSlot, divisions);
          first = false;
        }
        settings.roundupDivisions[lastSlot] = divisions;
      }
      if (!tokens.is(at + 1, "]")) {
        at++;
        expect(at, ',');
      }
      at++;
    }
    return at;
  }

  private String badDivisions() {
    return "For roundups, the "
        + (version.spellsDivisions() ? "divisions" : "divisons")
        + " has to be power of 2 ";
  }

  private static int boundarySlot(String text) throws ConfigException {
    long boundary;
    try {
      boundary = CppNumbers.unsigned64(text);
    } catch (CppNumbers.BadNumber e) {
      throw error("stoul");
    }
    if (!ConfigSettings.isPowerOfTwo(boundary)) {
      throw error("For roundups, the intervals have to be power of 2 ");
    }
    return ConfigSettings.slotOfBoundary(boundary);
  }

  private String value(String key, int i) throws ConfigException {
    if (i >= tokens.size()) {
      throw error("Error, expecting " + key + " value");
    }
    return tokens.get(i);
  }

  /** A 32-bit number; a negative one becomes huge, as its use as an unsigned number makes it. */
  private static long number(String token) throws ConfigException {
    try {
      return CppNumbers.signed32(token);
    } catch (CppNumbers.BadNumber e) {
      throw error("stoi");
    }
  }

  private void expect(int i, char separator) throws ConfigException {
    if (!tokens.is(i, String.valueOf(separator))) {
      throw error("Error parsing CachingAllocator settings, expected " + separator);
    }
  }

  private static ConfigException unknown(String message, String typed, List<String> known) {
    return new ConfigException("RuntimeError", message, typed, known);
  }

  private static ConfigException error(String message) {
    return new ConfigException("RuntimeError", message);
  }
}
