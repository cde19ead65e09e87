package org.allocsim.workloads.format.kineto;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.allocsim.simulator.trace.StackTable;

/** Which operators enclosed an event on its thread, as a stack, the innermost first. */
final class OperatorStacks {
  private final ProfilerEvents events;
  private final StackTable.Builder stacks;
  private final List<Deque<Integer>> open = new ArrayList<>();
  private final int[] operators;
  private int next;

  /** Events must be asked for in order of time. */
  OperatorStacks(ProfilerEvents events, StackTable.Builder stacks) {
    this.events = events;
    this.stacks = stacks;
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
    return stacks.stack(
        enclosing.stream()
            .mapToInt(operator -> stacks.frame("", 0, events.name(operator)))
            .toArray());
  }

  private void close(Deque<Integer> stack, long nowNanos) {
    while (!stack.isEmpty() && events.endNanos(stack.peek()) < nowNanos) {
      stack.pop();
    }
  }
}
