package org.allocsim.reports.html;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;

class ColumnWriterTest {
  private static final long[] NUMBERS = {
    0, 1, 127, 128, 16_383, 16_384, Integer.MAX_VALUE, 1L << 40, (1L << 53) - 1
  };

  private static byte[] inflated(byte[] bytes) throws DataFormatException {
    try (Inflater inflater = new Inflater(true)) {
      inflater.setInput(bytes);
      byte[] out = new byte[1 << 16];
      return java.util.Arrays.copyOf(out, inflater.inflate(out));
    }
  }

  @Test
  void numbersComeBackFromSevenBitsAByte() throws DataFormatException {
    ColumnWriter out = new ColumnWriter();
    for (long number : NUMBERS) {
      out.put(number);
    }
    byte[] bytes = inflated(out.deflated());
    assertEquals(out.size(), bytes.length);
    int at = 0;
    for (long number : NUMBERS) {
      long read = 0;
      int shift = 0;
      do {
        read |= (long) (bytes[at] & 0x7f) << shift;
        shift += 7;
      } while (bytes[at++] < 0);
      assertEquals(number, read);
    }
    assertEquals(bytes.length, at);
  }

  @Test
  void signsAlternate() {
    long[] signed = {0, -1, 1, -2, 2};
    for (int i = 0; i < signed.length; i++) {
      assertEquals(i, ColumnWriter.zigzag(signed[i]));
    }
  }

  @Test
  void numbersThatAScriptCannotReadExactlyAreRefused() {
    ColumnWriter out = new ColumnWriter();
    assertThrows(PageException.class, () -> out.put(1L << 53));
    assertThrows(PageException.class, () -> out.put(-1));
    assertThrows(PageException.class, () -> out.putSigned(1L << 52));
    assertThrows(PageException.class, () -> out.putSigned(Long.MIN_VALUE));
    assertThrows(PageException.class, () -> out.putDifference(Long.MAX_VALUE, -5));
    assertThrows(PageException.class, () -> out.putDifference(Long.MIN_VALUE, 1));
    assertEquals(0, out.size());
  }
}
