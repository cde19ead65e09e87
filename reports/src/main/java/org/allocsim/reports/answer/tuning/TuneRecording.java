package org.allocsim.reports.answer.tuning;

import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.stream.Stream;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.html.PolicyRecorder;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.TimelineObserver;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * Runs that the page of {@code tune} shows. The search itself keeps figures only; the settings that
 * a reader looks at first are replayed once more and recorded.
 */
public final class TuneRecording {
  /** Settings from the top of the list that are recorded. */
  private static final int TOP = 3;

  private final TuneAnswer answer;
  private final Tuning tuning;

  private TuneRecording(TuneAnswer answer) {
    this.answer = answer;
    tuning = answer.tuning();
  }

  public static TraceRecording of(TuneAnswer answer, AllocationTrace trace) {
    return new TuneRecording(answer).record(trace);
  }

  private TraceRecording record(AllocationTrace trace) {
    TraceRecording recording = new TraceRecording(answer.file(), trace, answer.deviceIndex());
    for (Tuning.Entry entry : worthSeeing()) {
      PolicyRecorder recorder = recording.recorder();
      Run.of(
          entry.scenario().setup(trace, answer.deviceIndex(), AfterOom.STOP),
          new TimelineObserver(recorder.timeline()),
          recorder);
      if (recorder.recording() != null) {
        recording.add(rank(entry), Settings.name(entry.conf()), recorder.recording());
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
}
