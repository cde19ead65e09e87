package org.allocsim.reports.question.recording;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.leak.IterationFinder;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.product.WrittenAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.DrawnQuestion;
import org.allocsim.reports.question.replay.LeaksQuestion;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.jsonl.JsonLinesFormat;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.transform.RankMerge;
import org.allocsim.workloads.transform.Repetition;
import org.allocsim.workloads.transform.SizeFit;
import org.allocsim.workloads.transform.StepOrder;
import org.allocsim.workloads.transform.Window;
import org.jspecify.annotations.Nullable;

/**
 * What is another program made of this one?
 *
 * @param change what is done
 * @param steps finds the steps of a program
 * @param output file to write
 */
public record TransformQuestion(Change change, LeaksQuestion.Search steps, String output)
    implements DrawnQuestion<TransformQuestion.Changed> {
  private static final String OUTPUT = "--output";

  /** What is done to a program. */
  public sealed interface Change {}

  /**
   * A part is kept.
   *
   * @param bySteps whether steps are counted, not rows
   * @param from its first, counted from 0
   * @param to the first after it
   */
  public record Part(boolean bySteps, int from, int to) implements Change {}

  /** The whole program comes several times. */
  public record Times(int times) implements Change {}

  /**
   * Sizes are those of another batch.
   *
   * @param factor times of the batch
   * @param other a run with another batch
   * @param otherScale that batch over the batch of the program
   */
  public record Scaled(double factor, AskedTrace other, double otherScale) implements Change {}

  /**
   * Steps come in another order.
   *
   * @param seed of a random order; null where the order is given
   * @param order steps, counted from 0
   */
  public record Order(@Nullable Long seed, List<Integer> order) implements Change {}

  /** Traces are devices of one. */
  public record Merged() implements Change {}

  /**
   * Another program.
   *
   * @param sharedRatio share of the requests that the other run has too
   */
  public record Changed(AllocationTrace trace, double sharedRatio) {
    private Changed(AllocationTrace trace) {
      this(trace, 1);
    }
  }

  @Override
  public void open(DocumentOutputs outputs) {
    outputs.open(OUTPUT, output);
  }

  @Override
  public Changed ask(Asked asked) {
    AllocationTrace trace = read(asked.trace());
    String name = asked.trace().name();
    try {
      return switch (change) {
        case Merged _ -> {
          List<AllocationTrace> ranks = new ArrayList<>(List.of(trace));
          asked.traces().stream().skip(1).forEach(each -> ranks.add(read(each)));
          yield new Changed(RankMerge.of(ranks));
        }
        case Scaled scaled -> scaled(trace, scaled);
        case Times(int times) -> new Changed(Repetition.of(trace, times));
        case Order order -> new Changed(reordered(trace, order, name));
        case Part part -> new Changed(window(trace, part, name).of(trace));
      };
    } catch (IllegalArgumentException e) {
      throw new Failure(name + ": " + e.getMessage(), e);
    }
  }

  private static AllocationTrace read(AskedTrace trace) {
    return trace.program().input().trace();
  }

  private static Changed scaled(AllocationTrace trace, Scaled scaled) {
    int all = SizeFit.Run.ALL_DEVICES;
    try {
      SizeFit fit =
          SizeFit.of(
              List.of(
                  new SizeFit.Run(trace, all, 1),
                  new SizeFit.Run(read(scaled.other()), all, scaled.otherScale())));
      if (!fit.isProportional()) {
        throw new IllegalArgumentException(
            ("no request grows by a factor of --other-scale %s to its size in %s, as batch"
                    + " inputs do; give the ratio of the batch sizes")
                .formatted(scaled.otherScale(), scaled.other().name()));
      }
      return new Changed(fit.at(scaled.factor(), 0), fit.sharedRatio(0));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          e.getMessage()
              + "; 'allocsim fit --batch' predicts peaks from more runs, with an interval",
          e);
    }
  }

  private Window window(AllocationTrace trace, Part part, String name) {
    Iterations found = part.bySteps() ? steps(trace, name) : null;
    int end = found != null ? found.count() : trace.eventCount();
    if (part.from() >= part.to() || part.to() > end) {
      throw Failure.usage(
          "%s %d:%d is not a part of %s; write FROM:TO with FROM below TO"
              .formatted(
                  part.bySteps() ? "--window" : "--rows",
                  part.from(),
                  part.to(),
                  Numbers.count(end, part.bySteps() ? "step" : "row")));
    }
    return found == null
        ? new Window(part.from(), part.to())
        : new Window(found.begin(part.from()), found.begin(part.to()));
  }

  private AllocationTrace reordered(AllocationTrace trace, Order order, String name) {
    StepOrder all = new StepOrder(steps(trace, name).boundaries());
    return all.apply(
        trace,
        order.seed() != null
            ? all.shuffled(order.seed())
            : order.order().stream().mapToInt(Integer::intValue).toArray());
  }

  private Iterations steps(AllocationTrace trace, String name) {
    int device = trace.eventCount() == 0 ? 0 : trace.device(0);
    try {
      return steps.find(new IterationFinder(trace, device));
    } catch (IterationException e) {
      throw new Failure(name + ": its steps are unknown: " + e.getMessage(), e);
    }
  }

  @Override
  public void draw(Changed changed, DocumentOutputs outputs) throws IOException {
    OutputStream file = Objects.requireNonNull(outputs.opened(OUTPUT)).stream();
    try (OutputStream stream =
        Compression.ofName(output).encode(new BufferedOutputStream(file, 1 << 16))) {
      new JsonLinesFormat()
          .writer()
          .orElseThrow()
          .write(changed.trace(), JsonLinesFormat.ALL_DEVICES, stream);
    }
  }

  @Override
  public Document<?> document(Changed changed) {
    AllocationTrace trace = changed.trace();
    return WrittenAnswer.document(
        "transform",
        List.of(
            "%s: %s of %s, %s of them recreate earlier allocations%s"
                .formatted(
                    output,
                    Numbers.count(trace.eventCount(), "row"),
                    Numbers.count(trace.deviceCount(), "device"),
                    Numbers.count(trace.prologueCount()),
                    changed.sharedRatio() < 1
                        ? "; "
                            + Numbers.percent(1 - changed.sharedRatio())
                            + " of the requests are not in the other run and are scaled like"
                            + " others of their size; 'allocsim fit --batch' gives an interval"
                        : "")));
  }
}
