package org.allocsim.reports.chart;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.allocsim.analysis.moment.ReservedParts;
import org.allocsim.reports.chart.comparison.BarData;
import org.allocsim.reports.chart.comparison.DistributionChart;
import org.allocsim.reports.chart.comparison.DriverTimeChart;
import org.allocsim.reports.chart.comparison.FrontierChart;
import org.allocsim.reports.chart.comparison.FrontierData;
import org.allocsim.reports.chart.comparison.Histogram;
import org.allocsim.reports.chart.comparison.PeakChart;
import org.allocsim.reports.chart.comparison.ThroughputChart;
import org.allocsim.reports.chart.memory.FragmentationChart;
import org.allocsim.reports.chart.memory.FragmentationData;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.reports.chart.memory.OverlayChart;
import org.allocsim.reports.chart.memory.OverlayData;
import org.allocsim.reports.chart.memory.PhaseData;
import org.allocsim.reports.chart.memory.SegmentMapChart;
import org.allocsim.reports.chart.memory.SegmentMapData;
import org.allocsim.reports.chart.memory.TimelineData;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.stats.FragmentationTimeline;
import org.allocsim.simulator.stats.FragmentationTimeline.Share;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.stats.MemoryTimeline.Series;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.jfree.chart.JFreeChart;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ComparisonChartsTest {
  private static final long MIB = 1L << 20;

  private static String svg(JFreeChart chart) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ChartFile.SVG.write(chart, 1200, 700, out);
    ChartFile.PNG.write(chart, 1200, 700, new ByteArrayOutputStream());
    return out.toString(UTF_8);
  }

  /** Random sizes that come and go, with one far greater peak. */
  private static MemoryTimeline timeline(long seed, int events, FragmentationTimeline[] also) {
    MemoryTimeline timeline = new MemoryTimeline(1 << 8);
    FragmentationTimeline fragmentation = new FragmentationTimeline(timeline);
    Random random = new Random(seed);
    for (int i = 0; i < events; i++) {
      timeline.at(1_000L * i);
      long bytes = i == events / 3 ? 1L << 34 : 1 + random.nextInt(1 << 20);
      timeline.segmentAllocated(0, bytes, 0, false);
      fragmentation.segmentAllocated(0, bytes, 0, false);
      timeline.blockAllocated(0, 0, bytes / 3, bytes / 2, 0, false);
      fragmentation.blockAllocated(0, 0, bytes / 3, bytes / 2, 0, false);
      timeline.freeRequested(0, 0, bytes / 3, bytes / 2, 0, false);
      timeline.freeCompleted(0, 0, bytes / 3, bytes / 2, 0, false);
      fragmentation.freeCompleted(0, 0, bytes / 3, bytes / 2, 0, false);
      timeline.segmentFreed(0, bytes, 0, false);
      fragmentation.segmentFreed(0, bytes, 0, false);
    }
    also[0] = fragmentation;
    return timeline;
  }

  private static double greatest(double[] values) {
    return Arrays.stream(values).max().orElse(0);
  }

  @ParameterizedTest
  @EnumSource(ChartTheme.class)
  void overlaidPoliciesKeepTheirPeaksHoweverManyEvents(ChartTheme theme) throws IOException {
    FragmentationTimeline[] also = new FragmentationTimeline[1];
    MemoryTimeline many = timeline(1, 300_000, also);
    MemoryTimeline few = timeline(2, 3, also);
    OverlayData data =
        OverlayData.of(
            List.of(new OverlayData.Policy("many", many)),
            List.of(new OverlayData.Policy("few", few)),
            100,
            false);
    assertEquals(many.peakBytes(Series.RESERVED), data.lines().get(0).peakBytes());
    assertEquals(many.peakBytes(Series.RESERVED), greatest(data.lines().get(0).reserved().y()));
    assertEquals(few.peakBytes(Series.RESERVED), greatest(data.background().get(0).reserved().y()));
    assertTrue(data.lines().get(0).reserved().count() < 2_000, "thinned out");
    assertEquals(299_999_000 / 1e9, data.end(), 1e-12);
    String svg = svg(OverlayChart.create("Title", "from a test", data, null, theme));
    assertTrue(svg.contains(">many: peak 16.00 GiB<") && svg.contains(">1 other run<"));
  }

  @Test
  void sharesOfFragmentationAreThoseOfTheTimelineAndKeepTheirPeaks() throws IOException {
    FragmentationTimeline[] also = new FragmentationTimeline[1];
    timeline(1, 100_000, also);
    FragmentationData data =
        new FragmentationData()
            .add("unused", also[0], Share.UNUSED)
            .add("rounding", also[0], Share.ROUNDING);
    FragmentationData.Line unused = data.lines().getFirst();
    assertEquals(100, greatest(unused.points().y()));
    assertEquals(
        100 * also[0].peak(Share.ROUNDING), greatest(data.lines().get(1).points().y()), 1e-9);
    assertTrue(unused.points().count() <= 5 * FragmentationTimeline.MAX_BUCKETS);
    assertTrue(svg(FragmentationChart.create("T", "t", data, ChartTheme.DARK)).contains("unused"));
  }

  @Test
  void aShareIsOfReservedMemory() {
    MemoryTimeline timeline = new MemoryTimeline();
    FragmentationTimeline shares = new FragmentationTimeline(timeline);
    timeline.at(5);
    timeline.segmentAllocated(0, 100, 0, false);
    timeline.blockAllocated(0, 0, 30, 40, 0, false);
    shares.blockAllocated(0, 0, 30, 40, 0, false);
    assertEquals(0.6, shares.peak(Share.UNUSED), 1e-12);
    assertEquals(0.1, shares.last(0, Share.ROUNDING), 1e-12);
    assertEquals(5, shares.startNanos(0));
  }

  @Test
  void barsAddUpAndLongOnesAreCutWithTheirFiguresKept() throws IOException {
    BarData data = new BarData("a", "b");
    for (int i = 0; i < 9; i++) {
      data.add("row", "", 1, 2);
    }
    data.add("far", "remark", 500, 100);
    assertEquals("row (2)", data.rows().get(1).label());
    assertEquals(15, data.cut());
    assertEquals(15, data.drawn(data.rows().get(9), 0));
    assertEquals(0, data.drawn(data.rows().get(9), 1));
    assertEquals(2, data.drawn(data.rows().get(0), 1));
    assertThrows(IllegalArgumentException.class, () -> data.add("x", "", 1));
    assertThrows(IllegalArgumentException.class, () -> data.add("x", "", -1, 0));
    BarData peaks = PeakChart.data();
    PeakChart.add(peaks, "one", "fails", new ReservedParts(3 * MIB, MIB, 0, 0, 0, 0, 0, 0));
    MemoryTimelineChart.Bound bound = new MemoryTimelineChart.Bound("limit", 4 * MIB);
    String svg = svg(PeakChart.create("T", "t", peaks, bound, ChartTheme.LIGHT));
    assertTrue(svg.contains("limit 4.00 MiB"), "the bound");
    assertTrue(svg.contains("4.00 MiB"), "the sum");
    assertTrue(svg.contains(">requested<") && svg.contains(">rounding<"));
  }

  @Test
  void driverTimeIsSplitByCall() throws IOException {
    BarData data = DriverTimeChart.data();
    DriverTimeChart.add(
        data, "p", Map.of(DriverCall.ALLOCATE, 2_000_000L, DriverCall.FREE, 1_000_000L), 500_000);
    assertEquals(3_500_000, data.rows().getFirst().sum());
    String svg = svg(DriverTimeChart.create("T", "t", data, ChartTheme.DARK));
    for (String text : List.of("cuMemAlloc", "cuMemFree", "waiting for the GPU", "2 ms")) {
      assertTrue(svg.contains(">" + text + "<"), text);
    }
    assertTrue(svg.contains("3.50 ms"));
  }

  @Test
  void nothingToCompareIsSaid() throws IOException {
    assertTrue(
        svg(ThroughputChart.create("T", "t", ThroughputChart.data(), ChartTheme.LIGHT))
            .contains("no policy was run"));
    assertTrue(
        svg(OverlayChart.create(
                "T", "t", OverlayData.of(List.of(), List.of(), 10, false), null, ChartTheme.LIGHT))
            .contains("no policy was run"));
    svg(ThroughputChart.create("T", "t", ThroughputChart.data().add("p", "", 0), ChartTheme.DARK));
  }

  private static MemoryLayout layout() {
    MemoryLayout.Builder builder = new MemoryLayout.Builder();
    long address = 1 << 30;
    builder.segment(address, 300 * MIB, 0, false, 0, false);
    builder.block(address, 200 * MIB, 199 * MIB, BlockState.ACTIVE_ALLOCATED, 0);
    builder.block(address + 200 * MIB, 60 * MIB, 0, BlockState.INACTIVE, -1);
    builder.block(address + 260 * MIB, 40 * MIB, MIB, BlockState.ACTIVE_PENDING_FREE, 1);
    address += 400 * MIB;
    for (int i = 0; i < 500; i++) {
      builder.segment(address, 2 * MIB, 0, true, 0, false);
      builder.block(address, 2 * MIB, 0, BlockState.INACTIVE, -1);
      address += 4 * MIB;
    }
    return builder.build();
  }

  @Test
  void aSegmentMapHoldsEveryByteOnceInItsRows() throws IOException {
    SegmentMapData data = SegmentMapData.byState(layout());
    long[] drawn = new long[data.categories().size()];
    for (SegmentMapData.Piece piece : data.blockPieces()) {
      assertTrue(piece.fromByte() + piece.bytes() <= data.rowBytes(), piece.toString());
      assertTrue(piece.row() < data.rowLabels().size());
      drawn[piece.category()] += piece.bytes();
    }
    for (int category = 0; category < drawn.length; category++) {
      assertEquals(data.bytes(category), drawn[category]);
    }
    assertEquals(200 * MIB, data.bytes(0));
    assertEquals(40 * MIB, data.bytes(data.categories().indexOf(SegmentMapData.AWAITING)));
    assertEquals(60 * MIB, data.bytes(data.categories().indexOf(SegmentMapData.STUCK)));
    assertEquals(1_000 * MIB, data.bytes(data.categories().indexOf(SegmentMapData.RELEASABLE)));
    assertEquals(500, data.blocks(data.categories().indexOf(SegmentMapData.RELEASABLE)));
    assertTrue(data.rowLabels().size() <= 80, "rows " + data.rowLabels().size());
    for (SegmentMapChart.Palette palette : SegmentMapChart.Palette.values()) {
      String svg = svg(SegmentMapChart.create("T", "t", data, palette, ChartTheme.DARK));
      assertTrue(svg.contains(">allocated: 200.00 MiB<"));
    }
  }

  @Test
  void anEmptyLayoutIsDrawn() throws IOException {
    SegmentMapData data = SegmentMapData.byState(new MemoryLayout.Builder().build());
    assertTrue(
        svg(SegmentMapChart.create("T", "t", data, SegmentMapChart.Palette.STATE, ChartTheme.LIGHT))
            .contains("nothing was reserved"));
  }

  private static AllocationTrace trace(long stepNanos) {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    builder.at(0, 0, 0);
    int first = builder.allocate(1_000, 0, PoolId.DEFAULT);
    builder.at(0, stepNanos, 0);
    builder.allocate(3_000, 0, PoolId.DEFAULT);
    builder.at(0, 3 * stepNanos, 0);
    builder.free(first);
    return builder.build(StackTable.empty());
  }

  @Test
  void distributionsCountEveryAllocationOnce() throws IOException {
    Histogram sizes = Histogram.ofSizes(trace(1_000_000), 0);
    assertEquals(List.of("512 B", "1 KiB", "2 KiB"), sizes.binLabels());
    assertEquals("[1, 0, 1]", Arrays.toString(sizes.counts()));
    assertEquals("[1000, 0, 3000]", Arrays.toString(sizes.bytes()));
    Histogram lives = Histogram.ofLifetimes(trace(1_000_000), 0);
    assertEquals(List.of("2 ms", Histogram.NEVER), lives.binLabels());
    assertEquals("[1, 1]", Arrays.toString(lives.counts()));
    assertEquals("[1000, 3000]", Arrays.toString(lives.bytes()));
    assertEquals("2", Histogram.ofLifetimes(trace(0), 0).binLabels().getFirst());
    assertTrue(svg(DistributionChart.create("T", "t", lives, ChartTheme.DARK)).contains("2 ms"));
  }

  @Test
  void aTraceWithoutAllocationsHasAnEmptyDistribution() throws IOException {
    AllocationTrace empty = new AllocationTrace.Builder().build(StackTable.empty());
    for (Histogram each : List.of(Histogram.ofSizes(empty, 0), Histogram.ofLifetimes(empty, 0))) {
      assertEquals(0, each.binLabels().size());
      assertTrue(
          svg(DistributionChart.create("T", "t", each, ChartTheme.LIGHT))
              .contains("no allocations"));
    }
  }

  @Test
  void theFrontierHasACellForEveryAnswer() throws IOException {
    FrontierData data =
        new FrontierData(
                List.of(
                    new FrontierData.Column("", 4 * MIB), new FrontierData.Column("t4", 15L << 30)))
            .add("small", List.of(true, true), 4 * MIB)
            .add("never", List.of(false, false), -1);
    String svg = svg(FrontierChart.create("T", "t", data, ChartTheme.DARK, FrontierChart.WIDTH));
    for (String text : List.of("4.00 MiB", "none", "small", "never", "out of memory (crossed)")) {
      assertTrue(svg.contains(">" + text + "<"), text);
    }
    assertThrows(IllegalArgumentException.class, () -> data.add("x", List.of(true), 1));
  }

  @Test
  void phasesTooNarrowToSeeAreJoined() {
    MemoryTimeline timeline = new MemoryTimeline();
    timeline.at(0);
    timeline.segmentAllocated(0, MIB, 0, false);
    timeline.at(1_000_000_000);
    timeline.segmentFreed(0, MIB, 0, false);
    MemoryTimelineChart.Phase[] phases = new MemoryTimelineChart.Phase[1_001];
    for (int i = 0; i < 1_000; i++) {
      phases[i] = new MemoryTimelineChart.Phase("step", i * 500_000L, i * 500_000L + 400_000, i, i);
    }
    phases[1_000] = new MemoryTimelineChart.Phase("end", 600_000_000, 2_000_000_000, 0, 0);
    PhaseData data = PhaseData.of(List.of(phases), TimelineData.of(timeline, 100));
    assertEquals(2, data.spans().size());
    assertEquals(1_000, data.spans().getFirst().count());
    assertEquals(new PhaseData.Span("end", 0.6, 1, 1), data.spans().getLast());
  }
}
