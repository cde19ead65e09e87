package org.allocsim.analysis.suite.failure;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Moment;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;

/** A smaller buffer that leaves less free memory. */
public final class RefitCliff implements SuiteScenario {
  private static final String REFITTED = "refitted";

  /** The ratio's buffer is this much times the ratio: 40.59 − 38.65 GiB are 0.05 of it. */
  private static final double BUFFER_GIB = 38.8;

  private static final int TENSORS = 13;

  @Override
  public Topic topic() {
    return new Topic(
        "refit-cliff",
        Kind.FAILURE,
        "less live memory, yet a worse result",
        "NVIDIA-NeMo/RL#2471 (table published; constructed twin)",
        "Training leaves a cached segment of 17.86 GiB and 13 of 852 MiB on 48.65 GiB. Weights"
            + " are refitted through a buffer of ratio x 38.8 GiB, 13 tensors of 430 MiB stay,"
            + " then 5 GiB are requested. Before: ratio 0.45; after: ratio 0.5.");
  }

  @Override
  public List<Variant> variants() {
    Variant tuned = Variant.of("ratio 0.45", refit(0.45)).capacity(Requests.gib(48.65));
    return List.of(
        tuned,
        tuned.named("ratio 0.5").running(refit(0.5)),
        tuned.under("expandable_segments:True"));
  }

  private static AllocationTrace refit(double ratio) {
    Requests program = new Requests();
    List<Integer> old = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      old.add(program.allocate(700 * MIB));
    }
    program.freeAll(old);
    for (int i = 0; i < 4; i++) {
      program.allocate(370 * MIB);
    }
    program.allocate(Requests.gib(14.286));
    List<Integer> training = new ArrayList<>();
    training.add(program.allocate(Requests.gib(17.86)));
    for (int i = 0; i < TENSORS; i++) {
      training.add(program.allocate(852 * MIB));
    }
    program.freeAll(training);
    program.allocate(Requests.gib(BUFFER_GIB * ratio));
    for (int i = 0; i < TENSORS; i++) {
      program.allocate(430 * MIB);
    }
    program.mark(REFITTED);
    program.allocate(5 * GIB);
    return program.build();
  }

  @Override
  public Findings judge(Outcome small, Outcome large, Outcomes outcomes) {
    Moment smallRefit = small.at(REFITTED);
    Moment largeRefit = large.at(REFITTED);
    return Findings.ofFailure()
        .shows(shown(small), shown(large))
        .between(
            "ratio 0.5: allocated, published 40.59", 40.54, 40.64, gib(largeRefit.allocatedBytes()))
        .between("ratio 0.5: slack, published 1.29", 1.24, 1.34, gib(largeRefit.slackBytes()))
        .between("ratio 0.5: free, published 6.83", 6.73, 6.93, gib(largeRefit.deviceFreeBytes()))
        .between(
            "ratio 0.45: allocated, published 38.65", 38.6, 38.7, gib(smallRefit.allocatedBytes()))
        .between("ratio 0.45: slack, published 7.04", 6.99, 7.09, gib(smallRefit.slackBytes()))
        .between("ratio 0.45: free, published 2.91", 2.81, 3.01, gib(smallRefit.deviceFreeBytes()))
        .holds("5 GiB are served after ratio 0.5", large.passes())
        .holds("5 GiB fail after ratio 0.45", !small.passes())
        .conclude(
            "The larger buffer fits no cached segment, so the allocator releases all of them and"
                + " starts over; the smaller one fits, nothing is released, and the next tensors"
                + " end up in segments of twice their size: {} stuck instead of {}. Expandable"
                + " segments {} the same request.",
            smallRefit.slackBytes(),
            largeRefit.slackBytes(),
            outcomes.of("expandable_segments:True").passes() ? "serve" : "fail");
  }

  private static double gib(long bytes) {
    return (double) bytes / GIB;
  }

  private static String shown(Outcome outcome) {
    return ByteFormat.human(outcome.at(REFITTED).slackBytes())
        + " slack, "
        + (outcome.passes() ? "passes" : "OOM");
  }
}
