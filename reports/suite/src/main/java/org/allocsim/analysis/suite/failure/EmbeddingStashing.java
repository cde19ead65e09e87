package org.allocsim.analysis.suite.failure;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.moment.SlackSplit;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Moment;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;

/** Embedding tables that are moved to the host and back. */
public final class EmbeddingStashing implements SuiteScenario {
  private static final String PREALLOCATED = "77 GiB preallocated";
  private static final String THREE_PARTS = "three parts";
  private static final String RELEASED = "released";
  private static final long COPY_STREAM = 7;
  private static final int TABLES = 32;

  @Override
  public Topic topic() {
    return new Topic(
        "embedding-stashing",
        Kind.FAILURE,
        "stashing embeddings strands 16 GiB",
        "meta-pytorch/torchrec#4584 (totals and kinds of gaps published; program constructed)",
        "45 GiB stay; 32 tables of 0.5 GiB are stashed in host memory, and the pieces of the"
            + " freed 16 GiB are too small for the 32 activations of 1 GiB that follow. Before:"
            + " default; after: one empty_cache() after the stashing. Also: 77 GiB allocated and"
            + " freed at the start; and a program whose gap has all three kinds: hard (free"
            + " parts of segments in use), soft (wholly free segments) and free on another"
            + " stream.");
  }

  @Override
  public List<Variant> variants() {
    Variant plain = Variant.of("default", stash(false, false)).capacity(94 * GIB);
    return List.of(
        plain,
        plain.named("empty_cache").running(stash(true, false)),
        plain.named(PREALLOCATED).running(stash(false, true)),
        plain.named(THREE_PARTS).running(threeParts()));
  }

  private static AllocationTrace stash(boolean cleaned, boolean preallocated) {
    Requests program = new Requests();
    if (preallocated) {
      program.use(77 * GIB);
    }
    for (int i = 0; i < 45; i++) {
      program.allocate(GIB);
    }
    List<Integer> tables = new ArrayList<>();
    for (int i = 0; i < TABLES; i++) {
      tables.add(program.allocate(GIB / 2));
    }
    program.freeAll(tables);
    if (cleaned) {
      program.emptyCache();
    }
    for (int i = 0; i < 32; i++) {
      program.allocate(GIB);
    }
    return program.build();
  }

  /** Hard: 8 segments of 1 GiB in half use; soft: 6 GiB whole; another stream: 3 GiB whole. */
  private static AllocationTrace threeParts() {
    Requests program = new Requests();
    List<Integer> gone = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      gone.add(program.allocate(GIB));
    }
    program.freeAll(gone);
    for (int i = 0; i < 8; i++) {
      program.allocate(GIB / 2 + 32 * MIB);
    }
    List<Integer> soft = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      soft.add(program.allocate(GIB));
    }
    program.freeAll(soft);
    List<Integer> copies = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      copies.add(program.allocate(GIB, COPY_STREAM, PoolId.DEFAULT));
    }
    program.freeAll(copies);
    program.mark(THREE_PARTS);
    program.emptyCache();
    program.mark(RELEASED);
    return program.build();
  }

  @Override
  public Findings judge(Outcome plain, Outcome after, Outcomes outcomes) {
    Outcome parts = outcomes.of(THREE_PARTS);
    Moment before = parts.at(THREE_PARTS);
    SlackSplit split = before.slack();
    SlackSplit released = parts.at(RELEASED).slack();
    long hard = split.stuckBytes();
    long soft = split.releasableBytes();
    long stream = split.otherReleasableBytes() + split.otherStuckBytes();
    return Findings.ofFailure()
        .shows(Findings.reserved(plain), Findings.reserved(after))
        .gib("peak of live memory", "77.00", plain.peakAllocatedBytes())
        .gib("reserved by default", "93.00", plain.peakReservedBytes())
        .gib("reserved with one empty_cache()", "77.00", after.peakReservedBytes())
        .gib(
            "reserved with 77 GiB preallocated",
            "77.00",
            outcomes.of(PREALLOCATED).peakReservedBytes())
        .count("device synchronisations of empty_cache()", 1, after.stat("num_sync_all_streams"))
        .bytes("hard, soft and stream parts together", before.slackBytes(), hard + soft + stream)
        .bytes("hard part after empty_cache()", hard, released.totalBytes())
        .conclude(
            "The stranded {} is in wholly free segments of a size that nothing requests any"
                + " more, and one release cures that. Of a gap of all three kinds ({} hard, {}"
                + " soft, {} on another stream) only the hard part survives a release.",
            plain.end().slackBytes(),
            hard,
            soft,
            stream);
  }
}
