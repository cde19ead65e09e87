package org.allocsim.reports.answer.idle;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.nanos;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.idle.IdleResult;
import org.allocsim.analysis.idle.join.JoinedMemory;
import org.allocsim.analysis.idle.memory.MemoryPeak;
import org.allocsim.analysis.idle.profile.TimeProfile.Profiler;
import org.allocsim.analysis.idle.replay.Prediction;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.document.Sentence;

/** What an answer about an idle GPU rests on, below its tables. */
record IdleNotes(IdleAnswer answer) {
  /** Of the predicted steps. */
  static List<Sentence> ofPredictions(IdleAnswer answer) {
    return new IdleNotes(answer).predicted();
  }

  /** Of the profile, and of the snapshot that was joined with it. */
  static List<Sentence> ofProfile(IdleAnswer answer) {
    return new IdleNotes(answer).profile();
  }

  private Sentence predictedWithoutProfiler() {
    Prediction recorded = answer.recorded();
    Prediction unprofiled = answer.unprofiled();
    return Sentence.of(
        "Predictions are without the profiler, which makes the recorded step of {} about {}"
            + " longer.",
        nanos(recorded.stepNanos()),
        nanos(Math.max(0, recorded.stepNanos() - unprofiled.stepNanos())));
  }

  private List<Sentence> predicted() {
    IdleResult result = answer.result();
    List<Prediction> predictions = answer.predictions();
    MemoryPeak modelledMemory = answer.modelledMemory();
    MemoryPeak memory = result.memory();
    String unreadMemory = answer.unreadMemory();
    List<Sentence> notes = new ArrayList<>();
    if (result.source().profiler() == Profiler.NSIGHT_SYSTEMS) {
      notes.add(
          Sentence.of(
              "What Nsight Systems costs the host is not known, so predictions do not leave it"
                  + " out."));
    } else {
      notes.add(predictedWithoutProfiler());
    }
    if (predictions.stream().anyMatch(each -> each.change().name().contains("graphs"))) {
      notes.add(Sentence.of("graphs is a bound: CUDA graphs or torch.compile reach it at best."));
    }
    if (predictions.stream().anyMatch(each -> each.change().isOfBatch())) {
      notes.add(
          Sentence.of(
              "What another batch saves is for the same number of samples; the work of the GPU is"
                  + " taken to grow linearly, as two recordings show."));
    }
    if (modelledMemory != null && memory != null) {
      notes.add(
          Sentence.of(
              "The model of the allocator reserves {} for the recorded requests, where the {} shows"
                  + " {}; predicted peaks are off by about as much.",
              bytes(modelledMemory.reservedBytes()),
              answer.joined() == null ? "profile" : "snapshot",
              bytes(memory.reservedBytes())));
    }
    if (unreadMemory != null) {
      notes.add(Sentence.of("Memory under changes is not known: {}.", unreadMemory));
    }
    for (Prediction each : predictions) {
      if (each.failures() > 0) {
        notes.add(Sentence.of("With {}, the program runs out of memory.", each.change().name()));
      }
    }
    return notes;
  }

  private List<Sentence> profile() {
    IdleResult result = answer.result();
    JoinedMemory joined = answer.joined();
    List<Sentence> notes = new ArrayList<>();
    if (result.gaps().size() < answer.allGaps()) {
      notes.add(
          Sentence.of(
              "Of {} gaps, the longest {} are kept.",
              Numbers.count(answer.allGaps()),
              Numbers.count(result.gaps().size())));
    }
    boolean isOfPyTorch = result.source().profiler() == Profiler.KINETO;
    if (isOfPyTorch && !result.source().hasStacks()) {
      notes.add(
          Sentence.of(
              "The profile has no lines of the program; record with with_stack=True for them."));
    }
    if (isOfPyTorch && result.memory() == null) {
      notes.add(
          Sentence.of(
              "The profile has no memory events; for peaks, record with profile_memory=True or give"
                  + " a memory snapshot of the run with --memory."));
    }
    if (joined != null && joined.lateNanos() > 0) {
      notes.add(
          Sentence.of(
              "The history of the snapshot begins {} after the first step, so that what came before"
                  + " is not known.",
              nanos(joined.lateNanos())));
    }
    if (joined != null && joined.unmatchedSegments() > 0) {
      notes.add(
          Sentence.of(
              "For {} of the snapshot the profile has neither cudaMalloc nor cudaFree.",
              count(joined.unmatchedSegments(), "segment")));
    }
    if (result.otherDevices() > 0) {
      notes.add(
          Sentence.of(
              "The profile also has {}; this is the busiest GPU.",
              count(result.otherDevices(), "other GPU")));
    }
    if (result.source().otherProcesses() > 0) {
      notes.add(
          Sentence.of(
              "The export also has {} with less work of the GPU.",
              count(result.source().otherProcesses(), "other process", "other processes")));
    }
    if (result.source().damagedRows() > 0) {
      notes.add(
          Sentence.of(
              "{} without a time passed over.", count(result.source().damagedRows(), "row")));
    }
    return notes;
  }
}
