package org.allocsim.analysis.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.stats.ByteFormat;
import org.jspecify.annotations.Nullable;

/**
 * What the outcomes of a scenario show.
 *
 * @param before the figure of the first variant that matters, as text
 * @param after that of the second
 * @param verdict what follows for the subject
 * @param sentence what really happens, with figures of the outcomes
 * @param checks what has to hold
 */
public record Findings(
    String before, String after, Verdict verdict, String sentence, List<Check> checks) {
  /** Keeps its own copy. */
  public Findings {
    checks = List.copyOf(checks);
  }

  /** Whether every check holds. */
  public boolean passes() {
    return checks.stream().allMatch(Check::holds);
  }

  /** Collects findings about a reported failure: its verdict is whether all checks hold. */
  public static Builder ofFailure() {
    return new Builder();
  }

  /** Collects findings about a claim: its verdict follows from where it holds. */
  public static Builder ofClaim() {
    return new Builder();
  }

  /** Writes an outcome's peak and whether it passes: "37.27 GiB", "OOM at 14.50 GiB". */
  public static String reserved(Outcome outcome) {
    return (outcome.passes() ? "" : "OOM at ") + ByteFormat.human(outcome.peakReservedBytes());
  }

  /** Collects findings. */
  public static final class Builder {
    private final List<Check> checks = new ArrayList<>();
    private final List<Boolean> trials = new ArrayList<>();
    private String before = "";
    private String after = "";
    private @Nullable Verdict expected;

    private Builder() {}

    /** The figures that the table shows. */
    public Builder shows(String first, String second) {
      before = first;
      after = second;
      return this;
    }

    /** Bytes that the table shows. */
    public Builder shows(long firstBytes, long secondBytes) {
      return shows(ByteFormat.human(firstBytes), ByteFormat.human(secondBytes));
    }

    /** A number of bytes that is known exactly. */
    public Builder bytes(String what, long expectedBytes, long actualBytes) {
      return add(
          what,
          Numbers.bytes(expectedBytes),
          Numbers.bytes(actualBytes),
          expectedBytes == actualBytes);
    }

    /** A count that is known exactly. */
    public Builder count(String what, long expectedCount, long actualCount) {
      return add(
          what,
          Numbers.count(expectedCount),
          Numbers.count(actualCount),
          expectedCount == actualCount);
    }

    /** A number of bytes that was published in GiB with two decimals. */
    public Builder gib(String what, String published, long actualBytes) {
      String actual = String.format(Locale.ROOT, "%.2f", (double) actualBytes / Requests.GIB);
      return add(what, published + " GiB", actual + " GiB", published.equals(actual));
    }

    /** A figure that has to lie between two others, both included. */
    public Builder between(String what, double low, double high, double actual) {
      return add(
          what,
          String.format(Locale.ROOT, "%.2f to %.2f", low, high),
          String.format(Locale.ROOT, "%.2f", actual),
          actual >= low && actual <= high);
    }

    /** Something that has to be so. */
    public Builder holds(String what, boolean isSo) {
      return add(what, "yes", isSo ? "yes" : "no", isSo);
    }

    private Builder add(String what, String expectedText, String actual, boolean holds) {
      checks.add(new Check(what, expectedText, actual, holds));
      return this;
    }

    /** A place where a claim is tried, and whether it is true there. */
    public Builder tried(boolean isTrueThere) {
      trials.add(isTrueThere);
      return this;
    }

    /** The verdict that documentation and maintainers give on a claim. */
    public Builder documented(Verdict verdict) {
      expected = verdict;
      return this;
    }

    /**
     * The findings, with what really happens.
     *
     * @param pattern a sentence in which {@code {}} stands for the figures, one after the other
     * @param figures bytes as {@code Long}; anything else as it is written
     */
    public Findings conclude(String pattern, Object... figures) {
      String sentence = pattern;
      for (Object figure : figures) {
        String text =
            figure instanceof Long bytes ? ByteFormat.human(bytes) : String.valueOf(figure);
        sentence = sentence.replaceFirst("\\{}", Matcher.quoteReplacement(text));
      }
      Verdict verdict;
      if (trials.isEmpty()) {
        boolean all = checks.stream().allMatch(Check::holds);
        verdict = all ? Verdict.REPRODUCED : Verdict.NOT_REPRODUCED;
      } else {
        long trueOnes = trials.stream().filter(isTrue -> isTrue).count();
        verdict =
            trueOnes == 0
                ? Verdict.WRONG
                : trueOnes == trials.size() ? Verdict.TRUE : Verdict.PARTLY_TRUE;
        add(
            "verdict of documentation and maintainers",
            Objects.requireNonNull(expected, "a documented verdict").words(),
            verdict.words(),
            expected == verdict);
      }
      return new Findings(before, after, verdict, sentence, checks);
    }
  }
}
