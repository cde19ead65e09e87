package org.allocsim.reports.chart;

import de.rototor.pdfbox.graphics2d.PdfBoxGraphics2D;
import java.awt.geom.Rectangle2D;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.PDPage;
import org.apache.pdfbox.pdmodel.PDPageContentStream;
import org.apache.pdfbox.pdmodel.common.PDRectangle;
import org.apache.pdfbox.util.Matrix;
import org.jfree.chart.JFreeChart;

/** Writes charts as PDF documents of one page with Apache PDFBox. */
final class PdfDrawing {
  /** PDFBox derives the document's identifier from this number, by default from the time. */
  private static final long IDENTIFIER = 1;

  private PdfDrawing() {}

  static void write(JFreeChart chart, ChartSize size, OutputStream out) throws IOException {
    int width = size.width();
    int height = size.height();
    float scale = (float) size.pointsPerPixel();
    try (PDDocument document = new PDDocument()) {
      document.setDocumentId(IDENTIFIER);
      document.getDocumentInformation().setTitle(ChartFile.titleOf(chart));
      PDPage page = new PDPage(new PDRectangle(scale * width, scale * height));
      document.addPage(page);
      PdfBoxGraphics2D graphics = new PdfBoxGraphics2D(document, width, height);
      graphics.setFontTextDrawer(new PdfText());
      chart.draw(graphics, new Rectangle2D.Double(0, 0, width, height));
      graphics.dispose();
      try (PDPageContentStream content = new PDPageContentStream(document, page)) {
        content.transform(Matrix.getScaleInstance(scale, scale));
        content.drawForm(graphics.getXFormObject());
      }
      document.save(out);
    }
  }
}
