package org.allocsim.workloads.source;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.pytorch.RecordedFormat;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.program.ProgramOptionException;
import org.allocsim.workloads.program.Programs;
import org.allocsim.workloads.transform.Timestamps;
import org.jspecify.annotations.Nullable;

/** A file that was read, or a program that was named; its requests are one step further. */
public final class TraceSource {
  /** Format of what no file holds. */
  public static final String PROGRAM = "program";

  private static final String PROGRAM_PREFIX = PROGRAM + ":";

  /** Seed of what programs draw. */
  private static final long PROGRAM_SEED = 1;

  private final String name;
  private final @Nullable String sha256;
  private final String format;
  private final List<String> notes;

  /** Null for a recording, whose requests are derived. */
  private final @Nullable AllocationTrace requests;

  /** Null where there is no recording. */
  private final @Nullable Snapshot snapshot;

  /** Device that the file names, or {@link RecordedFormat.Recorded#NO_CHOICE}. */
  private final int chosenDevice;

  /** Id of the format that the user chose; null for that of the content. */
  private final @Nullable String chosenFormat;

  private TraceSource(TraceFile file, @Nullable String chosenFormat) {
    this(
        file.name(),
        file.sha256(),
        file.format(),
        file.notes(),
        file.trace(),
        null,
        RecordedFormat.Recorded.NO_CHOICE,
        chosenFormat);
  }

  private TraceSource(
      String name,
      @Nullable String sha256,
      String format,
      List<String> notes,
      @Nullable AllocationTrace requests,
      @Nullable Snapshot snapshot,
      int chosenDevice,
      @Nullable String chosenFormat) {
    this.name = name;
    this.sha256 = sha256;
    this.format = format;
    this.notes = notes;
    this.requests = requests;
    this.snapshot = snapshot;
    this.chosenDevice = chosenDevice;
    this.chosenFormat = chosenFormat;
  }

  /** Whether a name stands for a program: {@code program:ID}. */
  public static boolean isProgram(String name) {
    return name.startsWith(PROGRAM_PREFIX);
  }

  /**
   * Reads a file, or generates what a program asks, with the times that it would have on the
   * default device.
   *
   * @param name a file, or {@code program:ID} with options in parentheses: {@code
   *     program:gpt(batch=4;iterations=2)}
   * @param formatId id of the file's format, or null for that of its content
   * @throws TraceFormatException where the file cannot be read
   * @throws SourceUsageException where there is no such format, program or option
   */
  public static TraceSource open(String name, @Nullable String formatId, Progress progress)
      throws TraceFormatException, SourceUsageException {
    if (isProgram(name)) {
      return program(name);
    }
    Path file = file(name);
    TraceFormat format = formatId == null ? TraceFormats.of(file) : format(formatId);
    if (!(format instanceof RecordedFormat recorded)) {
      return new TraceSource(format.read(file, progress), formatId);
    }
    return switch (recorded.readContent(file, progress)) {
      case RecordedFormat.Requests content -> new TraceSource(content.file(), formatId);
      case RecordedFormat.Recorded content ->
          new TraceSource(
              name,
              content.snapshot().sha256(),
              format.id(),
              content.snapshot().notes(),
              null,
              content.snapshot(),
              content.device(),
              formatId);
    };
  }

  /**
   * Requests that are there already, such as those of a program that was put together in memory.
   *
   * @param name what to call them
   */
  public static OpenedTrace of(String name, AllocationTrace requests) {
    TraceSource source =
        new TraceSource(
            name,
            null,
            PROGRAM,
            List.of(),
            requests,
            null,
            RecordedFormat.Recorded.NO_CHOICE,
            null);
    return new OpenedTrace(source, requests, null);
  }

  private static Path file(String name) throws TraceFormatException {
    try {
      Path file = Path.of(name);
      if (Files.isDirectory(file)) {
        throw new TraceFormatException(name, "", "this is a folder", "name a file in it");
      }
      return file;
    } catch (InvalidPathException _) {
      throw new TraceFormatException(name, "", "this is not a file name", "check the path");
    }
  }

  /**
   * The format of an id.
   *
   * @throws SourceUsageException where there is none
   */
  public static TraceFormat format(String id) throws SourceUsageException {
    return TraceFormats.named(id)
        .orElseThrow(() ->
            new SourceUsageException(
                "--format "
                    + id
                    + " is not a format; "
                    + SimilarName.remedy(
                        id,
                        TraceFormats.all().stream().map(TraceFormat::id).toList(),
                        "'allocsim list formats' lists them")));
  }

  private static TraceSource program(String name) throws SourceUsageException {
    String text = name.substring(PROGRAM_PREFIX.length());
    int open = text.indexOf('(');
    if (open >= 0 && !text.endsWith(")")) {
      throw new SourceUsageException(
          name + " has no closing parenthesis; write program:ID(name=value)");
    }
    Map<String, String> values = new LinkedHashMap<>();
    String options = open < 0 ? "" : text.substring(open + 1, text.length() - 1);
    for (String option : options.isEmpty() ? new String[0] : options.split(";", -1)) {
      int sign = option.indexOf('=');
      if (sign < 1) {
        throw new SourceUsageException(
            name + ": option '" + option + "' is not of the form name=value; correct it");
      }
      values.put(option.substring(0, sign).strip(), option.substring(sign + 1).strip());
    }
    try {
      String id = (open < 0 ? text : text.substring(0, open)).strip();
      return new TraceSource(
          name,
          null,
          PROGRAM,
          List.of(),
          Timestamps.onto(
              Programs.generate(id, values, PROGRAM_SEED), 0, DeviceProfiles.defaultProfile()),
          null,
          RecordedFormat.Recorded.NO_CHOICE,
          null);
    } catch (ProgramOptionException e) {
      throw new SourceUsageException(e.getMessage(), e);
    }
  }

  /** The name as it was given. */
  public String name() {
    return name;
  }

  /** SHA-256 of the file as stored, in hexadecimal; null for a program. */
  public @Nullable String sha256() {
    return sha256;
  }

  /** Id of the file's format; {@link #PROGRAM} for a program. */
  public String format() {
    return format;
  }

  /** The format that the user chose; empty for that of the content. */
  public Optional<String> chosenFormat() {
    return Optional.ofNullable(chosenFormat);
  }

  /** What the reader passed over or took for granted, with counts, a sentence each. */
  public List<String> notes() {
    return notes;
  }

  /** What PyTorch's allocator did, where the file holds it; there may be no history in it. */
  public Optional<Snapshot> snapshot() {
    return Optional.ofNullable(snapshot);
  }

  /**
   * The release that a recording shows; empty where it does not tell, or shows one that would have
   * refused the recorded settings.
   */
  public Optional<PyTorchVersion> release() {
    return snapshot()
        .filter(Snapshot::hasHistory)
        .map(recorded -> recorded.settings().release())
        .filter(this::accepts);
  }

  /**
   * The oldest release that a recording may be of: files of 2.10 and 2.11 look alike, and 2.10
   * refuses a setting that 2.11 knows. Empty where {@link #release} is.
   */
  public Optional<PyTorchVersion> oldestRelease() {
    boolean isNamed =
        snapshot().flatMap(Snapshot::facts).filter(facts -> facts.release() != null).isPresent();
    return release()
        .map(version ->
            version == PyTorchVersion.V2_11 && !isNamed && accepts(PyTorchVersion.V2_10)
                ? PyTorchVersion.V2_10
                : version);
  }

  /** How to read it where nothing was chosen: by the release that it shows, else the newest. */
  public ReadingOptions defaultOptions() {
    return ReadingOptions.of(release().orElse(PyTorchVersion.DEFAULT));
  }

  private boolean accepts(PyTorchVersion version) {
    try {
      return recordedConfig(version).isPresent();
    } catch (TraceFormatException _) {
      return false;
    }
  }

  /**
   * Settings of the recorded allocator; empty where no recording tells.
   *
   * @throws TraceFormatException where the recording has no history, or the release refuses the
   *     settings
   */
  public Optional<ParsedConfig> recordedConfig(PyTorchVersion version) throws TraceFormatException {
    return snapshot == null ? Optional.empty() : Optional.of(Recording.config(snapshot, version));
  }

  /**
   * The requests of all devices. Where the history cannot have come about by the rules of the
   * release that is chosen, and can by those of the one that the file shows, these count: a program
   * may be asked what it would do under another release.
   *
   * @param options what is known of the recorded program beside the file
   * @throws TraceFormatException where the recording has no history, or a damaged one, or the
   *     release refuses its settings
   */
  public OpenedTrace read(ReadingOptions options) throws TraceFormatException {
    if (snapshot == null) {
      return new OpenedTrace(this, Objects.requireNonNull(requests), null);
    }
    Recording recording = Recording.of(snapshot, options);
    Optional<PyTorchVersion> shown = release().filter(each -> each != options.version());
    if (!recording.isExplained() && shown.isPresent()) {
      Recording asShown = Recording.of(snapshot, options.by(shown.get()));
      recording = asShown.isExplained() ? asShown : recording;
    }
    return new OpenedTrace(this, recording.trace(), recording);
  }

  int chosenDevice() {
    return chosenDevice;
  }
}
