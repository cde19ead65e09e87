package org.allocsim.simulator.policy.pytorch.conf;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.policy.pytorch.ConfigException;

/**
 * A configuration string cut into tokens: the characters {@code , : [ ]} and maximal runs of
 * others, blanks removed (PyTorch 2.11, ConfigTokenizer).
 */
final class ConfigTokens {
  private final List<String> tokens = new ArrayList<>();

  /**
   * Cuts a string.
   *
   * @param onlyBlanks whether only the space character is removed (before 2.10) rather than all
   *     white space
   */
  ConfigTokens(String text, boolean onlyBlanks) {
    StringBuilder run = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == ',' || c == ':' || c == '[' || c == ']') {
        endRun(run);
        tokens.add(String.valueOf(c));
      } else if (c != ' ' && (onlyBlanks || !CppNumbers.isSpace(c))) {
        run.append(c);
      }
    }
    endRun(run);
  }

  private void endRun(StringBuilder run) {
    if (!run.isEmpty()) {
      tokens.add(run.toString());
      run.setLength(0);
    }
  }

  int size() {
    return tokens.size();
  }

  /** Whether there is a token {@code i} and it is {@code expected}. */
  boolean is(int i, String expected) {
    return i < tokens.size() && tokens.get(i).equals(expected);
  }

  /** Token {@code i}; PyTorch fails an internal assertion where there is none. */
  String get(int i) throws ConfigException {
    if (i >= tokens.size()) {
      throw new ConfigException("RuntimeError", "Index out of bounds in ConfigTokenizer");
    }
    return tokens.get(i);
  }
}
