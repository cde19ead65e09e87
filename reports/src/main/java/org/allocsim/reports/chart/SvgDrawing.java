package org.allocsim.reports.chart;

import java.awt.Dimension;
import java.awt.Graphics;
import java.awt.geom.Rectangle2D;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.allocsim.reports.text.VisibleText;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.util.SVGConstants;
import org.jfree.chart.JFreeChart;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/** Writes charts as SVG with Apache Batik. Text stays text: it can be searched and selected. */
final class SvgDrawing {
  /** A hundredth of a pixel is finer than anybody sees. */
  private static final int DECIMALS = 2;

  private SvgDrawing() {}

  static void write(JFreeChart chart, ChartSize size, OutputStream out) throws IOException {
    int width = size.width();
    int height = size.height();
    SVGGeneratorContext context = SVGGeneratorContext.createDefault(emptyDocument());
    context.setComment(null);
    context.setPrecision(DECIMALS);
    SVGGraphics2D graphics = new VisibleGraphics(context);
    graphics.setSVGCanvasSize(new Dimension(width, height));
    chart.draw(graphics, new Rectangle2D.Double(0, 0, width, height));
    Element root = graphics.getRoot();
    name(root, ChartFile.titleOf(chart));
    root.setAttribute("viewBox", "0 0 " + width + " " + height);
    if (!size.isScreen()) {
      root.setAttribute("width", points(width * size.pointsPerPixel()));
      root.setAttribute("height", points(height * size.pointsPerPixel()));
    }
    Writer writer = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
    graphics.stream(root, writer, false, false);
    writer.flush();
  }

  private static String points(double length) {
    return String.format(Locale.ROOT, "%.2fpt", length);
  }

  /** XML has no control characters. */
  private static final class VisibleGraphics extends SVGGraphics2D {
    VisibleGraphics(SVGGeneratorContext context) {
      super(context, false);
    }

    private VisibleGraphics(VisibleGraphics other) {
      super(other);
    }

    @Override
    public Graphics create() {
      return new VisibleGraphics(this);
    }

    @Override
    public void drawString(String text, int x, int y) {
      super.drawString(VisibleText.of(text), x, y);
    }

    @Override
    public void drawString(String text, float x, float y) {
      super.drawString(VisibleText.of(text), x, y);
    }
  }

  private static Document emptyDocument() throws IOException {
    try {
      return DocumentBuilderFactory.newDefaultNSInstance()
          .newDocumentBuilder()
          .getDOMImplementation()
          .createDocument(SVGConstants.SVG_NAMESPACE_URI, SVGConstants.SVG_SVG_TAG, null);
    } catch (ParserConfigurationException e) {
      throw new IOException("this Java runtime cannot create XML documents", e);
    }
  }

  /** Screen readers take the drawing for one image with this name. */
  private static void name(Element root, String title) {
    root.setAttribute("role", "img");
    Element element =
        root.getOwnerDocument()
            .createElementNS(SVGConstants.SVG_NAMESPACE_URI, SVGConstants.SVG_TITLE_TAG);
    element.setTextContent(VisibleText.of(title));
    root.insertBefore(element, root.getFirstChild());
  }
}
