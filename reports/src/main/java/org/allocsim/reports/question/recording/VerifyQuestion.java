package org.allocsim.reports.question.recording;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.ProgramException;
import org.allocsim.analysis.program.ProgramSource;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.job.VerifyJob;
import org.allocsim.reports.answer.validation.VerifiedDevice;
import org.allocsim.reports.answer.validation.VerifyAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.json.SavedStats;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.validation.fidelity.DeviceVerification;
import org.allocsim.validation.fidelity.SnapshotVerifier;
import org.allocsim.validation.fidelity.VerificationOptions;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.ReservedRanges;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * Is the simulation event-exact on recordings?
 *
 * @param stats statistics at the end of the only recording to compare with; empty without
 * @param err receives why one of several recordings cannot be read; null for a single recording
 */
public record VerifyQuestion(SortedMap<String, Long> stats, @Nullable PrintWriter err)
    implements JobQuestion<VerifyAnswer> {
  /** The default. */
  public static final VerifyQuestion USUAL = new VerifyQuestion(new TreeMap<>(), null);

  private static final double NANOS_PER_SECOND = 1e9;

  /**
   * The question with statistics that were saved.
   *
   * @param stats file with the result of {@code torch.cuda.memory_stats()}; null for none
   * @throws Failure where it cannot be read
   */
  public static VerifyQuestion of(@Nullable String stats, PrintWriter err) {
    if (stats == null) {
      return new VerifyQuestion(new TreeMap<>(), err);
    }
    try (InputStream stream = Files.newInputStream(Inputs.require(stats))) {
      return new VerifyQuestion(SavedStats.read(stream), err);
    } catch (IOException e) {
      throw new Failure(
          "%s: %s; save torch.cuda.memory_stats() with json.dump() and give that file"
              .formatted(stats, e.getMessage()),
          e);
    }
  }

  @Override
  public VerifyAnswer ask(Asked asked) {
    List<VerifiedDevice> verified = new ArrayList<>();
    List<VerifyAnswer.Unreadable> unreadable = new ArrayList<>();
    for (AskedTrace each : asked.traces()) {
      try {
        verified.addAll(devices(each));
      } catch (Failure failure) {
        // One that cannot be read does not keep the others from being verified.
        if (asked.traces().size() == 1 || err == null || failure.exitCode() != ExitCodes.FAILED) {
          throw failure;
        }
        FailureReport.print(failure, err, false);
        unreadable.add(new VerifyAnswer.Unreadable(each.name(), failure.getMessage()));
      }
    }
    return new VerifyAnswer(verified, unreadable, asked.trace().conditions().limit() != null);
  }

  /**
   * What is found on each device, in their order.
   *
   * @throws Failure if it has no recording, or a damaged one
   */
  private List<VerifiedDevice> devices(AskedTrace trace) {
    TraceSource source = trace.source();
    long startNanos = System.nanoTime();
    Snapshot snapshot =
        source
            .snapshot()
            .orElseThrow(() ->
                new Failure(
                    source.name()
                        + ": it contains requests but no recording to compare with; give a"
                        + " snapshot, or one that 'allocsim convert' wrote as JSON Lines"));
    VerificationOptions options = options(source, snapshot, trace.conditions());
    List<DeviceVerification> devices;
    try (ProgressMeter progress = ProgressMeter.ofEvents("verifying")) {
      devices = SnapshotVerifier.verify(snapshot, options, progress::update);
    }
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    devices.forEach(device -> Traces.refuseImpossible(snapshot, device.inferences()));
    List<VerifiedDevice> results = new ArrayList<>();
    for (DeviceVerification device : devices) {
      results.add(
          VerifiedDevice.of(
              source.name(),
              snapshot,
              device,
              results.isEmpty() ? stats : new TreeMap<>(),
              seconds));
    }
    return results;
  }

  private static VerificationOptions options(
      TraceSource source, Snapshot snapshot, Conditions conditions) {
    try {
      ReadingOptions reading = new ProgramSource(source).options(conditions);
      return new VerificationOptions(
          source.recordedConfig(reading.version()).orElseThrow().allocator(),
          reading.version(),
          reading.limitBytes(),
          ReservedRanges.totalBytes(snapshot).orElse(reading.deviceTotalBytes()));
    } catch (ProgramException e) {
      throw Failure.of(e);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  @Override
  public Document<VerifyAnswer> document(VerifyAnswer answer) {
    return answer.document();
  }

  @Override
  public boolean holds(VerifyAnswer answer) {
    return answer.isExact();
  }

  @Override
  public int exitCode(VerifyAnswer answer) {
    return answer.unreadable().isEmpty() ? JobQuestion.super.exitCode(answer) : ExitCodes.FAILED;
  }

  @Override
  public void requireForJob(List<String> names) {
    if (names.size() > 1) {
      throw refusedForJob("the other names");
    }
  }

  /** What is said to who gives more than a job. */
  public static Failure refusedForJob(String more) {
    return Failure.usage("verify accepts only one job folder; omit " + more);
  }

  @Override
  public JobView<VerifyAnswer, ?, ?> view(AskedJobs jobs) {
    return new VerifyJob().of(VerifyAnswer::devices);
  }
}
