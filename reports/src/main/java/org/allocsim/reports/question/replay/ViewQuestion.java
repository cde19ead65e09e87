package org.allocsim.reports.question.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.compare.CompareAnswer;
import org.allocsim.reports.answer.compare.ComparedTrace;
import org.allocsim.reports.answer.compare.ViewAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.Question;
import org.allocsim.reports.question.page.ViewedTrace;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.workloads.io.EarlyEnd;

/**
 * What did recorded runs do? Each GPU of each trace is shown.
 *
 * @param confs settings to run under; the recorded ones if none are given
 */
public record ViewQuestion(ConfChoices confs) implements Question<ViewQuestion.Viewed> {
  private static final List<PolicyChoice> PYTORCH = PolicyChoice.parseList(Program.PYTORCH);

  /**
   * What is shown.
   *
   * @param recordings what a page shows of the traces
   */
  public record Viewed(ViewAnswer answer, List<TraceRecording> recordings) {}

  @Override
  public Viewed ask(Asked asked) {
    asked.mayEndEarly();
    List<ComparedTrace> traces = new ArrayList<>();
    List<TraceRecording> recordings = new ArrayList<>();
    List<String> withoutRequests = new ArrayList<>();
    for (AskedTrace each : asked.traces()) {
      List<Program> devices = programs(each);
      if (devices.isEmpty()) {
        withoutRequests.add(each.name());
      }
      for (Program device : devices) {
        if (EarlyEnd.isAsked()) {
          break;
        }
        String name =
            devices.size() == 1 ? each.name() : each.name() + ", GPU " + device.input().device();
        traces.add(view(device, name, recordings));
      }
    }
    // A page shows one trace at least; a trace whose runs had not begun has nothing to show.
    traces.removeIf(each -> each.results().isEmpty());
    if (traces.isEmpty()) {
      throw new Failure(
          EarlyEnd.isAsked()
              ? "stopped by a signal before a trace was replayed; give it more time"
              : "%s: no requests recorded, so the page would be empty; record a part of"
                      .formatted(
                          asked.traces().stream()
                              .map(AskedTrace::name)
                              .collect(Collectors.joining(", ")))
                  + " the program that allocates");
    }
    return new Viewed(new ViewAnswer(new CompareAnswer(traces), withoutRequests), recordings);
  }

  /** The GPU that was chosen, else each that did anything. */
  private static List<Program> programs(AskedTrace trace) {
    Program program = trace.program();
    return trace.conditions().deviceIndex() != null ? List.of(program) : program.onEachDevice();
  }

  private ComparedTrace view(Program program, String name, List<TraceRecording> recordings) {
    List<PolicyChoice> choices =
        confs
            .expand(
                PYTORCH,
                program.input().conf(),
                null,
                program.release(),
                program.recordedConditions().profile())
            .stream()
            // The recorded settings come first, then those the user named.
            .limit(confs.given() == null ? 1 : Long.MAX_VALUE)
            .toList();
    ViewedTrace viewed = ViewedTrace.of(program, choices);
    if (!viewed.compared().results().isEmpty()) {
      viewed.recording().rename(name);
      viewed.recording().pack();
      recordings.add(viewed.recording());
    }
    return viewed.compared();
  }

  @Override
  public Document<?> document(Viewed viewed) {
    return viewed.answer().document();
  }

  @Override
  public Optional<List<TraceRecording>> runs(Viewed viewed) {
    return Optional.of(viewed.recordings());
  }
}
