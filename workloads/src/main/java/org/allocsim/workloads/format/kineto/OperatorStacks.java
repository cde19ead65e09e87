package org.allocsim.workloads.format.kineto;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.allocsim.simulator.trace.StackTable;

/** Which operators enclosed an event on its thread, as a stack, the innermost first. */
final class OperatorStacks {
  /** Most frames of a stack, the innermost ones. */
  static final int DEEPEST = 256;

  private static final int STACK_BYTES = 160;

  private final ProfilerEvents events;
  private final StackTable.Builder stacks;
  private final List<Deque<Integer>> open = new ArrayList<>();
  private final int[] operators;
  private int next;

  /** Frames by the number of an operator's name, one more than they are; 0 where unknown. */
  private final int[] frames;

  private int cut;
  private long heldBytes;

  /** Events must be asked for in order of time. */
  OperatorStacks(ProfilerEvents events, StackTable.Builder stacks) {
    this.events = events;
    this.stacks = stacks;
    frames = new int[events.nameCount()];
    operators = events.byTime(ProfilerEvents.Kind.OPERATOR, ProfilerEvents.Kind.OPERATOR);
    for (int thread = 0; thread < events.threadCount(); thread++) {
      open.add(new ArrayDeque<>());
    }
  }

  /** Number of the stack at an event. */
  int at(int event) {
    long now = events.timeNanos(event);
    while (next < operators.length && events.timeNanos(operators[next]) <= now) {
      int operator = operators[next++];
      close(open.get(events.thread(operator)), events.timeNanos(operator));
      open.get(events.thread(operator)).push(operator);
    }
    Deque<Integer> enclosing = open.get(events.thread(event));
    close(enclosing, now);
    if (enclosing.size() > DEEPEST) {
      cut++;
    }
    int known = stacks.stackCount();
    int[] frames = enclosing.stream().limit(DEEPEST).mapToInt(this::frame).toArray();
    int stack = stacks.stack(frames);
    if (stacks.stackCount() > known) {
      heldBytes += STACK_BYTES + (long) Integer.BYTES * frames.length;
    }
    return stack;
  }

  /** Number of the frame of an operator. */
  private int frame(int operator) {
    int name = events.nameNumber(operator);
    if (frames[name] == 0) {
      frames[name] = stacks.frame("", 0, events.name(operator)) + 1;
    }
    return frames[name] - 1;
  }

  /** Events with more operators around them than their stacks have. */
  int cut() {
    return cut;
  }

  /** Bytes that the stacks take in memory, about. */
  long heldBytes() {
    return heldBytes;
  }

  private void close(Deque<Integer> stack, long nowNanos) {
    while (!stack.isEmpty() && events.endNanos(stack.peek()) < nowNanos) {
      stack.pop();
    }
  }
}
