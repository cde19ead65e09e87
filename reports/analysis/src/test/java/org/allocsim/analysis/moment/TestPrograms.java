package org.allocsim.analysis.moment;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.analysis.SharedRecordings;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;

/** Programs to ask questions about. */
public final class TestPrograms {
  public static final long MIB = 1L << 20;
  public static final PyTorchVersion VERSION = PyTorchVersion.V2_11;

  private TestPrograms() {}

  /** A hand-made program on a simulated device on which so much is free. */
  public static ReplayInput modelled(
      AllocationTrace.Builder trace, StackTable stacks, String conf, long capacityBytes)
      throws Exception {
    return modelled(trace.build(stacks), conf, capacityBytes);
  }

  public static ReplayInput modelled(AllocationTrace trace, String conf, long capacityBytes)
      throws Exception {
    return new ReplayInput(
        trace,
        0,
        ConfigParser.parse(conf, VERSION).allocator(),
        VERSION,
        DeviceProfiles.ofCapacity(capacityBytes),
        -1,
        null);
  }

  /** A recorded program with recorded addresses. */
  public static ReplayInput recorded(Path file) throws Exception {
    Snapshot snapshot = SnapshotReader.read(file, (_, _) -> {});
    long deviceBytes = DeviceProfiles.defaultProfile().totalBytes();
    AllocatorConfig config = ConfigParser.parse(snapshot.settings().conf(), VERSION).allocator();
    DerivedRequests requests =
        RequestDerivation.derive(snapshot, new DerivationOptions(config, VERSION, -1, deviceBytes));
    return new ReplayInput(
        requests.trace(),
        0,
        config,
        VERSION,
        DeviceProfiles.defaultProfile(),
        -1,
        new ReplayInput.RecordedRun(
            snapshot.devices().getFirst().effects(),
            requests.starts().getFirst().layout(),
            requests.limitBytes(0)));
  }

  /** The same program under other settings, with modelled addresses. */
  public static ReplayInput under(ReplayInput input, String conf) throws Exception {
    return new ReplayInput(
        input.trace(),
        input.device(),
        ConfigParser.parse(conf, VERSION).allocator(),
        input.version(),
        input.profile(),
        input.limitBytes(),
        null);
  }

  public static Landmarks survey(ReplayInput input) {
    return MomentFinder.survey(input, (_, _) -> {});
  }

  public static MemoryMoment at(Landmarks landmarks, MomentQuery query) {
    ReplayInput input = landmarks.input();
    Origins origins = Origins.of(input.trace(), input.device());
    return MomentFinder.at(landmarks, query, origins, (_, _) -> {}).orElseThrow();
  }

  public static MemoryMoment at(Landmarks landmarks, MomentQuery.Kind kind) {
    return at(landmarks, MomentQuery.of(kind));
  }

  /** A recording that ships with the tests of the command line. */
  public static Path shipped(String name) {
    return Path.of("..", "src", "test", "resources", "recordings", name + ".pickle.xz");
  }

  /** A recording outside the repository; a test that needs an absent one is left out. */
  static Path shared(String name) {
    Path file = SharedRecordings.folder().resolve(name + ".pickle.xz");
    assumeTrue(Files.exists(file), "left out: no recording at " + file);
    return file;
  }
}
