package org.allocsim.reports.question.page;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.stream.Stream;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.answer.tuning.TuneAnswer;
import org.allocsim.reports.html.PolicyRecorder;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.TimelineObserver;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * Runs that a page about settings shows. The search itself keeps figures only; the settings that a
 * reader looks at first are replayed once more and recorded.
 */
public final class TuneRecording {
  /** Settings from the top of the list that are recorded. */
  private static final int TOP = 3;

  private final Tuning tuning;
  private final boolean isAboutRecorded;
  private final List<Tuning.Entry> rows;

  private TuneRecording(Tuning tuning, boolean isAboutRecorded) {
    this.tuning = tuning;
    this.isAboutRecorded = isAboutRecorded;
    rows = TuneAnswer.rows(tuning).stream().map(TuneAnswer.Row::entry).toList();
  }

  /**
   * Runs of the settings that a reader looks at first, in the ranks of the search.
   *
   * @param recording the program's, still without runs
   * @param maxBytes what the allocator can have at most
   * @param isAboutRecorded whether the page opens with the recorded settings, beside which the best
   *     ones are shown, and not the other way round
   */
  public static TraceRecording of(
      TraceRecording recording,
      DeviceTrace input,
      Tuning tuning,
      long maxBytes,
      boolean isAboutRecorded) {
    recording.maxBytes(maxBytes);
    return new TuneRecording(tuning, isAboutRecorded)
        .record(recording, input.trace(), input.device());
  }

  private TraceRecording record(TraceRecording recording, AllocationTrace trace, int device) {
    for (Tuning.Entry entry : worthSeeing()) {
      PolicyRecorder recorder = recording.recorder();
      Run.of(
          entry.scenario().setup(trace, device, AfterOom.STOP),
          new TimelineObserver(recorder.timeline()),
          recorder);
      if (recorder.recording() != null) {
        recording.add(row(entry), Settings.name(entry.conf()), recorder.recording());
      }
    }
    recording.recorded(rows.indexOf(tuning.recorded()));
    recording.highlight(
        Stream.of(tuning.recorded(), tuning.best(), tuning.plain())
            .distinct()
            .map(this::row)
            .toList());
    int best = row(tuning.best());
    int recorded = row(tuning.recorded());
    boolean isChange = tuning.recommended().isPresent();
    if (isAboutRecorded) {
      recording.opensWith(recorded, isChange ? best : null);
    } else {
      recording.opensWith(best, isChange ? recorded : null);
    }
    return recording;
  }

  private SequencedSet<Tuning.Entry> worthSeeing() {
    SequencedSet<Tuning.Entry> entries = new LinkedHashSet<>();
    entries.add(tuning.best());
    entries.add(tuning.recorded());
    entries.add(tuning.plain());
    tuning.ranked().stream().limit(TOP).forEach(entries::add);
    return entries;
  }

  /** Row of a run, which begins from the start that all have, the recorded settings too. */
  private int row(Tuning.Entry entry) {
    Tuning.Entry shown =
        entry.equals(tuning.recorded()) ? tuning.fromSameStart().orElse(entry) : entry;
    return rows.indexOf(shown);
  }
}
