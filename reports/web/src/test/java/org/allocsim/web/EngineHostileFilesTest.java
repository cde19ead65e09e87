package org.allocsim.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the page calls, on a JVM, with files that were made to break it: each ends in an answer or
 * in one sentence, and none in an exception that reaches JavaScript.
 */
class EngineHostileFilesTest {
  private static final Path CORPUS = Path.of("../src/test/resources/fuzz");
  private static final Path SHARED = Path.of("../../../shared");

  private static final List<String> QUESTIONS =
      List.of("diagnose", "verify", "peak", "blockers", "tune", "replay", "view");

  private static final long LARGE_BYTES = 40_000;
  private static final List<String> FORMS = List.of("text", "json", "csv", "page");

  private static List<Path> filesIn(Path folder) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Those that fuzzing found, or an attack; others are looked at where they are. */
  static List<Path> hostile() {
    List<Path> files = new ArrayList<>(filesIn(CORPUS));
    assertFalse(files.isEmpty());
    files.addAll(filesIn(SHARED.resolve("cases/attack")));
    files.addAll(filesIn(SHARED.resolve("hostile")));
    return files;
  }

  private static boolean isSentence(String failure) {
    assertTrue(failure.startsWith("allocsim: "), failure);
    assertEquals(1, failure.lines().count(), failure);
    assertFalse(failure.contains("this is a bug"), failure);
    return true;
  }

  private static void ask(String question, String... options) {
    String unanswered = Engine.ask(question, options);
    for (String form : FORMS) {
      String unwritten = Engine.write(form);
      if (!unanswered.isEmpty()) {
        assertEquals("allocsim: no question was answered", unwritten);
      } else if (!unwritten.isEmpty()) {
        assertTrue(isSentence(unwritten));
      } else if (!form.equals("csv")) {
        assertTrue(Engine.writtenBytes() != null && Engine.writtenBytes().length > 0, form);
      }
    }
    assertTrue(unanswered.isEmpty() || isSentence(unanswered));
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void endInAnAnswerOrASentence(Path file) throws IOException {
    String unread = Engine.open(file.toString(), null);
    if (!unread.isEmpty()) {
      assertTrue(isSentence(unread));
      assertEquals("allocsim: no file is open", Engine.ask("replay", new String[0]));
      return;
    }
    // What takes long takes long with every question.
    (Files.size(file) > LARGE_BYTES ? List.of("replay") : QUESTIONS).forEach(each -> ask(each));
    ask("replay", "--capacity", "4MiB");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--device-index -1",
        "--device-index 99999999999",
        "--device-index one",
        "--capacity -5",
        "--capacity 9000PiB",
        "--memory-limit NaN",
        "--torch-version 0",
        "--conf max_split_size_mb:1"
      })
  void choicesThatMeanNothingEndInASentence(String option) {
    assertEquals("", Engine.open(CORPUS.resolve("jsonl/big-block").toString(), null));
    assertTrue(isSentence(Engine.ask("replay", option.split(" "))));
  }

  @Test
  void unknownQuestionsAndFormsEndInASentence() {
    assertEquals("", Engine.open(CORPUS.resolve("jsonl/big-block").toString(), null));
    assertTrue(isSentence(Engine.ask("why", new String[0])));
    assertTrue(isSentence(Engine.write("text")));
    assertEquals("", Engine.ask("replay", new String[0]));
    assertEquals("allocsim: unknown form: poem", Engine.write("poem"));
  }
}
