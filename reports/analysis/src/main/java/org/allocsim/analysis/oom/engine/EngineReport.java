package org.allocsim.analysis.oom.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.allocsim.analysis.oom.engine.EngineLog.Figures;
import org.allocsim.workloads.program.llama.GgmlType;
import org.allocsim.workloads.program.llama.KvCells;
import org.jspecify.annotations.Nullable;

/**
 * What the log of an engine shows that has no out-of-memory message: how much memory its parts
 * take, whether that fits, and which option would change it by how much.
 *
 * @param figures what the log prints
 * @param fits whether the model and one longest sequence fit
 * @param headline what follows, in a sentence
 * @param changes options and their values
 */
public record EngineReport(
    Figures figures, boolean fits, String headline, List<EngineChange> changes) {
  /**
   * Free memory that SGLang's guide calls good when the server is ready: 5 to 8 GB ({@code
   * hyperparameter_tuning}, 2024 to 2026). What is beyond may go to the cache.
   */
  private static final double SGLANG_LEAST = 5 * 0x1p30;

  private static final double SGLANG_MOST = 8 * 0x1p30;

  /** Takes a copy. */
  public EngineReport {
    changes = List.copyOf(changes);
  }

  /** The report on a log; empty where it does not say what the cache or the layers come to. */
  public static Optional<EngineReport> of(Figures figures) {
    boolean decides =
        figures.of(EngineFigure.KV_CACHE).isPresent()
            || figures.of(EngineFigure.KV_TOKENS).isPresent()
            || figures.of(EngineFigure.GPU_LAYERS).isPresent()
            || figures.of(EngineFigure.NEEDED).isPresent()
            || figures.of(EngineFigure.FREE_AFTER_WEIGHTS).isPresent();
    return decides ? Optional.of(new Reader(figures).report()) : Optional.empty();
  }

  private static final class Reader {
    private final Figures figures;
    private final List<EngineChange> changes = new ArrayList<>();

    Reader(Figures figures) {
      this.figures = figures;
    }

    EngineReport report() {
      return switch (figures.engine()) {
        case VLLM, SGLANG, TENSORRT_LLM -> server();
        case LLAMA_CPP, OLLAMA -> llama();
      };
    }

    private @Nullable Printed of(EngineFigure figure) {
      return figures.of(figure).orElse(null);
    }

    private EngineReport server() {
      Printed cache = of(EngineFigure.KV_CACHE);
      Printed tokens = of(EngineFigure.KV_TOKENS);
      Printed length = of(EngineFigure.LENGTH);
      if (cache != null && cache.high() <= 0) {
        changes.addAll(EngineAdvice.atStart(figures));
        return done(
            false,
            "%s has no memory left for its KV cache: %s short%s"
                .formatted(name(), size(-cache.low()), scarcest()));
      }
      if (tokens != null && length != null && tokens.value() < length.value()) {
        changes.addAll(EngineAdvice.atStart(figures));
        return done(
            false,
            "the KV cache of %s holds %s tokens%s, less than one sequence of %s%s"
                .formatted(name(), count(tokens), in(cache), count(length), scarcest()));
      }
      Printed longest = of(EngineFigure.LONGEST);
      if (longest != null && length != null && longest.value() < length.value()) {
        changes.addAll(EngineAdvice.atStart(figures));
        return done(
            false,
            "the KV cache of %s%s holds sequences of %s tokens, not of %s%s"
                .formatted(name(), in(cache), count(longest), count(length), scarcest()));
      }
      if (cache == null && tokens == null) {
        return weightsOnly();
      }
      raiseShare();
      if (tokens != null && length != null) {
        long sequences = (long) (tokens.value() / length.value());
        add(
            sequencesOption(),
            Long.toString(sequences),
            ("the number of sequences of %s tokens that fit at once; more would wait or be"
                    + " preempted")
                .formatted(count(length)));
      }
      return done(
          true,
          "no failure: the KV cache of %s holds %s%s%s"
              .formatted(
                  name(),
                  tokens == null ? "what fits" : count(tokens) + " tokens",
                  in(cache),
                  scarcest()));
    }

    /** SGLang prints no cache where the weights leave nothing. */
    private EngineReport weightsOnly() {
      List<EngineChange> advised = EngineAdvice.atStart(figures);
      changes.addAll(advised);
      Printed free = of(EngineFigure.FREE_AFTER_WEIGHTS);
      return done(
          true,
          "no failure so far: %s has loaded its model%s and prints no KV cache yet%s"
              .formatted(
                  name(),
                  free == null ? "" : ", which leaves %s free,".formatted(size(free.value())),
                  scarcest()));
    }

    private void raiseShare() {
      Printed share = of(EngineFigure.SHARE);
      Printed free = of(EngineFigure.FREE_AT_START);
      if (figures.engine() == Engine.VLLM) {
        Printed total = of(EngineFigure.TOTAL);
        double now = share == null ? EngineAdvice.usualVllmShare(figures) : share.value();
        if (free != null && total != null) {
          double most = EngineAdvice.roundedDown(free.low() / total.high(), 100);
          if (most > now) {
            add(
                "--gpu-memory-utilization",
                EngineAdvice.ratio(most, 2),
                ("the highest value that starts with the %s that were free; gives the cache %s"
                        + " more")
                    .formatted(size(free.value()), size((most - now) * total.value())));
          }
        }
      }
      Printed left = of(EngineFigure.FREE_AT_END);
      if (figures.engine() == Engine.SGLANG && share != null && free != null && left != null) {
        double step =
            left.value() > SGLANG_MOST
                ? left.low() - SGLANG_MOST
                : Math.min(0, left.low() - SGLANG_LEAST);
        double changed = EngineAdvice.roundedDown(share.value() + step / free.high(), 100);
        if (changed > 0 && Math.abs(changed - share.value()) > 0.005) {
          add(
              "--mem-fraction-static",
              EngineAdvice.ratio(changed, 2),
              "%s are free when the server is ready; SGLang's guide recommends 5 to 8 GB"
                  .formatted(size(left.value())));
        }
      }
    }

    private String sequencesOption() {
      return switch (figures.engine()) {
        case SGLANG -> "--max-running-requests";
        case TENSORRT_LLM -> "--max_batch_size";
        default -> "--max-num-seqs";
      };
    }

    /** llama.cpp takes as many layers as fit, or as it is told. */
    private EngineReport llama() {
      Printed layers = of(EngineFigure.LAYERS);
      Printed there = of(EngineFigure.GPU_LAYERS);
      Printed needed = of(EngineFigure.NEEDED);
      Printed longest = of(EngineFigure.LONGEST);
      Printed length = of(EngineFigure.LENGTH);
      if (longest != null && length != null && longest.value() < length.value()) {
        return cut(length, longest, needed);
      }
      Printed free = free();
      double missing = needed == null || free == null ? 0 : needed.low() - free.high();
      if (layers == null || there == null || there.value() >= layers.value()) {
        return missing > 0
            ? done(
                false, "%s needs %s more GPU memory than is free".formatted(name(), size(missing)))
            : done(
                true,
                "no failure: %s has all %s layers on the GPU%s"
                    .formatted(name(), layers == null ? "its" : count(layers), scarcest()));
      }
      if (needed != null && free != null) {
        allLayers(needed, free);
      } else {
        moreLayers(there, layers);
      }
      return done(
          true,
          "no failure, but slow: %s has %s of %s layers on the GPU, the others on the host%s%s"
              .formatted(
                  name(),
                  count(there),
                  count(layers),
                  missing > 0 ? "; all of them need %s more".formatted(size(missing)) : "",
                  scarcest()));
    }

    private @Nullable Printed free() {
      Printed all = of(EngineFigure.FREE_FOR_ALL);
      return all == null ? of(EngineFigure.FREE_AT_START) : all;
    }

    private EngineReport cut(Printed length, Printed longest, @Nullable Printed needed) {
      Printed free = free();
      if (needed != null && free != null) {
        add(
            lengthOption(),
            Long.toString(Math.round(length.value())),
            "needs %s, %s more than is free"
                .formatted(size(needed.value()), size(Math.max(0, needed.high() - free.low()))));
      }
      return done(
          true,
          "no failure: %s cut the context from %s to %s tokens, so that the model fits"
              .formatted(name(), count(length), count(longest)));
    }

    /** With a context so short that everything fits. */
    private void allLayers(Printed needed, Printed free) {
      double missing = needed.high() - free.low();
      Printed cache = of(EngineFigure.KV_CACHE);
      Printed length = of(EngineFigure.LENGTH);
      if (missing > 0 && cache != null && length != null && cache.low() > missing) {
        long shorter =
            KvCells.wholeUnits((long) (length.value() * (cache.low() - missing) / cache.low()));
        if (shorter > 0) {
          add(
              lengthOption(),
              Long.toString(shorter),
              "then all layers fit; with %s tokens %s more are needed"
                  .formatted(count(length), size(missing)));
        }
        double quantized = GgmlType.Q8_0.ratioTo(GgmlType.F16);
        if (cache.low() * (1 - quantized) > missing) {
          add(
              figures.engine() == Engine.OLLAMA ? "OLLAMA_KV_CACHE_TYPE" : "-ctk",
              "q8_0",
              "shrinks the cache from %s to %s, so that all layers fit; requires flash attention"
                  .formatted(size(cache.value()), size(quantized * cache.value())));
        }
      }
    }

    /** From what the layers on the GPU take each. */
    private void moreLayers(Printed there, Printed layers) {
      Printed free = of(EngineFigure.FREE_AT_START);
      Printed weights = of(EngineFigure.WEIGHTS);
      if (free == null || weights == null || there.value() < 1) {
        return;
      }
      double cache = figures.of(EngineFigure.KV_CACHE).map(Printed::high).orElse(0.0);
      double compute = figures.of(EngineFigure.COMPUTE).map(Printed::high).orElse(0.0);
      double left = free.low() - weights.high() - cache - compute;
      double each = (weights.high() + cache) / there.value();
      long more =
          Math.min((long) Math.max(0, left / each), Math.round(layers.value() - there.value()));
      if (more > 0) {
        add(
            figures.engine() == Engine.OLLAMA ? "num_gpu" : "-ngl",
            Long.toString(Math.round(there.value()) + more),
            "%s are left on the GPU, and a layer with its cache needs %s"
                .formatted(size(left), size(each)));
      }
    }

    private String lengthOption() {
      return figures.engine() == Engine.OLLAMA ? "OLLAMA_CONTEXT_LENGTH" : "-c";
    }

    private void add(String option, String value, String reason) {
      changes.add(new EngineChange(option, value, reason));
    }

    private EngineReport done(boolean fits, String headline) {
      return new EngineReport(figures, fits, headline, changes);
    }

    private String name() {
      return figures.engine().label();
    }

    private String in(@Nullable Printed cache) {
      return cache == null ? "" : " in " + size(cache.value());
    }

    private String scarcest() {
      return figures.isScarcest()
          ? "; %s has the least of %d".formatted(figures.rank(), figures.ranks())
          : "";
    }

    private static String count(Printed number) {
      return String.format(Locale.ROOT, "%,d", Math.round(number.value())).replace(',', ' ');
    }

    private static String size(double bytes) {
      return EngineAdvice.describe(bytes);
    }
  }
}
