package org.allocsim.simulator.policy.pytorch.conf;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.ReservedRange;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;
import org.allocsim.simulator.typed.SimilarName;

/**
 * The parser of 2.10 and later (PyTorch 2.11, AcceleratorAllocatorConfig and CUDAAllocatorConfig):
 * a generic part reads its keys, then a CUDA part reads its own, each passing over the other's;
 * keys that neither knows are refused by the second. Separators must be there but may be any token.
 */
final class TolerantConfigReader {
  private static final long MIN_LARGE_SEGMENT_MEBIBYTES = 10;

  /** The two values of a flag. */
  static final List<String> FLAGS = List.of("True", "False");

  /** A number as a C++ stream reads it in the classic locale. */
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?");

  private final ConfigTokens tokens;
  private final PyTorchVersion version;
  private final ConfigSettings settings;

  TolerantConfigReader(String conf, PyTorchVersion version, ConfigSettings settings) {
    this.tokens = new ConfigTokens(conf, false);
    this.version = version;
    this.settings = settings;
  }

  void read() throws ConfigException {
    readLargeSegmentSize();
    readGenericKeys();
    readCudaKeys();
  }

  /** The minimum of other settings depends on this one, so it is read before all others. */
  private void readLargeSegmentSize() throws ConfigException {
    if (!version.knowsKey("large_segment_size_mb")) {
      return;
    }
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.is(i, "large_segment_size_mb")) {
        i = valueIndex(i);
        long mebibytes = unsigned(i);
        if (Long.compareUnsigned(mebibytes, MIN_LARGE_SEGMENT_MEBIBYTES) <= 0) {
          throw valueError("CachingAllocator option large_segment_size_mb must be > 10 MB");
        }
        settings.largeSegmentBytes = ConfigSettings.bytesOfMebibytes(mebibytes);
      }
    }
    settings.maxNonSplitRoundingBytes = settings.largeSegmentBytes;
  }

  private void readGenericKeys() throws ConfigException {
    for (int i = 0; i < tokens.size(); i++) {
      String key = tokens.get(i);
      switch (key) {
        case "max_split_size_mb" -> {
          i = valueIndex(i);
          settings.maxSplitBytes = atLeastLargeSegment(i, key);
        }
        case "max_non_split_rounding_mb" -> {
          i = valueIndex(i);
          settings.maxNonSplitRoundingBytes = atLeastLargeSegment(i, key);
        }
        case "garbage_collection_threshold" -> {
          i = valueIndex(i);
          double threshold = float64(i);
          if (!(threshold > 0 && threshold < 1)) {
            throw valueError("garbage_collect_threshold is invalid, set it in (0.0, 1.0)");
          }
          settings.garbageCollectionThreshold = threshold;
        }
        case "roundup_power2_divisions" -> i = readRoundup(valueIndex(i));
        case "expandable_segments" -> {
          i = valueIndex(i);
          settings.expandableSegments = bool(i);
        }
        case "pinned_use_background_threads" -> {
          i = valueIndex(i);
          settings.pinnedUseBackgroundThreads = bool(i);
        }
        default -> i = skip(i);
      }
      i = skipSeparator(i);
    }
  }

  private void readCudaKeys() throws ConfigException {
    for (int i = 0; i < tokens.size(); i++) {
      String key = tokens.get(i);
      if (key.equals(PyTorchVersion.RESERVE_BY_CLASS) && version.knowsKey(key)) {
        i = readReserveByClass(valueIndex(i));
        settings.usesNativeOption = true;
      } else if (isCudaKey(key) && version.knowsKey(key)) {
        i = valueIndex(i);
        readCudaValue(key, i);
        settings.usesNativeOption |= !key.equals("backend");
      } else {
        if (isTolerated(key)) {
          settings.warnings.add(
              "unknown setting %s is ignored; settings of PyTorch %s to %s are known"
                  .formatted(key, PyTorchVersion.V2_0, PyTorchVersion.V2_15));
        } else if (!version.knowsKey(key)) {
          throw unknown(
              "Unrecognized key '" + key + "' in CUDA allocator config.", key, version.keys());
        }
        if (PyTorchVersion.UNINTERPRETED_KEYS.contains(key)) {
          settings.warnings.add(key + " is accepted, but has no effect on this simulation");
        }
        i = skip(i);
      }
      i = skipSeparator(i);
    }
  }

  /**
   * Whether a key that no known release has is passed over: one that a program ran with, and under
   * rules that no release fixes yet, unless a known key is similar.
   */
  private boolean isTolerated(String key) {
    return !PyTorchVersion.isKnownKey(key)
        && (settings.wereAccepted
            || version.certainty() == PyTorchVersion.Certainty.READ
                && SimilarName.remedy(key, version.keys(), "").isEmpty());
  }

  private static boolean isCudaKey(String key) {
    return switch (key) {
      case "backend",
          "release_lock_on_cudamalloc",
          "release_lock_on_hipmalloc",
          "pinned_use_cuda_host_register",
          "pinned_use_hip_host_register",
          "pinned_num_register_threads",
          "pinned_reserve_segment_size_mb",
          "graph_capture_record_stream_reuse",
          "per_process_memory_fraction",
          "throw_on_cudamalloc_oom",
          PyTorchVersion.RESERVE ->
          true;
      default -> false;
    };
  }

  private void readCudaValue(String key, int i) throws ConfigException {
    switch (key) {
      case "backend" ->
          settings.backend =
              switch (tokens.get(i)) {
                case "native" -> ParsedConfig.Backend.NATIVE;
                case "cudaMallocAsync" -> ParsedConfig.Backend.CUDA_MALLOC_ASYNC;
                default ->
                    throw unknown(
                        "Unknown allocator backend, options are native and cudaMallocAsync",
                        tokens.get(i),
                        ParsedConfig.Backend.LABELS);
              };
      case "release_lock_on_cudamalloc", "release_lock_on_hipmalloc" ->
          settings.releaseLockOnCudaMalloc = bool(i);
      case "pinned_use_cuda_host_register", "pinned_use_hip_host_register" ->
          settings.pinnedUseCudaHostRegister = bool(i);
      case "pinned_num_register_threads" -> settings.pinnedNumRegisterThreads = threads(i);
      case "pinned_reserve_segment_size_mb" -> {
        long mebibytes = unsigned(i);
        if (mebibytes == 0) {
          throw valueError("Pinned reserve segment size has to be greater than 0");
        }
        settings.pinnedReserveSegmentMebibytes = mebibytes;
      }
      case "graph_capture_record_stream_reuse" -> settings.graphCaptureRecordStreamReuse = bool(i);
      case "per_process_memory_fraction" -> {
        double fraction = float64(i);
        if (!(fraction >= 0 && fraction <= 1)) {
          throw valueError("per_process_memory_fraction is invalid, set it in [0.0, 1.0]");
        }
        settings.perProcessMemoryFraction = fraction;
      }
      case "throw_on_cudamalloc_oom" -> settings.rejectsBeyondDevice = bool(i);
      case PyTorchVersion.RESERVE ->
          range(tokens.get(i)).ifPresent(range -> settings.reservedRange = range);
      default -> throw new AssertionError(key);
    }
  }

  /** A fraction of the device's memory, or a size in GiB ({@code 40G}); bad ones are warned of. */
  private Optional<ReservedRange> range(String token) {
    boolean isFraction = !token.endsWith("G") && !token.endsWith("g");
    String number = isFraction ? token : token.substring(0, token.length() - 1);
    double value = DECIMAL.matcher(number).matches() ? Double.parseDouble(number) : 0;
    if (value > 0 && Double.isFinite(value)) {
      return Optional.of(new ReservedRange(isFraction, value));
    }
    settings.warnings.add(
        "Ignoring invalid expandable-segment reserve value '"
            + token
            + "' in PYTORCH_CUDA_ALLOC_CONF (expected a positive, finite fraction like 0.5 or an"
            + " absolute size like 40G); using default.");
    return Optional.empty();
  }

  /**
   * Reads the ranges of classes and returns the index of the last token. Traces do not show which
   * streams have a class.
   */
  private int readReserveByClass(int i) throws ConfigException {
    int at = i;
    boolean anyClass = false;
    while (!tokens.get(at + 1).equals("]")) {
      at = valueIndex(at + 1);
      anyClass |= range(tokens.get(at)).isPresent();
      if (tokens.get(at + 1).equals(",")) {
        at++;
      }
    }
    if (anyClass) {
      settings.warnings.add(
          PyTorchVersion.RESERVE_BY_CLASS
              + " applies to streams to which the program gave a class; traces do not show classes,"
              + " so it has no effect on this simulation");
    }
    return at + 1;
  }

  private long threads(int i) throws ConfigException {
    long threads = unsigned(i);
    if (!ConfigSettings.isPowerOfTwo(threads)) {
      throw valueError(
          "Number of register threads has to be power of 2, got " + Long.toUnsignedString(threads));
    }
    if (ConfigSettings.isTooManyThreads(threads)) {
      throw valueError(
          "Number of register threads should be less than or equal to 128, got "
              + Long.toUnsignedString(threads));
    }
    return threads;
  }

  private long atLeastLargeSegment(int i, String key) throws ConfigException {
    long mebibytes = unsigned(i);
    long least = settings.largeSegmentBytes >>> 20;
    if (Long.compareUnsigned(mebibytes, least) < 0) {
      throw valueError("CachingAllocator option " + key + " too small, must be >= " + least);
    }
    return ConfigSettings.bytesOfMebibytes(mebibytes);
  }

  /** Reads a roundup value at {@code i} and returns the index of its last token. */
  private int readRoundup(int i) throws ConfigException {
    if (!tokens.get(i).equals("[")) {
      long divisions = unsigned(i);
      if (!ConfigSettings.isPowerOfTwo(divisions)) {
        throw valueError("For roundups, the divisions has to be power of 2 ");
      }
      settings.divideAll(divisions);
      return i;
    }
    boolean first = true;
    int lastSlot = 0;
    int at = i + 1;
    while (at < tokens.size() && !tokens.is(at, "]")) {
      String boundaryText = tokens.get(at);
      int boundaryIndex = at;
      at = valueIndex(at);
      long divisions = unsigned(at);
      if (divisions != 0 && !ConfigSettings.isPowerOfTwo(divisions)) {
        throw valueError(
            "For roundups, the divisions has to be power of 2 or 0 to disable roundup ");
      }
      if (boundaryText.equals(">")) {
        Arrays.fill(settings.roundupDivisions, lastSlot + 1, RoundupDivisions.SLOTS, divisions);
      } else {
        long boundary = unsigned(boundaryIndex);
        if (!ConfigSettings.isPowerOfTwo(boundary)) {
          throw valueError("For roundups, the intervals have to be power of 2 ");
        }
        int slot = ConfigSettings.slotOfBoundary(boundary);
        if (first) {
          Arrays.fill(settings.roundupDivisions, 0, slot, divisions);
          first = false;
        }
        settings.roundupDivisions[slot] = divisions;
        lastSlot = slot;
      }
      if (!tokens.get(at + 1).equals("]")) {
        at++;
      }
      at++;
    }
    return closingBracket(at);
  }

  private int closingBracket(int i) throws ConfigException {
    if (i >= tokens.size()) {
      throw new ConfigException(
          "RuntimeError",
          "Expected closing bracket ']' in ConfigTokenizer but reached end of config");
    }
    return i;
  }

  /** Index of a key's value; the token between them is not looked at, but must be there. */
  private int valueIndex(int key) throws ConfigException {
    tokens.get(key + 1);
    tokens.get(key + 2);
    return key + 2;
  }

  /** Passes over a key of the other part, with its value; returns the index of the last token. */
  private int skip(int i) throws ConfigException {
    int at = valueIndex(i);
    if (!tokens.is(at, "[")) {
      return at;
    }
    do {
      at++;
    } while (at < tokens.size() && !tokens.is(at, "]"));
    return closingBracket(at);
  }

  /** Passes over the token after a value, whatever it is. */
  private int skipSeparator(int i) {
    return i + 1 < tokens.size() ? i + 1 : i;
  }

  private boolean bool(int i) throws ConfigException {
    String token = tokens.get(i);
    return switch (token) {
      case "True" -> true;
      case "False" -> false;
      default ->
          throw unknown(
              "Expected 'True' or 'False' at index "
                  + i
                  + " in ConfigTokenizer but got '"
                  + token
                  + "'",
              token,
              FLAGS);
    };
  }

  private long unsigned(int i) throws ConfigException {
    try {
      return CppNumbers.unsigned64(tokens.get(i));
    } catch (CppNumbers.BadNumber e) {
      throw badNumber(e, "stoull");
    }
  }

  private double float64(int i) throws ConfigException {
    try {
      return CppNumbers.float64(tokens.get(i));
    } catch (CppNumbers.BadNumber e) {
      throw badNumber(e, "stod");
    }
  }

  private static ConfigException badNumber(CppNumbers.BadNumber e, String function) {
    return new ConfigException(e.outOfRange ? "IndexError" : "ValueError", function);
  }

  private static ConfigException unknown(String message, String typed, List<String> known) {
    return new ConfigException("ValueError", message, typed, known);
  }

  private static ConfigException valueError(String message) {
    return new ConfigException("ValueError", message);
  }
}
