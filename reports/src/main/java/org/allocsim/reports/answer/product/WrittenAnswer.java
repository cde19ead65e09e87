package org.allocsim.reports.answer.product;

import java.util.List;
import java.util.Map;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Shape;

/** What a command says whose result is files: some lines for people, and no JSON. */
public final class WrittenAnswer {
  private WrittenAnswer() {}

  /**
   * An answer.
   *
   * @param command name of the command
   * @param lines what it says, each in a line of its own
   */
  public static Document<List<String>> document(String command, List<String> lines) {
    return document(
        command, lines, lines.stream().map(line -> new Section(line, List.of())).toList());
  }

  /**
   * An answer about a file that may hold less than what was written to it.
   *
   * @param line what was written
   * @param lost what the file does not hold
   */
  public static Document<List<String>> document(String command, String line, List<String> lost) {
    return lost.isEmpty()
        ? document(command, List.of(line))
        : document(
            command,
            List.of(line),
            List.of(new Section(null, List.of(Notes.of(line + "; lost", lost)))));
  }

  private static Document<List<String>> document(
      String command, List<String> content, List<Section> sections) {
    return new Document<>(
        new Kind<>(command, command, "Files written.", new Shape<>(List.of())),
        command,
        null,
        sections,
        Map.of(),
        content);
  }
}
