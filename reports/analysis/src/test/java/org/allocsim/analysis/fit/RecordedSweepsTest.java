package org.allocsim.analysis.fit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.allocsim.workloads.transform.SizeFit;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import org.junit.jupiter.api.Test;

/**
 * Programs recorded on a GPU at five values of their batch or length, and predicted from the least.
 */
class RecordedSweepsTest {
  private static final PyTorchVersion RECORDED = PyTorchVersion.of("2.11");
  private static final long AMPLE_BYTES = 1L << 44;
  private static final double MIB = 1 << 20;

  private static final Path FOLDER = folder();

  private static final String INTRODUCTION =
      """
      # Predictions of `fit`, held against a GPU

      Programs ran three steps at five values of their batch or length each, on an NVIDIA H100 80GB HBM3 with PyTorch 2.11.0. `fit` was
      given the two or the three smallest runs and predicted the peaks of the others. A test makes this page of [fit](fit): the requests of the smallest
      runs, with the numbers of their stacks, and what PyTorch's own counters said of every run (`measured.csv`). Twelve programs were used while the
      rules of `fit` were written. Eleven others came after that, and changed no prediction; the interval had held 47 of their 55 peaks, and
      was widened then by what libraries may choose.

      What is outside, and why: cuDNN and cuBLAS choose other algorithms at other sizes, with other workspaces. The backward passes of vit and bert request
      132 MiB at batch 48 and 64, where batches of 8 and 16 point to 225 and 288 MiB; one workspace of unet is 64 MiB at 16, where three runs point to 224 MiB.
      The larger runs of convnext ask for workspaces that the smaller ones do not have (183 requests at batch 64): the sizes are right, but the
      addresses are not. Of the later programs unet3d makes 384 requests at batch 1 and 402 from 2 on, gru 174 at 16 and 216 from 32 on: a line through two
      such runs leads nowhere, and a third one shows it. No run of a smaller size shows what a library chooses at a larger one; it is what the
      interval is for.

      """;

  private static final String HEADINGS =
      """
      | program | runs | at | measured | predicted | error | of allocated | interval | |
      | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
      """;

  /** A run that was measured. */
  private record Measured(String program, int value, long allocatedBytes, long reservedBytes) {}

  /**
   * A prediction beside the truth.
   *
   * @param runs number of the smallest runs that it was made from
   */
  private record Outcome(Measured truth, int runs, ProgramFit.Prediction prediction) {
    double reservedError() {
      return (double) prediction.result().peakReservedBytes() / truth.reservedBytes() - 1;
    }

    double allocatedError() {
      return (double) prediction.result().peakAllocatedBytes() / truth.allocatedBytes() - 1;
    }

    boolean isInside() {
      return prediction.lowReservedBytes() <= truth.reservedBytes()
          && truth.reservedBytes() <= prediction.highReservedBytes();
    }

    String row() {
      return String.format(
          Locale.ROOT,
          "| %s | %d | %d | %.0f | %.0f | %+.2f %% | %+.2f %% | %.0f to %.0f | %s |%n",
          truth.program(),
          runs,
          truth.value(),
          truth.reservedBytes() / MIB,
          prediction.result().peakReservedBytes() / MIB,
          100 * reservedError(),
          100 * allocatedError(),
          Math.floor(prediction.lowReservedBytes() / MIB),
          Math.ceil(prediction.highReservedBytes() / MIB),
          isInside() ? "" : "outside");
    }
  }

  /** {@code -Dgolden.regenerate=true} writes the page. */
  @Test
  void thePeakIsWithinTwoPercentInTheMedianAndTheIntervalHoldsNineteenOfTwenty() throws Exception {
    List<Outcome> known = predictAll(FOLDER);
    assertTrue(median(known) <= 0.02, () -> "median of " + known);
    assertHolds(known);
    List<Outcome> later = predictAll(FOLDER.resolve("later"));
    List<Outcome> ofThree = later.stream().filter(each -> each.runs() == 3).toList();
    assertTrue(median(ofThree) <= 0.02, () -> "median of " + ofThree);
    assertHolds(later);

    String page = page(known, later);
    Path file = FOLDER.resolveSibling("FIT.md");
    if (Boolean.getBoolean("golden.regenerate")) {
      Files.writeString(file, page);
    }
    assertEquals(Files.readString(file), page);
  }

  private static void assertHolds(List<Outcome> outcomes) {
    long inside = outcomes.stream().filter(Outcome::isInside).count();
    assertTrue(inside >= 0.95 * outcomes.size(), () -> inside + " of " + outcomes);
  }

  private static double median(List<Outcome> outcomes) {
    return new Median()
        .evaluate(outcomes.stream().mapToDouble(each -> Math.abs(each.reservedError())).toArray());
  }

  private static List<Outcome> predictAll(Path folder) throws Exception {
    List<Outcome> outcomes = new ArrayList<>();
    for (List<Measured> program : measured(folder).values()) {
      for (int runs = 2; runs <= 3; runs++) {
        predict(folder, program, runs, outcomes);
      }
    }
    return outcomes;
  }

  private static void predict(Path folder, List<Measured> program, int runs, List<Outcome> outcomes)
      throws Exception {
    List<SizeFit.Run> given = new ArrayList<>();
    for (Measured each : program.subList(0, runs)) {
      given.add(run(folder, each));
    }
    ProgramFit fit = new ProgramFit(SizeFit.of(given));
    Scenario ample = Scenario.of("", RECORDED, -1, DeviceProfiles.ofCapacity(AMPLE_BYTES));
    for (Measured each : program.subList(runs, program.size())) {
      outcomes.add(new Outcome(each, runs, fit.predict(each.value(), ample)));
    }
  }

  private static SizeFit.Run run(Path folder, Measured measured) throws Exception {
    Path file = folder.resolve(measured.program() + "-" + measured.value() + ".jsonl.xz");
    OpenedTrace opened =
        TraceSource.open(file.toString(), null, Progress.NONE).read(ReadingOptions.of(RECORDED));
    DeviceTrace trace = new DeviceTrace(opened, opened.device(null));
    return new SizeFit.Run(trace.trace(), trace.device(), measured.value());
  }

  private static String page(List<Outcome> known, List<Outcome> later) {
    StringBuilder page = new StringBuilder(INTRODUCTION);
    page.append("| from | predictions | median error | within 2 % | largest | interval holds |\n");
    page.append("| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (int runs = 2; runs <= 3; runs++) {
      int given = runs;
      String name = runs == 2 ? "two runs" : "three runs";
      page.append(summary(name, known.stream().filter(each -> each.runs() == given).toList()));
      page.append(
          summary(
              name + ", later programs",
              later.stream().filter(each -> each.runs() == given).toList()));
    }
    page.append(summary("all", Stream.concat(known.stream(), later.stream()).toList()));
    page.append("\nReserved memory in MiB:\n\n");
    page.append(HEADINGS);
    known.forEach(each -> page.append(each.row()));
    page.append("\nThe later programs:\n\n");
    page.append(HEADINGS);
    later.forEach(each -> page.append(each.row()));
    return page.toString();
  }

  private static String summary(String name, List<Outcome> outcomes) {
    double[] errors =
        outcomes.stream().mapToDouble(each -> Math.abs(each.reservedError())).toArray();
    double largest = 0;
    int near = 0;
    for (double error : errors) {
      largest = Math.max(largest, error);
      near += error <= 0.02 ? 1 : 0;
    }
    return String.format(
        Locale.ROOT,
        "| %s | %d | %.2f %% | %d | %.1f %% | %d |%n",
        name,
        outcomes.size(),
        100 * new Median().evaluate(errors),
        near,
        100 * largest,
        outcomes.stream().filter(Outcome::isInside).count());
  }

  /** The runs by program, in the order of their values. */
  private static SortedMap<String, List<Measured>> measured(Path folder) throws IOException {
    SortedMap<String, List<Measured>> programs = new TreeMap<>();
    List<String> lines = Files.readAllLines(folder.resolve("measured.csv"));
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      programs
          .computeIfAbsent(cells[0], _ -> new ArrayList<>())
          .add(
              new Measured(
                  cells[0],
                  Integer.parseInt(cells[1]),
                  Long.parseLong(cells[3]),
                  Long.parseLong(cells[4])));
    }
    return programs;
  }

  private static Path folder() {
    // Tests run in the folder of their module.
    Path folder = Path.of("../../validation/fit");
    return Files.isDirectory(folder) ? folder : Path.of("validation/fit");
  }
}
