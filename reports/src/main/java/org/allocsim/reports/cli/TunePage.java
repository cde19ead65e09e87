package org.allocsim.reports.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.stream.Stream;
import org.allocsim.reports.advice.AfterOom;
import org.allocsim.reports.advice.PolicyChoice;
import org.allocsim.reports.advice.PolicyTrial;
import org.allocsim.reports.advice.RequestFailure;
import org.allocsim.reports.advice.Scenario;
import org.allocsim.reports.advice.ScenarioResult;
import org.allocsim.reports.advice.Tuning;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.html.PolicyRecorder;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.text.Numbers;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * The page of {@code tune}. The search itself keeps figures only; the settings that a reader looks
 * at first are replayed once more and recorded.
 */
final class TunePage {
  /** Settings from the top of the list that are recorded. */
  private static final int TOP = 3;

  private final TuneReport report;
  private final Tuning tuning;

  private TunePage(TuneReport report) {
    this.report = report;
    tuning = report.tuning();
  }

  /**
   * A page.
   *
   * @param results what the command writes as JSON
   */
  static ReportPage of(TuneReport report, Map<String, Object> results, AllocationTrace trace) {
    TunePage page = new TunePage(report);
    return new ReportPage(
        "tune",
        Path.of(report.file()).getFileName().toString(),
        page.verdict(),
        results,
        List.of(page.record(trace)));
  }

  private TraceRecording record(AllocationTrace trace) {
    TraceRecording recording = new TraceRecording(report.file(), trace, report.deviceIndex());
    for (Tuning.Entry entry : worthSeeing()) {
      Scenario scenario = entry.result().scenario();
      PolicyTrial trial =
          new PolicyTrial(
              trace,
              report.deviceIndex(),
              scenario.device(),
              scenario.limitBytes(),
              report.version(),
              AfterOom.STOP);
      PolicyRecorder recorder = recording.recorder();
      trial.runAll(
          List.of(choice(entry.conf())),
          _ -> new PolicyTrial.Audience(recorder.timeline(), recorder, recorder),
          (_, _) -> {});
      if (recorder.recording() != null) {
        recording.add(rank(entry), ConfText.name(entry.conf()), recorder.recording());
      }
    }
    Tuning.Entry first = tuning.recommended().orElse(tuning.recorded());
    recording.recorded(rank(tuning.recorded()));
    recording.highlight(
        Stream.of(tuning.recorded(), first, tuning.plain()).distinct().map(this::rank).toList());
    recording.opensWith(
        rank(first), first.equals(tuning.recorded()) ? null : rank(tuning.recorded()));
    return recording;
  }

  private SequencedSet<Tuning.Entry> worthSeeing() {
    SequencedSet<Tuning.Entry> entries = new LinkedHashSet<>();
    tuning.recommended().ifPresent(entries::add);
    entries.add(tuning.recorded());
    entries.add(tuning.plain());
    tuning.ranked().stream().limit(TOP).forEach(entries::add);
    return entries;
  }

  private int rank(Tuning.Entry entry) {
    return tuning.ranked().indexOf(entry);
  }

  private PolicyChoice choice(String conf) {
    Map<String, String> options = new LinkedHashMap<>();
    options.put("conf", conf);
    options.put("torch-version", report.version().id());
    return new PolicyChoice(Policies.named(Scenario.PYTORCH).orElseThrow(), options);
  }

  private Verdict verdict() {
    Optional<Tuning.Entry> best = tuning.recommended();
    String held = Numbers.bytes(tuning.demand().peakRequestedBytes());
    String most = Numbers.bytes(tuning.plain().result().scenario().mostBytes());
    if (tuning.isHopeless()) {
      return Verdict.ofText(
          Verdict.Tone.BAD,
          "No setting helps: the program holds "
              + held
              + " at its peak, and the allocator can have "
              + most
              + ".",
          List.of(),
          null);
    }
    if (best.isPresent()) {
      return Verdict.ofText(
          best.get().result().passes() ? Verdict.Tone.GOOD : Verdict.Tone.BAD,
          gain(best.get()),
          details(best.get()),
          ConfText.paste(best.get().conf(), report.version()));
    }
    if (tuning.allFail()) {
      return Verdict.ofText(
          Verdict.Tone.BAD,
          "Every setting that was tried runs out of memory, though the program holds no more than "
              + held
              + " at its peak, of "
              + most
              + ".",
          List.of(),
          null);
    }
    return Verdict.ofText(
        Verdict.Tone.NEUTRAL,
        "Keep the recorded settings, "
            + ConfText.name(tuning.recorded().conf())
            + ": no other one that is safe lowers the peak of "
            + ByteFormat.human(tuning.recorded().result().peakReservedBytes())
            + " by more than 1 %.",
        details(tuning.recorded()),
        ConfText.paste(tuning.recorded().conf(), report.version()));
  }

  private String gain(Tuning.Entry best) {
    ScenarioResult before = tuning.recorded().result();
    ScenarioResult after = best.result();
    String name = ConfText.name(best.conf());
    if (!after.passes()) {
      return name + " gets furthest, and still " + failure(after) + ".";
    }
    if (!before.passes()) {
      return "Set "
          + name
          + ": every request is served with "
          + ByteFormat.human(after.peakReservedBytes())
          + " reserved at most; under the recorded settings "
          + failure(before)
          + ".";
    }
    long savedBytes = before.peakReservedBytes() - after.peakReservedBytes();
    return "Set "
        + name
        + ": PyTorch reserves "
        + ByteFormat.human(after.peakReservedBytes())
        + " at most instead of "
        + ByteFormat.human(before.peakReservedBytes())
        + ", "
        + Numbers.share(savedBytes, before.peakReservedBytes())
        + " less.";
  }

  private static String failure(ScenarioResult result) {
    RequestFailure first = result.firstOom().orElseThrow();
    return "request "
        + Numbers.count(first.requestIndex())
        + " for "
        + ByteFormat.human(first.requestedBytes())
        + " fails";
  }

  private List<String> details(Tuning.Entry entry) {
    List<String> details = new ArrayList<>();
    details.add(
        "The program itself holds "
            + Numbers.bytes(tuning.demand().peakRequestedBytes())
            + " at its peak.");
    details.add(
        "The driver takes at least "
            + Numbers.duration(entry.result().driverNanos())
            + ", under the recorded settings "
            + Numbers.duration(tuning.recorded().result().driverNanos())
            + ".");
    details.add(Numbers.count(tuning.ranked().size(), "setting") + " were compared.");
    entry.findings().forEach(finding -> details.add(finding.message()));
    return details;
  }
}
