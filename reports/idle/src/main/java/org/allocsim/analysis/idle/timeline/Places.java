package org.allocsim.analysis.idle.timeline;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.allocsim.analysis.idle.profile.RowKind;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.jspecify.annotations.Nullable;

/** Where in the program something happens, as far as a profile shows. */
public final class Places {
  private static final int MAX_DEPTH = 256;

  /** Kineto writes a function of Python as {@code file(line): function}. */
  private static final Pattern FUNCTION = Pattern.compile("(.*)\\((\\d+)\\): (.*)");

  private final Timeline timeline;
  private final TimeProfile profile;

  public Places(Timeline timeline) {
    this.timeline = timeline;
    profile = timeline.profile();
  }

  /**
   * The innermost line of the program itself around a row; without Python functions that of a
   * snapshot of the same run, else the outermost operator, else the row's own name. From PyTorch
   * 2.14 on the line is that of the call, before it that where the function begins.
   */
  public String of(int row) {
    String known = profile.line(row);
    if (known != null) {
      return known;
    }
    int callee = row;
    int operator = Timeline.NONE;
    int at = row;
    for (int depth = 0; at != Timeline.NONE && depth < MAX_DEPTH; depth++) {
      if (profile.kind(at) == RowKind.PYTHON) {
        String line = line(at, callee);
        if (line != null) {
          return line;
        }
        callee = at;
      } else if (profile.kind(at) == RowKind.OPERATOR) {
        operator = at;
      }
      at = timeline.parent(at);
    }
    return operator == Timeline.NONE ? simple(profile.name(row)) : profile.name(operator);
  }

  /** The name of a kernel without its return type, namespaces, template and parameters. */
  public static String kernel(String name) {
    String bare = name.replace("(anonymous namespace)::", "");
    int end = bare.length();
    for (char mark : new char[] {'<', '('}) {
      int at = bare.indexOf(mark);
      end = at > 0 ? Math.min(end, at) : end;
    }
    String head = bare.substring(0, end);
    int begin = Math.max(head.lastIndexOf(' ') + 1, head.lastIndexOf("::") + 2);
    return head.substring(head.contains("::") ? begin : head.lastIndexOf(' ') + 1);
  }

  private static String simple(String name) {
    return name.startsWith("enumerate(DataLoader)") ? "DataLoader" : name;
  }

  private @Nullable String line(int row, int callee) {
    Matcher function = FUNCTION.matcher(profile.name(row));
    if (!function.matches() || !isOfProgram(function.group(1))) {
      return null;
    }
    if (callee != row
        && profile.kind(callee) == RowKind.PYTHON
        && profile.link(callee) != TimeProfile.NO_LINK) {
      return shortened(profile.nameText(profile.link(callee)));
    }
    return shortened(function.group(1)) + ":" + function.group(2) + " (" + function.group(3) + ")";
  }

  private static boolean isOfProgram(String file) {
    return !file.startsWith("<")
        && !file.startsWith("torch/")
        && !file.contains("/torch/")
        && !file.contains("site-packages/")
        && !file.contains("dist-packages/")
        && !file.contains("/lib/python")
        && file.endsWith(".py");
  }

  /** The last two parts of a path. */
  public static String shortened(String path) {
    int last = path.lastIndexOf('/');
    int before = last < 0 ? -1 : path.lastIndexOf('/', last - 1);
    return before < 0 ? path : path.substring(before + 1);
  }
}
