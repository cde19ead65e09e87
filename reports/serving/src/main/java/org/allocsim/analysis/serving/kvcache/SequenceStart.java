package org.allocsim.analysis.serving.kvcache;

/**
 * A sequence that is to begin.
 *
 * @param prefix what its tokens are, asked until the sequence ends
 * @param promptTokens tokens of its prompt
 * @param wholeTokens tokens of its prompt, and of its answer so far where it began before
 * @param storedTokens what {@link KvCache#storedTokens} answered
 * @param tokens tokens that will be stored after this step, those included
 * @param room tokens for which there is to be room, at least as many: guesses may be stored too
 * @param isBesideOthers whether other sequences run
 */
public record SequenceStart(
    PrefixHashes prefix,
    int promptTokens,
    int wholeTokens,
    int storedTokens,
    int tokens,
    int room,
    boolean isBesideOthers) {

  /** A sequence all of whose tokens are computed in its first step, beside others. */
  static SequenceStart whole(PrefixHashes prefix, int storedTokens, int tokens, int room) {
    return new SequenceStart(prefix, tokens, tokens, storedTokens, tokens, room, true);
  }
}
