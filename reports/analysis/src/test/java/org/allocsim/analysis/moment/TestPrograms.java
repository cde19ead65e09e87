package org.allocsim.analysis.moment;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.analysis.SharedRecordings;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.TraceSource;

/** Programs to ask questions about. */
public final class TestPrograms {
  public static final long MIB = 1L << 20;
  public static final PyTorchVersion VERSION = PyTorchVersion.V2_11;

  private TestPrograms() {}

  /** A hand-made program on a simulated device on which so much is free. */
  public static Program modelled(
      AllocationTrace.Builder trace, StackTable stacks, String conf, long capacityBytes)
      throws Exception {
    return modelled(trace.build(stacks), conf, capacityBytes);
  }

  public static Program modelled(AllocationTrace trace, String conf, long capacityBytes)
      throws Exception {
    return Program.open(
        TraceSource.of("program", trace).source(),
        Conditions.RECORDED
            .by(VERSION)
            .under(conf)
            .on(DeviceProfiles.ofCapacity(capacityBytes))
            .ofDevice(trace.eventCount() == 0 ? null : 0));
  }

  /** A recorded program with recorded addresses. */
  public static Program recorded(Path file) throws Exception {
    return Program.open(
        TraceSource.open(file.toString(), null, (_, _) -> {}),
        Conditions.RECORDED.by(VERSION).ofDevice(0));
  }

  /** The same program under other settings. */
  public static Program under(Program program, String conf) throws Exception {
    return program.under(program.conditions().under(conf));
  }

  public static Landmarks survey(Program input) {
    return MomentFinder.survey(input, (_, _) -> {});
  }

  public static MemoryMoment at(Landmarks landmarks, MomentQuery query) {
    DeviceTrace input = landmarks.program().input();
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
