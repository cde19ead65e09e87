package org.allocsim.reports.question.gpu;

import org.allocsim.reports.answer.gpu.TorchAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.Question;
import org.allocsim.validation.gpu.cuda.DriverVersion;
import org.jspecify.annotations.Nullable;

/**
 * Does PyTorch's own allocator do what the simulated one does?
 *
 * @param runs which programs PyTorch runs besides traces, and how
 * @param gpu number of the GPU, from 0
 * @param maxSeconds longest time of a case
 * @param limitBytes the allocator's own limit; null without one
 * @param confs settings, separated by semicolons; null for the usual ones
 */
public record TorchQuestion(
    TorchRuns runs, int gpu, int maxSeconds, @Nullable Long limitBytes, @Nullable String confs)
    implements Question<TorchAnswer> {
  @Override
  public TorchAnswer ask(Asked asked) {
    if (asked.traces().isEmpty() && runs.random() == 0 && runs.sequences() == 0) {
      throw Failure.usage("no trace given; name one");
    }
    asked.mayEndEarly();
    TorchValidation validation = new TorchValidation(runs, gpu, maxSeconds, limitBytes, confs);
    for (AskedTrace trace : asked.traces()) {
      validation.add(trace.program().input());
    }
    return validation.run(DriverVersion.installed());
  }

  @Override
  public Document<?> document(TorchAnswer answer) {
    return answer.document();
  }

  @Override
  public boolean holds(TorchAnswer answer) {
    return answer.isExact();
  }

  @Override
  public int exitCode(TorchAnswer answer) {
    return answer.failed() ? ExitCodes.FAILED : Question.super.exitCode(answer);
  }
}
