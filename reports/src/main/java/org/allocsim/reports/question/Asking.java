package org.allocsim.reports.question;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.OutputFiles;
import org.allocsim.workloads.io.EarlyEnd;
import org.jspecify.annotations.Nullable;

/** Asks a question for a command: of one trace, of several, or of jobs, and writes the answer. */
public final class Asking {
  private final AnswerOutputs to;
  private final @Nullable String format;
  private final Conditions conditions;
  private @Nullable Path other;
  private boolean isTolerant;

  /**
   * Asks.
   *
   * @param to where answers go
   * @param format id of the traces' format, or null for that of their content
   * @param conditions conditions of the question
   */
  public Asking(AnswerOutputs to, @Nullable String format, Conditions conditions) {
    this.to = to;
    this.format = format;
    this.conditions = conditions;
  }

  /** Reads another file in addition to traces, which no output may replace. */
  public Asking beside(@Nullable Path file) {
    other = file;
    return this;
  }

  /** Leaves it to the question to say of traces that they cannot be read. */
  public Asking tolerant() {
    isTolerant = true;
    return this;
  }

  /**
   * Asks about traces or jobs, and writes the answer.
   *
   * @param names files, programs or folders of jobs
   * @return the exit code
   * @throws org.allocsim.reports.output.Failure if there is no answer
   */
  public <A> int ask(Question<A> question, List<String> names) throws IOException {
    if (question instanceof JobQuestion<A> ofJobs && names.stream().anyMatch(Jobs::isFolder)) {
      return new JobAsking<>(ofJobs, to, format, conditions).ask(names);
    }
    return askAbout(
        question, names.stream().map(each -> AskedTrace.ofName(each, format, conditions)).toList());
  }

  /** The same of one. */
  public <A> int ask(Question<A> question, String name) throws IOException {
    return ask(question, List.of(name));
  }

  /** The same for traces, each under its own conditions. */
  public <A> int askAbout(Question<A> question, List<AskedTrace> traces) throws IOException {
    Path[] inputs =
        Stream.concat(
                traces.stream().map(each -> isTolerant ? Path.of(each.name()) : each.file()),
                Stream.ofNullable(other))
            .toArray(Path[]::new);
    try (DocumentOutputs outputs = to.open(inputs)) {
      DrawnQuestion<A> drawn = question instanceof DrawnQuestion<A> draws ? draws : null;
      if (drawn != null) {
        drawn.open(outputs);
      }
      A answer = question.ask(new ByCommand(traces, outputs));
      if (!question.isAnswered(answer)) {
        return ExitCodes.FAILED;
      }
      if (drawn != null) {
        drawn.draw(answer, outputs);
      }
      outputs.write(
          drawn != null && outputs.charts() != null
              ? drawn.drawnDocument(answer)
              : question.document(answer),
          () -> question.runs(answer).orElse(List.of()));
      return question.exitCode(answer);
    }
  }

  /** Traces that a command asks about. */
  private static final class ByCommand extends Asked {
    private final DocumentOutputs outputs;

    ByCommand(List<AskedTrace> traces, DocumentOutputs outputs) {
      super(traces, outputs.hasPage());
      this.outputs = outputs;
    }

    @Override
    public OutputFiles.@Nullable Output file(String option) {
      return outputs.opened(option);
    }

    @Override
    public void mayEndEarly() {
      EarlyEnd.begin();
    }
  }
}
