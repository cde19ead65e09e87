package org.allocsim.analysis.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.source.TraceSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TuningTest {
  private static final long MIB = SyntheticPrograms.MIB;
  private static final long GIB = SyntheticPrograms.GIB;

  private static Tuning tune(AllocationTrace trace, TuningGrid grid, long capacityBytes)
      throws Exception {
    return Tuning.run(
        Program.open(
            TraceSource.of("program", trace).source(),
            Conditions.RECORDED
                .by(PyTorchVersion.V2_11)
                .on(DeviceProfiles.ofCapacity(capacityBytes))),
        grid,
        Platform.LINUX,
        (done, total) -> {});
  }

  private static Tuning tune(AllocationTrace trace, long capacityBytes) throws Exception {
    return tune(
        trace,
        TuningGrid.of("", PyTorchVersion.V2_11, Platform.LINUX, false, TuningGrid.Fineness.USUAL),
        capacityBytes);
  }

  private static int rank(Tuning tuning, String conf) {
    return tuning.ranked().stream().map(Tuning.Entry::conf).toList().indexOf(conf);
  }

  private static Tuning.Entry entry(Tuning tuning, String conf) {
    return tuning.ranked().get(rank(tuning, conf));
  }

  @Test
  void splitLimitsBelowTheConvertedWeightsRankAboveTheDefault() throws Exception {
    Tuning tuning = tune(SyntheticPrograms.weightConversion(36), 80 * GIB);
    for (int limit : new int[] {20, 32, 64, 128, 256, 512}) {
      String conf = "max_split_size_mb:" + limit;
      assertTrue(rank(tuning, conf) < rank(tuning, ""), conf);
      assertEquals(29_330 * MIB, entry(tuning, conf).result().peakReservedBytes(), conf);
    }
    assertEquals(38_160 * MIB, entry(tuning, "").result().peakReservedBytes());
    assertEquals(
        28_800 * MIB, entry(tuning, "").result().stats().get("allocated_bytes.all.current"));
  }

  @Test
  void aSplitLimitAboveEveryBlockIsTheSameAsTheDefault() throws Exception {
    TuningGrid grid =
        new TuningGrid(List.of("", "max_split_size_mb:512", "max_split_size_mb:600"), Map.of());
    Tuning tuning = tune(SyntheticPrograms.weightConversion(36), grid, 80 * GIB);
    assertTrue(entry(tuning, "max_split_size_mb:600").sameAsPlain());
    assertFalse(entry(tuning, "max_split_size_mb:512").sameAsPlain());
    assertEquals("max_split_size_mb:512", tuning.recommended().orElseThrow().conf());
  }

  @Test
  void theSettingThatServesEveryRequestIsRecommended() throws Exception {
    Tuning tuning = tune(SyntheticPrograms.weightConversion(36), 31 * GIB);
    RunResult plain = entry(tuning, "").result();
    assertFalse(plain.passes());
    assertEquals(530 * MIB, plain.firstFailure().orElseThrow().requestedBytes());
    // Three requests a layer; layer 30, counted from 1, fails.
    assertEquals(30, 1 + plain.firstFailure().orElseThrow().requestIndex() / 3);
    assertTrue(tuning.recommended().orElseThrow().result().passes());
    assertTrue(entry(tuning, "expandable_segments:True").result().passes());
    assertFalse(tuning.isHopeless());
    assertFalse(tuning.allFail());
  }

  @Test
  void noSettingHelpsWhereTheProgramHoldsMoreThanThereIs() throws Exception {
    Tuning tuning = tune(SyntheticPrograms.keeping(3 * GIB, 3 * GIB), 5 * GIB);
    assertTrue(tuning.isHopeless());
    assertTrue(tuning.allFail());
    assertEquals(6 * GIB, tuning.demand().peakRequestedBytes());
  }

  @Test
  void aProgramWithoutSlackKeepsItsSettings() throws Exception {
    Tuning tuning = tune(SyntheticPrograms.keeping(3 * GIB, 3 * GIB), 80 * GIB);
    assertTrue(tuning.recommended().isEmpty());
    assertEquals("", tuning.ranked().getFirst().conf());
  }

  @Test
  void twoSettingsThatHarmEachOtherAreShownAndNeverRecommended() throws Exception {
    Tuning tuning = tune(SyntheticPrograms.weightConversion(4), 80 * GIB);
    Tuning.Entry both = entry(tuning, "expandable_segments:True,max_split_size_mb:128");
    assertFalse(both.isSafe());
    assertEquals(LintFinding.Kind.DANGEROUS, both.findings().getFirst().kind());
  }

  @Test
  void theOrderIsTheSameEveryTime() throws Exception {
    AllocationTrace trace = SyntheticPrograms.weightConversion(8);
    List<String> first = tune(trace, 80 * GIB).ranked().stream().map(Tuning.Entry::conf).toList();
    List<String> second = tune(trace, 80 * GIB).ranked().stream().map(Tuning.Entry::conf).toList();
    assertEquals(first, second);
    assertEquals(first.size(), first.stream().distinct().count());
  }

  @Test
  void theGridHoldsWhatTheReleaseAndThePlatformOffer() {
    TuningGrid linux =
        TuningGrid.of("x", PyTorchVersion.V2_11, Platform.LINUX, true, TuningGrid.Fineness.USUAL);
    assertTrue(linux.confs().size() >= 40 && linux.confs().size() <= 80, "" + linux.confs().size());
    assertEquals("x", linux.confs().getFirst());
    assertTrue(linux.confs().contains("garbage_collection_threshold:0.8"));
    assertTrue(linux.skipped().isEmpty(), linux.skipped().toString());

    TuningGrid windows =
        TuningGrid.of("", PyTorchVersion.V2_8, Platform.WINDOWS, false, TuningGrid.Fineness.USUAL);
    assertTrue(windows.confs().stream().noneMatch(conf -> conf.contains("expandable")));
    assertTrue(windows.confs().stream().noneMatch(conf -> conf.contains("large_segment")));
    // Up to 2.8 the split limit must be more than 20 MiB.
    assertFalse(windows.confs().contains("max_split_size_mb:20"));
    assertTrue(
        windows.skipped().keySet().stream().anyMatch(reason -> reason.contains("Windows")),
        windows.skipped().toString());
  }

  @ParameterizedTest
  @EnumSource
  void noReleaseIsOfferedWhatItRefuses(PyTorchVersion version) throws Exception {
    for (Platform platform : Platform.values()) {
      for (TuningGrid.Fineness fineness : TuningGrid.Fineness.values()) {
        List<String> confs = TuningGrid.of("", version, platform, true, fineness).confs();
        assertTrue(confs.size() > 1, version::id);
        for (String conf : confs) {
          ConfigParser.parse(conf, version);
        }
      }
    }
  }

  @Test
  void aFineGridHoldsTheUsualOneAndMore() {
    TuningGrid usual =
        TuningGrid.of("", PyTorchVersion.V2_11, Platform.LINUX, false, TuningGrid.Fineness.USUAL);
    TuningGrid fine = fine(PyTorchVersion.V2_11, false);
    assertTrue(fine.confs().containsAll(usual.confs()));
    assertEquals(usual.confs(), fine.confs().subList(0, usual.confs().size()));
    assertTrue(fine.confs().size() >= 200 && fine.confs().size() < 500, "" + fine.confs().size());
    assertEquals(fine.confs().size(), fine.confs().stream().distinct().count());
    assertTrue(fine(PyTorchVersion.V2_11, true).confs().size() > fine.confs().size());
    assertTrue(fine(PyTorchVersion.V2_11, true).skipped().isEmpty());
    // Releases without large_segment_size have fewer settings.
    assertTrue(fine(PyTorchVersion.V2_8, false).confs().size() >= 100);
  }

  private static TuningGrid fine(PyTorchVersion version, boolean limited) {
    return TuningGrid.of("", version, Platform.LINUX, limited, TuningGrid.Fineness.FINE);
  }

  @Test
  void theUsualSettingsComeOutTheSameOnAFineGrid() throws Exception {
    AllocationTrace trace = SyntheticPrograms.weightConversion(8);
    Tuning usual = tune(trace, 80 * GIB);
    Tuning fine = tune(trace, fine(PyTorchVersion.V2_11, false), 80 * GIB);
    for (Tuning.Entry each : usual.ranked()) {
      assertEquals(each.result().stats(), entry(fine, each.conf()).result().stats(), each.conf());
    }
  }
}
