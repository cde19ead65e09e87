package org.allocsim.reports.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.allocsim.reports.advice.FinalLayout;
import org.allocsim.reports.advice.Landmarks;
import org.allocsim.reports.advice.MemoryMoment;
import org.allocsim.reports.advice.MomentFinder;
import org.allocsim.reports.advice.MomentQuery;
import org.allocsim.reports.advice.Origins;
import org.allocsim.reports.advice.ReplayInput;
import org.allocsim.reports.advice.leak.IterationException;
import org.allocsim.reports.advice.leak.IterationFinder;
import org.allocsim.reports.advice.leak.Iterations;
import org.allocsim.reports.text.Numbers;
import org.allocsim.simulator.policy.pytorch.ParsedConfig;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.derive.Inference;

/** A program that was replayed once and can be looked at in any moment. */
final class Program {
  private final String name;
  private final Snapshot snapshot;
  private final String conf;
  private final int device;
  private final List<Inference> inferences;
  private final List<String> notes;
  private final Origins origins;

  /** Null for a snapshot without a history. */
  private final Landmarks landmarks;

  /** Null for a snapshot with a history. */
  private final MemoryMoment end;

  private Program(
      String name,
      Snapshot snapshot,
      String conf,
      int device,
      List<Inference> inferences,
      List<String> notes,
      Origins origins,
      Landmarks landmarks,
      MemoryMoment end) {
    this.name = name;
    this.snapshot = snapshot;
    this.conf = conf;
    this.device = device;
    this.inferences = inferences;
    this.notes = notes;
    this.origins = origins;
    this.landmarks = landmarks;
    this.end = end;
  }

  /**
   * Reads a program and replays it.
   *
   * @throws Failure where it has no history
   */
  static Program replay(String name, ProgramOptions options) {
    Path file = Inputs.require(name);
    ParsedConfig given = options.config();
    return replay(name, Recording.readSnapshot(file), given, options);
  }

  /** Reads a program; one without a history can be looked at in its end only. */
  static Program read(String name, ProgramOptions options) {
    Path file = Inputs.require(name);
    ParsedConfig given = options.config();
    Snapshot snapshot = Recording.readSnapshot(file);
    return snapshot.hasHistory() || options.isReplayChosen()
        ? replay(name, snapshot, given, options)
        : withoutHistory(name, snapshot, options);
  }

  private static Program replay(
      String name, Snapshot snapshot, ParsedConfig given, ProgramOptions options) {
    DeviceOptions deviceOptions = options.device();
    ParsedConfig recorded = Recording.recordedConfig(snapshot, deviceOptions.torchVersion());
    ParsedConfig config = given != null ? given : recorded;
    Settings.requirePossible(config, deviceOptions.profile());
    long limitBytes = deviceOptions.limitBytes(config);
    Recording recording =
        Recording.of(
            snapshot,
            recorded,
            deviceOptions.torchVersion(),
            limitBytes,
            deviceOptions.profile().totalBytes());
    int device = recording.device(options.deviceIndex());
    ReplayRun.Setup setup =
        new ReplayRun.Setup(
            recording,
            device,
            config.allocator(),
            deviceOptions.torchVersion(),
            deviceOptions.profile(),
            limitBytes,
            false);
    boolean same = given == null || given.text().equals(recorded.text());
    Landmarks landmarks;
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying")) {
      landmarks =
          MomentFinder.survey(
              input(setup, same && setup.allowsRecordedAnswers(deviceOptions.isDeviceGiven())),
              progress::update);
    }
    return new Program(
        name,
        snapshot,
        config.text(),
        device,
        recording.inferences(device),
        notes(setup, config, landmarks),
        Origins.of(recording.trace(), device),
        landmarks,
        null);
  }

  private static ReplayInput input(ReplayRun.Setup setup, boolean recordedFirst) {
    Recording recording = setup.recording();
    int device = setup.deviceIndex();
    return new ReplayInput(
        recording.trace(),
        device,
        setup.config(),
        setup.version(),
        setup.profile().withHistory(recording.addressHistory(device)),
        setup.limitBytes(),
        recordedFirst
            ? new ReplayInput.RecordedRun(
                recording.effects(device), recording.start(device), recording.limitBytes())
            : null);
  }

  private static List<String> notes(
      ReplayRun.Setup setup, ParsedConfig config, Landmarks landmarks) {
    ReplayNotes notes = new ReplayNotes(setup, config);
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

  private static Program withoutHistory(String name, Snapshot snapshot, ProgramOptions options) {
    int device = options.deviceIndex() == null ? firstDevice(snapshot) : options.deviceIndex();
    if (snapshot.segments().stream().noneMatch(segment -> segment.device() == device)) {
      throw Failure.usage(
          name + ": device " + device + " has no segments; 'allocsim inspect' shows which have");
    }
    FinalLayout layout = FinalLayout.of(snapshot, device);
    List<String> notes = new ArrayList<>(snapshot.notes());
    notes.add(
        "the snapshot has no history of events, so only its end is known; record with"
            + " torch.cuda.memory._record_memory_history()");
    return new Program(
        name,
        snapshot,
        snapshot.settings().conf(),
        device,
        List.of(),
        notes,
        layout.origins(),
        null,
        layout.moment());
  }

  private static int firstDevice(Snapshot snapshot) {
    return snapshot.segments().stream().mapToInt(segment -> segment.device()).min().orElse(0);
  }

  /** The file's name as it was given. */
  String name() {
    return name;
  }

  /** What the file holds. */
  Snapshot snapshot() {
    return snapshot;
  }

  /** The settings that it was replayed under. */
  String conf() {
    return conf;
  }

  /** The GPU that is looked at. */
  int device() {
    return device;
  }

  /** What was concluded about the recording. */
  List<Inference> inferences() {
    return inferences;
  }

  /** What the reader of results should know. */
  List<String> notes() {
    return notes;
  }

  /** Where allocations come from. */
  Origins origins() {
    return origins;
  }

  /** Whether only the end is known. */
  boolean isEndOnly() {
    return landmarks == null;
  }

  /** What the first pass found; there is none where only the end is known. */
  Optional<Landmarks> landmarks() {
    return Optional.ofNullable(landmarks);
  }

  /** The program's steps, as {@code leaks} finds them; empty where it has none. */
  Optional<Iterations> steps() {
    if (isEndOnly()) {
      return Optional.empty();
    }
    try {
      return Optional.of(new IterationFinder(landmarks.input().trace(), device).any());
    } catch (IterationException _) {
      return Optional.empty();
    }
  }

  /** Handle of a stream, as text. */
  String stream(int stream) {
    return "0x" + Long.toHexString(snapshot.streamHandles()[stream]);
  }

  /**
   * The memory at a moment.
   *
   * @param query the moment, or null for the first failed request or else the peak
   * @throws Failure where the program has no such moment
   */
  MemoryMoment at(MomentQuery query) {
    if (isEndOnly()) {
      if (query != null && query.kind() != MomentQuery.Kind.END) {
        throw new Failure(
            name
                + ": the snapshot holds segments but no history of events, so only --at end can be"
                + " answered; record with torch.cuda.memory._record_memory_history()");
      }
      return end;
    }
    MomentQuery wanted = query != null ? query : landmarks.failureOrPeak();
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying")) {
      return MomentFinder.at(landmarks, wanted, origins, progress::update)
          .orElseThrow(() -> missing(wanted));
    }
  }

  private Failure missing(MomentQuery query) {
    if (query.kind() == MomentQuery.Kind.REQUEST) {
      return Failure.usage(
          "--at "
              + query.request()
              + ": "
              + name
              + " has "
              + Numbers.count(landmarks.requests(), "allocation request")
              + ", counted from 0; name one of them");
    }
    return new Failure(
        name
            + ": no request fails in this replay, so there is no moment of the first failure;"
            + " choose --at peak, or a limit with --memory-limit");
  }
}
