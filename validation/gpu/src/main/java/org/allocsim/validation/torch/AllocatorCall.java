package org.allocsim.validation.torch;

/**
 * A call to PyTorch's caching allocator, or an event that it sees.
 *
 * @param kind what is called
 * @param id allocation, private pool or number of settings; 0 where none is meant
 * @param bytes size of an allocation, or a limit
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
    RELEASE_POOL('R'),
    /** The allocator's limit becomes so many millionths ({@code bytes}) of the device. */
    SET_FRACTION('l'),
    /** The settings change to those of this number in the sequence. */
    SET_CONF('s'),
    /** A graph is captured on a stream from now on, into a pool that is made where missing. */
    BEGIN_CAPTURE('G'),
    /** Ends the capture into a pool. */
    END_CAPTURE('g'),
    /** Drops the oldest graph of a pool; the last one gives the pool up. */
    DROP_GRAPH('D');

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
