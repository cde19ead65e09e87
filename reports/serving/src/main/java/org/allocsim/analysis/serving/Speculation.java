package org.allocsim.analysis.serving;

import org.allocsim.workloads.model.ServedModel;

/**
 * How an engine guesses tokens ahead.
 *
 * <p><b>Rules.</b> After a step, a draft guesses some tokens for each sequence; the next step
 * computes them together with the sequence's last token, and keeps those before the first that the
 * model would not have chosen. Whether it would is a matter of the request and the place of the
 * token alone, drawn with the share that is accepted: the same guesses are right whatever the cache
 * does. Of <i>n</i> guesses, of which each is right with a share of <i>a</i>, a step yields (1 −
 * <i>a</i><sup>n+1</sup>) / (1 − <i>a</i>) tokens on average.
 *
 * <p><b>Source.</b> Leviathan et al., ICML 2023 (arXiv 2211.17192), section 3.1.
 *
 * @param draft what guesses, or one GPU's part of it
 * @param isHead whether it is an EAGLE head, which needs the hidden states of the model
 * @param tokens tokens that it guesses ({@code num_speculative_tokens})
 * @param acceptance share of guesses that are right, given that those before them are
 */
public record Speculation(ServedModel draft, boolean isHead, int tokens, double acceptance) {
  /** How many guesses are right from a place of a request's answer on, of so many. */
  int accepted(int request, int place, int guesses) {
    int right = 0;
    while (right < guesses && draw(request, place + right) < acceptance) {
      right++;
    }
    return right;
  }

  private static double draw(int request, int place) {
    long mixed = RequestHashes.mix(request, place);
    return (mixed >>> 11) * 0x1.0p-53;
  }
}
