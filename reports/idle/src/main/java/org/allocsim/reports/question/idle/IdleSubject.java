package org.allocsim.reports.question.idle;

import java.nio.file.Path;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.join.JoinedMemory;
import org.allocsim.analysis.idle.join.SnapshotJoin;
import org.allocsim.analysis.idle.join.StepCalls;
import org.allocsim.analysis.idle.memory.AllocatorModel;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.program.ProgramException;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.format.pytorch.RecordedFormat;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.SourceUsageException;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * What is asked about: a profile, with the requests for memory that it has or that a snapshot of
 * the same run has.
 *
 * @param allocator the requests for memory; null where there are none
 * @param unreadMemory why they cannot be run again; null where they can, or there are none
 * @param memory what a snapshot of the same run says; null where none was given
 */
record IdleSubject(
    IdleAnalysis analysis,
    @Nullable AllocatorModel allocator,
    @Nullable String unreadMemory,
    @Nullable JoinedMemory memory) {

  /** A profile alone. */
  static IdleSubject of(Path file) {
    IdleAnalysis analysis = read(file);
    if (analysis.result().memory() == null) {
      return new IdleSubject(analysis, null, null, null);
    }
    try (ProgressMeter progress = ProgressMeter.ofBytes("reading memory events")) {
      AllocatorModel allocator =
          AllocatorModel.read(
              file,
              analysis.result().device(),
              analysis.timeline().profile().originNanos(),
              analysis.waits().clearedNanos(),
              progress::update);
      return new IdleSubject(analysis, allocator, null, null);
    } catch (TraceFormatException | ProgramException e) {
      return new IdleSubject(analysis, null, e.getMessage(), null);
    }
  }

  /** A profile and a memory snapshot of the same run. */
  static IdleSubject joined(Path file, Path memory) {
    IdleAnalysis alone = read(file);
    TimeProfile profile = alone.timeline().profile();
    if (profile.source().profiler() != TimeProfile.Profiler.KINETO) {
      throw Failure.usage(
          "--memory takes a profile of PyTorch's profiler: an export of Nsight Systems such as "
              + file
              + " has no exact time of day");
    }
    try (ProgressMeter progress = ProgressMeter.ofBytes("reading memory")) {
      if (!(TraceFormats.of(memory) instanceof RecordedFormat)) {
        throw noSnapshot(memory);
      }
      TraceSource source = TraceSource.open(memory.toString(), null, progress::update);
      Snapshot snapshot = source.snapshot().orElseThrow(() -> noSnapshot(memory));
      int device = Math.clamp(alone.result().device(), 0, Snapshot.MAX_DEVICES);
      SnapshotJoin join = SnapshotJoin.of(profile, snapshot, device);
      IdleAnalysis analysis = IdleAnalysis.of(join.profile());
      JoinedMemory joined =
          new JoinedMemory(
              memory.toString(),
              snapshot.sha256(),
              StepCalls.of(join.calls(), analysis.timeline(), analysis.steps(), analysis.waits()),
              join.matched(),
              join.unmatched(),
              Math.max(0, join.beginNanos() - analysis.steps().hostNanos(0)));
      try {
        Program program = Program.open(source, Conditions.RECORDED.ofDevice(device));
        AllocatorModel allocator = AllocatorModel.of(program, profile.originNanos());
        return new IdleSubject(analysis, allocator, null, joined);
      } catch (ProgramException e) {
        return new IdleSubject(analysis, null, e.getMessage(), joined);
      }
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    } catch (SourceUsageException e) {
      throw Failure.usage(e.getMessage());
    }
  }

  private static TraceFormatException noSnapshot(Path file) {
    return new TraceFormatException(
        file.toString(),
        "",
        "it is not a memory snapshot of PyTorch",
        "give what torch.cuda.memory._dump_snapshot() wrote in the profiled run");
  }

  /** Reads a profile. */
  static IdleAnalysis read(Path file) {
    try (ProgressMeter progress = ProgressMeter.ofBytes("reading")) {
      return IdleAnalysis.read(file, progress::update);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }
}
