package org.allocsim.reports.answer.replay;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.input.Addresses;
import org.allocsim.reports.input.ReplayNotes;
import org.allocsim.reports.input.ReplaySetup;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What is to be replayed.
 *
 * @param setup the program, and how
 * @param addresses where addresses come from; null for recorded ones where they fit
 * @param isDeviceGiven whether the device is not simply taken to be the recorded one
 * @param isOnlyDevice whether the user chose the recorded device
 * @param insertion calls that are put into the program; null for none
 */
public record ReplayRequest(
    ReplaySetup setup,
    @Nullable Addresses addresses,
    boolean isDeviceGiven,
    boolean isOnlyDevice,
    @Nullable CacheInsertion insertion) {

  /**
   * Replays with recorded addresses where they were asked for or fit; where they turn out not to
   * fit and were not asked for, once more with modelled ones.
   *
   * @param events gets every effect as a line; null for none
   * @throws Failure where the policy cannot serve the program, or what was asked for does not fit
   */
  public ReplayAnswer replay(OutputFiles.@Nullable Output events) throws IOException {
    long divergedRow = -1;
    if (isRecordedFirst()) {
      ReplayRun run = follow(setup, Addresses.RECORDED, events);
      long row = run.result().divergedRow();
      if (row < 0) {
        return answer(run, Addresses.RECORDED, List.of(), 0);
      }
      if (addresses == Addresses.RECORDED) {
        throw new Failure(
            ("%s: from event %s on the allocator does something else than in the"
                    + " recording, so recorded addresses do not fit; leave out --addresses"
                    + " recorded, or give the memory fraction of the recorded run")
                .formatted(setup.input().name(), row));
      }
      divergedRow = row;
      if (events != null) {
        events.restart();
      }
    }
    CacheInsertion.Inserted changed =
        insertion == null ? new CacheInsertion.Inserted(setup, 0) : insertion.into(setup);
    ReplayRun run = follow(changed.setup(), Addresses.MODELLED, events);
    return answer(
        run,
        Addresses.MODELLED,
        ModelledReplay.sentences(setup, run.result(), divergedRow),
        changed.calls());
  }

  /** Whether recorded answers come first: where asked for, or with the recorded settings. */
  private boolean isRecordedFirst() {
    if (addresses != null) {
      return addresses == Addresses.RECORDED;
    }
    return insertion == null
        && setup.config() != null
        && setup.recording().isPresent()
        && setup.config().text().equals(setup.recording().get().config().text())
        && setup.allowsRecordedAnswers(isDeviceGiven);
  }

  private static ReplayRun follow(
      ReplaySetup setup, Addresses source, OutputFiles.@Nullable Output events) throws IOException {
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying");
        OutputStream stream = events == null ? null : new BufferedOutputStream(events.stream());
        EventLines lines = stream == null ? null : new EventLines(stream, setup.trace())) {
      return ReplayRun.of(
          setup,
          source,
          RunObserver.hearing(lines == null ? EffectListeners.NONE : lines),
          ReplayRun.progress(setup.trace(), progress));
    }
  }

  private ReplayAnswer answer(
      ReplayRun run, Addresses source, List<Sentence> remarks, int insertions) {
    RunResult result = run.result();
    ReplayNotes notes = new ReplayNotes(run.setup());
    if (source == Addresses.MODELLED) {
      notes.addForModelled(result.failureCount() > 0 && !result.isStopped());
    }
    if (!isOnlyDevice) {
      notes.addOtherDevices();
    }
    if (result.isStopped()) {
      notes.add("the replay ended at the first request that failed, as --after-oom stop asks");
    }
    if (result.failureCount() > result.failures().size()) {
      notes.add(
          "of %s requests that failed the first %s are kept"
              .formatted(result.failureCount(), result.failures().size()));
    }
    if (setup.checks()) {
      notes.add("the allocator's invariants held before and after every request");
    }
    return new ReplayAnswer(run, source, remarks, notes.toList(), insertion, insertions);
  }
}
