package org.allocsim.workloads.format.pytorch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.pytorch.metadata.Annotation;
import org.jspecify.annotations.Nullable;

/** What a list of the snapshot holds; its first element says. */
sealed interface ListContent {
  /** Stack frames, by number. */
  final class Frames implements ListContent {
    int[] numbers = new int[64];
    int count;

    void add(int frame) {
      if (count == numbers.length) {
        numbers = Arrays.copyOf(numbers, count * 2);
      }
      numbers[count++] = frame;
    }
  }

  /** History entries. */
  final class Events implements ListContent {
    final EventColumns columns;

    Events(EventColumns columns) {
      this.columns = columns;
    }
  }

  /** Segments. */
  final class Segments implements ListContent {
    final List<SnapshotSegment> segments = new ArrayList<>();

    /** Segments whose blocks do not add up to the segment's own sums. */
    long odd;

    /** Blocks without a requested size. */
    long sizesUnknown;

    boolean hasBlockHistories;

    /** What is wrong with the first segment that cannot be read, or null. */
    @Nullable Problem problem;
  }

  /** Blocks of a segment. */
  final class Blocks implements ListContent {
    final BlockColumns columns = new BlockColumns();
  }

  /** What very old files keep of a block's requests; the newest one stands first. */
  final class BlockHistory implements ListContent {
    long address;
    boolean hasAddress;
    long requestedBytes = -1;
    int stack = StackTable.NONE;
  }

  /** Annotations. */
  final class Annotations implements ListContent {
    final List<Annotation> annotations = new ArrayList<>();

    /** What is wrong with the first annotation that cannot be read, or null. */
    @Nullable Problem problem;
  }

  /** Lists; {@code null} stands for an empty one. */
  final class Lists implements ListContent {
    /** Elements beyond this are only counted. */
    static final int MOST = Snapshot.MAX_DEVICES;

    final List<ListContent> lists = new ArrayList<>();
    int count;
  }

  /** Booleans. */
  final class Flags implements ListContent {
    boolean[] flags = new boolean[8];
    int count;

    void add(boolean flag) {
      if (count == flags.length) {
        flags = Arrays.copyOf(flags, count * 2);
      }
      flags[count++] = flag;
    }
  }

  /** Anything else; only how deep it nests is known. */
  final class Other implements ListContent {
    int depth;

    Other(int depth) {
      this.depth = depth;
    }
  }

  /**
   * Something wrong, kept until it is known whether that part of the file matters.
   *
   * @param place where, in words
   * @param cause what is wrong
   * @param remedy what the user can do
   */
  record Problem(String place, String cause, String remedy) {}
}
