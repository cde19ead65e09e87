package org.allocsim.analysis.suite.claim.program;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.simulator.trace.AllocationTrace;

/** Batches of other sizes. */
public final class SmallerBatchHelps implements SuiteScenario {
  private static final String RISING = "8 to 12";
  private static final String FALLING = "12 to 8";

  @Override
  public Topic topic() {
    return new Topic(
        "smaller-batch-helps",
        Kind.CLAIM,
        "a smaller batch always helps",
        "article 'How can PyTorch effectively manage GPU memory?'; article 'What causes "
            + "fluctuating GPU utilization and high memory consumption in PyTorch?'; "
            + "NVIDIA-NeMo/RL#2471; CUDA notes (N+1 after N)",
        "50 layers keep 6 x N and 24 x N MiB until the end of the step. Before: five batches of"
            + " N = 12; after: five of N = 6. Also: N = 8, 9, 10, 11, 12 in rising and in"
            + " falling order.");
  }

  @Override
  public List<Variant> variants() {
    Variant twelve = Variant.of("12", steps(12, 12, 12, 12, 12)).capacity(80 * GIB);
    return List.of(
        twelve,
        twelve.named("6").running(steps(6, 6, 6, 6, 6)),
        twelve.named(RISING).running(steps(8, 9, 10, 11, 12)),
        twelve.named(FALLING).running(steps(12, 11, 10, 9, 8)));
  }

  private static AllocationTrace steps(int... batches) {
    Requests program = new Requests();
    for (int batch : batches) {
      List<Integer> kept = new ArrayList<>();
      for (int layer = 0; layer < 50; layer++) {
        kept.add(program.allocate(6L * batch * MIB));
        kept.add(program.allocate(24L * batch * MIB));
      }
      program.freeAll(kept);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome twelve, Outcome six, Outcomes outcomes) {
    Outcome rising = outcomes.of(RISING);
    return Findings.ofClaim()
        .shows(Findings.reserved(twelve), Findings.reserved(six))
        .tried(six.peakReservedBytes() < twelve.peakReservedBytes())
        .tried(outcomes.of(FALLING).peakReservedBytes() <= twelve.peakReservedBytes())
        .tried(rising.peakReservedBytes() <= twelve.peakReservedBytes())
        .documented(Verdict.PARTLY_TRUE)
        .gib("live at the peak of N = 12", "17.58", twelve.peakAllocatedBytes())
        .gib("reserved by the rising order", "60.94", rising.peakReservedBytes())
        .gib("reserved by the falling order", "17.58", outcomes.of(FALLING).peakReservedBytes())
        .conclude(
            "Half the batch size reserves {} instead of {}. But four smaller batches before the"
                + " batch of 12 raise reserved memory to {}, because each batch needs sizes that"
                + " the previous one did not leave behind.",
            six.peakReservedBytes(),
            twelve.peakReservedBytes(),
            rising.peakReservedBytes());
  }
}
