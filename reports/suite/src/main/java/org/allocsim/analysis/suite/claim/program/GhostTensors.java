package org.allocsim.analysis.suite.claim.program;

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
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.profile.ShippedProfiles;

/** GPU memory of worker processes. */
public final class GhostTensors implements SuiteScenario {
  private static final DeviceProfile GPU = ShippedProfiles.named("h100-80gb");
  private static final int WORKERS = 4;

  @Override
  public Topic topic() {
    return new Topic(
        "ghost-tensors",
        Kind.CLAIM,
        "ghost tensors live in DataLoader workers",
        "article 'PyTorch Memory Management Overview'; rwth-i6/returnn#1469 (every "
            + "worker reserves on every GPU), pytorch/pytorch#28113 (it is the context)",
        "Four worker processes load batches on an H100. Before: they create CPU tensors; after:"
            + " each of them creates one 1 MiB CUDA tensor.");
  }

  @Override
  public List<Variant> variants() {
    Variant cpu = Variant.of("CPU tensors", worker(0)).on(GPU);
    return List.of(cpu, cpu.named("one CUDA tensor each").running(worker(MIB)));
  }

  private static AllocationTrace worker(long cudaBytes) {
    Requests program = new Requests();
    if (cudaBytes > 0) {
      program.allocate(cudaBytes);
    }
    program.mark("loading");
    return program.build();
  }

  @Override
  public Findings judge(Outcome before, Outcome after, Outcomes outcomes) {
    long without = WORKERS * processBytes(before);
    long with = WORKERS * processBytes(after);
    return Findings.ofClaim()
        .shows(without, with)
        .tried(without > 0)
        .tried(with > 0)
        .documented(Verdict.PARTLY_TRUE)
        .bytes("GPU memory of workers that never touch CUDA", 0, without)
        .bytes(
            "of workers that do: a context and a 2 MiB segment each",
            WORKERS * (GPU.totalBytes() - GPU.capacityBytes() + 2 * MIB),
            with)
        .conclude(
            "A worker is a separate process; without CUDA calls it uses no GPU memory. A worker"
                + " that creates a single CUDA tensor also holds a CUDA context until it exits,"
                + " {} for four of them.",
            with);
  }

  /** A process gets its context with its first CUDA call. */
  private static long processBytes(Outcome outcome) {
    return outcome.result().requests() == 0
        ? 0
        : GPU.totalBytes() - outcome.end().deviceFreeBytes();
  }
}
