package org.allocsim.analysis.tuning;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.RoundupDivisions;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.allocsim.workloads.format.pytorch.metadata.SnapshotSettings;
import org.jspecify.annotations.Nullable;

/**
 * What a user believes to have set, against what a snapshot says was in force ({@code
 * allocator_settings}, PyTorch 2.3 and later). Of options whose value a snapshot does not hold, the
 * recorded string decides; the allocator keeps it word for word.
 *
 * @param rows options that are set on either side, in a fixed order
 * @param contradictions where the snapshot contradicts itself
 * @param causes what can have led to it, the likeliest first; none where both sides agree
 */
public record SettingsComparison(List<Row> rows, List<String> contradictions, List<String> causes) {
  /** How the two sides of an option compare. */
  public enum Status {
    /** In force as believed. */
    IN_FORCE,
    /** Believed to be set, and has its default. */
    MISSING,
    /** In force with another value. */
    DIFFERENT,
    /** In force, and not believed to be set. */
    UNASKED;

    /** The word in tables. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /**
   * An option.
   *
   * @param option its name
   * @param believed value that the user's string gives it
   * @param recorded value that was in force
   */
  public record Row(String option, String believed, String recorded, Status status) {}

  /** The values of an option: of a string, and of a snapshot where it holds them. */
  private record Option(
      String name,
      Function<ParsedConfig, Object> parsed,
      @Nullable Function<SnapshotSettings, Object> recorded) {
    Option(String name, Function<ParsedConfig, Object> parsed) {
      this(name, parsed, null);
    }
  }

  private static final List<Option> OPTIONS =
      List.of(
          new Option("backend", config -> config.backend().label()),
          new Option(
              "expandable_segments",
              config -> pythonBool(config.allocator().expandableSegments()),
              settings -> pythonBool(settings.expandableSegments())),
          new Option(
              "max_split_size_mb",
              config -> mebibytes(config.allocator().maxSplitBytes()),
              settings -> mebibytes(settings.maxSplitBytes())),
          new Option(
              "roundup_power2_divisions",
              config -> divisions(config.allocator().roundupDivisions()),
              settings -> divisions(settings.roundupDivisions())),
          new Option(
              "garbage_collection_threshold",
              config -> share(config.allocator().garbageCollectionThreshold()),
              settings -> share(settings.garbageCollectionThreshold())),
          new Option(
              "max_non_split_rounding_mb",
              config -> mebibytes(config.allocator().maxNonSplitRoundingBytes())),
          new Option(
              "large_segment_size_mb", config -> mebibytes(config.allocator().largeSegmentBytes())),
          new Option(
              PyTorchVersion.RESERVE, config -> config.allocator().reservedRange().toString()),
          new Option(
              "per_process_memory_fraction",
              config -> config.allocator().perProcessMemoryFraction()),
          new Option(
              "graph_capture_record_stream_reuse",
              config -> pythonBool(config.allocator().graphCaptureRecordStreamReuse()),
              settings -> pythonBool(settings.graphCaptureRecordStreamReuse())),
          new Option(
              "release_lock_on_cudamalloc",
              config -> pythonBool(config.releaseLockOnCudaMalloc()),
              settings -> pythonBool(settings.releaseLockOnCudamalloc())),
          new Option(
              "pinned_use_cuda_host_register",
              config -> pythonBool(config.pinnedUseCudaHostRegister()),
              settings -> pythonBool(settings.pinnedUseCudaHostRegister())),
          new Option(
              "pinned_num_register_threads",
              ParsedConfig::pinnedNumRegisterThreads,
              SnapshotSettings::pinnedNumRegisterThreads),
          new Option(
              "pinned_use_background_threads",
              config -> pythonBool(config.pinnedUseBackgroundThreads())),
          new Option(
              "pinned_reserve_segment_size_mb", ParsedConfig::pinnedReserveSegmentMebibytes));

  /** Keeps its own copies. */
  public SettingsComparison {
    rows = List.copyOf(rows);
    contradictions = List.copyOf(contradictions);
    causes = List.copyOf(causes);
  }

  /**
   * Compares the two sides.
   *
   * @param believed what the user set
   * @param variable the environment variable that it was set by
   * @param recordedString the recorded string, parsed
   * @param plain the settings of an empty string
   * @param version release that made the snapshot
   */
  public static SettingsComparison of(
      ParsedConfig believed,
      String variable,
      Snapshot snapshot,
      ParsedConfig recordedString,
      ParsedConfig plain,
      PyTorchVersion version) {
    List<Row> rows = new ArrayList<>();
    List<String> contradictions = new ArrayList<>();
    boolean lateCall = false;
    for (Option option : OPTIONS) {
      Object wanted = option.parsed.apply(believed);
      Object said = option.parsed.apply(recordedString);
      Object real = option.recorded == null ? said : option.recorded.apply(snapshot.settings());
      Object unset = option.parsed.apply(plain);
      if (!said.equals(real)) {
        lateCall = true;
        contradictions.add(
            "the recorded string gives %s the value %s, but %s was in force"
                .formatted(option.name, said, real));
      }
      if (!wanted.equals(real)) {
        Status status =
            real.equals(unset)
                ? Status.MISSING
                : wanted.equals(unset) ? Status.UNASKED : Status.DIFFERENT;
        rows.add(new Row(option.name, wanted.toString(), real.toString(), status));
      } else if (!wanted.equals(unset)) {
        rows.add(new Row(option.name, wanted.toString(), real.toString(), Status.IN_FORCE));
      }
    }
    addSegments(contradictions, snapshot);
    boolean agree = rows.stream().allMatch(row -> row.status == Status.IN_FORCE);
    List<String> causes = new ArrayList<>();
    if (!agree) {
      addCauses(causes, believed.text(), variable, snapshot.settings().conf(), version, lateCall);
    }
    return new SettingsComparison(rows, contradictions, causes);
  }

  /** What the segments say about expandable segments. */
  private static void addSegments(List<String> contradictions, Snapshot snapshot) {
    List<SnapshotSegment> segments = snapshot.segments();
    long expandable = segments.stream().filter(SnapshotSegment::expandable).count();
    boolean on = snapshot.settings().expandableSegments();
    if (on && expandable == 0 && !segments.isEmpty()) {
      contradictions.add(
          "expandable_segments was on, but none of the "
              + segments.size()
              + " segments is expandable: the platform does not support them (Windows, WSL; PyTorch"
              + " warns once), or they were turned on when the memory was already obtained");
    } else if (!on && expandable > 0) {
      contradictions.add(
          ("expandable_segments was off, but %s of the %s segments are expandable: they"
                  + " were turned off while the program ran")
              .formatted(expandable, segments.size()));
    }
  }

  private static void addCauses(
      List<String> causes,
      String believed,
      String variable,
      String recorded,
      PyTorchVersion version,
      boolean lateCall) {
    ConfLint.checkVariable(variable, version).stream()
        .map(LintFinding::message)
        .forEach(causes::add);
    if (lateCall || Objects.equals(believed.strip(), recorded.strip())) {
      causes.add(
          "torch.cuda.memory._set_allocator_settings() was called later: a call resets"
              + " max_split_size_mb, roundup_power2_divisions, garbage_collection_threshold and"
              + " max_non_split_rounding_mb to their defaults before it applies its own");
    }
    if (recorded.isBlank()) {
      causes.add(
          "the variable was set too late: PyTorch reads it once, when CUDA is first used, and a"
              + " library may use CUDA in its import; set it in the shell, or before \"import"
              + " torch\"");
      causes.add(
          "the process did not get the variable: sudo, ssh, containers, notebook servers, job"
              + " schedulers and launchers pass on only some variables; look at"
              + " /proc/PID/environ, or print os.environ in the program");
      causes.add(
          "the snapshot is from another process, or the program runs a PyTorch other than "
              + version.id()
              + " (give it with --torch-version)");
    } else {
      causes.add(
          ("something else sets \"%s\": a launcher or job script, or code that writes"
                  + " os.environ[\"%s\"] or calls torch.cuda.memory._set_allocator_settings();"
                  + " the last one wins and replaces the whole string")
              .formatted(recorded, ConfLint.variable(version)));
      if (version.isAtLeast(PyTorchVersion.V2_10)) {
        causes.add(
            "both %s and %s are set: %s uses %s and ignores the other"
                .formatted(
                    ConfLint.CUDA_VARIABLE,
                    ConfLint.GENERIC_VARIABLE,
                    version.id(),
                    ConfLint.variable(version)));
      }
    }
  }

  private static String pythonBool(boolean value) {
    return value ? "True" : "False";
  }

  private static String mebibytes(long bytes) {
    return bytes == AllocatorConfig.UNLIMITED ? "unlimited" : Long.toUnsignedString(bytes >>> 20);
  }

  /** The allocator keeps the threshold as a float in some releases. */
  private static String share(double value) {
    return Float.toString((float) value);
  }

  private static String divisions(RoundupDivisions divisions) {
    boolean uniform = true;
    for (int slot = 1; slot < RoundupDivisions.SLOTS; slot++) {
      uniform &= divisions.slot(slot) == divisions.slot(0);
    }
    return uniform ? Long.toUnsignedString(divisions.slot(0)) : divisions.toString();
  }

  /** Whether everything is in force as believed, and nothing else. */
  public boolean agrees() {
    return contradictions.isEmpty() && rows.stream().allMatch(row -> row.status == Status.IN_FORCE);
  }

  /** Whether something that was asked for is not in force. */
  public boolean lacks() {
    return rows.stream()
        .anyMatch(row -> row.status == Status.MISSING || row.status == Status.DIFFERENT);
  }
}
