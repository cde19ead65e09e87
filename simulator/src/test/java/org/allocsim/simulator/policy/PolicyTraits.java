package org.allocsim.simulator.policy;

/**
 * What the layouts of a policy look like, as far as checks must know.
 *
 * @param mergesFreeBlocks whether neighbouring free blocks of a segment are always merged
 * @param spansBlocks whether one allocation may have several blocks, which are shown with the same
 *     allocation id and each with its share of the request
 * @param inactiveSplits which free blocks are reported as inactive splits
 */
public record PolicyTraits(
    boolean mergesFreeBlocks, boolean spansBlocks, InactiveSplits inactiveSplits) {
  /** One block for each allocation, free neighbours merged. */
  public static final PolicyTraits USUAL =
      new PolicyTraits(true, false, InactiveSplits.BESIDE_OTHER_BLOCKS);

  /** What holds for every policy. */
  public static final PolicyTraits ANY = new PolicyTraits(false, true, InactiveSplits.OWN_NOTION);

  /** Which free blocks count as inactive splits. */
  public enum InactiveSplits {
    /** Those that share their segment with other blocks, as PyTorch counts. */
    BESIDE_OTHER_BLOCKS,
    /** Those of segments in which some block is in use; units of a free segment stay apart. */
    IN_USED_SEGMENTS,
    /** None: memory that is free belongs to the driver's pool, which has no such notion. */
    NONE,
    /** Something that the layout does not show; the policy's own tests have it. */
    OWN_NOTION
  }
}
