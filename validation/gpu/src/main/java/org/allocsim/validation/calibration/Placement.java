package org.allocsim.validation.calibration;

/**
 * Where a process of the driver puts memory and in what units, as found by experiment. A figure is
 * −1 where it could not be found.
 *
 * @param pageBytes device memory that the smallest block takes
 * @param alignmentBytes distance of two of the smallest blocks
 * @param largestSharedBytes largest block that shares a page with one of the smallest
 * @param reservationBytes unit of address reservations for blocks
 * @param arenaAddress where the first block of two pages lies
 * @param topAddress end of the first reservation that a block made
 * @param rangeAddress first range of addresses
 * @param chunkBytes unit of the stream-ordered pool
 * @param unusableBytes memory that stays free whatever is asked for
 */
public record Placement(
    long pageBytes,
    long alignmentBytes,
    long largestSharedBytes,
    long reservationBytes,
    long arenaAddress,
    long topAddress,
    long rangeAddress,
    long chunkBytes,
    long unusableBytes) {
  /** The same with these figures, which are found later. */
  Placement with(long foundChunkBytes, long foundUnusableBytes) {
    return new Placement(
        pageBytes,
        alignmentBytes,
        largestSharedBytes,
        reservationBytes,
        arenaAddress,
        topAddress,
        rangeAddress,
        foundChunkBytes,
        foundUnusableBytes);
  }
}
