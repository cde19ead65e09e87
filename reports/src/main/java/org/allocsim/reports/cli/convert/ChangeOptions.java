package org.allocsim.reports.cli.convert;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.reports.cli.option.PositiveConverter;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.recording.TransformQuestion.Change;
import org.allocsim.reports.question.recording.TransformQuestion.Merged;
import org.allocsim.reports.question.recording.TransformQuestion.Order;
import org.allocsim.reports.question.recording.TransformQuestion.Part;
import org.allocsim.reports.question.recording.TransformQuestion.Times;
import org.allocsim.simulator.typed.TypedNumber;
import picocli.CommandLine.Option;

/** The options that say what {@code transform} makes of a program, one of them. */
final class ChangeOptions {
  private static final Pattern RANGE = Pattern.compile("([0-9]{1,9}):([0-9]{1,9})");
  private static final Pattern SEED = Pattern.compile("seed:(-?[0-9]{1,18})");
  private static final Pattern LIST = Pattern.compile("[0-9]{1,9}(,[0-9]{1,9})*");

  @Option(
      names = "--window",
      paramLabel = "FROM:TO",
      description = "Keep steps FROM to TO, without TO, counted from 0.")
  private String steps;

  @Option(
      names = "--rows",
      paramLabel = "FROM:TO",
      description = "Keep rows FROM to TO, without TO, counted from 0.")
  private String rows;

  @Option(names = "--repeat", paramLabel = "N", description = "Repeat the whole program N times.")
  private Integer times;

  @Option(
      names = "--scale-batch",
      paramLabel = "F",
      description = "Scale sizes to F times the batch size; needs --other and --other-scale.",
      converter = PositiveConverter.class)
  private Double scale;

  @Option(
      names = "--reorder-steps",
      paramLabel = "seed:S|I,J,...",
      description = "Reorder the steps at random, or as listed, counted from 0.")
  private String order;

  @Option(
      names = "--merge",
      description = "Merge the traces into one, each as a device, in this order.")
  private boolean merges;

  boolean merges() {
    return merges;
  }

  /** The factor of the batch; null where sizes stay. */
  Double scale() {
    return scale;
  }

  /**
   * What is done, where it needs no other run.
   *
   * @throws Failure where a text says nothing
   */
  Change change() {
    if (merges) {
      return new Merged();
    }
    if (times != null) {
      if (times < 1) {
        throw Failure.usage("--repeat " + times + " must be at least 1");
      }
      return new Times(times);
    }
    return order != null ? ordered() : part();
  }

  private Part part() {
    String text = steps != null ? steps : rows;
    Matcher range = RANGE.matcher(TypedNumber.plain(text));
    if (!range.matches()) {
      throw Failure.usage(
          (steps != null ? "--window " : "--rows ")
              + text
              + " is not a range; write FROM:TO, such as 10:20");
    }
    return new Part(
        steps != null, Integer.parseInt(range.group(1)), Integer.parseInt(range.group(2)));
  }

  private Order ordered() {
    Matcher seed = SEED.matcher(TypedNumber.plain(order));
    if (seed.matches()) {
      return new Order(Long.valueOf(seed.group(1)), List.of());
    }
    if (!LIST.matcher(order).matches()) {
      throw Failure.usage("--reorder-steps " + order + " is not an order; write seed:7 or 2,0,1");
    }
    return new Order(null, Arrays.stream(order.split(",")).map(Integer::valueOf).toList());
  }
}
