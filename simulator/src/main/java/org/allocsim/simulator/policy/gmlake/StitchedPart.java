package org.allocsim.simulator.policy.gmlake;

/** A run of chunks of one segment that a stitched block maps. */
final class StitchedPart {
  final StitchedBlock owner;
  final ChunkedSegment segment;
  final int fromChunk;
  final int chunks;

  /** Address at which the stitched block maps the run. */
  final long mappedAt;

  /** Whether the run is mapped there; its segment may have gone back to the device. */
  boolean mapped = true;

  StitchedPart(
      StitchedBlock owner, ChunkedSegment segment, int fromChunk, int chunks, long mappedAt) {
    this.owner = owner;
    this.segment = segment;
    this.fromChunk = fromChunk;
    this.chunks = chunks;
    this.mappedAt = mappedAt;
  }

  /** Number of chunks from {@code from} to before {@code to} that belong to the run. */
  int overlap(int from, int to) {
    return Math.min(to, fromChunk + chunks) - Math.max(from, fromChunk);
  }
}
