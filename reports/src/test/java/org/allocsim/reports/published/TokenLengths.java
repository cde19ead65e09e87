package org.allocsim.reports.published;

import java.util.SplittableRandom;

/**
 * Lengths of prompts and outputs of requests to a language model, drawn independently from a seed:
 * prompts exponentially, outputs by a Weibull distribution, both cut to what the model can hold.
 *
 * @param meanPromptTokens mean length of prompts before they are cut
 * @param meanOutputTokens mean length of outputs before they are cut
 * @param outputShape shape of the outputs' distribution: 1 is exponential, larger is narrower
 * @param maxTokens maximum number of tokens of prompt and output together
 */
public record TokenLengths(
    double meanPromptTokens, double meanOutputTokens, double outputShape, int maxTokens) {
  /**
   * ShareGPT as PagedAttention's authors used it: means 161.31 and 337.99, OPT's 2048 tokens (SOSP
   * 2023, section 6.1). The shape is ours: it gives the outputs the spread (mean square over
   * squared mean 1.77) that the paper's figures for Orca (Max) imply.
   */
  public static final TokenLengths SHARE_GPT = new TokenLengths(161.31, 337.99, 1.14, 2048);

  /** Alpaca as there: means 19.31 and 58.45; the shape is that of ShareGPT. */
  public static final TokenLengths ALPACA = new TokenLengths(19.31, 58.45, 1.14, 2048);

  /** Length of a prompt, from 1 to one less than the maximum. */
  int promptTokens(SplittableRandom random) {
    double length = -meanPromptTokens * Math.log(1 - random.nextDouble());
    return Math.clamp(Math.round(length), 1, maxTokens - 1);
  }

  /** Length of the output to a prompt, at least 1. */
  int outputTokens(SplittableRandom random, int promptTokens) {
    double scale = meanOutputTokens / gamma(1 + 1 / outputShape);
    double length = scale * Math.pow(-Math.log(1 - random.nextDouble()), 1 / outputShape);
    return Math.clamp(Math.round(length), 1, maxTokens - promptTokens);
  }

  /** The gamma function between 1 and 2 and above, by Stirling's series on a shifted argument. */
  private static double gamma(double x) {
    double product = 1;
    double shifted = x;
    while (shifted < 12) {
      product *= shifted;
      shifted++;
    }
    double series = 1 / (12 * shifted) - 1 / (360 * shifted * shifted * shifted);
    return Math.sqrt(2 * Math.PI / shifted)
        * Math.pow(shifted / Math.E, shifted)
        * Math.exp(series)
        / product;
  }
}
