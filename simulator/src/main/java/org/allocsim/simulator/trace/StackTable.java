package org.allocsim.simulator.trace;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Stack traces shared by many events: every distinct frame and every distinct stack is kept once.
 * Stack 0 is the empty stack, "not recorded".
 */
public final class StackTable {
  /** The stack of an event whose stack was not recorded. */
  public static final int NONE = 0;

  /**
   * One frame.
   *
   * @param file source file as recorded
   * @param line line in that file, 0 where unknown
   * @param function function name as recorded
   */
  public record Frame(String file, int line, String function) {}

  private final List<Frame> frames;
  private final int[][] stacks;

  private StackTable(List<Frame> frames, int[][] stacks) {
    this.frames = frames;
    this.stacks = stacks;
  }

  /** A table that holds only the empty stack. */
  public static StackTable empty() {
    return new Builder().build();
  }

  /** Number of distinct stacks, the empty one included. */
  public int stackCount() {
    return stacks.length;
  }

  /** Number of distinct frames. */
  public int frameCount() {
    return frames.size();
  }

  /** Number of frames of a stack. */
  public int depth(int stack) {
    return stacks[stack].length;
  }

  /** Frame {@code depth} of a stack, 0 being the innermost. */
  public Frame frame(int stack, int depth) {
    return frame(frameNumber(stack, depth));
  }

  /** The number of that frame, below {@link #frameCount()}. */
  public int frameNumber(int stack, int depth) {
    return stacks[stack][depth];
  }

  /** The frame of a number. */
  public Frame frame(int number) {
    return frames.get(number);
  }

  /** Collects frames and stacks; equal ones get equal numbers. */
  public static final class Builder {
    private final Map<Frame, Integer> frameIds = new HashMap<>();
    private final java.util.ArrayList<Frame> frames = new java.util.ArrayList<>();
    private final Map<StackKey, Integer> stackIds = new HashMap<>();
    private final java.util.ArrayList<int[]> stacks = new java.util.ArrayList<>();

    /** A builder that already holds the empty stack. */
    public Builder() {
      stack();
    }

    /** The number of a frame. */
    public int frame(String file, int line, String function) {
      return frameIds.computeIfAbsent(
          new Frame(file, line, function),
          frame -> {
            frames.add(frame);
            return frames.size() - 1;
          });
    }

    /** The number of the stack with these frames, innermost first. */
    public int stack(int... frameNumbers) {
      return stackIds.computeIfAbsent(
          new StackKey(frameNumbers.clone()),
          key -> {
            stacks.add(key.frames);
            return stacks.size() - 1;
          });
    }

    /** Number of distinct stacks so far. */
    public int stackCount() {
      return stacks.size();
    }

    /** The finished table. */
    public StackTable build() {
      return new StackTable(List.copyOf(frames), stacks.toArray(int[][]::new));
    }
  }

  private record StackKey(int[] frames) {
    @Override
    public boolean equals(Object other) {
      return other instanceof StackKey that && Arrays.equals(frames, that.frames);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(frames);
    }
  }
}
