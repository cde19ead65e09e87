package org.allocsim.reports.chart;

import de.rototor.pdfbox.graphics2d.PdfBoxGraphics2DFontTextDrawer;
import java.awt.Font;
import java.awt.FontFormatException;
import java.io.IOException;
import java.text.AttributedCharacterIterator;
import java.text.CharacterIterator;
import java.util.EnumMap;
import java.util.Map;
import org.apache.fontbox.FontBoxFont;
import org.apache.fontbox.ttf.TrueTypeFont;
import org.apache.pdfbox.pdmodel.font.CIDFontMapping;
import org.apache.pdfbox.pdmodel.font.FontMapper;
import org.apache.pdfbox.pdmodel.font.FontMappers;
import org.apache.pdfbox.pdmodel.font.FontMapping;
import org.apache.pdfbox.pdmodel.font.PDCIDSystemInfo;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.font.PDFontDescriptor;
import org.apache.pdfbox.pdmodel.font.PDType1Font;
import org.apache.pdfbox.pdmodel.font.Standard14Fonts.FontName;

/**
 * The text of PDF files. It is set in Helvetica, which every reader of PDF has, so that it can be
 * searched and selected and no font is part of the file. What Helvetica lacks is drawn as outlines.
 */
final class PdfText extends PdfBoxGraphics2DFontTextDrawer {
  static {
    FontMappers.set(new NoSystemFonts());
  }

  private final Map<FontName, PDFont> fonts = new EnumMap<>(FontName.class);

  PdfText() {
    super();
  }

  @Override
  public boolean canDrawText(AttributedCharacterIterator text, IFontTextDrawerEnv environment)
      throws IOException, FontFormatException {
    return isInHelvetica(text) && super.canDrawText(text, environment);
  }

  private boolean isInHelvetica(AttributedCharacterIterator text) throws IOException {
    PDFont font = font(FontName.HELVETICA);
    for (char each = text.first(); each != CharacterIterator.DONE; each = text.next()) {
      try {
        font.encode(String.valueOf(each));
      } catch (IllegalArgumentException _) {
        return false;
      }
    }
    text.first();
    return true;
  }

  @Override
  protected PDFont mapFont(Font font, IFontTextDrawerEnv environment) {
    return font(font.isBold() ? FontName.HELVETICA_BOLD : FontName.HELVETICA);
  }

  private PDFont font(FontName name) {
    return fonts.computeIfAbsent(name, PDType1Font::new);
  }

  /**
   * PDFBox looks for fonts in all folders of the system and keeps what it finds in a file in the
   * user's home. Only to show a PDF file takes these fonts; to write one does not.
   */
  private static final class NoSystemFonts implements FontMapper {
    @Override
    public FontMapping<TrueTypeFont> getTrueTypeFont(String name, PDFontDescriptor descriptor) {
      return new FontMapping<>(null, false);
    }

    @Override
    public FontMapping<FontBoxFont> getFontBoxFont(String name, PDFontDescriptor descriptor) {
      return new FontMapping<>(null, false);
    }

    @Override
    public CIDFontMapping getCIDFont(
        String name, PDFontDescriptor descriptor, PDCIDSystemInfo system) {
      return new CIDFontMapping(null, null, false);
    }
  }
}
