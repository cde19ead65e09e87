package org.allocsim.reports.chart.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import javax.imageio.ImageIO;
import org.allocsim.reports.chart.ByteAxis;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.MemoryTimelineChart.Bound;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class MemoryTimelineChartTest {
  private static final long MIB = 1L << 20;
  private static final int VERMILLION = 0xD55E00;
  private static final int BLUE = 0x0072B2;

  @ParameterizedTest
  @EnumSource(ChartFile.class)
  void theSameTimelineGivesTheSameBytes(ChartFile format) throws IOException {
    assertArrayEquals(
        draw(format, timeline(), new Bound("limit", 100 * MIB)),
        draw(format, timeline(), new Bound("limit", 100 * MIB)));
  }

  @Test
  void theFormatFollowsTheExtension() {
    assertEquals(Optional.of(ChartFile.PNG), ChartFile.ofName("a/b.c.PNG"));
    assertEquals(Optional.of(ChartFile.SVG), ChartFile.ofName("x.svg"));
    assertEquals(Optional.of(ChartFile.PDF), ChartFile.ofName("x.pdf"));
    assertEquals(Optional.empty(), ChartFile.ofName("x.jpg"));
    assertEquals(Optional.empty(), ChartFile.ofName("svg"));
  }

  @Test
  void aPictureHasTheLayersAndTheFailure() throws IOException {
    BufferedImage image =
        ImageIO.read(new ByteArrayInputStream(draw(ChartFile.PNG, timeline(), null)));
    assertEquals(2 * MemoryTimelineChart.WIDTH, image.getWidth());
    assertEquals(2 * MemoryTimelineChart.HEIGHT, image.getHeight());
    // 80 of 100 MiB are allocated most of the time; one cross and its legend are vermillion.
    assertTrue(count(image, BLUE) > 500_000, "blue " + count(image, BLUE));
    assertTrue(count(image, VERMILLION) > 50, "vermillion " + count(image, VERMILLION));
  }

  @Test
  void theVectorFileNamesWhatItShows() throws IOException {
    String svg = new String(draw(ChartFile.SVG, timeline(), new Bound("limit", 120 * MIB)), UTF_8);
    for (String text :
        new String[] {
          "A title",
          "what was replayed",
          "time since the first event [s]",
          "memory",
          "reserved from the device",
          "allocated, rounded",
          "requested",
          "out of memory (1 time): allocated plus requested",
          "limit 120.00 MiB",
          "32 MiB"
        }) {
      assertTrue(svg.contains(">" + text + "<"), text);
    }
    assertTrue(svg.startsWith("<?xml"), "it is a whole document");
    assertFalse(svg.contains("waiting to be freed"), "nothing waits to be freed here");
  }

  @Test
  void theLegendNamesOnlyWhatCanBeSeen() throws IOException {
    assertFalse(
        legend(1, MIB).contains("active: allocated or waiting to be freed"), "for a moment");
    assertFalse(
        legend(3_000_000_000L, 1).contains("active: allocated or waiting to be freed"), "a byte");
    assertTrue(
        legend(3_000_000_000L, 9 * MIB).contains("active: allocated or waiting to be" + " freed"));
    assertTrue(legend(3_000_000_000L, 9 * MIB).contains(">requested<"));
  }

  /** The chart of memory of which some awaits its free for a time. */
  private static String legend(long nanos, long bytes) throws IOException {
    MemoryTimeline timeline = timeline();
    timeline.blockAllocated(1, 0, bytes, bytes, 0, false);
    timeline.freeRequested(1, 0, bytes, bytes, 0, false);
    timeline.at(10_000_000_000L + nanos);
    timeline.freeCompleted(1, 0, bytes, bytes, 0, false);
    timeline.at(20_000_000_000L);
    timeline.segmentAllocated(0, MIB, 0, false);
    return new String(draw(ChartFile.SVG, timeline, null), UTF_8);
  }

  @Test
  void aFailedRequestIsMarkedAtWhatItWouldHaveTaken() {
    TimelineData data = TimelineData.of(timeline(), 1000);
    assertArrayEquals(new double[] {120 * MIB}, data.asked().y());
    assertArrayEquals(new double[] {100 * MIB}, data.failures().y());
  }

  @Test
  void aBoundFarAboveAllMemoryIsReported() throws IOException {
    String svg =
        new String(draw(ChartFile.SVG, timeline(), new Bound("device memory", 80L << 30)), UTF_8);
    assertTrue(svg.contains("device memory of 80.00 GiB is far above"), "in the subtitle");
    assertFalse(svg.contains(">device memory 80.00 GiB<"), "not as a line");
  }

  @ParameterizedTest
  @EnumSource(ChartFile.class)
  void degenerateTimelinesAreDrawn(ChartFile format) throws IOException {
    MemoryTimeline oneEvent = new MemoryTimeline();
    oneEvent.at(1);
    oneEvent.segmentAllocated(0, 2 * MIB, 0, false);
    MemoryTimeline noMemory = new MemoryTimeline();
    noMemory.at(1);
    noMemory.outOfMemory(new OutOfMemory(0, 1, 512, 2 * MIB, 0, 0, 0, 0, 0));
    MemoryTimeline huge = new MemoryTimeline();
    huge.at(1);
    huge.segmentAllocated(0, Long.MAX_VALUE, 0, false);
    for (MemoryTimeline each :
        new MemoryTimeline[] {new MemoryTimeline(), oneEvent, noMemory, huge}) {
      assertTrue(draw(format, each, null).length > 1_000);
      assertTrue(draw(format, each, new Bound("limit", 1)).length > 1_000);
    }
  }

  @Test
  void nothingAtAllIsSaid() throws IOException {
    String svg = new String(draw(ChartFile.SVG, new MemoryTimeline(), null), UTF_8);
    assertTrue(svg.contains("no memory was used"));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1 B",
    "512, 512 B",
    "1024, 1 KiB",
    "1610612736, 1.5 GiB",
    "1342177280, 1.25 GiB",
    "1099511627776, 1 TiB",
  })
  void ticksAreLabelledInBinaryUnits(double bytes, String label) {
    assertEquals(label, ByteAxis.label(bytes));
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "10, 1", "11, 2", "1024, 128", "4600000000, 536870912"})
  void ticksArePowersOfTwoAndFew(double topBytes, double tickBytes) {
    assertEquals(tickBytes, ByteAxis.tickBytes(topBytes));
  }

  /** 100 MiB reserved, 80 MiB in use from the first to the last second, one failure. */
  private static MemoryTimeline timeline() {
    MemoryTimeline timeline = new MemoryTimeline();
    timeline.at(0);
    timeline.segmentAllocated(0, 100 * MIB, 0, false);
    timeline.blockAllocated(0, 0, 79 * MIB, 80 * MIB, 0, false);
    timeline.at(5_000_000_000L);
    timeline.outOfMemory(new OutOfMemory(1, 40 * MIB, 40 * MIB, 40 * MIB, 0, -1, 0, 0, -1));
    timeline.at(10_000_000_000L);
    timeline.freeRequested(0, 0, 79 * MIB, 80 * MIB, 0, false);
    timeline.freeCompleted(0, 0, 79 * MIB, 80 * MIB, 0, false);
    return timeline;
  }

  private static byte[] draw(ChartFile format, MemoryTimeline timeline, Bound bound)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    format.write(
        MemoryTimelineChart.create(
            "A title",
            "what was replayed",
            timeline,
            new MemoryTimelineChart.Context(bound, -1, List.of(), false),
            ChartTheme.LIGHT),
        MemoryTimelineChart.WIDTH,
        MemoryTimelineChart.HEIGHT,
        out);
    return out.toByteArray();
  }

  private static int count(BufferedImage image, int colour) {
    int count = 0;
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        count += (image.getRGB(x, y) & 0xFFFFFF) == colour ? 1 : 0;
      }
    }
    return count;
  }
}
