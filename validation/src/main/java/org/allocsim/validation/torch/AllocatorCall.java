package org.allocsim.validation.torch;

/**
 * A call to PyTorch's caching allocator, or an event that it sees.
 *
 * @param kind what is called
 * @param id allocation or private pool; 0 where neither is meant
 * @param bytes size of an allocation
 * @param stream number of the stream, from 0, the default one
 */
record AllocatorCall(Kind kind, int id, long bytes, int stream) {
  /** What can be called; the letter stands for it in the files that Python reads. */
  enum Kind {
    /** Allocates. */
    ALLOCATE('a'),
    /** Frees, or nothing where the allocation failed. */
    FREE('f'),
    /** {@code record_stream} of an allocation. */
    USE('r'),
    /** The work of a stream up to the free of an allocation is complete. */
    COMPLETE('c'),
    /** {@code empty_cache}. */
    EMPTY_CACHE('e'),
    /** Makes a pool without special rules. */
    MAKE_POOL('m'),
    /** Makes a pool whose cached blocks serve others before memory runs out. */
    MAKE_POOL_FOR_EMERGENCIES('u'),
    /** Makes a pool whose blocks are not split. */
    MAKE_POOL_WITHOUT_SPLITS('n'),
    /** Requests are routed to a pool from now on. */
    BEGIN_POOL('P'),
    /** Ends the innermost such routing, which is of that pool. */
    END_POOL('p'),
    /** The owner of a pool gives it up, which empties it. */
    RELEASE_POOL('R');

    private final char letter;

    Kind(char letter) {
      this.letter = letter;
    }
  }

  /** The line that Python reads. */
  String line() {
    return "%c %d %d %d\n".formatted(kind.letter, id, bytes, stream);
  }
}
