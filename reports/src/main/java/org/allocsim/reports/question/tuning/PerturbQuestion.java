package org.allocsim.reports.question.tuning;

import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.tuning.Fragility;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.job.PerturbJob;
import org.allocsim.reports.answer.tuning.PerturbAnswer;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.transform.Perturbation;

/**
 * Does a program still pass if its requests differ a little?
 *
 * @param policy the allocator; PyTorch's has the settings that hold
 * @param perturbation what differs
 * @param runs number of changed copies
 * @param seed seed of the first copy; the next ones count up
 */
public record PerturbQuestion(PolicyChoice policy, Perturbation perturbation, int runs, long seed)
    implements JobQuestion<PerturbAnswer> {
  private static final double NANOS_PER_SECOND = 1e9;

  @Override
  public PerturbAnswer ask(Asked asked) {
    String name = asked.trace().name();
    Program program = asked.trace().program();
    DeviceTrace input = program.input();
    RecordedConditions recordedConditions = program.recordedConditions();
    Scenario scenario =
        new Scenario(
            policy,
            program.config(),
            program.release(),
            recordedConditions.limitBytes(),
            recordedConditions.profile().withHistory(input.addresses()));
    scenario
        .obstacle(input.trace(), input.device())
        .ifPresent(sentence -> {
          throw new Failure(name + ": " + sentence);
        });
    asked.mayEndEarly();
    long startNanos = System.nanoTime();
    Fragility fragility;
    try (ProgressMeter progress = ProgressMeter.of("replaying", "copies")) {
      fragility =
          Fragility.run(
              input.trace(), input.device(), scenario, perturbation, seed, runs, progress::update);
    }
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    return new PerturbAnswer(
        name, input.sha256(), input.device(), perturbation, seed, fragility, seconds);
  }

  @Override
  public Document<PerturbAnswer> document(PerturbAnswer answer) {
    return answer.document();
  }

  @Override
  public JobView<PerturbAnswer, ?, ?> view(AskedJobs jobs) {
    return new PerturbJob().onAllCores();
  }
}
