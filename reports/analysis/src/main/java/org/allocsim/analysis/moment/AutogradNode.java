package org.allocsim.analysis.moment;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.simulator.trace.StackTable;

/**
 * The node of the graph that the backward pass of PyTorch runs, as compiled frames show it.
 *
 * <p><b>Source.</b> {@code _create_op_prefix} in tools/autograd/load_derivatives.py of PyTorch 2.11
 * names the class of a node after its operator: {@code native_layer_norm} becomes {@code
 * NativeLayerNormBackward0}, {@code conv2d} {@code Conv2DBackward0}. Underscores at the ends and an
 * ending {@code _forward} are lost; the operator without them is the one that programs call.
 */
final class AutogradNode {
  /** An operator's node; those that are compiled at run time have other classes. */
  private static final Pattern OPERATOR =
      Pattern.compile("(\\w+?)(?:Backward\\d*(?:::apply|_apply)|Backward\\d*_\\w*apply)");

  /** Nodes that C++ code defines: {@code CppNode<scope::Function>::apply}. */
  private static final Pattern CUSTOM = Pattern.compile("CppNode(?:_\\w+)?<([\\w:]+)>::apply");

  private static final String ACCUMULATION = "::AccumulateGrad::";
  private static final String ENGINE = "torch::autograd::Engine";

  /** What a stack of the backward pass shows where no node is named in it. */
  static final String SOME = "backward pass";

  private AutogradNode() {}

  /**
   * The innermost node of a stack, in words; {@link #SOME} where only the engine shows, "" outside
   * of a backward pass.
   */
  static String of(StackTable table, int stack) {
    boolean isBackward = false;
    for (int depth = 0; depth < table.depth(stack); depth++) {
      if (FrameKind.of(table.frame(stack, depth)) == FrameKind.COMPILED) {
        String function = table.frame(stack, depth).function();
        String node = node(function);
        if (!node.isEmpty()) {
          return node;
        }
        isBackward |= function.contains(ENGINE);
      }
    }
    return isBackward ? SOME : "";
  }

  private static String node(String function) {
    Matcher operator = OPERATOR.matcher(function);
    if (operator.find()) {
      return StackLabels.plain("backward of aten::" + operatorName(operator.group(1)));
    }
    Matcher custom = CUSTOM.matcher(function);
    if (custom.find()) {
      return StackLabels.plain("backward of " + custom.group(1));
    }
    return function.contains(ACCUMULATION) ? "accumulation of gradients" : "";
  }

  /** A capital letter begins a word, except behind a digit: Conv2D is conv2d. */
  private static String operatorName(String prefix) {
    StringBuilder name = new StringBuilder();
    for (int i = 0; i < prefix.length(); i++) {
      char letter = prefix.charAt(i);
      boolean beginsWord =
          i > 0 && Character.isUpperCase(letter) && !Character.isDigit(prefix.charAt(i - 1));
      name.append(beginsWord ? "_" : "").append(Character.toLowerCase(letter));
    }
    return name.toString();
  }
}
