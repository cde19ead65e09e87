package org.allocsim.simulator.typed;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimilarNameTest {
  @ParameterizedTest
  @CsvSource({
    "abc, abc, 0",
    "abc, abd, 1",
    "abc, ac, 1",
    "abc, abcd, 1",
    "abc, acb, 1",
    "ca, abc, 3",
    "'', abc, 3",
    "kitten, sitting, 3"
  })
  void swappedNeighboursAreOneMistake(String from, String to, int mistakes) {
    assertEquals(mistakes, SimilarName.mistakes(from, to));
    assertEquals(mistakes, SimilarName.mistakes(to, from));
  }

  @Test
  void aThirdOfTheLettersMayBeWrong() {
    assertEquals(Optional.of("replay"), SimilarName.of("rpelya", List.of("tune", "replay")));
    assertEquals(Optional.empty(), SimilarName.of("rqqqay", List.of("tune", "replay")));
    assertEquals(Optional.empty(), SimilarName.of("x9", List.of("x8", "x7")));
  }

  @Test
  void caseAndPunctuationDoNotCount() {
    assertEquals(Optional.of("rtx-4090"), SimilarName.of("RTX 4090", List.of("t4", "rtx-4090")));
  }

  @Test
  void partOfANameIsEnough() {
    assertEquals(
        Optional.of("h100-80gb"),
        SimilarName.of("h100", List.of("h200-nvl", "h100-80gb-x", "h100-80gb")));
    assertEquals(Optional.of("rtx-4090"), SimilarName.of("rtx-4090-laptop", List.of("rtx-4090")));
  }

  @Test
  void theSameFirstLetterDecidesBetweenEquals() {
    assertEquals(Optional.of("cub"), SimilarName.of("cup", List.of("pup", "cub")));
  }

  @Test
  void theRemedyIsAQuestionOrTheOtherOne() {
    assertEquals("did you mean 'tune'?", SimilarName.remedy("tunee", List.of("tune"), "x"));
    assertEquals("there is one", SimilarName.remedy("q", List.of("tune"), "there is one"));
    assertEquals("", SimilarName.hint("q", List.of("tune")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 048|1048",
        "1,048,576|1048576",
        "1_048|1048",
        "1,5|1,5",
        "12,3456|12,3456",
        "1 048 MiB|1048 MiB",
        "0,100,200x|0100200x"
      })
  void digitsInGroupsOfThreeAreOneNumber(String typed, String plain) {
    assertEquals(plain, TypedNumber.plain(typed));
  }
}
