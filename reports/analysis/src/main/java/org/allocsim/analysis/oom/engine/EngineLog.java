package org.allocsim.analysis.oom.engine;

import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import org.allocsim.analysis.text.PhraseSet;
import org.jspecify.annotations.Nullable;

/**
 * Collects the figures that the log of an engine prints, the last of each kind, for each of its
 * processes.
 */
public final class EngineLog {
  private static final int MAX_CHARS = 4096;
  private static final int MAX_SOURCES = 256;

  /** Each line with a figure has one of these; so other lines are passed over fast. */
  private static final PhraseSet WORDS =
      new PhraseSet(
          List.of(
              "memory",
              "mem",
              "KV",
              "layers",
              "graph",
              "max_seq_len",
              "max-model-len",
              "max_model_len",
              "max seq len",
              "n_ctx",
              "utilization",
              "buffer",
              "MiB",
              "GiB",
              "took",
              "paged kv",
              "OLLAMA_"));

  private final Map<String, Map<EngineFigure, Printed>> bySource = new LinkedHashMap<>();
  private @Nullable Engine engine;
  private boolean isOllama;

  /**
   * What the log of an engine says about memory.
   *
   * @param engine whose log it is
   * @param figures what it prints
   */
  public record Figures(Engine engine, Map<EngineFigure, Printed> figures) {
    /** A figure; empty where it is not printed. */
    public Optional<Printed> of(EngineFigure figure) {
      return Optional.ofNullable(figures.get(figure));
    }
  }

  /**
   * Reads a line.
   *
   * @param source who wrote it, "" where the log does not say
   */
  public void line(String text, String source) {
    if (text.length() > MAX_CHARS) {
      return;
    }
    isOllama |= text.contains("ollama") || text.contains("OLLAMA_");
    for (EngineLine each : EngineLine.ALL) {
      Matcher matcher = each.form().matcher(text);
      if (matcher.find()) {
        Printed value = Printed.of(matcher.group(1), each.scale());
        for (int group = 2; group <= matcher.groupCount(); group++) {
          value = value.plus(Printed.of(matcher.group(group), each.scale()));
        }
        put(source, each, value);
      }
    }
  }

  /** Whether a line may have a figure. */
  public static boolean mayHave(String text) {
    return WORDS.occursIn(text);
  }

  private void put(String source, EngineLine line, Printed value) {
    Map<EngineFigure, Printed> figures = bySource.get(source);
    if (figures == null) {
      if (bySource.size() == MAX_SOURCES) {
        return;
      }
      figures = new EnumMap<>(EngineFigure.class);
      bySource.put(source, figures);
    }
    figures.put(line.figure(), value);
    // Any program may print the length of its sequences.
    if (line.figure() != EngineFigure.LENGTH) {
      engine = line.engine();
    }
  }

  /**
   * What was printed by one of the engine's processes, and by the others where it printed nothing;
   * empty where no engine wrote the log.
   */
  public Optional<Figures> figures(String source) {
    if (engine == null) {
      return Optional.empty();
    }
    Map<EngineFigure, Printed> all = new EnumMap<>(EngineFigure.class);
    bySource.values().forEach(all::putAll);
    all.putAll(bySource.getOrDefault(source, Map.of()));
    Engine named = engine == Engine.LLAMA_CPP && isOllama ? Engine.OLLAMA : engine;
    return Optional.of(new Figures(named, all));
  }
}
