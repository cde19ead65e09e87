package org.allocsim.analysis.serving.kvcache;

import java.util.List;

/**
 * A cache of keys and values. Sequences have numbers from 0 to the maximum that may run together,
 * which are used again. A call that finds too little room takes nothing.
 */
public interface KvCache {
  /**
   * Tokens at the start of a sequence that are stored already.
   *
   * @param prefix what its tokens are
   * @param mostTokens no more of them count
   */
  int storedTokens(PrefixHashes prefix, int mostTokens);

  /**
   * Whether a block of a prefix may be stored; {@link #storedTokens} ends at the first that is not,
   * where layers look back at everything.
   */
  boolean mayStore(PrefixHashes prefix, int block);

  /**
   * Where a sequence is to stop so that others find a state there: tokens that some layers have
   * stored of it and others not; 0 for none.
   */
  default int junctionTokens(PrefixHashes prefix, int wholeTokens, int storedTokens) {
    return 0;
  }

  /** The engine plans a further step: what was stored before it is computed. */
  default void startStep() {}

  /**
   * Begins a sequence.
   *
   * @param sequence its number
   * @param start what it is
   * @return whether there was room
   */
  boolean begin(int sequence, SequenceStart start);

  /**
   * Whether what {@link #begin} or {@link #storedTokens} say may be better for the sequence for
   * which there was no room in the last call of the former. Sequences that end make room always;
   * this hears of those that go on.
   */
  default boolean mayHaveMoreRoom() {
    return true;
  }

  /**
   * Whether that sequence still finds no room, however few tokens its first step computes; false
   * where that would take a longer look.
   */
  default boolean isStillFull() {
    return false;
  }

  /** Begins a sequence all of whose tokens are computed in its first step. */
  default boolean begin(int sequence, PrefixHashes prefix, int storedTokens, int tokens, int room) {
    return begin(sequence, SequenceStart.whole(prefix, storedTokens, tokens, room));
  }

  /** The same without room for guesses. */
  default boolean begin(int sequence, PrefixHashes prefix, int storedTokens, int tokens) {
    return begin(sequence, prefix, storedTokens, tokens, tokens);
  }

  /**
   * Makes room for further tokens of a sequence.
   *
   * @param tokens tokens that will be stored after this step, at least as many as before
   * @param room tokens for which there is to be room, at least as many: guesses may be stored too
   * @return whether there was room
   */
  boolean grow(int sequence, int tokens, int room);

  /** Makes room for further tokens of a sequence, without room for guesses. */
  default boolean grow(int sequence, int tokens) {
    return grow(sequence, tokens, tokens);
  }

  /**
   * Ends a sequence: its room is for others.
   *
   * @param comesBack whether it may begin anew, and then looks for what it had stored
   */
  void end(int sequence, boolean comesBack);

  /** Ends a sequence that may begin anew. */
  default void end(int sequence) {
    end(sequence, true);
  }

  /**
   * Tokens of the longest sequence that there is room for when no other runs.
   *
   * @param stepTokens at most so many are added at a time
   */
  int mostTokens(int stepTokens);

  /** What the cache takes from the device before it serves. */
  default CacheLayout layout() {
    return CacheLayout.segments(List.of(mappedBytes()));
  }

  /** Bytes that the cache may take from the device. */
  long capacityBytes();

  /** Bytes that it has from the device now. */
  long mappedBytes();

  /** Bytes that running sequences hold, what they share once. */
  long heldBytes();

  /** Bytes of what is held in which there is no token that will be read again. */
  long wastedBytes();

  /** Bytes that nobody holds and that not every sequence could have. */
  long strandedBytes();

  /** Bytes that nobody holds and in which a prefix is kept for who may come. */
  long keptPrefixBytes();

  /** What the driver had to do. */
  DriverWork driverWork();
}
