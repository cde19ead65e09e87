package org.allocsim.architecture;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A word or phrase that texts avoid.
 *
 * @param phrase regular expression of the phrase, without regard to case
 * @param better what to write in its place
 * @param isTerm whether {@code better} is a term of the field, which the glossary explains
 */
record AvoidedWord(Pattern phrase, String better, boolean isTerm) {
  /** Phrases in texts that users read. */
  static final List<AvoidedWord> IN_TEXTS =
      List.of(
          phrase("(?<!\\bthere )\\b(?:is|are|was|were) no (?!longer|more|less|fewer)", "is not a"),
          phrase("\\b(?:of|by|with) which\\b", "whose, that or a shorter sentence"),
          phrase("\\bso (?:many|much)\\b", "that many, that much, the number"),
          phrase("\\bas (?:is )?said\\b", "nothing, or the sentence itself"),
          phrase("\\banew\\b", "again"),
          phrase("\\bgo(?:es|ing)? on\\b", "continue"),
          phrase("\\bwhat (?:it|they) holds?\\b", "its memory, its contents"),
          phrase("\\bof what\\b", "the noun that is meant"),
          phrase("\\bstands (?:twice|at|in|there)\\b", "is, is at, is in"),
          phrase("\\b(?:comes?|came) to\\b", "is, totals, reaches"),
          phrase("\\black(?:s|ed)\\b", "does not have"),
          phrase("\\bby itself\\b", "on its own, automatically"),
          phrase("\\ban own\\b", "its own"),
          phrase("\\bbesides?\\b", "next to, in addition to, apart from"),
          phrase("\\blets? go\\b", "release"),
          phrase("\\bmakes? no sense\\b", "is invalid"),
          phrase("\\bin vain\\b", "without success"),
          phrase("\\bof equals\\b", "ties go to"),
          phrase("\\bas it is\\b", "unchanged"),
          phrase("\\bforeseen\\b", "predicted"),
          phrase("\\bbroken off\\b", "aborted"),
          phrase("\\bwhere (?:there is|none)\\b", "if there is none"),
          phrase("\\bless than none\\b", "negative"),
          phrase("\\btried again\\b", "retried"),
          term("\\bg(?:ive|ives|iven|iving|ave) (?:\\w+ )?back\\b", "freed"),
          term("\\bthrown out\\b", "preempted"),
          term("\\brefusals?\\b", "allocation failure"),
          term("\\bstand-?ins?\\b", "mock CUDA driver"),
          term("\\bcircumstances?\\b", "conditions"),
          term("\\bcaches? of keys and values\\b", "KV cache"));

  /** Words in names of classes, methods, fields and variables. */
  static final List<AvoidedWord> IN_IDENTIFIERS =
      List.of(
          name("\\b(?:most[A-Z]|MOST_)\\w*", "max"),
          name("\\b(?:least[A-Z]|LEAST_)\\w*", "min"),
          name("\\b\\w*(?:Hearing|hearing[A-Z])\\w*", "listener"),
          name("\\b\\w*[gG]iven?Back\\w*", "free, release or recycle"),
          name("\\b\\w*[tT]hrownOut\\w*", "preempted"),
          name("\\b\\w*(?:Refusal|refusal[A-Z])\\w*", "failure"),
          name("\\b\\w*(?:StandIn|standIn)\\w*", "mock"),
          name("\\b\\w*[cC]ircumstances\\w*", "conditions"));

  private static AvoidedWord phrase(String regex, String better) {
    return new AvoidedWord(Pattern.compile(regex, Pattern.CASE_INSENSITIVE), better, false);
  }

  private static AvoidedWord term(String regex, String better) {
    return new AvoidedWord(Pattern.compile(regex, Pattern.CASE_INSENSITIVE), better, true);
  }

  private static AvoidedWord name(String regex, String better) {
    return new AvoidedWord(Pattern.compile(regex), better, false);
  }
}
