package org.allocsim.simulator.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.message.OutOfMemoryMessage.Template;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;
import org.junit.jupiter.api.Test;

class RunSetupTest {
  private static final MemorySource GIVEN =
      new MemorySource.Given(new SimulatedDevice(DeviceProfiles.ofCapacity(1 << 30)));
  private static final RunPolicy PYTORCH =
      RunPolicy.pytorch(AllocatorConfig.DEFAULT, PyTorchVersion.V2_4);
  private static final long[] NANOS = {};

  /** A setup in which nothing is as it is by default. */
  private static final RunSetup SETUP =
      new RunSetup(
          new AllocationTrace.Builder().build(StackTable.empty()),
          3,
          PYTORCH,
          77,
          GIVEN,
          new RunSetup.Course(AfterOom.STOP, 12, 5, NANOS, 9));

  /** Names of what two setups differ in. */
  private static List<String> differences(RunSetup other) throws ReflectiveOperationException {
    List<String> names = new ArrayList<>(differences(SETUP.course(), other.course()));
    names.addAll(differences(SETUP, other));
    names.remove("course");
    return names;
  }

  private static List<String> differences(Record one, Record other)
      throws ReflectiveOperationException {
    List<String> names = new ArrayList<>();
    for (RecordComponent each : one.getClass().getRecordComponents()) {
      if (!Objects.equals(each.getAccessor().invoke(one), each.getAccessor().invoke(other))) {
        names.add(each.getName());
      }
    }
    return names;
  }

  @Test
  void aCopyDiffersInOneThingOnly() throws Exception {
    PolicyChoice direct = PolicyChoice.parse("direct");
    MemorySource simulated = new MemorySource.Simulated(DeviceProfiles.defaultProfile());
    Map<String, RunSetup> copies =
        Map.of(
            "policy", SETUP.with(direct),
            "memory", SETUP.with(simulated),
            "afterOom", SETUP.with(AfterOom.CONTINUE),
            "lastRow", SETUP.endingAfter(4),
            "passes", SETUP.repeated(2),
            "recordedDriverNanos", SETUP.atPaceBeside(new long[1]),
            "maxFailures", SETUP.keepingFailures(1));
    for (Map.Entry<String, RunSetup> copy : copies.entrySet()) {
      assertEquals(List.of(copy.getKey()), differences(copy.getValue()));
    }
    assertEquals(List.of("policy"), differences(SETUP.with(RunPolicy.of(direct))));
    assertEquals(RunPolicy.of(direct), SETUP.with(direct).policy());
    assertEquals(simulated, SETUP.with(simulated).memory());
    assertEquals(4, SETUP.endingAfter(4).course().lastRow());
    assertEquals(2, SETUP.repeated(2).course().passes());
    assertEquals(1, SETUP.keepingFailures(1).course().maxFailures());
  }

  @Test
  void aRunHasAClockWhereASimulatedDeviceServesAProgramOfKnownTimesOnce() {
    RunSetup plain =
        new RunSetup(
            SETUP.trace(), 0, PolicyChoice.parse("direct"), -1, DeviceProfiles.defaultProfile());
    assertFalse(plain.isInTime());
    assertTrue(plain.atPaceBeside(NANOS).isInTime());
    assertFalse(plain.atPaceBeside(NANOS).repeated(2).isInTime());
    assertFalse(plain.atPaceBeside(NANOS).with(GIVEN).isInTime());
    AllocationTrace.Builder worker = new AllocationTrace.Builder();
    worker.launch(new Work.Timed(1), 0);
    AllocationTrace work = worker.build(StackTable.empty());
    assertTrue(new RunSetup(work, 0, plain.policy(), -1, plain.memory()).isInTime());
  }

  @Test
  void aPolicySaysFromWhichSizeOnBlocksAreOversizeAndWhoseWordsItsFailuresHave() throws Exception {
    assertEquals(-1, PYTORCH.oversizeBytes());
    assertEquals(Optional.of(Template.V2_4), PYTORCH.wording());
    AllocatorConfig limited =
        ConfigParser.parse("max_split_size_mb:64", PyTorchVersion.DEFAULT).allocator();
    assertEquals(64 << 20, RunPolicy.pytorch(limited, PyTorchVersion.DEFAULT).oversizeBytes());
    RunPolicy chosen =
        RunPolicy.of(PolicyChoice.parse("pytorch(conf=max_split_size_mb:64;torch-version=2.3)"));
    assertEquals(64 << 20, chosen.oversizeBytes());
    assertEquals(Optional.of(Template.V2_2), chosen.wording());
    RunPolicy direct = RunPolicy.of(PolicyChoice.parse("direct"));
    assertEquals(-1, direct.oversizeBytes());
    assertEquals(Optional.empty(), direct.wording());
  }
}
