package org.allocsim.reports.chart;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.allocsim.analysis.moment.ReservedParts;
import org.allocsim.reports.chart.comparison.BarData;
import org.allocsim.reports.chart.comparison.PeakChart;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.font.FontMappers;
import org.apache.pdfbox.text.PDFTextStripper;
import org.jfree.chart.JFreeChart;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Vector charts hold text, not outlines of letters. */
final class ChartTextTest {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 500;
  private static final String TITLE = "Peak <of> \"all\" & ± ×";
  private static final String BEYOND_HELVETICA = "größer ≥ Ω";

  private static JFreeChart chart(ChartTheme theme) {
    BarData peaks = PeakChart.data();
    PeakChart.add(peaks, "first", "", new ReservedParts(3 << 20, 1 << 20, 0, 0, 0, 0, 0, 0));
    return PeakChart.create(TITLE, BEYOND_HELVETICA, peaks, null, theme);
  }

  private static byte[] draw(ChartFile format) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    format.write(chart(ChartTheme.LIGHT), WIDTH, HEIGHT, out);
    return out.toByteArray();
  }

  private static Document svg() throws Exception {
    DocumentBuilderFactory parsers = DocumentBuilderFactory.newDefaultNSInstance();
    parsers.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    return parsers.newDocumentBuilder().parse(new ByteArrayInputStream(draw(ChartFile.SVG)));
  }

  private static List<String> texts(Document svg) {
    List<String> texts = new ArrayList<>();
    NodeList elements = svg.getElementsByTagName("text");
    for (int i = 0; i < elements.getLength(); i++) {
      texts.add(elements.item(i).getTextContent().strip());
    }
    return texts;
  }

  @Test
  void svgHoldsItsWordsAsText() throws Exception {
    List<String> texts = texts(svg());
    for (String text : List.of(TITLE, BEYOND_HELVETICA, "requested", "first", "4.00 MiB")) {
      assertTrue(texts.contains(text), texts.toString());
    }
  }

  @Test
  void svgIsOneImageWithAName() throws Exception {
    Element root = svg().getDocumentElement();
    assertEquals("img", root.getAttribute("role"));
    Element title = (Element) root.getElementsByTagName("title").item(0);
    assertEquals(TITLE, title.getTextContent());
    assertEquals(root, title.getParentNode());
    assertEquals("0 0 900 500", root.getAttribute("viewBox"));
  }

  @Test
  void pdfHoldsItsWordsAsText(@TempDir Path folder) throws IOException {
    byte[] pdf = draw(ChartFile.PDF);
    // To read a file takes the fonts of the system, whose list PDFBox would keep in the user's
    // home.
    System.setProperty("pdfbox.fontcache", folder.toString());
    FontMappers.set(null);
    try (PDDocument document = Loader.loadPDF(pdf)) {
      String text = new PDFTextStripper().getText(document);
      for (String word : List.of(TITLE, "requested", "first", "4.00 MiB")) {
        assertTrue(text.contains(word), text);
      }
      // Helvetica lacks letters of it, so that all of it is drawn.
      assertFalse(text.contains("≥"), text);
    }
  }

  @Test
  void pdfIsOnePageOfTheChartsSizeWithItsTitle() throws IOException {
    try (PDDocument document = Loader.loadPDF(draw(ChartFile.PDF))) {
      assertEquals(1, document.getNumberOfPages());
      assertEquals(WIDTH, document.getPage(0).getMediaBox().getWidth());
      assertEquals(HEIGHT, document.getPage(0).getMediaBox().getHeight());
      assertEquals(TITLE, document.getDocumentInformation().getTitle());
      assertEquals(null, document.getDocumentInformation().getCreationDate());
    }
  }

  @ParameterizedTest
  @EnumSource(ChartFile.class)
  void theSameChartGivesTheSameBytes(ChartFile format) throws Exception {
    byte[] first = draw(format);
    // Times in files have whole seconds.
    Thread.sleep(1_100);
    assertArrayEquals(first, draw(format));
  }
}
