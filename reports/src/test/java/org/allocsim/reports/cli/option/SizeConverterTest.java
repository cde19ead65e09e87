package org.allocsim.reports.cli.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SizeConverterTest {
  private final SizeConverter sizes = new SizeConverter();

  @ParameterizedTest
  @CsvSource({
    "1B, 1",
    "4 265 607 167, 4265607167",
    "4_265_607_167B, 4265607167",
    "1 024MiB, 1073741824",
    "1048576, 1048576",
    "512B, 512",
    "1KiB, 1024",
    "512MiB, 536870912",
    "16GiB, 17179869184",
    "16 GiB, 17179869184",
    "16gib, 17179869184",
    "1.5GiB, 1610612736",
    "0.5KiB, 512",
    "79.18GiB, 85018877624",
    "2TiB, 2199023255552",
    "1PiB, 1125899906842624",
    "8PiB, 9007199254740992",
  })
  void binaryUnitsAndBytesAreTaken(String text, long bytes) {
    assertEquals(bytes, sizes.convert(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"16GB", "16G", "16g", "512mb", "1kB", "4T", "1pb"})
  void unclearUnitsAreRefusedWithTheBinaryOne(String text) {
    String message = refusal(text);
    assertTrue(message.contains("iB for multiples of 1024"), message);
    assertTrue(message.contains("'" + text + "'"), message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "x", "-1", "+1", "1e9", "1,5GiB", "0x10", "NaN", "1.GiB", ".5GiB"})
  void whatIsNoSizeIsRefused(String text) {
    assertTrue(refusal(text).contains("is not a size"), text);
  }

  @Test
  void digitsMayStandInGroupsAsTheyArePrinted() {
    assertEquals(4_265_607_167L, sizes.convert("4,265,607,167"));
    assertEquals(4_265_607_167L, sizes.convert("4\u202f265\u202f607\u202f167 B"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"24", "80", "16384", "1048575"})
  void bareNumberThatIsNoSizeOfMemoryIsRefusedWithItsReadings(String text) {
    String message = refusal(text);
    for (String unit : new String[] {"GiB", "MiB", "B"}) {
      assertTrue(message.contains(text + unit), message);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"8EiB", "3pages", "1GiBs"})
  void unknownUnitsAreRefused(String text) {
    assertTrue(refusal(text).contains("unknown unit"), text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0GiB", "0.0000000001KiB"})
  void noMemoryIsRefused(String text) {
    assertTrue(refusal(text).contains("above 0"), text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"8.1PiB", "9007199254740993", "9223372036854775807", "9999999999999999999PiB"})
  void moreThanAnyDeviceHasIsRefused(String text) {
    assertTrue(refusal(text).contains("the maximum is 8PiB"), text);
  }

  @Test
  void halfAByteIsRefused() {
    assertTrue(refusal("1.5").contains("fraction of a byte"));
  }

  private String refusal(String text) {
    return assertThrows(TypeConversionException.class, () -> sizes.convert(text)).getMessage();
  }
}
