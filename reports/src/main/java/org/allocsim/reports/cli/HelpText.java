package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ResourceBundle;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * What the help of a command says after its first sentence: how it works, its own options, exit
 * codes, examples. It is a text in the folder {@code help}, named as the command, which is read
 * only where help is asked for. What several commands share is explained where it is declared.
 */
final class HelpText extends ResourceBundle {
  private static final String DESCRIPTION = "usage.description";
  private static final String CODES = "usage.exitCodeList";
  private static final String EXAMPLES = "usage.footer";
  private static final String LINE_END = "%n";

  /** A part begins. */
  private static final Pattern HEADING = Pattern.compile("(Options|Exit codes.*|Examples?):");

  /** An option by its longest name, or a parameter by its label; further lines are indented. */
  private static final Pattern OPTION = Pattern.compile("(?:--)?(\\S+): (.*)");

  /** Texts by the keys that picocli looks for. */
  private final Map<String, Object> texts = new HashMap<>();

  private int codes;

  private HelpText(CommandSpec command, List<String> lines) {
    texts.put(DESCRIPTION, command.usageMessage().description()[0]);
    String key = DESCRIPTION;
    for (String line : lines) {
      if (HEADING.matcher(line).matches()) {
        key = line.startsWith("Exit") ? CODES : line.startsWith("Example") ? EXAMPLES : "";
        texts.put(key + "Heading", LINE_END + line + LINE_END);
      } else {
        key = add(key, line.replace("%", "%%"));
      }
    }
    texts.computeIfPresent(DESCRIPTION, (_, text) -> text.toString().replaceFirst("(%n)+$", ""));
    for (PositionalParamSpec each : command.positionalParameters()) {
      Object text = texts.get(each.paramLabel());
      if (text != null) {
        texts.put(each.paramLabel() + "[" + each.index() + "]", text);
      }
    }
  }

  /** Adds a line to what has a key, or begins an option; the key of the next line. */
  private String add(String key, String line) {
    boolean isText = key.equals(DESCRIPTION) || key.equals(EXAMPLES);
    if (!isText && line.isEmpty()) {
      return key;
    }
    if (key.equals(CODES)) {
      texts.put(CODES + "." + codes++, line);
      return key;
    }
    Matcher option = OPTION.matcher(line);
    if (!isText && option.matches()) {
      texts.put(option.group(1), option.group(2));
      return option.group(1);
    }
    texts.merge(key, isText ? line : line.strip(), (above, below) -> above + LINE_END + below);
    return key;
  }

  /** Adds it to the command that a command line asks the help of, if it does. */
  static void addTo(CommandLine program, List<String> words) {
    if (words.contains("--help") || words.contains("-h")) {
      CommandLine command = program;
      for (String word : words) {
        command = command.getSubcommands().getOrDefault(word, command);
      }
      addTo(command.getCommandSpec());
    }
  }

  private static void addTo(CommandSpec command) {
    String name = command.qualifiedName("-");
    try (InputStream text =
        HelpText.class.getResourceAsStream(
            "help/" + name.substring(name.indexOf('-') + 1) + ".txt")) {
      if (text != null) {
        List<String> lines =
            new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        command.resourceBundle(new HelpText(command, lines));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected @Nullable Object handleGetObject(String key) {
    return texts.get(key);
  }

  @Override
  public Enumeration<String> getKeys() {
    return Collections.enumeration(texts.keySet());
  }
}
