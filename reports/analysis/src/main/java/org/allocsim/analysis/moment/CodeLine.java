package org.allocsim.analysis.moment;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.StackTable.Frame;

/**
 * Where in a program memory was asked for: the innermost frame of the program's own code, with what
 * was called there. The backward pass of PyTorch runs in threads of its own, whose stacks have no
 * frame of the program; of those the node of the graph is named, where compiled frames show it.
 *
 * @param text file, line and function of the program, or what is known instead
 * @param inside the innermost library frame below it, or the node of the graph; "" where there is
 *     none
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

  /**
   * A node of the graph that the backward pass runs; PyTorch names its class after the operator.
   */
  private static final Pattern NODE = Pattern.compile("(\\w+Backward\\w*)(?:::apply|_apply)");

  private static final String ACCUMULATION = "AccumulateGrad";
  private static final String ENGINE = "torch::autograd::Engine";
  private static final String BACKWARD_PASS = "backward pass";

  /** Python frames that only pass calls on to a module's forward. */
  private static final String CALLER = "torch/nn/modules/module.py";

  /** Where an allocation was asked for; empty where no stack was recorded. */
  public static Optional<CodeLine> of(Origins origins, int allocation) {
    int stack = origins.stack(allocation);
    return origins.stackTable().depth(stack) > 0
        ? Optional.of(of(origins.stackTable(), stack))
        : Optional.empty();
  }

  /**
   * The line of a stack.
   *
   * @param stack number of a stack that has frames
   */
  static CodeLine of(StackTable table, int stack) {
    String inside = "";
    String node = "";
    boolean isBackward = false;
    for (int depth = 0; depth < table.depth(stack); depth++) {
      Frame frame = table.frame(stack, depth);
      switch (FrameKind.of(frame)) {
        case PROGRAM -> {
          return new CodeLine(
              StackLabels.text(frame), inside.isEmpty() ? node : inside, Kind.PROGRAM);
        }
        case PACKAGE, TORCH, PYTHON -> {
          boolean passesOn = frame.file().replace('\\', '/').endsWith(CALLER);
          inside = inside.isEmpty() && !passesOn ? StackLabels.text(frame) : inside;
        }
        case COMPILED -> {
          node = node.isEmpty() ? node(frame.function()) : node;
          isBackward |= frame.function().contains(ENGINE);
        }
      }
    }
    return isBackward || !node.isEmpty()
        ? new CodeLine(BACKWARD_PASS, node, Kind.BACKWARD)
        : new CodeLine(
            inside.isEmpty() ? new StackLabels(table, 1).label(stack) : inside, "", Kind.LIBRARY);
  }

  private static String node(String function) {
    Matcher matcher = NODE.matcher(function);
    if (matcher.find()) {
      return matcher.group(1);
    }
    return function.contains("::" + ACCUMULATION + "::") ? ACCUMULATION : "";
  }
}
