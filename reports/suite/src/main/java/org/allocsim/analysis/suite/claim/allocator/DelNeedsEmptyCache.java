package org.allocsim.analysis.suite.claim.allocator;

import static org.allocsim.analysis.suite.Requests.GIB;

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
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.trace.AllocationTrace;

/** Whether freed memory has to be cleaned to be used again. */
public final class DelNeedsEmptyCache implements SuiteScenario {

  @Override
  public Topic topic() {
    return new Topic(
        "del-needs-empty-cache",
        Kind.CLAIM,
        "after del, empty_cache() is needed to reuse memory",
        "article 'Is PyTorch CUDA exceeding available GPU memory?'; article 'How can "
            + "PyTorch effectively manage GPU memory?'; article 'PyTorch Memory Management "
            + "Overview'; docs of torch.cuda.empty_cache",
        "A tensor of 4 GiB is deleted and another of 4 GiB created, ten times. Before: del only;"
            + " after: del and empty_cache() each time.");
  }

  @Override
  public List<Variant> variants() {
    Variant plain = Variant.of("del", tensors(false)).capacity(16 * GIB);
    return List.of(plain, plain.named("del and empty_cache").running(tensors(true)));
  }

  private static AllocationTrace tensors(boolean cleaned) {
    Requests program = new Requests();
    for (int i = 0; i < 10; i++) {
      program.use(4 * GIB);
      if (cleaned) {
        program.emptyCache();
      }
    }
    program.mark("deleted");
    return program.build();
  }

  @Override
  public Findings judge(Outcome plain, Outcome cleaned, Outcomes outcomes) {
    Moment deleted = plain.at("deleted");
    Moment emptied = cleaned.at("deleted");
    return Findings.ofClaim()
        .shows(
            Findings.reserved(plain) + ", " + Numbers.count(plain.memoryCalls(), "call"),
            Findings.reserved(cleaned) + ", " + Numbers.count(cleaned.memoryCalls(), "call"))
        .tried(plain.peakReservedBytes() > 4 * GIB)
        .documented(Verdict.WRONG)
        .count("cudaMalloc and cudaFree calls without cleaning", 1, plain.memoryCalls())
        .bytes("held from other processes after del", 4 * GIB, deleted.reservedBytes())
        .bytes("held after empty_cache()", 0, emptied.reservedBytes())
        .conclude(
            "All ten tensors use the same segment of {}. empty_cache() only makes it available"
                + " to other processes, and nvidia-smi shows less, at the price of {} driver"
                + " calls instead of {}.",
            plain.peakReservedBytes(),
            Numbers.count(cleaned.memoryCalls()),
            String.valueOf(plain.memoryCalls()));
  }
}
