package org.allocsim.analysis.moment;

import java.util.Optional;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.StackTable.Frame;

/**
 * Where in a program memory was asked for: the innermost frame of the program's own code, with what
 * was called there. The backward pass of PyTorch runs in threads of its own, whose stacks have no
 * frame of the program; of those the node of the graph is named, as in "backward of aten::addmm",
 * where compiled frames show it.
 *
 * @param text file, line and function of the program, or what is known instead
 * @param inside the innermost library frame below it, or the node of the graph that it runs; ""
 *     where there is none
 * @param kind what the text names
 */
public record CodeLine(String text, String inside, Kind kind) {
  /** What a line names. */
  public enum Kind {
    /** A line of the program's own code. */
    PROGRAM,
    /** The backward pass. */
    BACKWARD,
    /** Code of libraries only. */
    LIBRARY
  }

  /** Python frames that only pass calls on to a module's forward. */
  private static final String CALLER = "torch/nn/modules/module.py";

  /** Where an allocation was asked for; empty where no stack was recorded. */
  public static Optional<CodeLine> of(Origins origins, int allocation) {
    int stack = origins.stack(allocation);
    return origins.stackTable().depth(stack) > 0
        ? Optional.of(of(origins.stackTable(), stack))
        : Optional.empty();
  }

  /** Where the request of a row was made; empty where no stack was recorded. */
  public static Optional<CodeLine> at(AllocationTrace trace, int row) {
    int stack = trace.stack(row);
    return trace.stacks().depth(stack) > 0
        ? Optional.of(of(trace.stacks(), stack))
        : Optional.empty();
  }

  /**
   * The line of a stack.
   *
   * @param stack number of a stack that has frames
   */
  static CodeLine of(StackTable table, int stack) {
    String inside = "";
    for (int depth = 0; depth < table.depth(stack); depth++) {
      Frame frame = table.frame(stack, depth);
      switch (FrameKind.of(frame)) {
        case PROGRAM -> {
          return new CodeLine(
              StackLabels.text(frame),
              inside.isEmpty() ? AutogradNode.of(table, stack) : inside,
              Kind.PROGRAM);
        }
        case PACKAGE, TORCH, PYTHON -> {
          boolean passesOn = frame.file().replace('\\', '/').endsWith(CALLER);
          inside = inside.isEmpty() && !passesOn ? StackLabels.text(frame) : inside;
        }
        case COMPILED -> {}
      }
    }
    String node = AutogradNode.of(table, stack);
    return node.isEmpty()
        ? new CodeLine(
            inside.isEmpty() ? new StackLabels(table, 1).label(stack) : inside, "", Kind.LIBRARY)
        : new CodeLine(node, inside, Kind.BACKWARD);
  }
}
