package org.allocsim.analysis.suite.claim.allocator;

import static org.allocsim.analysis.suite.Requests.GIB;

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
import org.allocsim.analysis.suite.failure.SpeechTraining;
import org.allocsim.analysis.suite.failure.WeightConversion;
import org.allocsim.analysis.text.Numbers;

/** Which setting to try first. */
public final class SplitLimitFirst implements SuiteScenario {

  @Override
  public Topic topic() {
    return new Topic(
        "split-limit-first",
        Kind.CLAIM,
        "set max_split_size_mb first",
        "PyTorch's own hint until 2.1; pytorch/pytorch#113481; CUDA notes (a last " + "resort)",
        "Three programs of this suite under a split limit and under expandable "
            + "segments. Before: speech-training with max_split_size_mb:256; after: with "
            + "expandable segments. Also weight-conversion and rising-logits.");
  }

  @Override
  public List<Variant> variants() {
    Variant speech = Variant.of("speech", SpeechTraining.steps()).capacity(16 * GIB);
    Variant weights = Variant.of("weights", WeightConversion.load()).capacity(80 * GIB);
    Variant logits = Variant.of("logits", RisingLogits.ascending()).capacity(80 * GIB);
    return List.of(
        limited(speech, 256),
        expandable(speech),
        limited(weights, 20),
        expandable(weights),
        limited(logits, 256),
        expandable(logits));
  }

  @Override
  public Findings judge(Outcome before, Outcome after, Outcomes outcomes) {
    Findings.Builder findings =
        Findings.ofClaim().shows(shown(before), shown(after)).documented(Verdict.PARTLY_TRUE);
    for (String program : List.of("speech", "weights", "logits")) {
      Outcome limited = outcomes.of(program + ", split limit");
      Outcome expandable = outcomes.of(program + ", expandable segments");
      findings.tried(
          limited.passes() && limited.peakReservedBytes() < expandable.peakReservedBytes());
    }
    return findings
        .holds(
            "on speech-training the split limit triples the driver calls",
            before.memoryCalls() > 3 * after.memoryCalls())
        .conclude(
            "It depends on the program: weight-conversion reserves {} with a split limit and {}"
                + " with expandable segments, rising-logits {} and {}; speech-training passes"
                + " with both, with {} and {} driver calls.",
            outcomes.of("weights, split limit").peakReservedBytes(),
            outcomes.of("weights, expandable segments").peakReservedBytes(),
            outcomes.of("logits, split limit").peakReservedBytes(),
            outcomes.of("logits, expandable segments").peakReservedBytes(),
            Numbers.count(before.memoryCalls()),
            Numbers.count(after.memoryCalls()));
  }

  private static Variant limited(Variant variant, int mib) {
    return variant.under("max_split_size_mb:" + mib).named(variant.label() + ", split limit");
  }

  private static Variant expandable(Variant variant) {
    return variant
        .under("expandable_segments:True")
        .named(variant.label() + ", expandable segments");
  }

  private static String shown(Outcome outcome) {
    return Findings.reserved(outcome) + ", " + Numbers.count(outcome.memoryCalls(), "call");
  }
}
