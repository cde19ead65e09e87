package org.allocsim.reports.answer.moment;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.allocsim.analysis.attribution.Attribution;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.leak.IterationFinder;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.moment.FinalLayout;
import org.allocsim.analysis.moment.Landmarks;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentFinder;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.Origins;
import org.allocsim.analysis.moment.ReplayInput;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.PageRun;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.input.ReplayNotes;
import org.allocsim.reports.input.ReplaySetup;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * A program that was replayed once and can be looked at in any moment.
 *
 * @param source the trace
 * @param streamHandles handles of streams by their number
 * @param conf the settings that it was replayed under
 * @param device the recorded GPU that is looked at
 * @param inferences what was inferred about the recording
 * @param notes what the reader of results should know
 * @param origins where allocations come from
 * @param known what can be looked at
 */
public record ReplayedProgram(
    TraceSource source,
    IntToLongFunction streamHandles,
    String conf,
    int device,
    List<Inference> inferences,
    List<String> notes,
    Origins origins,
    Known known) {
  /** What of a program can be looked at. */
  sealed interface Known {}

  /**
   * Any moment.
   *
   * @param landmarks what the first pass found
   * @param input the program, with what its recorder knew of it
   */
  record History(Landmarks landmarks, DeviceTrace input) implements Known {}

  /** Only the end, as a snapshot without a history shows it. */
  record End(MemoryMoment moment) implements Known {}

  /**
   * Reads a program and replays it.
   *
   * @throws Failure where it has no history
   */
  public static ReplayedProgram replay(String name, ProgramSettings settings) {
    TraceSource source = settings.open(name);
    return replay(source, settings.config(), settings);
  }

  /** Reads a program; one without a history can be looked at in its end only. */
  public static ReplayedProgram read(String name, ProgramSettings settings) {
    TraceSource source = settings.open(name);
    ParsedConfig given = settings.config();
    boolean hasHistory = source.snapshot().map(Snapshot::hasHistory).orElse(true);
    return hasHistory || settings.isReplayChosen()
        ? replay(source, given, settings)
        : withoutHistory(source, source.snapshot().orElseThrow(), settings);
  }

  private static ReplayedProgram replay(
      TraceSource source, @Nullable ParsedConfig given, ProgramSettings settings) {
    PyTorchVersion version = settings.torchVersion();
    ParsedConfig recorded = Settings.recorded(source, version);
    ParsedConfig config = given != null ? given : recorded;
    Settings.requirePossible(config, settings.profile());
    long limitBytes = settings.limitBytes(config, source);
    OpenedTrace input =
        Traces.read(
            source, new ReadingOptions(version, limitBytes, settings.profile().totalBytes()));
    int device = Traces.device(input, settings.deviceIndex());
    DeviceTrace onDevice = new DeviceTrace(input, device);
    RecordedCircumstances circumstances =
        RecordedCircumstances.of(
            onDevice, limitBytes, settings.isDeviceGiven() ? settings.profile() : null);
    ReplaySetup setup = ReplaySetup.pytorch(onDevice, config, version, circumstances);
    boolean same = given == null || given.text().equals(recorded.text());
    boolean recordedFirst = same && setup.allowsRecordedAnswers(settings.isDeviceGiven());
    // A limit that only the recording shows is said to be one.
    long knownBytes = recordedFirst ? limitBytes : setup.limitBytes();
    Landmarks landmarks;
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying")) {
      landmarks =
          MomentFinder.survey(
              input(setup, config, version, knownBytes, recordedFirst), progress::update);
    }
    return new ReplayedProgram(
        source,
        input.trace()::streamHandle,
        config.text(),
        device,
        input.recording().map(each -> each.inferences(device)).orElse(List.of()),
        notes(setup, landmarks),
        Origins.of(input.trace(), device),
        new History(landmarks, onDevice));
  }

  private static ReplayInput input(
      ReplaySetup setup,
      ParsedConfig config,
      PyTorchVersion version,
      long limitBytes,
      boolean recordedFirst) {
    int device = setup.device();
    return new ReplayInput(
        setup.trace(),
        device,
        config.allocator(),
        version,
        setup.profile().withHistory(setup.input().addressHistory(device)),
        limitBytes,
        recordedFirst
            ? setup
                .recording()
                .map(recording ->
                    new ReplayInput.RecordedRun(
                        recording.effects(device),
                        recording.start(device),
                        recording.limitBytes(device)))
                .orElseThrow()
            : null);
  }

  private static List<String> notes(ReplaySetup setup, Landmarks landmarks) {
    ReplayNotes notes = new ReplayNotes(setup);
    notes.addOtherDevices();
    if (landmarks.divergedRow() >= 0) {
      notes.add(
          "from event "
              + landmarks.divergedRow()
              + " on the allocator does something else than in the recording; the addresses of the"
              + " whole replay are modelled");
    }
    if (!landmarks.hasRecordedAddresses()) {
      notes.addForModelled(landmarks.failures() > 0);
    }
    return notes.toList();
  }

  private static ReplayedProgram withoutHistory(
      TraceSource source, Snapshot snapshot, ProgramSettings settings) {
    int device = settings.deviceIndex() == null ? firstDevice(snapshot) : settings.deviceIndex();
    if (snapshot.segments().stream().noneMatch(segment -> segment.device() == device)) {
      throw Failure.usage(
          "%s: device %s has no segments; 'allocsim inspect' shows which have"
              .formatted(source.name(), device));
    }
    FinalLayout layout = FinalLayout.of(snapshot, device);
    List<String> notes = new ArrayList<>(snapshot.notes());
    notes.add(
        "the snapshot has no history of events, so only its end is known; record with"
            + " torch.cuda.memory._record_memory_history()");
    return new ReplayedProgram(
        source,
        stream -> snapshot.streamHandles()[stream],
        snapshot.firstConf(),
        device,
        List.of(),
        notes,
        layout.origins(),
        new End(layout.moment()));
  }

  private static int firstDevice(Snapshot snapshot) {
    return snapshot.segments().stream().mapToInt(segment -> segment.device()).min().orElse(0);
  }

  /** The file's name as it was given. */
  public String name() {
    return source.name();
  }

  /** Digest of the file; null where there is none. */
  @Nullable String sha256() {
    return source.sha256();
  }

  /** The same with more for the reader of results to know. */
  ReplayedProgram withNotes(List<String> more) {
    List<String> all = Stream.concat(notes.stream(), more.stream()).toList();
    return new ReplayedProgram(
        source, streamHandles, conf, device, inferences, all, origins, known);
  }

  /** Where addresses come from: recorded or modelled; null where it was not replayed. */
  @Nullable String addresses() {
    return landmarks()
        .map(each -> each.hasRecordedAddresses() ? "recorded" : "modelled")
        .orElse(null);
  }

  /** Whether only the end is known. */
  boolean isEndOnly() {
    return known instanceof End;
  }

  /** What the first pass found; there is none where only the end is known. */
  public Optional<Landmarks> landmarks() {
    return known instanceof History(var landmarks, _) ? Optional.of(landmarks) : Optional.empty();
  }

  /**
   * The run for a page; none where only the end is known.
   *
   * @param attribution what its memory is for
   */
  public List<TraceRecording> pageRuns(Supplier<Attribution> attribution) {
    return switch (known) {
      case End _ -> List.of();
      case History(var landmarks, var input) ->
          List.of(
              PageRun.underConf(
                  new TraceRecording(input, attribution), landmarks.input().setup(), conf));
    };
  }

  /** What each allocation is for; unknown where only the end is known. */
  public Attribution attribution(CategoryRules rules) {
    return switch (known) {
      case End(var moment) -> Attribution.unknown(moment.layout());
      case History(_, var input) -> Attribution.of(input, rules);
    };
  }

  /** The program's steps, as {@code leaks} finds them; empty where it has none. */
  public Optional<Iterations> steps() {
    return landmarks()
        .flatMap(each -> {
          try {
            return Optional.of(new IterationFinder(each.input().trace(), device).any());
          } catch (IterationException _) {
            return Optional.empty();
          }
        });
  }

  /** Handle of a stream, as text. */
  String stream(int stream) {
    return "0x" + Long.toHexString(streamHandles.applyAsLong(stream));
  }

  /**
   * The memory at a moment.
   *
   * @param query the moment, or null for the first failed request or else the peak
   * @throws Failure where the program has no such moment
   */
  public MemoryMoment at(@Nullable MomentQuery query) {
    return switch (known) {
      case End(var moment) -> {
        if (query != null && query.kind() != MomentQuery.Kind.END) {
          throw new Failure(
              source.name()
                  + ": the snapshot holds segments but no history of events, so only --at end can"
                  + " be answered; record with torch.cuda.memory._record_memory_history()");
        }
        yield moment;
      }
      case History(var landmarks, _) ->
          at(landmarks, query != null ? query : landmarks.failureOrPeak());
    };
  }

  private MemoryMoment at(Landmarks landmarks, MomentQuery wanted) {
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying")) {
      return MomentFinder.at(landmarks, wanted, origins, progress::update)
          .orElseThrow(() -> missing(landmarks, wanted));
    }
  }

  /** The memory at a peak, or at the end where only that is known. */
  public MemoryMoment peak(MomentQuery query) {
    return known instanceof End(var moment) ? moment : at(query);
  }

  private Failure missing(Landmarks landmarks, MomentQuery query) {
    if (query.kind() == MomentQuery.Kind.REQUEST) {
      return Failure.usage(
          "--at %s: %s has %s, counted from 0; name one of them"
              .formatted(
                  query.request(),
                  source.name(),
                  Numbers.count(landmarks.requests(), "allocation request")));
    }
    return new Failure(
        source.name()
            + ": no request fails in this replay, so there is no moment of the first failure;"
            + " choose --at peak, or a limit with --memory-limit");
  }
}
