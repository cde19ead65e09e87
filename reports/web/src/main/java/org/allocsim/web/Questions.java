package org.allocsim.web;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.allocsim.analysis.attribution.Attribution;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.moment.Pins;
import org.allocsim.analysis.recording.LateStart;
import org.allocsim.analysis.recording.RecordedCircumstances;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.reports.answer.compare.CompareAnswer;
import org.allocsim.reports.answer.compare.ComparedTrace;
import org.allocsim.reports.answer.compare.RecordedTrial;
import org.allocsim.reports.answer.compare.ViewAnswer;
import org.allocsim.reports.answer.diagnosis.DiagnoseAnswer;
import org.allocsim.reports.answer.diagnosis.DiagnosedProgram;
import org.allocsim.reports.answer.moment.PeakAnswer;
import org.allocsim.reports.answer.moment.PinsAnswer;
import org.allocsim.reports.answer.moment.ProgramMoment;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.moment.TableLimits;
import org.allocsim.reports.answer.part.InferenceText;
import org.allocsim.reports.answer.replay.ReplayRequest;
import org.allocsim.reports.answer.tuning.TuneAnswer;
import org.allocsim.reports.answer.tuning.TuneRecording;
import org.allocsim.reports.answer.validation.VerifiedDevice;
import org.allocsim.reports.answer.validation.VerifyAnswer;
import org.allocsim.reports.chart.comparison.Histogram;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.input.ReplaySetup;
import org.allocsim.reports.input.Settings;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.conf.ParsedConfig;
import org.allocsim.validation.fidelity.DeviceVerification;
import org.allocsim.validation.fidelity.SnapshotVerifier;
import org.allocsim.validation.fidelity.VerificationOptions;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.ReservedRanges;
import org.allocsim.workloads.source.TraceSource;

/**
 * The questions that the page asks, each answered as the command of its name does without further
 * options.
 */
final class Questions {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final TableLimits LIMITS = TableLimits.DEFAULT;
  private static final Platform PLATFORM = Platform.LINUX;

  private final TraceSource source;
  private final WebSettings settings;

  Questions(TraceSource source, WebSettings settings) {
    this.source = source;
    this.settings = settings;
  }

  /** An answer and what its page shows of runs. */
  record Answer(Document<?> document, List<TraceRecording> recordings) {
    Answer(Document<?> document) {
      this(document, List.of());
    }
  }

  Answer answer(String question) throws java.io.IOException {
    return switch (question) {
      case "diagnose" -> diagnose();
      case "verify" -> verify();
      case "peak" -> peak();
      case "pins" -> pins();
      case "tune" -> tune();
      case "replay" -> replay();
      case "view" -> view();
      default -> throw Failure.usage(question + " is no question");
    };
  }

  private Answer diagnose() {
    ParsedConfig recorded = settings.recorded();
    Settings.requirePossible(recorded, settings.profile());
    DeviceTrace input = settings.deviceTrace(settings.read(recorded));
    RecordedCircumstances circumstances = settings.circumstances(input, recorded);
    try (ProgressMeter progress = ProgressMeter.of("diagnosing", "settings")) {
      DiagnosedProgram program =
          DiagnosedProgram.of(
              input,
              recorded,
              settings.torchVersion(),
              settings.oldestVersion(),
              PLATFORM,
              circumstances,
              CategoryRules.NONE,
              progress::update);
      return new Answer(new DiagnoseAnswer(program, null).document(), program.pageRuns());
    }
  }

  private Answer verify() {
    long startNanos = System.nanoTime();
    Snapshot snapshot =
        source.snapshot().orElseThrow(() -> new Failure(source.name() + " holds no recording"));
    ParsedConfig config = settings.recorded();
    VerificationOptions options =
        new VerificationOptions(
            config.allocator(),
            settings.torchVersion(),
            settings.limitBytes(config, source),
            ReservedRanges.totalBytes(snapshot).orElse(settings.profile().totalBytes()));
    List<DeviceVerification> devices;
    try (ProgressMeter progress = ProgressMeter.ofEvents("verifying")) {
      devices = SnapshotVerifier.verify(snapshot, options, progress::update);
    }
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    List<VerifiedDevice> verified = new ArrayList<>();
    for (DeviceVerification device : devices) {
      Traces.refuseImpossible(snapshot, device.inferences());
      verified.add(VerifiedDevice.of(source.name(), snapshot, device, new TreeMap<>(), seconds));
    }
    return new Answer(new VerifyAnswer(verified, List.of(), settings.isLimitGiven()).document());
  }

  private Answer peak() {
    ReplayedProgram program = ReplayedProgram.replay(source.name(), settings);
    ProgramMoment peak =
        new ProgramMoment(program, program.at(MomentQuery.of(MomentQuery.Kind.PEAK_ALLOCATED)));
    Attribution attribution = program.attribution(CategoryRules.NONE);
    LiveSet.By by = program.origins().hasStacks() ? LiveSet.By.STACK : LiveSet.By.SIZE;
    LiveSet live = peak.live(by, LIMITS.frames(), attribution);
    return new Answer(new PeakAnswer(peak, live, attribution, LIMITS.top()).document());
  }

  private Answer pins() {
    ReplayedProgram program = ReplayedProgram.read(source.name(), settings);
    return new Answer(
        PinsAnswer.of(program, program.at(null), Pins.Order.RATIO, LIMITS).document());
  }

  private Answer tune() {
    ParsedConfig recorded = settings.recorded();
    Settings.requirePossible(recorded, settings.profile());
    DeviceTrace input = settings.deviceTrace(settings.read(recorded));
    RecordedCircumstances circumstances = settings.circumstances(input, recorded);
    long startNanos = System.nanoTime();
    TuningGrid grid = grid(recorded, circumstances);
    Tuning tuning;
    try (ProgressMeter progress = ProgressMeter.of("tuning", "settings")) {
      tuning =
          Tuning.run(
              input, grid, settings.torchVersion(), PLATFORM, circumstances, progress::update);
    } catch (ConfigException e) {
      throw new IllegalStateException("the grid holds a string that PyTorch refuses", e);
    }
    TuneAnswer answer =
        new TuneAnswer(
            source.name(),
            input.sha256(),
            input.eventCount(),
            input.device(),
            settings.torchVersion(),
            PLATFORM,
            circumstances,
            tuning,
            Histogram.ofSizes(input.trace(), input.device()),
            Histogram.ofLifetimes(input.trace(), input.device()),
            (System.nanoTime() - startNanos) / NANOS_PER_SECOND);
    return new Answer(
        answer.document(TuneAnswer.DEFAULT_TOP),
        List.of(
            TuneRecording.of(new TraceRecording(input), input, tuning, circumstances.maxBytes())));
  }

  private TuningGrid grid(ParsedConfig recorded, RecordedCircumstances circumstances) {
    return TuningGrid.of(
        recorded.text(),
        settings.oldestVersion(),
        PLATFORM,
        circumstances.limitBytes() != MemoryLimit.NONE);
  }

  private Answer replay() throws java.io.IOException {
    ParsedConfig config = settings.configOrRecorded();
    DeviceTrace input = settings.deviceTrace(settings.read(config));
    RecordedCircumstances circumstances = settings.circumstances(input, config);
    ReplaySetup setup = ReplaySetup.pytorch(input, config, settings.torchVersion(), circumstances);
    return new Answer(
        new ReplayRequest(
                setup, null, settings.isDeviceGiven(), settings.deviceIndex() != null, null)
            .replay(null)
            .document());
  }

  private Answer view() {
    DeviceTrace input = settings.deviceTrace(settings.read(settings.recorded()));
    RecordedCircumstances circumstances =
        settings.circumstances(
            input, Settings.parse("", settings.torchVersion(), Scenario.PYTORCH));
    RecordedTrial trial = new RecordedTrial(input, circumstances, true);
    List<PolicyChoice> choices = settings.choices();
    List<ObservedRun> observed;
    try (ProgressMeter progress = ProgressMeter.of("replaying", "policies")) {
      observed = trial.runAll(choices, progress::update);
    }
    ComparedTrace compared =
        new ComparedTrace(
            input.name(),
            input.sha256(),
            input.format(),
            input.trace(),
            input.device(),
            circumstances,
            input.conf(),
            null,
            LateStart.of(input),
            InferenceText.notes(input),
            observed);
    return new Answer(
        ViewAnswer.document(new CompareAnswer(settings.torchVersion(), List.of(compared))),
        List.of(trial.recording(compared.results(), input.conf())));
  }
}
