package org.allocsim.reports.chart.memory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.stream.LongStream;
import javax.imageio.ImageIO;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartTheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LeakTrendChartTest {
  private static final long MIB = 1L << 20;
  private static final int VERMILLION = 0xD55E00;
  private static final int WARM_UP = 0xF0F0F0;

  @ParameterizedTest
  @EnumSource(ChartFile.class)
  void theSameDataGiveTheSameBytes(ChartFile format) throws IOException {
    assertArrayEquals(draw(format, growing(30, 2)), draw(format, growing(30, 2)));
  }

  @Test
  void aPictureHasTheTrendAndTheWarmUp() throws IOException {
    BufferedImage image = image(growing(30, 2));
    assertEquals(2 * LeakTrendChart.WIDTH, image.getWidth());
    assertEquals(2 * LeakTrendChart.HEIGHT, image.getHeight());
    assertTrue(count(image, VERMILLION) > 3000, "trend " + count(image, VERMILLION));
    assertTrue(count(image, WARM_UP) > 50_000, "warm-up " + count(image, WARM_UP));
    assertTrue(count(image(growing(30, 0)), WARM_UP) < 1000);
  }

  @Test
  void theVectorFileNamesWhatItShows() throws IOException {
    String svg = new String(draw(ChartFile.SVG, growing(30, 2)), UTF_8);
    for (String text :
        new String[] {
          "A title",
          "from a test",
          "reserved at the end",
          "live at the peak",
          "minimum live",
          "trend",
          "97.5 % confidence interval of the slope; growth is certain if the whole interval is"
              + " above zero",
          "warm-up",
          "iteration",
        }) {
      assertTrue(svg.contains(">" + text + "<"), text);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 200, 5000})
  void fewAndManyIterationsFit(int count) throws IOException {
    assertTrue(draw(ChartFile.SVG, growing(count, 0)).length > 5000);
  }

  @Test
  void nothingAtAllIsDrawnFlat() throws IOException {
    long[] nothing = new long[6];
    assertTrue(
        draw(
                    ChartFile.PNG,
                    new LeakTrendChart.Data(nothing, nothing, nothing, 0, 0, 0, 0, 0.95, null))
                .length
            > 5000);
  }

  private static LeakTrendChart.Data growing(int count, int warmUp) {
    long[] floor = LongStream.range(0, count).map(i -> (100 + 3 * i + i % 4) * MIB).toArray();
    long[] peak = LongStream.of(floor).map(bytes -> bytes + 200 * MIB).toArray();
    long[] reserved = LongStream.of(floor).map(bytes -> bytes + 250 * MIB).toArray();
    return new LeakTrendChart.Data(
        floor, peak, reserved, warmUp, 3 * MIB, 2.5 * MIB, 3.5 * MIB, 0.975, null);
  }

  private static BufferedImage image(LeakTrendChart.Data data) throws IOException {
    return ImageIO.read(new ByteArrayInputStream(draw(ChartFile.PNG, data)));
  }

  private static byte[] draw(ChartFile format, LeakTrendChart.Data data) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    format.write(
        LeakTrendChart.create("A title", "from a test", data, ChartTheme.LIGHT),
        LeakTrendChart.WIDTH,
        LeakTrendChart.HEIGHT,
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
