package org.allocsim.workloads.program.parallel;

import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;

/**
 * Which process of a job this is.
 *
 * @param ranks processes among which something is split
 * @param rank this one, counted from 0
 */
record ParallelLayout(int ranks, int rank) {
  static final ProgramOption RANKS =
      new ProgramOption("ranks", "2", "number of processes, one" + " per GPU");
  static final ProgramOption RANK =
      new ProgramOption("rank", "0", "rank of this process, counted from 0");

  static ParallelLayout of(ProgramValues values) {
    ParallelLayout layout = new ParallelLayout(values.count("ranks"), values.number("rank", 0));
    values.require(layout.rank < layout.ranks, "the rank must be below the number of ranks");
    return layout;
  }

  boolean isFirst() {
    return rank == 0;
  }

  boolean isLast() {
    return rank == ranks - 1;
  }

  /** Rows of this rank's part of a dimension, as {@code torch.chunk} divides it. */
  long chunk(long size) {
    long chunk = paddedChunk(size);
    return Math.max(0, Math.min(chunk, size - rank * chunk));
  }

  /** Rows of the largest part of a dimension. */
  long paddedChunk(long size) {
    return (size + ranks - 1) / ranks;
  }
}
