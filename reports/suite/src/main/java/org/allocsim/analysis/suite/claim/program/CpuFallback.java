package org.allocsim.analysis.suite.claim.program;

import static org.allocsim.analysis.suite.Requests.GIB;

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

/** What happens when the GPU is full. */
public final class CpuFallback implements SuiteScenario {
  private static final long GPU_BYTES = 24 * GIB;
  private static final long SHARED_BYTES = 32 * GIB;
  private static final int BLOCKS = 53;

  @Override
  public Topic topic() {
    return new Topic(
        "cpu-fallback",
        Kind.CLAIM,
        "a full GPU makes PyTorch compute on the CPU",
        "article 'Is PyTorch CUDA exceeding available GPU memory?'; CUDA semantics "
            + "notes of PyTorch; NVIDIA answer 5490 (system memory fallback); "
            + "graphdeco-inria/gaussian-splatting#558",
        "A program allocates 53 blocks of 1 GiB on a 24 GiB GPU. Before: on Linux; after: on"
            + " Windows, where the driver may place allocations in 32 GiB of system memory.");
  }

  @Override
  public List<Variant> variants() {
    Variant linux = Variant.of("Linux", blocks()).capacity(GPU_BYTES);
    return List.of(linux, linux.named("Windows").capacity(GPU_BYTES + SHARED_BYTES));
  }

  private static AllocationTrace blocks() {
    Requests program = new Requests();
    for (int i = 0; i < BLOCKS; i++) {
      program.allocate(GIB);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome linux, Outcome windows, Outcomes outcomes) {
    long spilled = windows.peakReservedBytes() - GPU_BYTES;
    // What were computed on the CPU would be missing from the allocator's memory.
    boolean leavesGpu = windows.peakAllocatedBytes() < BLOCKS * GIB;
    return Findings.ofClaim()
        .shows(Findings.reserved(linux), Findings.reserved(windows))
        .tried(linux.passes())
        .tried(leavesGpu)
        .documented(Verdict.WRONG)
        .count("requests served on Linux", GPU_BYTES / GIB, linux.result().requests() - 1)
        .bytes("in system memory on Windows", BLOCKS * GIB - GPU_BYTES, spilled)
        .conclude(
            "Request {} raises an error; nothing moves to the CPU. The Windows driver may hand"
                + " out system memory instead ({} here); the GPU still does the computing, but"
                + " slowly.",
            String.valueOf(linux.result().requests()),
            spilled);
  }
}
