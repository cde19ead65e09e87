package org.allocsim.analysis.moment;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.StackTable.Frame;

/**
 * Stacks in a line: the innermost frames of the program, without those of PyTorch itself, of
 * Python's standard library and of compiled code. A stack of the backward pass that has no other
 * frames is named after the node of the graph, any other keeps its innermost ones. Files are named
 * with the folder they are in, so that labels of programs that were installed in different places
 * compare equal.
 */
public final class StackLabels {
  /** Stands between a frame and the one that called it. */
  private static final String CALLED_FROM = " < ";

  /** A frame with a file, a line and a function, before the one that called it. */
  private static final Pattern INNERMOST =
      Pattern.compile("(\\S+:\\d+ .+?)" + CALLED_FROM + "\\S+:\\d+ .*");

  public static final int DEFAULT_FRAMES = 3;

  private static final int MAX_CHARACTERS = 80;

  private final StackTable table;
  private final int frames;
  private final Map<Integer, String> labels = new HashMap<>();

  /** Labels with at most this many frames. */
  public StackLabels(StackTable table, int frames) {
    this.table = table;
    this.frames = frames;
  }

  /** The innermost frame of a label with several; any other text as it is. */
  public static String innermost(String text) {
    Matcher frames = INNERMOST.matcher(text);
    return frames.matches() ? frames.group(1) : text;
  }

  /** Label of a stack; empty for the stack that was not recorded. */
  public String label(int stack) {
    return labels.computeIfAbsent(stack, this::make);
  }

  private String make(int stack) {
    List<String> shown = new ArrayList<>();
    for (int depth = 0; depth < table.depth(stack) && shown.size() < frames; depth++) {
      Frame frame = table.frame(stack, depth);
      if (isOfProgram(frame)) {
        shown.add(text(frame));
      }
    }
    String node = shown.isEmpty() ? AutogradNode.of(table, stack) : "";
    if (!node.isEmpty()) {
      return node;
    }
    boolean foreign = shown.isEmpty();
    for (int depth = 0; foreign && depth < table.depth(stack) && shown.size() < frames; depth++) {
      Frame frame = table.frame(stack, depth);
      if (!isOfRecorder(frame)) {
        shown.add(text(frame));
      }
    }
    return shown.isEmpty() && table.depth(stack) > 0
        ? text(table.frame(stack, 0))
        : String.join(CALLED_FROM, shown);
  }

  /** Whether a compiled frame only shows how PyTorch's allocator was asked and recorded it. */
  private static boolean isOfRecorder(Frame frame) {
    String function = frame.function();
    return function.startsWith("torch::unwind::")
        || function.startsWith("torch::CapturedTraceback")
        || function.contains("::gather")
        || function.startsWith("at::detail::empty")
        || function.contains("CUDACachingAllocator");
  }

  private static boolean isOfProgram(Frame frame) {
    FrameKind kind = FrameKind.of(frame);
    return kind == FrameKind.PROGRAM || kind == FrameKind.PACKAGE;
  }

  /** File, line and function of a frame. */
  public static String text(Frame frame) {
    String file = frame.file().replace('\\', '/');
    int name = file.lastIndexOf('/');
    int folder = name <= 0 ? -1 : file.lastIndexOf('/', name - 1);
    String place =
        file.isEmpty() || file.equals("??")
            ? ""
            : file.substring(folder + 1) + (frame.line() > 0 ? ":" + frame.line() : "");
    String function = file.endsWith(".py") ? frame.function() : withoutParameters(frame.function());
    return plain((place + " " + function).strip());
  }

  /** The name of a C++ function, whose parameters would fill the line. */
  private static String withoutParameters(String function) {
    String name = function.replace("(anonymous namespace)::", "");
    for (int at = 1; at < name.length(); at++) {
      if (name.charAt(at) == '(' || name.charAt(at) == '<') {
        return name.substring(0, at);
      }
    }
    return name;
  }

  /** Names come from the file: no control characters, and not too long for a line. */
  public static String plain(String text) {
    StringBuilder line = new StringBuilder();
    text.codePoints()
        .limit(MAX_CHARACTERS)
        .map(c -> Character.isISOControl(c) || c == 0x2028 || c == 0x2029 ? ' ' : c)
        .forEach(line::appendCodePoint);
    return text.codePointCount(0, text.length()) > MAX_CHARACTERS ? line + "…" : line.toString();
  }
}
