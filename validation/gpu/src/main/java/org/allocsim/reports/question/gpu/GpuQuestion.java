package org.allocsim.reports.question.gpu;

import java.io.IOException;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.gpu.ValidateAnswer;
import org.allocsim.reports.answer.gpu.ValidateCharts;
import org.allocsim.reports.answer.gpu.ValidatedCase;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.DrawnQuestion;
import org.allocsim.reports.question.replay.ConfChoices;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.GpuCase;
import org.allocsim.validation.gpu.GpuValidation;
import org.allocsim.validation.gpu.NearLimits;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.cuda.CudaException;
import org.allocsim.validation.gpu.cuda.DriverVersion;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/**
 * Does the simulated GPU do what the real one does?
 *
 * @param gpu number of the GPU, from 0
 * @param profile costs and places to predict with; null for those of such a GPU
 * @param policies the allocators
 * @param confs settings of policy pytorch
 * @param limitBytes the allocators' own limit; null without one
 * @param capacityBytes what is left free on the GPU; null for all
 * @param maxBytes memory that may be used; null for what is usual
 * @param maxSeconds longest time of a case
 * @param triesLimits whether each policy also runs with just enough memory
 * @param touches whether blocks are filled
 */
public record GpuQuestion(
    int gpu,
    @Nullable DeviceProfile profile,
    List<PolicyChoice> policies,
    ConfChoices confs,
    @Nullable Long limitBytes,
    @Nullable Long capacityBytes,
    @Nullable Long maxBytes,
    int maxSeconds,
    boolean triesLimits,
    boolean touches)
    implements DrawnQuestion<GpuQuestion.Validated> {
  /** What a signal came before, where there is nothing to print. */
  static final String NO_CASE = "a case finished; give it more time";

  /**
   * An answer.
   *
   * @param recordings what a page shows of the simulated runs
   */
  public record Validated(ValidateAnswer answer, ValidateRecordings recordings) {}

  /** Refuses a bound on memory where all of it is taken. */
  public GpuQuestion {
    if (maxBytes != null && (capacityBytes != null || triesLimits)) {
      throw Failure.usage(
          "--max-gpu-memory limits memory use, but "
              + (triesLimits ? "--near-limits" : "--capacity")
              + " takes all free memory; omit one of them");
    }
  }

  @Override
  public Validated ask(Asked asked) {
    asked.mayEndEarly();
    try {
      CudaDevice.Identity identity = new GpuValidation(gpu, GpuBounds.NONE).identify();
      GpuBounds bounds =
          capacityBytes != null || triesLimits
              ? GpuBounds.ofTime(maxSeconds)
              : GpuBounds.of(identity, maxBytes, maxSeconds);
      Cases cases = new Cases(this, identity, bounds, asked.isShown());
      for (AskedTrace trace : asked.traces()) {
        cases.add(trace.program());
      }
      if (EarlyEnd.isAsked() && cases.all.isEmpty()) {
        throw new CudaException("no case was finished");
      }
      ValidateAnswer answer =
          new ValidateAnswer(
              LocalDate.now(ZoneOffset.UTC).toString(),
              DriverVersion.installed(),
              identity,
              new GpuValidation(gpu, GpuBounds.NONE).identify().freeBytesAtStart(),
              bounds.maxBytes(),
              touches,
              cases.all);
      return new Validated(answer, cases.recordings);
    } catch (CudaException e) {
      throw GpuFailure.of(e, NO_CASE);
    }
  }

  @Override
  public Document<?> document(Validated validated) {
    return validated.answer().document();
  }

  @Override
  public Optional<List<TraceRecording>> runs(Validated validated) {
    return Optional.of(validated.recordings().traces());
  }

  @Override
  public void draw(Validated validated, DocumentOutputs outputs) throws IOException {
    if (outputs.charts() != null) {
      ValidateCharts.write(validated.answer(), outputs.charts());
    }
  }

  /** The cases so far. */
  private static final class Cases {
    private final GpuQuestion question;
    private final CudaDevice.Identity identity;
    private final GpuBounds bounds;
    private final boolean isShown;
    private final GpuValidation validation;
    private final List<ValidatedCase> all = new ArrayList<>();
    private final ValidateRecordings recordings = new ValidateRecordings();

    Cases(GpuQuestion question, CudaDevice.Identity identity, GpuBounds bounds, boolean isShown) {
      this.question = question;
      this.identity = identity;
      this.bounds = bounds;
      this.isShown = isShown;
      validation = new GpuValidation(question.gpu, bounds, question.profile);
      validation.warmUp();
    }

    void add(Program program) {
      DeviceTrace input = program.input();
      DeviceProfile whole = GpuValidation.profile(identity, identity.freeBytesAtStart());
      for (PolicyChoice choice :
          question.confs.expand(question.policies, input.conf(), null, program.release(), whole)) {
        if (!EarlyEnd.isAsked()) {
          run(input, choice);
        }
      }
    }

    private void run(DeviceTrace input, PolicyChoice choice) {
      GpuCase base =
          new GpuCase(
              input.trace(),
              input.device(),
              choice.provider(),
              new PolicySettings(
                  question.limitBytes == null ? MemoryLimit.NONE : question.limitBytes,
                  choice.options()),
              question.capacityBytes == null ? -1 : question.capacityBytes,
              question.touches);
      try {
        CaseResult result = add(input, choice, base, false);
        if (isShown && !EarlyEnd.isAsked()) {
          recordings.add(
              input,
              all.size() - 1,
              choice,
              base.settings().limitBytes(),
              GpuValidation.profile(identity, result.capacityBytes()));
        }
        if (question.triesLimits) {
          long maxBytes = Math.min(bounds.maxBytes(), identity.freeBytesAtStart());
          for (GpuCase near : new NearLimits(base, identity, maxBytes).cases()) {
            add(input, choice, near, true);
          }
        }
      } catch (CudaException e) {
        if (!EarlyEnd.isAsked()) {
          throw e;
        }
        // The case that was under way has no result.
      } catch (UnfitTraceException e) {
        all.add(ofCase(input, choice, -1, -1, false, "needs " + e.getMessage(), null));
      } catch (PolicyOptionException e) {
        throw Failure.usage(choice.label() + ": " + e.getMessage());
      }
    }

    private CaseResult add(DeviceTrace input, PolicyChoice choice, GpuCase run, boolean isNear)
        throws PolicyOptionException, UnfitTraceException {
      CaseResult result = validation.run(run);
      all.add(
          ofCase(
              input,
              choice,
              run.settings().limitBytes(),
              run.capacityBytes(),
              isNear,
              null,
              result));
      return result;
    }

    private static ValidatedCase ofCase(
        DeviceTrace input,
        PolicyChoice choice,
        long limitBytes,
        long capacityBytes,
        boolean isNear,
        @Nullable String reason,
        @Nullable CaseResult result) {
      return new ValidatedCase(
          String.valueOf(Path.of(input.name()).getFileName()),
          input.sha256(),
          choice,
          limitBytes,
          capacityBytes,
          isNear,
          reason,
          result);
    }
  }
}
