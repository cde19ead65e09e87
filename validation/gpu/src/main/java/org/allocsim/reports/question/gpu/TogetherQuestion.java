package org.allocsim.reports.question.gpu;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.reports.answer.gpu.TogetherAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.Question;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.validation.gpu.GpuValidation;
import org.allocsim.validation.gpu.TogetherResult;
import org.allocsim.validation.gpu.TogetherValidation;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.cuda.CudaException;
import org.allocsim.validation.gpu.cuda.DriverVersion;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.jspecify.annotations.Nullable;

/**
 * Do several processes share a real GPU as they share the simulated one?
 *
 * @param gpu number of the GPU, from 0
 * @param members the processes, in the order of their traces
 * @param capacityBytes what is left free on the GPU; null for all
 */
public record TogetherQuestion(int gpu, List<Member> members, @Nullable Long capacityBytes)
    implements Question<TogetherQuestion.Validated> {
  /**
   * A process.
   *
   * @param limitBytes its allocator's own limit
   */
  public record Member(PolicyChoice policy, long limitBytes) {}

  /** An answer. */
  public record Validated(TogetherAnswer answer, boolean isExact) {}

  /** Refuses a single process. */
  public TogetherQuestion {
    if (members.size() < 2) {
      throw Failure.usage("'validate together' needs two or more traces; name them");
    }
  }

  @Override
  public Validated ask(Asked asked) {
    asked.mayEndEarly();
    long startNanos = System.nanoTime();
    List<TogetherValidation.Member> all = new ArrayList<>();
    for (AskedTrace trace : asked.traces()) {
      Member member = members.get(all.size());
      all.add(
          new TogetherValidation.Member(
              trace.name(), trace.program().input(), member.policy(), member.limitBytes()));
    }
    try {
      CudaDevice.Identity identity = new GpuValidation(gpu, GpuBounds.NONE).identify();
      TogetherResult result =
          new TogetherValidation(gpu)
              .run(identity, all, capacityBytes == null ? -1 : capacityBytes);
      TogetherAnswer answer =
          new TogetherAnswer(
              LocalDate.now(ZoneOffset.UTC).toString(),
              DriverVersion.installed(),
              identity,
              result,
              (System.nanoTime() - startNanos) / 1e9);
      return new Validated(answer, result.isExact());
    } catch (CudaException e) {
      throw GpuFailure.of(e, "all processes were done; give them more time");
    }
  }

  @Override
  public Document<?> document(Validated validated) {
    return validated.answer().document();
  }

  @Override
  public boolean holds(Validated validated) {
    return validated.isExact();
  }
}
