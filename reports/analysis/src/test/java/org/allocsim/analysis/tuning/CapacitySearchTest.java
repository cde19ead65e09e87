package org.allocsim.analysis.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.Test;

class CapacitySearchTest {
  private static final long MIB = SyntheticPrograms.MIB;
  private static final long GIB = SyntheticPrograms.GIB;
  private static final long STEP = CapacitySearch.STEP_BYTES;

  private static Scenario scenario(String conf, long limitBytes, DeviceProfile profile) {
    return Scenario.of(conf, PyTorchVersion.V2_11, limitBytes, profile);
  }

  private static List<CapacitySearch.Result> search(AllocationTrace trace, String... confs) {
    List<Function<DeviceProfile, Scenario>> settings = new ArrayList<>();
    for (String conf : confs) {
      settings.add(profile -> scenario(conf, -1, profile));
    }
    return CapacitySearch.run(trace, 0, settings, (done, total) -> {});
  }

  private static boolean passes(AllocationTrace trace, String conf, long capacityBytes) {
    Scenario scenario = scenario(conf, -1, DeviceProfiles.ofCapacity(capacityBytes));
    return Run.of(scenario.setup(trace, 0, AfterOom.STOP)).passes();
  }

  @Test
  void aProgramWithoutFragmentationNeedsWhatItHolds() {
    AllocationTrace trace = SyntheticPrograms.keeping(3 * GIB, 20 * MIB, 500);
    CapacitySearch.Result result = search(trace, "").getFirst();
    assertEquals(3 * GIB + 22 * MIB, result.capacityBytes());
    assertEquals(3 * GIB + 20 * MIB + 500, result.demand().peakRequestedBytes());
    assertEquals(3 * GIB + 20 * MIB + 512, result.demand().peakBlockBytes());
    assertEquals("rtx-3080-10gb", result.smallestGpu().orElseThrow().profile().name());
  }

  @Test
  void aBlockThatIsCarvedUpCostsRoom() {
    AllocationTrace trace = SyntheticPrograms.carvedUp();
    List<CapacitySearch.Result> results =
        search(trace, "", "max_split_size_mb:200", "expandable_segments:True");
    assertEquals(16 * GIB, results.get(0).capacityBytes());
    assertEquals(11 * GIB, results.get(1).capacityBytes());
    assertEquals(11 * GIB + 16 * MIB, results.get(2).capacityBytes());
    assertEquals("l4", results.get(0).smallestGpu().orElseThrow().profile().name());
    assertEquals("rtx-3060-12gb", results.get(1).smallestGpu().orElseThrow().profile().name());
  }

  @Test
  void theProgramPassesAtTheAnswerAndFailsAStepBelow() {
    AllocationTrace trace = SyntheticPrograms.weightConversion(36);
    for (String conf : List.of("", "expandable_segments:True", "max_split_size_mb:128")) {
      CapacitySearch.Result result = search(trace, conf).getFirst();
      assertTrue(passes(trace, conf, result.capacityBytes()), conf);
      for (int steps = 1; steps <= CapacitySearch.NEIGHBOURS; steps++) {
        assertFalse(passes(trace, conf, result.capacityBytes() - steps * STEP), conf);
      }
      assertTrue(result.capacityBytes() >= result.demand().peakRequestedBytes(), conf);
    }
  }

  /**
   * Each of them reserves addresses for nine eighths of the device, which an ample one may not
   * exhaust.
   */
  @Test
  void aProgramWithManyExpandableSegmentsHasASmallestDevice() {
    CapacitySearch.Result result =
        search(SyntheticPrograms.onStreams(32), "expandable_segments:True").getFirst();
    assertTrue(result.ample().passes());
    assertTrue(result.capacityBytes() >= 32 * 22 * MIB, () -> "" + result.capacityBytes());
    assertTrue(result.capacityBytes() <= 32 * 24 * MIB, () -> "" + result.capacityBytes());
  }

  @Test
  void theSizesOfGpusIncludeTheContext() {
    DeviceProfile gpu = ShippedProfiles.named("t4");
    AllocationTrace trace = SyntheticPrograms.keeping(gpu.totalBytes() - 100 * MIB);
    CapacitySearch.Result result = search(trace, "").getFirst();
    assertTrue(result.capacityBytes() < gpu.totalBytes());
    assertFalse(
        result.gpus().stream()
            .filter(each -> each.profile().name().equals("t4"))
            .findFirst()
            .orElseThrow()
            .fits());
  }

  @Test
  void aLimitThatIsTooSmallFailsOnEveryDevice() {
    List<CapacitySearch.Result> results =
        CapacitySearch.run(
            SyntheticPrograms.keeping(3 * GIB),
            0,
            List.of(profile -> scenario("", GIB, profile)),
            (done, total) -> {});
    assertEquals(-1, results.getFirst().capacityBytes());
    assertTrue(results.getFirst().smallestGpu().isEmpty());
  }

  @Test
  void aLimitThatGrowsWithTheDeviceNeedsALargerOne() {
    List<CapacitySearch.Result> results =
        CapacitySearch.run(
            SyntheticPrograms.keeping(3 * GIB),
            0,
            List.of(profile -> scenario("", profile.totalBytes() / 2, profile)),
            (done, total) -> {});
    assertEquals(6 * GIB, results.getFirst().capacityBytes());
  }
}
