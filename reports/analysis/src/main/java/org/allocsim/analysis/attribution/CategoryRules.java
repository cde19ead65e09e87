package org.allocsim.analysis.attribution;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.StackTable.Frame;
import org.allocsim.simulator.typed.SimilarName;

/**
 * A user's own rules, which come before all others. A rule is a line of three words: a category,
 * {@code function} or {@code file}, and a regular expression that is searched in that part of every
 * frame of a stack, whatever its depth. The first rule that matches decides. Empty lines and lines
 * that begin with {@code #} mean nothing.
 *
 * <pre>
 * # scratch memory of our kernels, and a loader that PyTorch does not know
 * workspace  function  ^ourkernels::scratch
 * input      file      /data/prefetch\.py$
 * </pre>
 */
public final class CategoryRules {
  /** No rules. */
  public static final CategoryRules NONE = new CategoryRules(List.of());

  private record Rule(Category category, boolean isFile, Pattern pattern) {
    boolean matches(Frame frame) {
      return pattern.matcher(isFile ? frame.file() : frame.function()).find();
    }
  }

  private final List<Rule> rules;

  private CategoryRules(List<Rule> rules) {
    this.rules = rules;
  }

  /**
   * Reads rules.
   *
   * @throws CategoryRulesException where a line is no rule
   */
  public static CategoryRules parse(List<String> lines) throws CategoryRulesException {
    List<Rule> rules = new ArrayList<>();
    for (int line = 0; line < lines.size(); line++) {
      String text = lines.get(line).strip();
      if (!text.isEmpty() && !text.startsWith("#")) {
        rules.add(rule(text, line + 1));
      }
    }
    return new CategoryRules(List.copyOf(rules));
  }

  private static Rule rule(String text, int line) throws CategoryRulesException {
    String[] words = text.split("\\s+", 3);
    if (words.length < 3) {
      throw new CategoryRulesException(
          "line " + line + " is not a rule; write CATEGORY, 'function' or 'file', and a pattern");
    }
    Optional<Category> category = Category.ofId(words[0]);
    if (category.isEmpty()) {
      throw new CategoryRulesException(
          "line "
              + line
              + ": unknown category '"
              + words[0]
              + "'; "
              + SimilarName.remedy(words[0], ids(), "choose from " + String.join(", ", ids())));
    }
    if (!words[1].equals("file") && !words[1].equals("function")) {
      throw new CategoryRulesException(
          "line " + line + ": a rule must use 'function' or 'file', not '" + words[1] + "'");
    }
    try {
      return new Rule(category.get(), words[1].equals("file"), Pattern.compile(words[2]));
    } catch (PatternSyntaxException e) {
      throw new CategoryRulesException(
          "line "
              + line
              + ": '"
              + words[2]
              + "' is not a regular expression: "
              + e.getDescription());
    }
  }

  private static List<String> ids() {
    return Arrays.stream(Category.values())
        .filter(each -> each != Category.UNKNOWN)
        .map(Category::id)
        .toList();
  }

  /** The category that the rules give a stack. */
  Optional<Category> category(StackTable table, int stack) {
    for (Rule rule : rules) {
      for (int depth = 0; depth < table.depth(stack); depth++) {
        if (rule.matches(table.frame(stack, depth))) {
          return Optional.of(rule.category);
        }
      }
    }
    return Optional.empty();
  }
}
