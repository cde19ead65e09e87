package org.allocsim.workloads.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceFormatsTest {
  @TempDir private Path folder;

  @Test
  void everyFormatDescribesItselfAndHasAnIdOfItsOwn() {
    List<TraceFormat> all = TraceFormats.all();
    assertFalse(all.isEmpty());
    assertEquals(all.size(), all.stream().map(TraceFormat::id).distinct().count());
    for (TraceFormat format : all) {
      assertTrue(format.id().matches("[a-z][a-z0-9-]*"), format.id());
      assertFalse(format.summary().isBlank(), format.id());
      assertFalse(format.extensions().isEmpty(), format.id());
    }
  }

  @Test
  void noFormatTakesAnEmptyOrStrangeFileForItsOwn() {
    for (TraceFormat format : TraceFormats.all()) {
      assertFalse(format.recognises(new FileStart(new byte[0])), format.id());
      assertFalse(
          format.recognises(new FileStart("Dear all,\n".getBytes(StandardCharsets.UTF_8))),
          format.id());
    }
  }

  @Test
  void aFileOfNoKnownFormatIsRefusedWithTheWayOut() throws IOException {
    Path file = Files.writeString(folder.resolve("letter.txt"), "Dear all,\n");
    TraceFormatException error =
        assertThrows(TraceFormatException.class, () -> TraceFormats.of(file));
    assertTrue(error.getMessage().contains("letter.txt"), error.getMessage());
    assertTrue(error.getMessage().contains("allocsim list formats"), error.getMessage());
    Path empty = Files.createFile(folder.resolve("empty"));
    assertTrue(
        assertThrows(TraceFormatException.class, () -> TraceFormats.of(empty))
            .getMessage()
            .contains("empty"));
  }

  @ParameterizedTest
  @CsvSource({
    "version https://git-lfs.github.com/spec/v1, git lfs pull",
    "'PK\3\4', torch.cuda.memory._dump_snapshot()",
    "<!DOCTYPE html>, web page",
    "<html>, web page",
    "[  1234][17:52:33:123456][debug  ] Allocate 1048576 bytes, logging_resource_adaptor",
  })
  void whatPeopleGiveInPlaceOfATraceIsCalledByItsName(String start, String says)
      throws IOException {
    Path file = Files.writeString(folder.resolve("snapshot.pickle"), start + " and more\n");
    String message =
        assertThrows(TraceFormatException.class, () -> TraceFormats.of(file)).getMessage();
    assertTrue(message.contains(says), message);
  }

  @Test
  void linesEndWithEitherEndingAndTheLastNeedsNone() throws Exception {
    Path file = Files.writeString(folder.resolve("lines"), "one\r\n\ntwo\nthree");
    try (LineInput lines = new LineInput(file, Progress.NONE)) {
      assertTrue(lines.next());
      assertEquals("one", lines.text());
      assertTrue(lines.next());
      assertEquals("", lines.text());
      assertTrue(lines.next());
      assertTrue(lines.next());
      assertEquals("three", lines.text());
      assertEquals(4, lines.number());
      assertFalse(lines.next());
      assertEquals(64, lines.finishDigest().length());
    }
  }
}
