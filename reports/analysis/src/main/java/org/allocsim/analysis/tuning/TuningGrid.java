package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.tuning.LintFinding.Kind;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/**
 * The configuration strings that are tried, and the reasons why others are not.
 *
 * @param confs strings, the recorded one first; the empty string is PyTorch's default
 * @param skipped strings that make no sense here, by the reason
 */
public record TuningGrid(List<String> confs, Map<String, List<String>> skipped) {
  /** Rows of all settings together that are replayed within a few seconds. */
  private static final long MAX_ROWS = 60_000_000;

  private static final int USUAL_SETTINGS = 58;
  private static final int COARSE_SETTINGS = 12;

  private static final int[] SPLIT_LIMITS = {20, 32, 64, 128, 256, 512, 1024};
  private static final int[] DIVISIONS = {2, 4, 8, 16, 32};
  private static final String[] THRESHOLDS = {"0.6", "0.8"};
  private static final int[] LARGE_SEGMENTS = {32, 40, 64};
  private static final String EXPANDABLE = "expandable_segments:True";

  // What a fine grid tries beside; each list holds the values that the usual one has not.
  private static final int[] MORE_SPLIT_LIMITS = {24, 48, 96, 192, 384, 768, 2048};
  private static final int[] MORE_DIVISIONS = {64};
  private static final String[] MORE_THRESHOLDS = {"0.5", "0.7", "0.9"};
  private static final int[] MORE_LARGE_SEGMENTS = {24, 48, 80, 128};
  private static final int[] NON_SPLIT_ROUNDINGS = {32, 64, 128, 256, 512};

  /** How closely the space of settings is searched. */
  public enum Fineness {
    /** A handful: the one value of each kind that helps most often. */
    COARSEST,
    /** A dozen settings: a value or two of every kind that is known to help somewhere. */
    COARSE,
    /** Some fifty settings, among them every kind that is known to help somewhere. */
    USUAL,
    /** Some four hundred: values in between, and more combinations of two and three. */
    FINE
  }

  /** How closely a program of so many rows can be searched within a few seconds. */
  public static Fineness quick(int rows) {
    if ((long) rows * COARSE_SETTINGS > MAX_ROWS) {
      return Fineness.COARSEST;
    }
    return (long) rows * USUAL_SETTINGS > MAX_ROWS ? Fineness.COARSE : Fineness.USUAL;
  }

  /** Keeps its own copies. */
  public TuningGrid {
    confs = List.copyOf(confs);
    Map<String, List<String>> copy = new LinkedHashMap<>();
    skipped.forEach((reason, strings) -> copy.put(reason, List.copyOf(strings)));
    skipped = Collections.unmodifiableMap(copy);
  }

  /** The grid for a program under its conditions, whose settings come first. */
  public static TuningGrid of(Program program, Platform platform, Fineness fineness) {
    return of(
        program.config().text(),
        program.oldestRelease(),
        platform,
        program.recordedConditions().limitBytes() != MemoryLimit.NONE,
        fineness);
  }

  /**
   * The grid for a program.
   *
   * @param recordedConf settings that the program was recorded with; always in the grid
   * @param limited whether the allocator has a limit of its own, without which garbage collection
   *     does nothing
   */
  public static TuningGrid of(
      String recordedConf,
      PyTorchVersion version,
      Platform platform,
      boolean limited,
      Fineness fineness) {
    SequencedSet<String> kept = new LinkedHashSet<>(List.of(recordedConf, ""));
    Map<String, List<String>> skipped = new LinkedHashMap<>();
    Set<String> candidates =
        switch (fineness) {
          case COARSEST -> fewest();
          case COARSE -> few();
          case USUAL -> candidates();
          case FINE -> {
            Set<String> all = candidates();
            addFine(all);
            yield all;
          }
        };
    for (String conf : candidates) {
      List<LintFinding> findings = ConfLint.check(conf, version, platform, limited);
      LintFinding against =
          findings.stream()
              .filter(finding -> finding.kind() != Kind.DANGEROUS)
              .findFirst()
              .orElse(null);
      if (against == null) {
        kept.add(conf);
      } else {
        skipped.computeIfAbsent(against.message(), _ -> new ArrayList<>()).add(conf);
      }
    }
    return new TuningGrid(new ArrayList<>(kept), skipped);
  }

  private static Set<String> fewest() {
    return new LinkedHashSet<>(
        List.of(EXPANDABLE, split(256), roundup(4), "garbage_collection_threshold:0.8"));
  }

  private static Set<String> few() {
    Set<String> few = new LinkedHashSet<>();
    few.add(EXPANDABLE);
    few.add(EXPANDABLE + "," + roundup(8));
    few.add(EXPANDABLE + "," + largeSegment(64));
    few.add(split(64));
    few.add(split(256));
    few.add(roundup(4));
    few.add(roundup(8));
    few.add(largeSegment(64));
    for (String threshold : THRESHOLDS) {
      few.add("garbage_collection_threshold:" + threshold);
    }
    return few;
  }

  private static Set<String> candidates() {
    Set<String> all = new LinkedHashSet<>();
    for (int limit : SPLIT_LIMITS) {
      all.add(split(limit));
    }
    for (int divisions : DIVISIONS) {
      all.add(roundup(divisions));
    }
    all.add("roundup_power2_divisions:[256:1,512:2,1024:4,>:8]");
    all.add(EXPANDABLE);
    for (int size : LARGE_SEGMENTS) {
      all.add(largeSegment(size));
      all.add(EXPANDABLE + "," + largeSegment(size));
      all.add(split(256) + "," + largeSegment(size));
    }
    for (int divisions : new int[] {4, 8, 16}) {
      all.add(EXPANDABLE + "," + roundup(divisions));
    }
    for (int limit : new int[] {64, 128, 256, 512}) {
      all.add(split(limit) + "," + roundup(4));
      all.add(split(limit) + "," + roundup(8));
      all.add(split(limit) + ",max_non_split_rounding_mb:64");
      all.add(split(limit) + ",max_non_split_rounding_mb:256");
    }
    for (String threshold : THRESHOLDS) {
      String gc = "garbage_collection_threshold:" + threshold;
      all.add(gc);
      for (int limit : new int[] {64, 128, 256, 512}) {
        all.add(split(limit) + "," + gc);
      }
      all.add(roundup(4) + "," + gc);
      all.add(roundup(8) + "," + gc);
    }
    // Not to be recommended; it shows what the two do to each other.
    all.add(EXPANDABLE + "," + split(128));
    return all;
  }

  /** Adds every pair of options over all their values, and the triples around large segments. */
  private static void addFine(Set<String> all) {
    int[] splitLimits = joined(SPLIT_LIMITS, MORE_SPLIT_LIMITS);
    int[] divisions = joined(DIVISIONS, MORE_DIVISIONS);
    int[] largeSegments = joined(LARGE_SEGMENTS, MORE_LARGE_SEGMENTS);
    for (int limit : splitLimits) {
      all.add(split(limit));
      for (int count : divisions) {
        all.add(split(limit) + "," + roundup(count));
      }
      for (int rounding : NON_SPLIT_ROUNDINGS) {
        all.add(split(limit) + ",max_non_split_rounding_mb:" + rounding);
      }
      for (int size : largeSegments) {
        // PyTorch refuses a split limit below the size of large segments.
        if (size <= limit) {
          all.add(split(limit) + "," + largeSegment(size));
        }
      }
    }
    for (int count : divisions) {
      all.add(roundup(count));
      all.add(EXPANDABLE + "," + roundup(count));
      for (int size : largeSegments) {
        all.add(roundup(count) + "," + largeSegment(size));
        all.add(EXPANDABLE + "," + roundup(count) + "," + largeSegment(size));
      }
    }
    for (int size : largeSegments) {
      all.add(largeSegment(size));
      all.add(EXPANDABLE + "," + largeSegment(size));
    }
    List<String> thresholds = new ArrayList<>(List.of(THRESHOLDS));
    thresholds.addAll(List.of(MORE_THRESHOLDS));
    for (String threshold : thresholds) {
      String gc = "garbage_collection_threshold:" + threshold;
      all.add(gc);
      for (int limit : splitLimits) {
        all.add(split(limit) + "," + gc);
      }
      for (int count : divisions) {
        all.add(roundup(count) + "," + gc);
      }
    }
  }

  private static int[] joined(int[] first, int[] second) {
    return IntStream.concat(IntStream.of(first), IntStream.of(second)).sorted().toArray();
  }

  private static String split(int mebibytes) {
    return "max_split_size_mb:" + mebibytes;
  }

  private static String roundup(int divisions) {
    return "roundup_power2_divisions:" + divisions;
  }

  private static String largeSegment(int mebibytes) {
    return "large_segment_size_mb:" + mebibytes;
  }
}
