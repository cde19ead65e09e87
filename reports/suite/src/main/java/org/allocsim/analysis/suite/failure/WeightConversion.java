package org.allocsim.analysis.suite.failure;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.trace.AllocationTrace;

/** A model whose weights are converted while it is loaded. */
public final class WeightConversion implements SuiteScenario {
  private static final int LAYERS = 36;
  private static final String SMALL_GPU = "31 GiB GPU";
  private static final String SMALL_EXPANDABLE = "31 GiB GPU, expandable segments";
  private static final List<Integer> HELPFUL_MIB = List.of(20, 128, 512);

  @Override
  public Topic topic() {
    return new Topic(
        "weight-conversion",
        Kind.FAILURE,
        "weights converted while loading leave holes",
        "vllm-project/vllm#41268 (GPT-OSS-120B on two H100; sizes published, order re-created)",
        "For each of 36 layers: a temporary of 530 MiB, a weight of 530 MiB, the temporary is"
            + " freed, a weight of 270 MiB stays. Before: default settings; after:"
            + " max_split_size_mb:20.");
  }

  @Override
  public List<Variant> variants() {
    Variant load = Variant.of("default", load()).capacity(80 * GIB);
    Variant small = load.capacity(31 * GIB);
    return List.of(
        load,
        load.under("max_split_size_mb:20"),
        load.under("max_split_size_mb:128"),
        load.under("max_split_size_mb:512"),
        load.under("max_split_size_mb:600"),
        load.under("expandable_segments:True"),
        small.named(SMALL_GPU),
        small.under("expandable_segments:True").named(SMALL_EXPANDABLE));
  }

  public static AllocationTrace load() {
    Requests program = new Requests();
    for (int layer = 0; layer < LAYERS; layer++) {
      program.mark("layer " + (layer + 1));
      int temporary = program.allocate(530 * MIB);
      program.allocate(530 * MIB);
      program.free(temporary);
      program.allocate(270 * MIB);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome plain, Outcome after, Outcomes outcomes) {
    Outcome small = outcomes.of(SMALL_GPU);
    Outcome expandable = outcomes.of(SMALL_EXPANDABLE);
    Findings.Builder findings =
        Findings.ofFailure()
            .shows(Findings.reserved(plain), Findings.reserved(after))
            .gib("live at the end", "28.13", plain.end().allocatedBytes())
            .gib("reserved, default", "37.27", plain.peakReservedBytes())
            .gib(
                "reserved, max_split_size_mb:600",
                "37.27",
                outcomes.of("max_split_size_mb:600").peakReservedBytes())
            .holds("a 31 GiB GPU runs out of memory", !small.passes())
            .holds("it fails in layer 30", small.reached("layer 30") && !small.reached("layer 31"))
            .holds("with expandable segments it passes", expandable.passes())
            .count("their retries", 1, expandable.stat("num_alloc_retries"))
            .count(
                "pages unmapped by expandable segments", 348, expandable.calls(DriverCall.UNMAP));
    for (int limit : HELPFUL_MIB) {
      String conf = "max_split_size_mb:" + limit;
      findings.gib("reserved, " + conf, "28.64", outcomes.of(conf).peakReservedBytes());
    }
    return findings.conclude(
        "Each weight of 270 MiB is placed in a cached segment of 530 MiB, and no other weight"
            + " fits the rest: {} is reserved for {}. A split limit below 530 MiB keeps those"
            + " segments whole for the next temporary ({}), a limit of 600 MiB changes nothing.",
        plain.peakReservedBytes(),
        plain.end().allocatedBytes(),
        after.peakReservedBytes());
  }
}
