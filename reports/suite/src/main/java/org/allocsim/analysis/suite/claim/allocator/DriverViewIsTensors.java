package org.allocsim.analysis.suite.claim.allocator;

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
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.profile.ShippedProfiles;

/** What nvidia-smi counts. */
public final class DriverViewIsTensors implements SuiteScenario {
  private static final DeviceProfile GPU = ShippedProfiles.named("h100-80gb");

  @Override
  public Topic topic() {
    return new Topic(
        "driver-view-is-tensors",
        Kind.CLAIM,
        "nvidia-smi shows what tensors use",
        "article 'Is PyTorch CUDA exceeding available GPU memory?'; article 'PyTorch "
            + "Memory Management Overview'; CUDA semantics notes; pytorch/pytorch#17120 (2 "
            + "MiB pages), pytorch/pytorch#37250",
        "On an H100. Before: a tensor of one byte; after: 6 GiB, then 4 GiB of them deleted.");
  }

  @Override
  public List<Variant> variants() {
    Variant tiny = Variant.of("one byte", tiny()).on(GPU);
    return List.of(tiny, tiny.named("deleted tensors").running(deleted()));
  }

  private static AllocationTrace tiny() {
    Requests program = new Requests();
    program.allocate(1);
    return program.build();
  }

  private static AllocationTrace deleted() {
    Requests program = new Requests();
    program.allocate(2 * GIB);
    program.use(4 * GIB);
    return program.build();
  }

  @Override
  public Findings judge(Outcome tiny, Outcome deleted, Outcomes outcomes) {
    long context = GPU.totalBytes() - GPU.capacityBytes();
    return Findings.ofClaim()
        .shows(shown(tiny), shown(deleted))
        .tried(driverView(tiny) == tiny.end().requestedBytes())
        .tried(driverView(deleted) == deleted.end().requestedBytes())
        .documented(Verdict.WRONG)
        .bytes(
            "driver's view of one byte: one 2 MiB page plus the context",
            2 * MIB + context,
            driverView(tiny))
        .bytes(
            "driver's view of 2 GiB after 4 GiB were deleted",
            6 * GIB + context,
            driverView(deleted))
        .bytes(
            "live, rounding, cached and context together",
            driverView(deleted),
            deleted.end().allocatedBytes() + deleted.end().slack().totalBytes() + context)
        .conclude(
            "The driver's figure includes the process's context ({}) and everything the"
                + " allocator caches: {} for one byte, {} for {} of tensors.",
            context,
            driverView(tiny),
            driverView(deleted),
            deleted.end().requestedBytes());
  }

  private static long driverView(Outcome outcome) {
    return GPU.totalBytes() - outcome.end().deviceFreeBytes();
  }

  private static String shown(Outcome outcome) {
    return ByteFormat.human(driverView(outcome))
        + " for "
        + ByteFormat.human(outcome.end().requestedBytes());
  }
}
