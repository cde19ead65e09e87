package org.allocsim.simulator.policy.gmlake;

/** A range of addresses that maps chunks of several primitive blocks one after the other. */
final class StitchedBlock {
  /** In which set a stitched block is. */
  enum State {
    /** Handed out. */
    ACTIVE,
    /** Not handed out, all chunks free: reusable. */
    FREE,
    /** Not handed out, at least one chunk in use by another block. */
    FRAGMENTED
  }

  final int id;
  final long address;
  final int chunks;
  final int stream;
  final StitchedPart[] parts;
  State state = State.ACTIVE;

  /** Chunks that no allocation uses now. */
  int freeChunks;

  /** Number of the free that ended its last use; larger is later. */
  long lastFree;

  /** Whether it goes when it is freed, because part of its memory went back to the device. */
  boolean doomed;

  StitchedBlock(int id, long address, int chunks, int stream, int parts) {
    this.id = id;
    this.address = address;
    this.chunks = chunks;
    this.stream = stream;
    this.parts = new StitchedPart[parts];
  }

  long bytes() {
    return chunks * ChunkedSegment.CHUNK_BYTES;
  }
}
