package org.allocsim.analysis.oom.engine;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.allocsim.analysis.text.PhraseSet;
import org.jspecify.annotations.Nullable;

/**
 * Collects the figures that the log of an engine prints, the last of each kind, for each of its
 * ranks and GPUs.
 */
public final class EngineLog {
  private static final int MAX_CHARS = 4096;
  private static final int MAX_RANKS = 256;

  /** Each line with a figure has one of these; so other lines are passed over fast. */
  private static final PhraseSet WORDS =
      new PhraseSet(
          List.of(
              "memory",
              "mem",
              "KV",
              "kv cache",
              "layers",
              "graph",
              "max_seq_len",
              "max_num",
              "max-num",
              "max_batch_size",
              "max-model-len",
              "max_model_len",
              "max seq len",
              "model length",
              "tokens per request",
              "context size",
              "running_requests",
              "window size",
              "n_ctx",
              "n_ubatch",
              "--ctx-size",
              "llama-server",
              "utilization",
              "buffer",
              "MiB",
              "GiB",
              "took",
              "paged kv",
              "v0.",
              "version",
              "OLLAMA_"));

  /**
   * How engines name who writes: vLLM its processes, SGLang and TensorRT-LLM their ranks, older
   * releases of SGLang the GPU.
   */
  private static final Pattern RANK =
      Pattern.compile(
          "\\((\\w{1,60}(?: rank=\\d{1,4})? pid=\\d{1,9})[^()]{0,60}\\)"
              + "|\\[[^\\[\\]]{0,40}?((?:\\b(?:DP|PP|TP|EP)\\d{1,4} ?){1,4})\\]"
              + "|\\[(RANK \\d{1,4})\\]"
              + "|\\[(gpu(?:_id)?=\\d{1,3})\\]");

  private static final Pattern VLLM_RELEASE =
      Pattern.compile("(?:vLLM API server version|LLM engine \\(v)\\s?v?(\\d{1,3})\\.(\\d{1,3})");

  /** What two ranks are compared by, the first of these that several of them print. */
  private static final List<EngineFigure> SCARCE =
      List.of(
          EngineFigure.KV_CACHE,
          EngineFigure.FREE_AFTER_CACHE,
          EngineFigure.FREE_AFTER_WEIGHTS,
          EngineFigure.FREE_AT_START);

  private final Map<String, Map<EngineFigure, Printed>> byRank = new LinkedHashMap<>();
  private @Nullable Engine engine;
  private boolean isOllama;
  private Generation generation = Generation.UNKNOWN;

  /** Releases between which an engine's options or defaults changed. */
  public enum Generation {
    /** The log does not show it. */
    UNKNOWN,
    /** Before the change. */
    OLDER,
    /**
     * vLLM from 0.21 on, of April 2026: the share is 0.92 where nobody says otherwise, and CUDA
     * graphs are part of it. SGLang from 0.5.1x on: graphs of decoding have an option of their own.
     */
    NEWER
  }

  /**
   * What the log of an engine says about memory.
   *
   * @param engine whose log it is
   * @param figures what it prints
   * @param generation of which releases it is
   * @param rank whose figures they are where ranks differ, "" where the log names none
   * @param ranks ranks with figures
   */
  public record Figures(
      Engine engine,
      Map<EngineFigure, Printed> figures,
      Generation generation,
      String rank,
      int ranks) {
    /** A figure; empty where it is not printed. */
    public Optional<Printed> of(EngineFigure figure) {
      return Optional.ofNullable(figures.get(figure));
    }

    /** Whether these figures are those of the rank that has least, one of several. */
    public boolean isScarcest() {
      return ranks > 1 && !rank.isEmpty();
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
    noteGeneration(text);
    String rank = null;
    for (EngineLine each : EngineLine.ALL) {
      Matcher found = each.in(text);
      if (found != null) {
        rank = rank == null ? rank(text, source) : rank;
        String gpu = each.gpu(found);
        put(gpu.isEmpty() ? rank : gpu, each, each.value(found));
      }
    }
  }

  /** Whether a line may have a figure. */
  public static boolean mayHave(String text) {
    return WORDS.occursIn(text);
  }

  private void noteGeneration(String text) {
    Matcher release = VLLM_RELEASE.matcher(text);
    if (text.contains("v") && release.find()) {
      boolean isNewer =
          Integer.parseInt(release.group(1)) > 0 || Integer.parseInt(release.group(2)) >= 21;
      generation = isNewer ? Generation.NEWER : Generation.OLDER;
    } else if (text.contains("default since v0.21")
        || text.contains("default as of v0.21")
        || text.contains("cuda-graph-max-bs-decode")
        || text.contains("cuda_graph_max_bs_decode")) {
      generation = Generation.NEWER;
    }
  }

  /** The rank that a line names, else its source. */
  private static String rank(String text, String source) {
    Matcher named = RANK.matcher(text.substring(0, Math.min(text.length(), 200)));
    if (!named.find()) {
      return source;
    }
    return Stream.of(1, 2, 3, 4)
        .map(named::group)
        .filter(each -> each != null)
        .findFirst()
        .orElse(source)
        .strip();
  }

  private void put(String rank, EngineLine line, Printed value) {
    Map<EngineFigure, Printed> figures = byRank.get(rank);
    if (figures == null) {
      if (byRank.size() == MAX_RANKS) {
        return;
      }
      figures = new EnumMap<>(EngineFigure.class);
      byRank.put(rank, figures);
    }
    if (line.engine() == Engine.LLAMA_CPP && line.figure() == EngineFigure.FREE_AT_START) {
      // A model is loaded, perhaps after another one or a trial of how much it would need.
      figures.clear();
    }
    if (line.figure() == EngineFigure.LENGTH && value.equals(figures.get(EngineFigure.LONGEST))) {
      // What was cut to the longest possible is printed again, cut.
      return;
    }
    Printed before = figures.get(line.figure());
    figures.put(line.figure(), line.adds() && before != null ? before.plus(value) : value);
    // Any program may print the length of its sequences, or its batch.
    if (line.figure().unit() != EngineFigure.Unit.COUNT || line.figure().isOfEngines()) {
      engine = line.engine();
    }
  }

  /**
   * What was printed by one of the engine's processes, and by the others where it printed nothing;
   * what the scarcest of them printed where nobody says which it was; empty where no engine wrote
   * the log.
   */
  public Optional<Figures> figures(String source) {
    if (engine == null) {
      return Optional.empty();
    }
    Engine named = engine == Engine.LLAMA_CPP && isOllama ? Engine.OLLAMA : engine;
    String own = rank(source, source);
    String chosen = byRank.containsKey(own) && !own.isEmpty() ? own : scarcest();
    Map<EngineFigure, Printed> all = new EnumMap<>(EngineFigure.class);
    byRank.values().forEach(all::putAll);
    all.putAll(byRank.getOrDefault(chosen, Map.of()));
    long ranks =
        byRank.entrySet().stream()
            .filter(each -> !each.getKey().isEmpty())
            .filter(each -> SCARCE.stream().anyMatch(each.getValue()::containsKey))
            .count();
    return Optional.of(new Figures(named, all, generation, chosen, (int) ranks));
  }

  /** The rank of which a buffer could not be allocated, else the one that has least. */
  private String scarcest() {
    Optional<String> failed =
        byRank.entrySet().stream()
            .filter(each -> each.getValue().containsKey(EngineFigure.BUFFER))
            .map(Map.Entry::getKey)
            .reduce((first, last) -> last);
    if (failed.isPresent()) {
      return failed.get();
    }
    for (EngineFigure figure : SCARCE) {
      List<Map.Entry<String, Map<EngineFigure, Printed>>> printing =
          byRank.entrySet().stream()
              .filter(each -> !each.getKey().isEmpty() && each.getValue().containsKey(figure))
              .toList();
      if (printing.size() > 1) {
        return printing.stream()
            .min(
                Comparator.comparingDouble(each ->
                    engine == Engine.LLAMA_CPP || engine == Engine.OLLAMA
                        ? left(each.getValue())
                        : figure(each.getValue(), figure)))
            .map(Map.Entry::getKey)
            .orElseThrow();
      }
    }
    return byRank.entrySet().stream()
        .filter(each -> SCARCE.stream().anyMatch(each.getValue()::containsKey))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("");
  }

  /** What a GPU has left beside what llama.cpp allocated there. */
  private static double left(Map<EngineFigure, Printed> figures) {
    return figure(figures, EngineFigure.FREE_AT_START)
        - figure(figures, EngineFigure.WEIGHTS)
        - figure(figures, EngineFigure.KV_CACHE)
        - figure(figures, EngineFigure.COMPUTE);
  }

  private static double figure(Map<EngineFigure, Printed> figures, EngineFigure figure) {
    Printed printed = figures.get(figure);
    return printed == null ? 0 : printed.value();
  }
}
