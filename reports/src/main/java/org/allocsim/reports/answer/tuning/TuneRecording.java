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
import org.allocsim.workloads.source.DeviceTrace;

/**
 * Runs that a page about settings shows. The search itself keeps figures only; the settings that a
 * reader looks at first are replayed once more and recorded.
 */
public final class TuneRecording {
  /** Settings from the top of the list that are recorded. */
  private static final int TOP = 3;

  private final Tuning tuning;

  private TuneRecording(Tuning tuning) {
    this.tuning = tuning;
  }

  /**
   * Runs of the settings that a reader looks at first, in the ranks of the search.
   *
   * @param recording the program's, still without runs
   * @param maxBytes what the allocator can have at most
   */
  public static TraceRecording of(
      TraceRecording recording, DeviceTrace input, Tuning tuning, long maxBytes) {
    recording.mostBytes(maxBytes);
    return new TuneRecording(tuning).record(recording, input.trace(), input.device());
  }

  private TraceRecording record(TraceRecording recording, AllocationTrace trace, int device) {
    for (Tuning.Entry entry : worthSeeing()) {
      PolicyRecorder recorder = recording.recorder();
      Run.of(
          entry.scenario().setup(trace, device, AfterOom.STOP),
          new TimelineObserver(recorder.timeline()),
          recorder);
      if (recorder.recording() != null) {
        recording.add(rank(entry), Settings.name(entry.conf()), recorder.recording());
      }
    }
    recording.recorded(rank(tuning.recorded()));
    recording.highlight(
        Stream.of(tuning.recorded(), tuning.best(), tuning.plain())
            .distinct()
            .map(this::rank)
            .toList());
    recording.opensWith(
        rank(tuning.best()), tuning.recommended().isEmpty() ? null : rank(tuning.recorded()));
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

  private int rank(Tuning.Entry entry) {
    return tuning.ranked().indexOf(entry);
  }
}
