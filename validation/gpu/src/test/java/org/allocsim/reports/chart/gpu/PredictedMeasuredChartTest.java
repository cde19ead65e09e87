package org.allocsim.reports.chart.gpu;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import javax.imageio.ImageIO;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.QuantityScale;
import org.allocsim.reports.chart.QuantityScale.Unit;
import org.jfree.chart.axis.LogAxis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PredictedMeasuredChartTest {
  private static PredictedMeasuredData data(double... pairs) {
    PredictedMeasuredData data = new PredictedMeasuredData();
    for (int i = 0; i < pairs.length; i += 2) {
      data.add(i % 4 == 0 ? "first" : "second", pairs[i], pairs[i + 1]);
    }
    return data;
  }

  private static byte[] draw(
      ChartFile format, PredictedMeasuredData data, Unit unit, ChartTheme theme)
      throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    format.write(
        PredictedMeasuredChart.create("A title", "from a test", "effort", data, unit, theme),
        PredictedMeasuredChart.WIDTH,
        PredictedMeasuredChart.HEIGHT,
        out);
    return out.toByteArray();
  }

  private static String svg(PredictedMeasuredData data, Unit unit) throws IOException {
    return new String(draw(ChartFile.SVG, data, unit, ChartTheme.LIGHT), UTF_8);
  }

  @ParameterizedTest
  @EnumSource(ChartTheme.class)
  void aPictureHasThePaperAndTheColoursOfItsTheme(ChartTheme theme) throws IOException {
    byte[] bytes = draw(ChartFile.PNG, data(1e3, 2e3, 1e6, 1e6), Unit.NANOS, theme);
    assertArrayEquals(bytes, draw(ChartFile.PNG, data(1e3, 2e3, 1e6, 1e6), Unit.NANOS, theme));
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(bytes));
    assertTrue(count(image, theme.paper()) > 2_000_000);
    assertTrue(count(image, theme.series(0)) > 100);
    assertTrue(count(image, theme.series(1)) > 100);
  }

  private static int count(BufferedImage image, Color colour) {
    int count = 0;
    for (int y = 0; y < image.getHeight(); y++) {
      for (int x = 0; x < image.getWidth(); x++) {
        count += (image.getRGB(x, y) & 0xFFFFFF) == (colour.getRGB() & 0xFFFFFF) ? 1 : 0;
      }
    }
    return count;
  }

  @Test
  void valuesFarApartGetLogarithmicAxesAndLinesOfTwiceAndHalf() throws IOException {
    String wide = svg(data(3e3, 2e3, 4e7, 5e7), Unit.NANOS);
    for (String text :
        new String[] {
          "A title",
          "first",
          "second",
          "effort, measured",
          "predicted = measured",
          "twice and" + " half the measured value"
        }) {
      assertTrue(wide.contains(">" + text + "<"), text);
    }
    QuantityScale bytes = scale(data(1 << 20, 3 << 20, 5L << 30, 5L << 30), Unit.BYTES);
    assertTrue(bytes.isLogarithmic());
    assertEquals(1 << 19, bytes.low());
    assertEquals(8L << 30, bytes.high());
    LogAxis axis = assertInstanceOf(LogAxis.class, bytes.axis("memory"));
    assertEquals("512 MiB", axis.getNumberFormatOverride().format(512 << 20));
  }

  @Test
  void valuesOfOneSizeGetAxesFromZero() throws IOException {
    String near = svg(data(3e6, 2e6, 4e6, 5e6), Unit.NANOS);
    assertTrue(near.contains(">0<") && near.contains(">5 ms<"), near);
    assertFalse(near.contains(">twice and half<"));
    assertTrue(svg(data(3 << 20, 5 << 20), Unit.BYTES).contains(">5 MiB<"));
  }

  @Test
  void whatIsNothingOnOneSideStandsAtTheEdgeAndIsCounted() throws IOException {
    PredictedMeasuredData data = data(0, 2e3, 4e7, 5e7, 0, 0);
    assertEquals(1, data.oneSided());
    assertTrue(svg(data, Unit.NANOS).contains("1 point drawn at the edge: 0 on one axis"));
    assertEquals(2, data.series().size());
  }

  @Test
  void withoutPairsTheChartSaysSo() throws IOException {
    assertTrue(svg(new PredictedMeasuredData(), Unit.BYTES).contains(">nothing was compared<"));
  }

  @Test
  void whatIsNoQuantityIsRefused() {
    PredictedMeasuredData data = new PredictedMeasuredData();
    assertThrows(IllegalArgumentException.class, () -> data.add("a", -1, 1));
    assertThrows(IllegalArgumentException.class, () -> data.add("a", 1, Double.NaN));
  }

  @ParameterizedTest
  @CsvSource({
    "1,1 ns",
    "999.9999999999,1 µs",
    "1000,1 µs",
    "20000,20 µs",
    "1500000,1.5 ms",
    "1e9,1 s",
    "1e13,10000 s"
  })
  void timesAreWrittenInTheLargestUnitThatLeavesOne(double nanos, String text) {
    assertEquals(text, QuantityScale.time(nanos));
  }

  private static QuantityScale scale(PredictedMeasuredData data, Unit unit) {
    return QuantityScale.of(data.lowest(), data.greatest(), data.isWide(), unit);
  }
}
