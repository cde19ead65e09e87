package org.allocsim.analysis.suite.claim.program;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.List;
import java.util.Map;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.Programs;

/** Losses in a list. */
public final class KeptLosses implements SuiteScenario {

  @Override
  public Topic topic() {
    return new Topic(
        "kept-losses",
        Kind.CLAIM,
        "losses.append(loss) leaks the graph",
        "article 'PyTorch Memory Management Overview'; PyTorch FAQ (history that is "
            + "accumulated)",
        "A network of 6 linear layers is trained; a list keeps the loss of each step. Before:"
            + " losses on which backward() was called; after: losses on which it never was. The"
            + " growth per step is the difference between 40 and 10 steps. Also: without a list.");
  }

  @Override
  public List<Variant> variants() {
    Variant loss = Variant.of("40 losses", train("loss", 40)).capacity(80 * GIB);
    return List.of(
        loss,
        loss.named("40 graphs").running(train("graph", 40)),
        loss.named("10 losses").running(train("loss", 10)),
        loss.named("10 graphs").running(train("graph", 10)),
        loss.named("40, nothing kept").running(train("none", 40)),
        loss.named("10, nothing kept").running(train("none", 10)));
  }

  private static AllocationTrace train(String keep, int iterations) {
    return Programs.generate(
        "mlp", Map.of("keep", keep, "iterations", String.valueOf(iterations)), 1);
  }

  @Override
  public Findings judge(Outcome before, Outcome after, Outcomes outcomes) {
    long ofLoss = growth(before, outcomes.of("10 losses"));
    long ofGraph = growth(after, outcomes.of("10 graphs"));
    long ofNothing = growth(outcomes.of("40, nothing kept"), outcomes.of("10, nothing kept"));
    return Findings.ofClaim()
        .shows(ByteFormat.human(ofLoss) + " a step", ByteFormat.human(ofGraph) + " a step")
        .tried(ofLoss > MIB)
        .tried(ofGraph > MIB)
        .documented(Verdict.PARTLY_TRUE)
        .bytes("growth per step with kept losses: one 512 B block", 512, ofLoss)
        .bytes("growth without a list", 0, ofNothing)
        .conclude(
            "backward() frees the saved activations, so a kept loss costs {} per step; without"
                + " backward() its graph keeps all of them alive, {} per step.",
            ofLoss,
            ofGraph);
  }

  private static long growth(Outcome many, Outcome few) {
    return (many.peakAllocatedBytes() - few.peakAllocatedBytes()) / 30;
  }
}
