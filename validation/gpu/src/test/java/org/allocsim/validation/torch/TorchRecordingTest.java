package org.allocsim.validation.torch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TorchRecordingTest {
  @TempDir private Path folder;

  private TorchRecording read(String json) throws IOException {
    return TorchRecording.read(Files.writeString(folder.resolve("side.json"), json));
  }

  @Test
  void whatPyTorchReportsIsRead() throws IOException {
    TorchRecording recording =
        read(
            "{'total_bytes':80,'free_bytes_at_start':70,'conf':'a:b','makes_streams':true,'new':[1],'cases_before':2,'forced':[3],'streams':[0,9],'oom':[[4,'out']],'stats':{'x':5}}"
                .replace('\'', '"'));
    assertEquals(
        new TorchRecording(
            80,
            70,
            "a:b",
            List.of(0L, 9L),
            true,
            2,
            List.of(3),
            List.of(new TorchRecording.Failure(4, "out")),
            new java.util.TreeMap<>(Map.of("x", 5L))),
        recording);
  }

  /** JSON of another kind is refused by what is wrong with it, not as if it were no JSON. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]|the whole is a list where an object belongs",
        "7|the whole is a whole number where an object belongs",
        "{\"total_bytes\":\"80\"}|'total_bytes' is a text where a whole number belongs",
        "{\"total_bytes\":null}|'total_bytes' is null where a whole number belongs",
        "{\"free_bytes_at_start\":1.5}|'free_bytes_at_start' is a fraction where a whole number"
            + " belongs",
        "{\"conf\":null}|'conf' is null where a text belongs",
        "{\"makes_streams\":1}|'makes_streams' is a whole number where true or false belongs",
        "{\"forced\":[[1]]}|'forced' is a list where a whole number belongs",
        "{\"forced\":{}}|'forced' is an object where a list belongs",
        "{\"streams\":[true]}|'streams' is true where a whole number belongs",
        "{\"oom\":[1]}|'oom' is a whole number where a list belongs",
        "{\"oom\":[[1]]}|'oom' is the end of a list where a text belongs",
        "{\"stats\":{\"x\":{}}}|'x' is an object where a whole number belongs",
      })
  void whatIsOtherwiseIsNamed(String json, String message) {
    assertEquals(
        "it is not what PyTorch reports: " + message,
        assertThrows(IOException.class, () -> read(json)).getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"total_bytes\":9223372036854775808}|it is not what PyTorch reports: Numeric value",
        "{\"cases_before\":2147483648}|it is not what PyTorch reports: Numeric value",
        "{\"total_bytes\":80|it is not JSON (Unexpected end",
        "no|it is not JSON (Unrecognized token",
      })
  void damageAndNumbersOutOfRangeAreToldApart(String json, String start) {
    String message = assertThrows(IOException.class, () -> read(json)).getMessage();
    assertTrue(message.startsWith(start), message);
  }

  @Test
  void anEmptyFileIsRefused() {
    assertEquals(
        "it is not what PyTorch reports: the whole is nothing where an object belongs",
        assertThrows(IOException.class, () -> read("")).getMessage());
  }
}
