package org.allocsim.analysis.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PhraseSetTest {
  @Test
  void aPhraseIsFoundAfterTheBeginningOfAnotherOne() {
    PhraseSet phrases = new PhraseSet(List.of("aabc", "abd"));
    assertTrue(phrases.occursIn("xaabd"));
    assertTrue(phrases.occursIn("aaabc"));
    assertFalse(phrases.occursIn("aab abc"));
  }

  @Test
  void aPhraseInsideOfAnotherOneIsFound() {
    assertTrue(new PhraseSet(List.of("abcde", "cd")).occursIn("abcd"));
  }

  @Test
  void charactersBeyondAsciiBreakPhrases() {
    assertFalse(new PhraseSet(List.of("ab")).occursIn("a\u00e9b"));
  }

  @Test
  void randomTextsAreAnsweredAsBySearchingForEachPhrase() {
    Random random = new Random(7);
    for (int round = 0; round < 2000; round++) {
      List<String> phrases =
          Stream.generate(() -> letters(random, 1 + random.nextInt(5)))
              .limit(1 + random.nextInt(6))
              .toList();
      String text = letters(random, random.nextInt(12));
      assertEquals(
          phrases.stream().anyMatch(text::contains),
          new PhraseSet(phrases).occursIn(text),
          () -> phrases + " in " + text);
    }
  }

  private static String letters(Random random, int count) {
    return IntStream.range(0, count)
        .mapToObj(_ -> String.valueOf("abc".charAt(random.nextInt(3))))
        .reduce("", String::concat);
  }
}
