package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.allocsim.analysis.tuning.LintFinding.Kind;
import org.allocsim.analysis.tuning.LintFinding.Severity;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.ReservedRange;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;

/**
 * Says whether a configuration string is legal where it is to be used, and whether all of it takes
 * effect. The rules are PyTorch's own (2.0 to 2.15) and, for what is dangerous, reports of users;
 * each message names its source.
 */
public final class ConfLint {
  /** Commas between settings; those in brackets separate the parts of one. */
  private static final Pattern SETTING_ENDS = Pattern.compile(",(?![^\\[]*\\])");

  private static final String ROUNDUP = "roundup_power2_divisions";

  /** Granularity of CUDA's physical memory ({@code cuMemGetAllocationGranularity}). */
  private static final long PHYSICAL_UNIT_BYTES = 2L << 20;

  /** The variable that every release reads. */
  public static final String CUDA_VARIABLE = "PYTORCH_CUDA_ALLOC_CONF";

  /** The variable that covers all accelerators. */
  public static final String GENERIC_VARIABLE = "PYTORCH_ALLOC_CONF";

  private static final String HIP_VARIABLE = "PYTORCH_HIP_ALLOC_CONF";

  private final PyTorchVersion version;
  private final Platform platform;
  private final boolean limited;
  private final List<LintFinding> findings = new ArrayList<>();

  private ConfLint(PyTorchVersion version, Platform platform, boolean limited) {
    this.version = version;
    this.platform = platform;
    this.limited = limited;
  }

  /**
   * Findings about a string, the gravest first; none if all is well.
   *
   * @param limited whether the program sets a memory fraction below 1
   */
  public static List<LintFinding> check(
      String conf, PyTorchVersion version, Platform platform, boolean limited) {
    ConfLint lint = new ConfLint(version, platform, limited);
    lint.check(conf);
    lint.findings.sort((a, b) -> a.severity().compareTo(b.severity()));
    return List.copyOf(lint.findings);
  }

  /** Findings about the environment variable that a string is to be set by. */
  public static List<LintFinding> checkVariable(String variable, PyTorchVersion version) {
    if (variable.equals(CUDA_VARIABLE)) {
      return List.of();
    }
    String message;
    if (variable.equals(HIP_VARIABLE)) {
      message = HIP_VARIABLE + " is ignored: only PyTorch for ROCm reads it";
    } else if (!variable.equals(GENERIC_VARIABLE)) {
      message = variable + " is ignored: PyTorch for CUDA does not read a variable of this name";
    } else if (!version.isAtLeast(PyTorchVersion.V2_10)) {
      message =
          GENERIC_VARIABLE
              + " is ignored: PyTorch "
              + version.id()
              + " does not read it for CUDA (pytorch#183387; it does from 2.10 on)";
    } else {
      return List.of();
    }
    return List.of(
        new LintFinding(Kind.IGNORED, Severity.ERROR, message + "; set " + variable(version)));
  }

  /**
   * The environment variable that is sure to be read: 2.10 prefers the new name and warns about the
   * old one, all other releases read the old one first or only (spec of 2.11; the releases around
   * 2.10 are unconfirmed).
   */
  public static String variable(PyTorchVersion version) {
    return version == PyTorchVersion.V2_10 ? GENERIC_VARIABLE : CUDA_VARIABLE;
  }

  /** Whether settings may be recommended at all: legal, supported and not known to do harm. */
  public static boolean isSafe(List<LintFinding> findings) {
    return findings.stream()
        .noneMatch(
            finding -> finding.severity() == Severity.ERROR || finding.kind() == Kind.DANGEROUS);
  }

  private void check(String conf) {
    ParsedConfig config;
    try {
      config = ConfigParser.parse(conf, version);
    } catch (ConfigException e) {
      error(
          Kind.ILLEGAL,
          "PyTorch " + version.id() + " rejects it with " + e.errorType() + ": " + e.sentence());
      checkOneByOne(conf, e.sentence());
      return;
    }
    if (config.backend() == ParsedConfig.Backend.NATIVE) {
      checkNative(config);
    } else {
      checkAsync(config);
    }
  }

  /**
   * What else is wrong with a string: PyTorch stops at the first setting that it rejects.
   *
   * @param said what was said of that one
   */
  private void checkOneByOne(String conf, String said) {
    List<String> accepted = new ArrayList<>();
    Set<String> reasons = new HashSet<>(List.of(said));
    for (String setting : SETTING_ENDS.split(conf)) {
      try {
        ConfigParser.parse(setting, version);
        accepted.add(setting);
      } catch (ConfigException e) {
        if (reasons.add(e.sentence())) {
          error(
              Kind.ILLEGAL,
              "it would reject "
                  + setting.strip()
                  + " with "
                  + e.errorType()
                  + ": "
                  + e.sentence());
        }
      }
    }
    String rest = String.join(",", accepted);
    if (!rest.isEmpty() && !rest.equals(conf)) {
      check(rest);
    }
  }

  private void checkAsync(ParsedConfig parsed) {
    AllocatorConfig config = parsed.allocator();
    List<String> named = new ArrayList<>();
    if (config.maxSplitBytes() != AllocatorConfig.UNLIMITED) {
      named.add("max_split_size_mb");
    }
    if (namesRoundup(parsed)) {
      named.add(ROUNDUP);
    }
    if (config.garbageCollectionThreshold() > 0) {
      named.add("garbage_collection_threshold");
    }
    if (config.expandableSegments()) {
      named.add("expandable_segments");
    }
    if (!named.isEmpty()) {
      warning(
          Kind.IGNORED,
          String.join(", ", named)
              + (named.size() == 1 ? " is" : " are")
              + " ignored: backend:cudaMallocAsync leaves memory to the CUDA driver");
    }
  }

  private void checkNative(ParsedConfig parsed) {
    AllocatorConfig config = parsed.allocator();
    boolean splitLimit = config.maxSplitBytes() != AllocatorConfig.UNLIMITED;
    if (config.expandableSegments()) {
      checkExpandable(splitLimit);
      checkPages(config.largeSegmentBytes());
    }
    checkReserve(parsed);
    if (config.garbageCollectionThreshold() > 0) {
      checkGarbageCollection(config);
    }
    if (!splitLimit && config.maxNonSplitRoundingBytes() != config.largeSegmentBytes()) {
      warning(
          Kind.INERT,
          "max_non_split_rounding_mb has no effect without max_split_size_mb: only blocks at or"
              + " above the split limit are handed out with room to spare");
    }
    if (namesRoundup(parsed) && isRoundupOff(config.roundupDivisions())) {
      warning(Kind.INERT, ROUNDUP + " of 1 or 0 has no effect: it turns rounding off");
    }
  }

  /** What a smaller range of addresses does, and values that PyTorch only warns of. */
  private void checkReserve(ParsedConfig parsed) {
    for (String warning : parsed.warnings()) {
      if (warning.startsWith("Ignoring ") || warning.startsWith("unknown setting ")) {
        error(Kind.IGNORED, warning);
      }
    }
    ReservedRange range = parsed.allocator().reservedRange();
    boolean expandable = parsed.allocator().expandableSegments();
    boolean byClass = parsed.text().contains(PyTorchVersion.RESERVE_BY_CLASS);
    if ((range.isSet() || byClass) && !expandable) {
      warning(
          Kind.INERT,
          (range.isSet() ? PyTorchVersion.RESERVE : PyTorchVersion.RESERVE_BY_CLASS)
              + " has no effect without expandable_segments:True");
    } else if (range.isSet()) {
      warning(
          Kind.DANGEROUS,
          PyTorchVersion.RESERVE
              + " saves addresses, not memory, and a request above "
              + range
              + (range.isFraction() ? " of the GPU's memory" : "iB")
              + " runs out of memory however much is free: no request spans two segments"
              + " (pytorch#192269)");
    }
    if (byClass && expandable) {
      warning(
          Kind.INERT,
          PyTorchVersion.RESERVE_BY_CLASS
              + " has no effect unless the program gives its streams a class"
              + " (setExpandableSegmentReserveClassForStream of C++)");
    }
  }

  private void checkExpandable(boolean splitLimit) {
    if (!platform.hasExpandableSegments()) {
      error(
          Kind.UNSUPPORTED,
          "expandable_segments is not supported on "
              + platform.label()
              + ": PyTorch warns once and continues without it");
    }
    if (splitLimit) {
      checkExpandableWithSplitLimit();
    }
  }

  /** Each page of an expandable segment for large blocks is one piece of physical memory. */
  private void checkPages(long pageBytes) {
    if (pageBytes % PHYSICAL_UNIT_BYTES != 0) {
      error(
          Kind.DANGEROUS,
          "large_segment_size_mb:%d with expandable_segments ends in \"CUDA driver error: invalid"
                  .formatted(pageBytes >> 20)
              + " argument\" at the first request above 1 MiB: CUDA allocates physical memory in"
              + " steps of 2 MiB; give an even number");
    }
  }

  private void checkExpandableWithSplitLimit() {
    String pair = "expandable_segments and max_split_size_mb together ";
    if (!version.skipsExpandableOnRelease()) {
      error(
          Kind.DANGEROUS,
          ("%sstop PyTorch %s with an internal error when memory runs short"
                  + " (pytorch#119452, until 2.5); use one of them")
              .formatted(pair, version.id()));
    } else if (version.isAtLeast(PyTorchVersion.V2_11)) {
      error(
          Kind.DANGEROUS,
          pair
              + "let reserved memory grow without bound: free parts above the split limit are not"
              + " reused, and the segment grows instead (pytorch#193400: 220 MiB to 14 060 MiB in"
              + " 100 steps; seen on 2.12 and 2.13, and in the rules of 2.11); use one of them");
    } else {
      warning(
          Kind.DANGEROUS,
          pair
              + "gain nothing over expandable_segments alone, and grow without bound from 2.11 or"
              + " 2.12 on (pytorch#193400; 2.9.1 was seen to stay bounded); use one of them");
    }
  }

  private void checkGarbageCollection(AllocatorConfig config) {
    double fraction = config.perProcessMemoryFraction();
    boolean hasLimit = limited || fraction < 1 || version.isFractionOneALimit();
    if (!hasLimit) {
      warning(
          Kind.INERT,
          "garbage_collection_threshold has no effect without a memory fraction: call"
              + " torch.cuda.set_per_process_memory_fraction()"
              + (version.knowsKey("per_process_memory_fraction")
                  ? ", or set per_process_memory_fraction"
                  : ""));
    }
    if (config.expandableSegments()) {
      if (version.skipsExpandableOnRelease()) {
        warning(
            Kind.INERT,
            "garbage_collection_threshold has no effect on expandable segments: garbage collection"
                + " passes over them (2.5)");
      } else {
        error(
            Kind.DANGEROUS,
            "garbage_collection_threshold and expandable_segments together stop PyTorch "
                + version.id()
                + " with an internal error (until 2.5); use one of them");
      }
    }
  }

  /** Whether the text does; releases differ in how they say that nothing is rounded. */
  private static boolean namesRoundup(ParsedConfig config) {
    return config.text().contains(ROUNDUP);
  }

  private static boolean isRoundupOff(RoundupDivisions divisions) {
    for (int slot = 0; slot < RoundupDivisions.SLOTS; slot++) {
      if (divisions.slot(slot) > 1) {
        return false;
      }
    }
    return true;
  }

  private void error(Kind kind, String message) {
    findings.add(new LintFinding(kind, Severity.ERROR, message));
  }

  private void warning(Kind kind, String message) {
    findings.add(new LintFinding(kind, Severity.WARNING, message));
  }
}
