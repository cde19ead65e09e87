package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A PyTorch release as far as its caching allocator decides, parses or speaks differently from its
 * neighbours. Rounding, pools, best fit, splitting, merging and the order of retry and release are
 * the same in all of them for the default configuration.
 *
 * <p>{@link #certainty()} says how sure the rules of a release are. Where a boundary lies between
 * recorded releases, the method that draws it names the pull request. Release branches were cut on
 * 2024-03-15 (2.3), 2024-06-12 (2.4), 2024-09-09 (2.5), 2026-04-15 (2.12) and 2026-06-10 (2.13).
 */
public enum PyTorchVersion {
  V2_0,
  V2_1,
  V2_2,
  V2_3,
  V2_4,
  V2_5,
  V2_6,
  V2_7,
  V2_8,
  V2_9,
  V2_10,
  V2_11,
  V2_12,
  V2_13,
  V2_14,
  V2_15;

  /** The newest release: what is taken where neither a recording nor an option names one. */
  public static final PyTorchVersion DEFAULT = V2_14;

  private static final PyTorchVersion[] VERSIONS = values();

  /** The releases whose own allocators were recorded. */
  private static final Set<PyTorchVersion> RECORDED =
      EnumSet.of(V2_0, V2_1, V2_2, V2_4, V2_6, V2_9, V2_10, V2_11, V2_14);

  /** Those between two recorded ones that decide alike. */
  private static final Set<PyTorchVersion> ENCLOSED = EnumSet.of(V2_7, V2_8);

  /** How sure the rules of a release are, the surest first. */
  public enum Certainty {
    /**
     * Its own allocator was recorded, and the rules reproduce what it did: 2.0.0, 2.1.2, 2.2.0,
     * 2.4.0, 2.6.0, 2.9.1, a state after 2.10, 2.11.0 and 2.14.1.
     */
    RECORDED,
    /** The recorded releases before and after it decide alike. */
    ENCLOSED,
    /**
     * Those decide differently. Which of them it follows is concluded from the dates of pull
     * requests and of the cut of its branch.
     */
    DATED,
    /**
     * Not released: the rules of the newest release with what the main branch of August 2026 adds,
     * of which the source was read and nothing recorded.
     */
    READ
  }

  /** How sure the rules of this release are. */
  public Certainty certainty() {
    if (isAtLeast(DEFAULT) && this != DEFAULT) {
      return Certainty.READ;
    }
    return RECORDED.contains(this)
        ? Certainty.RECORDED
        : ENCLOSED.contains(this) ? Certainty.ENCLOSED : Certainty.DATED;
  }

  /** How sure the rules of the releases are, in a few words. */
  public static String evidence() {
    return ("releases %s recorded; %s between recorded releases that behave the same; rules of %s"
            + " dated by their pull requests; %s read on the main branch before its release")
        .formatted(
            listed(Certainty.RECORDED),
            listed(Certainty.ENCLOSED),
            listed(Certainty.DATED),
            listed(Certainty.READ));
  }

  private static String listed(Certainty certainty) {
    return Arrays.stream(VERSIONS)
        .filter(version -> version.certainty() == certainty)
        .map(PyTorchVersion::id)
        .collect(Collectors.joining(", "));
  }

  /** Addresses that an expandable segment reserves. */
  public static final String RESERVE = "expandable_segments_reserve";

  /** The same for streams that the program gave a class. */
  public static final String RESERVE_BY_CLASS = "expandable_segments_reserve_by_class";

  /** The first release with each key, the oldest keys first. */
  private static final SequencedMap<String, PyTorchVersion> FIRST_WITH = new LinkedHashMap<>();

  static {
    introduce(
        V2_0,
        "max_split_size_mb",
        "garbage_collection_threshold",
        "roundup_power2_divisions",
        "backend");
    introduce(V2_1, "expandable_segments");
    introduce(
        V2_2,
        "release_lock_on_cudamalloc",
        "release_lock_on_hipmalloc",
        "pinned_use_cuda_host_register",
        "pinned_use_hip_host_register",
        "pinned_num_register_threads");
    // Pull request 135524 began on the day on which the branch of 2.5 was cut.
    introduce(V2_6, "pinned_use_background_threads", "max_non_split_rounding_mb");
    introduce(V2_9, "graph_capture_record_stream_reuse");
    introduce(V2_10, "per_process_memory_fraction", "pinned_reserve_segment_size_mb");
    introduce(V2_11, "large_segment_size_mb");
    introduce(V2_12, "throw_on_cudamalloc_oom");
    introduce(
        V2_13,
        "pinned_free_catch_all",
        "pinned_max_round_threshold_mb",
        "pinned_max_cached_size_mb");
    // Pull request 192269 of August 2026; 2.14.1 does not have them.
    introduce(V2_15, RESERVE, RESERVE_BY_CLASS);
  }

  private static void introduce(PyTorchVersion first, String... keys) {
    for (String key : keys) {
      FIRST_WITH.put(key, first);
    }
  }

  /** The name of the release line, such as {@code "2.11"}. */
  public String id() {
    return "2." + ordinal();
  }

  /**
   * The profile for a version as PyTorch prints it ({@code "2.11.0+cu130"}) or as {@link #id()}.
   *
   * @throws IllegalArgumentException where the version is not one of 2.0 to 2.15
   */
  public static PyTorchVersion of(String version) {
    String[] parts = version.strip().split("[.+]", 3);
    if (parts.length >= 2 && parts[0].equals("2") && parts[1].matches("[0-9]{1,4}")) {
      int minor = Integer.parseInt(parts[1]);
      if (minor < VERSIONS.length) {
        return VERSIONS[minor];
      }
    }
    throw new IllegalArgumentException(
        "PyTorch version '" + version + "' is unknown; use one of 2.0 to 2.15");
  }

  /** Whether this release is {@code other} or later. */
  public boolean isAtLeast(PyTorchVersion other) {
    return compareTo(other) >= 0;
  }

  /**
   * Whether a memory fraction of exactly 1 limits reserved memory to the whole device (and lets
   * garbage collection run) instead of removing the limit. Up to 2.9.
   */
  public boolean isFractionOneALimit() {
    return !isAtLeast(V2_10);
  }

  /**
   * Whether the limit of a memory fraction is rounded to whole bytes. 2.14.1 does, 2.11 cuts them
   * off. Pull request 179444 was still under review after the branch of 2.12 was cut; that it came
   * before 2.13 is presumed.
   */
  boolean roundsLimits() {
    return isAtLeast(V2_13);
  }

  /**
   * Whether one division between powers of two means ordinary rounding to 512 bytes (2.4; pull
   * request 126830 of May 2024 came after the branch of 2.3). Before, sizes stay as they are.
   */
  public boolean roundsToOneDivision() {
    return isAtLeast(V2_4);
  }

  /**
   * Whether a private pool without expandable segments splits blocks by the rules for such segments
   * where the setting asks for them: down to 512 bytes, whatever {@code max_split_size_mb} says. Up
   * to 2.9.
   */
  boolean splitsPrivatePoolsByTheSetting() {
    return !isAtLeast(V2_10);
  }

  /**
   * Whether {@code max_non_split_rounding_mb} exists (2.6). Before, an unsplittable block may be 20
   * MiB larger than the request.
   */
  public boolean hasNonSplitRoundingSetting() {
    return isAtLeast(V2_6);
  }

  /**
   * Whether private pools may grow by expandable segments. 2.4 does not, 2.6 does (pull request
   * 128068 of June 2024); that 2.5 does not is presumed.
   */
  public boolean hasExpandablePrivatePools() {
    return isAtLeast(V2_6);
  }

  /**
   * Whether of free blocks of one size that of the older segment comes first, then the lower
   * address, in best fit and where cached segments are released (pull request 183591 of May 2026,
   * between the branches of 2.12 and 2.13). Before, the lower address does. An earlier form, which
   * numbers every block (pull request 178362), was merged as the branch of 2.12 was cut; the notes
   * of 2.13 have it as new.
   */
  public boolean ordersBySegmentAge() {
    return isAtLeast(V2_13);
  }

  /** Whether {@code expandable_segments} exists at all (2.1). */
  public boolean hasExpandableSegments() {
    return isAtLeast(V2_1);
  }

  /**
   * Whether garbage collection and the release of oversize blocks pass over expandable segments
   * (2.5; pull request 134338 was merged in the end of August 2024). From 2.1 to 2.4 PyTorch itself
   * stops there with the internal assertion {@code !block->expandable_segment_}; simulations go on.
   */
  public boolean skipsExpandableOnRelease() {
    return isAtLeast(V2_5);
  }

  /**
   * Whether events are processed and full releases retried inside {@code use_mem_pool}; not in 2.9,
   * yes in 2.14. Pull request 181830 of April 2026 came after the branch of 2.12, and the headers
   * of 2.13 have it.
   */
  public boolean processesEventsInUserPools() {
    return isAtLeast(V2_13);
  }

  /**
   * Whether the configuration string is read by the tolerant tokenizer that ignores wrong
   * separators and reports {@code ValueError}; since 2.10. Before, separators are checked, every
   * error is a {@code RuntimeError}, {@code max_split_size_mb} must exceed 20, and {@code >} in a
   * list of roundup divisions also replaces the last listed interval.
   */
  public boolean hasTolerantConfigParser() {
    return isAtLeast(V2_10);
  }

  /** Whether messages about settings spell "divisions" right. 2.6 does not, 2.9 does. */
  public boolean spellsDivisions() {
    return isAtLeast(V2_7);
  }

  /**
   * Whether a list of divisions may have 0 for "none". 2.2 refuses it, 2.4 does not; pull request
   * 126833 of May 2024 came after the branch of 2.3.
   */
  public boolean allowsZeroDivisions() {
    return isAtLeast(V2_4);
  }

  /** Whether a configuration string of this release may have this key. */
  public boolean knowsKey(String key) {
    PyTorchVersion first = FIRST_WITH.get(key);
    return first != null && isAtLeast(first);
  }

  /** Whether any release known here may have this key. */
  public static boolean isKnownKey(String key) {
    return FIRST_WITH.containsKey(key);
  }

  /** The keys that a configuration string of this release may have, the oldest first. */
  public List<String> keys() {
    return FIRST_WITH.keySet().stream().filter(this::knowsKey).toList();
  }

  /** Keys that later releases know and whose values this project does not interpret. */
  public static final Set<String> UNINTERPRETED_KEYS =
      Set.of("pinned_free_catch_all", "pinned_max_round_threshold_mb", "pinned_max_cached_size_mb");

  @Override
  public String toString() {
    return id();
  }
}
