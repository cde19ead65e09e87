package org.allocsim.analysis.suite.claim.allocator;

import static org.allocsim.analysis.suite.Requests.GIB;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.analysis.suite.failure.RisingLogits;
import org.allocsim.analysis.suite.failure.SplitLimitWithExpandableSegments;
import org.allocsim.analysis.suite.failure.WeightConversion;
import org.allocsim.simulator.stats.ByteFormat;

/** Programs with and without expandable segments. */
public final class ExpandableSegmentsAlwaysHelp implements SuiteScenario {

  @Override
  public Topic topic() {
    return new Topic(
        "expandable-segments-always-help",
        Kind.CLAIM,
        "expandable segments always help",
        "meta-pytorch/torchtune#1185 and other threads; pytorch/pytorch#193400; CUDA " + "notes",
        "Before: rising-logits by default; after: with expandable segments. Also "
            + "weight-conversion, and split-limit-with-expandable-segments, where a split "
            + "limit is set.");
  }

  @Override
  public List<Variant> variants() {
    Variant logits = Variant.of("logits", RisingLogits.ascending()).capacity(80 * GIB);
    Variant weights = Variant.of("weights", WeightConversion.load()).capacity(80 * GIB);
    Variant cycles =
        Variant.of("cycles", SplitLimitWithExpandableSegments.cycles(true)).capacity(16 * GIB);
    return List.of(
        logits,
        logits.under("expandable_segments:True").named("logits, expandable"),
        weights,
        weights.under("expandable_segments:True").named("weights, expandable"),
        cycles.under("max_split_size_mb:128").named("cycles"),
        cycles.under("max_split_size_mb:128,expandable_segments:True").named("cycles, expandable"));
  }

  @Override
  public Findings judge(Outcome before, Outcome after, Outcomes outcomes) {
    Findings.Builder findings =
        Findings.ofClaim()
            .shows(Findings.reserved(before), Findings.reserved(after))
            .documented(Verdict.PARTLY_TRUE);
    List<String> shown = new ArrayList<>();
    for (String program : List.of("logits", "weights", "cycles")) {
      long plain = outcomes.of(program).peakReservedBytes();
      long expandable = outcomes.of(program + ", expandable").peakReservedBytes();
      findings.tried(expandable < plain);
      shown.add(program + " " + ByteFormat.human(plain) + " to " + ByteFormat.human(expandable));
    }
    return findings.conclude(
        "Reserved memory without and with expandable segments: {}. They help when sizes grow, do"
            + " not help when the holes are smaller than the next requests, and do harm when"
            + " combined with a split limit.",
        String.join(", ", shown));
  }
}
