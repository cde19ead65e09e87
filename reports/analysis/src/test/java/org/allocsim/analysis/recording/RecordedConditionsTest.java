package org.allocsim.analysis.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.allocsim.workloads.source.DeviceTrace;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.junit.jupiter.api.Test;

class RecordedConditionsTest {
  private static final Path SAMPLE = Path.of("..", "samples", "gpt_oom.pickle.xz");

  /** Twenty requests failed under a fraction of 0.05, which the file does not hold. */
  private static DeviceTrace sample() throws Exception {
    OpenedTrace opened =
        TraceSource.open(SAMPLE.toString(), null, (_, _) -> {})
            .read(ReadingOptions.of(PyTorchVersion.V2_11));
    return new DeviceTrace(opened, 0);
  }

  @Test
  void failuresShowTheLimitBetweenWhatWasGrantedAndWhatWasRefused() throws Exception {
    RecordedConditions shown = RecordedConditions.of(sample(), MemoryLimit.NONE, null);
    long trueBytes = (long) (0.05 * DeviceProfiles.defaultProfile().totalBytes());
    assertTrue(shown.limitBytes() >= trueBytes, shown.limitBytes() + " B");
    assertTrue(shown.limitBytes() < trueBytes * 1.01, shown.limitBytes() + " B");
    assertTrue(shown.minLimitBytes() <= trueBytes, shown.minLimitBytes() + " B");
    assertTrue(shown.minLimitBytes() > trueBytes * 0.99, shown.minLimitBytes() + " B");
    assertEquals(shown.limitBytes(), shown.maxBytes());
    assertEquals(shown.minLimitBytes(), shown.certainBytes());
    assertEquals(1, shown.evidence().size());
  }

  @Test
  void limitThatIsGivenReplacesTheOneThatIsShown() throws Exception {
    RecordedConditions given = RecordedConditions.of(sample(), 5L << 30, null);
    assertEquals(5L << 30, given.limitBytes());
    assertEquals(5L << 30, given.certainBytes());
    assertEquals(List.of(), given.evidence());
  }

  @Test
  void onAnotherGpuTheRecordedLimitDoesNotHold() throws Exception {
    DeviceProfile chosen = ShippedProfiles.named("t4");
    RecordedConditions other = RecordedConditions.of(sample(), MemoryLimit.NONE, chosen);
    assertEquals(MemoryLimit.NONE, other.limitBytes());
    assertEquals(chosen.capacityBytes(), other.maxBytes());
    assertTrue(other.isDeviceChosen());
  }

  @Test
  void requestsAloneShowNothing() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.allocate(1 << 20, 0, PoolId.DEFAULT);
    DeviceTrace input =
        new DeviceTrace(
            TraceSource.of("requests", trace.build(new StackTable.Builder().build())), 0);
    assertEquals(
        RecordedConditions.known(
            MemoryLimit.NONE, DeviceProfiles.defaultProfile(), false, List.of()),
        RecordedConditions.of(input, MemoryLimit.NONE, null));
  }
}
