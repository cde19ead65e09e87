package org.allocsim.workloads.io.sqlite;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The columns of a table, from the statement that made it.
 *
 * @param names in the order of the values in a row
 * @param rowid the column that is another name of a row's number, whose values are not stored; −1
 *     where there is none
 */
record TableColumns(List<String> names, int rowid) {
  private static final Pattern COMMENT = Pattern.compile("--[^\n]*|/\\*.*?\\*/", Pattern.DOTALL);

  /** Longest statement that is taken apart; those of profiles have 2 000 characters. */
  private static final int MAX_CHARACTERS = 1 << 14;

  /** What begins a condition on the whole table and no column. */
  private static final List<String> CONDITIONS =
      List.of("CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN");

  private static final Pattern ROWID =
      Pattern.compile("\\S+\\s+INTEGER\\b.*\\bPRIMARY\\s+KEY\\b(?!\\s+DESC\\b).*", Pattern.DOTALL);
  private static final Pattern NO_ROWID = Pattern.compile("(?i).*\\bWITHOUT\\s+ROWID\\b.*");

  /**
   * Takes a statement apart.
   *
   * @throws SqliteException where it makes no table that can be read
   */
  static TableColumns of(String statement) throws SqliteException {
    if (statement.length() > MAX_CHARACTERS) {
      throw new SqliteException(
          "the database has a table whose statement is longer than %d characters"
              .formatted(MAX_CHARACTERS));
    }
    String text = COMMENT.matcher(statement).replaceAll(" ");
    int open = text.indexOf('(');
    List<String> names = new ArrayList<>();
    int rowid = -1;
    int from = open + 1;
    int depth = 0;
    char quote = 0;
    for (int i = open + 1; open >= 0 && i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '"' || c == '\'' || c == '`') {
        quote = c;
      } else if (c == '[') {
        quote = ']';
      } else if (c == '(') {
        depth++;
      } else if (depth > 0 && c == ')') {
        depth--;
      } else if (depth == 0 && (c == ',' || c == ')')) {
        String definition = text.substring(from, i).strip();
        from = i + 1;
        String name = firstWord(definition);
        if (!CONDITIONS.contains(name.toUpperCase(Locale.ROOT))) {
          if (ROWID.matcher(definition.toUpperCase(Locale.ROOT)).matches()) {
            rowid = names.size();
          }
          names.add(unquoted(name));
        }
        if (c == ')') {
          if (NO_ROWID.matcher(text.substring(i).replace('\n', ' ')).matches()) {
            break;
          }
          return new TableColumns(List.copyOf(names), rowid);
        }
      }
    }
    throw new SqliteException("the database has an unsupported kind of table");
  }

  private static String firstWord(String definition) {
    int end = 0;
    if (!definition.isEmpty() && "\"`[".indexOf(definition.charAt(0)) >= 0) {
      end = definition.indexOf(definition.charAt(0) == '[' ? ']' : definition.charAt(0), 1) + 1;
    } else {
      while (end < definition.length() && !Character.isWhitespace(definition.charAt(end))) {
        end++;
      }
    }
    return definition.substring(0, end);
  }

  private static String unquoted(String name) {
    return name.length() > 1 && "\"`[".indexOf(name.charAt(0)) >= 0
        ? name.substring(1, name.length() - 1)
        : name;
  }

  /** Place of a column, whose name is compared as SQLite does; −1 where there is none. */
  int indexOf(String name) {
    for (int i = 0; i < names.size(); i++) {
      if (names.get(i).equalsIgnoreCase(name)) {
        return i;
      }
    }
    return -1;
  }
}
