package org.allocsim.reports.answer.serving;

import static org.allocsim.reports.document.Quantity.bytes;
import static org.allocsim.reports.document.Quantity.count;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.serving.ServingBudget;
import org.allocsim.analysis.serving.ServingResult;
import org.allocsim.analysis.serving.ServingSettings;
import org.allocsim.analysis.serving.ShareTrial;
import org.allocsim.analysis.serving.Speculation;
import org.allocsim.analysis.serving.traffic.Traffic;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.workloads.model.ServedModel;

/**
 * What caches of keys and values make of a server's memory under given requests.
 *
 * @param file name of the file of requests as the user gave it
 * @param traffic the requests
 * @param model the model, or the part of it that one GPU has
 * @param device name of the GPU's profile
 * @param settings how the engine schedules
 * @param budget what there is for keys and values
 * @param rows what came of each cache
 * @param trials what came of other fractions of the GPU; empty where nobody asked
 * @param seconds wall time of the simulation
 */
public record ServeAnswer(
    String file,
    Traffic traffic,
    ServedModel model,
    String device,
    ServingSettings settings,
    ServingBudget budget,
    List<ServingResult> rows,
    List<ShareTrial> trials,
    double seconds) {
  private static final double NANOS_PER_SECOND = 1e9;

  private static final Shape<ServingResult> ROWS =
      Shape.of(row ->
          row.text("cache", "cache", "How the KV cache is stored.", each -> each.cache().label())
              .ratio(
                  "useful_ratio",
                  "useful",
                  "Mean fraction of cache memory with tokens of running sequences that will be read"
                      + " again.",
                  each -> share(each, useful(each)))
              .ratio(
                  "internal_waste_ratio",
                  "internal",
                  "Mean fraction held by running sequences without such tokens.",
                  each -> share(each, each.memory().wastedBytes()))
              .ratio(
                  "external_waste_ratio",
                  "external",
                  "Mean fraction that is unused but not usable by every sequence.",
                  each -> share(each, each.memory().strandedBytes()))
              .ratio(
                  "kept_prefix_ratio",
                  "prefixes",
                  "Mean fraction that is unused but keeps prefixes for future requests.",
                  each -> share(each, each.memory().keptBytes()))
              .rank(4)
              .ratio(
                  "waste_of_held_ratio",
                  "Mean internal waste as a fraction of the memory that running sequences hold.",
                  each -> wasteOfHeld(each))
              .missing("nothing was held")
              .meanBytes(
                  "mean_held_bytes",
                  null,
                  "Mean memory held by running sequences.",
                  each -> each.memory().heldBytes())
              .bytes(
                  "peak_held_bytes",
                  "peak",
                  "Maximum memory held by running sequences.",
                  each -> each.memory().peakHeldBytes())
              .rank(3)
              .meanBytes(
                  "mean_mapped_bytes",
                  "taken",
                  "Mean GPU memory of the cache, over the whole run.",
                  each -> each.memory().mappedBytes())
              .rank(2)
              .bytes(
                  "peak_mapped_bytes",
                  "Maximum GPU memory of the cache.",
                  each -> each.memory().peakMappedBytes())
              .term(Columns.MEAN_TOKENS, each -> each.memory().tokens())
              .count(
                  "longest_sequence_tokens",
                  "Tokens of the longest sequence that fits.",
                  ServingResult::mostTokens)
              .number(
                  "mean_running",
                  "running",
                  "Mean number of concurrently running sequences.",
                  ServingResult::meanRunning)
              .rank(1)
              .count(
                  "max_running",
                  "Maximum number of concurrently running sequences.",
                  ServingResult::mostRunning)
              .term(Columns.SERVED, ServingResult::served)
              .count(
                  "rejected",
                  "rejected",
                  "Requests whose prompt is too long for the cache or the limit.",
                  ServingResult::rejected)
              .count(
                  "truncated_answers",
                  "Answers that ended early because the sequence became too long.",
                  ServingResult::cut)
              .term(Columns.PREEMPTIONS, "preempted", ServingResult::preemptions)
              .count(
                  "recomputed_tokens",
                  "Tokens recomputed after that.",
                  ServingResult::recomputedTokens)
              .ratio(
                  "prefix_hit_ratio",
                  "prefix hits",
                  "Fraction of prompt tokens found in the cache.",
                  each -> (double) each.hitTokens() / each.promptTokens())
              .missing("no sequence began")
              .count("prompt_tokens", "Tokens of the prompts.", ServingResult::promptTokens)
              .count("output_tokens", "Tokens of the answers.", ServingResult::outputTokens)
              .count("draft_tokens", "Draft tokens computed.", ServingResult::guessedTokens)
              .count(
                  "accepted_tokens",
                  "Draft tokens accepted into an answer.",
                  ServingResult::acceptedTokens)
              .count("steps", "Steps of the engine.", ServingResult::steps)
              .seconds(
                  "busy_seconds", "Time of all steps.", each -> each.busyNanos() / NANOS_PER_SECOND)
              .term(Columns.END_SECONDS, "done after", each -> each.endNanos() / NANOS_PER_SECOND)
              .rank(5)
              .nanos(
                  "mean_first_token_nanos",
                  "first token",
                  "Mean time from a request to its answer's first token.",
                  ServingResult::meanFirstTokenNanos)
              .rank(6)
              .nanos(
                  "p99_first_token_nanos",
                  "99th percentile of the same time.",
                  ServingResult::lateFirstTokenNanos)
              .count(
                  "map_calls",
                  "mapped",
                  "Handles of physical memory that were mapped.",
                  each -> each.driver().mapCalls())
              .rank(8)
              .count(
                  "unmap_calls",
                  "unmapped",
                  "Handles that were unmapped.",
                  each -> each.driver().unmapCalls())
              .rank(8)
              .nanos(
                  "driver_nanos", "driver", "Time of these calls.", each -> each.driver().nanos())
              .rank(7)
              .nanos(
                  "waited_driver_nanos",
                  "Part of that time that steps waited for.",
                  each -> each.driver().waitedNanos()));

  private static final Shape<ServingBudget> BUDGET =
      Shape.of(budget ->
          budget
              .term(Columns.TOTAL_OF_GPU, ServingBudget::totalBytes)
              .bytes("context_bytes", "Context of the process.", ServingBudget::contextBytes)
              .bytes("other_bytes", "Memory of other processes.", ServingBudget::otherBytes)
              .term(Columns.GPU_MEMORY_UTILIZATION_RATIO, ServingBudget::utilization)
              .bytes("weight_bytes", "Weights.", ServingBudget::weightBytes)
              .bytes(
                  "profile_bytes",
                  "Peak of the profiling run above the weights.",
                  ServingBudget::profileBytes)
              .bytes(
                  "non_torch_bytes",
                  "Memory of the process outside PyTorch during profiling.",
                  ServingBudget::nonTorchBytes)
              .bytes(
                  "outside_cache_bytes",
                  "Peak of memory that PyTorch reserves in addition to the cache.",
                  ServingBudget::outsideCacheBytes)
              .bytes("graph_bytes", "CUDA graphs, captured later.", ServingBudget::graphBytes)
              .text(
                  "vllm_version", "vLLM release whose rules apply.", each -> each.release().name())
              .flag(
                  "graphs_in_utilization",
                  "Whether CUDA graphs count toward gpu_memory_utilization.",
                  each -> each.release().hasGraphsInShare())
              .flag(
                  "whole_gpu_in_utilization",
                  "Whether the context and other processes count toward gpu_memory_utilization.",
                  each -> each.release().countsWholeGpu())
              .flag(
                  "refuses_to_start",
                  "Whether the engine refuses to start because less memory is free than"
                      + " gpu_memory_utilization asks for.",
                  ServingBudget::isRefused)
              .term(Columns.CACHE_BYTES, ServingBudget::cacheBytes)
              .bytes(
                  "headroom_bytes",
                  "GPU memory left when graphs are captured; negative if the capture fails.",
                  ServingBudget::leftBytes)
              .ratio(
                  "max_utilization_ratio",
                  "The largest gpu_memory_utilization that lets the engine start and capture its"
                      + " graphs.",
                  ServingBudget::largestUtilization)
              .bytes(
                  "max_cache_bytes",
                  "Size of the KV cache with it.",
                  ServingBudget::largestCacheBytes));

  private static final Shape<ShareTrial> TRIALS =
      Shape.of(row ->
          row.term(
                  Columns.GPU_MEMORY_UTILIZATION_RATIO,
                  "utilization",
                  each -> each.budget().utilization())
              .term(Columns.CACHE_BYTES, "cache", each -> each.budget().cacheBytes())
              .bytes(
                  "headroom_bytes",
                  "left",
                  "GPU memory left at peak use; negative if the engine fails.",
                  each -> each.budget().leftBytes())
              .count(
                  "max_running",
                  "together",
                  "Maximum number of concurrent sequences.",
                  each -> each.result().mostRunning())
              .term(Columns.PREEMPTIONS, "preempted", each -> each.result().preemptions())
              .term(Columns.MEAN_TOKENS, "tokens kept", each -> each.result().memory().tokens())
              .term(
                  Columns.END_SECONDS,
                  "done after",
                  each -> each.result().endNanos() / NANOS_PER_SECOND));

  public static final Kind<ServeAnswer> KIND =
      new Kind<>(
          "serve",
          "serve --json",
          "What `allocsim serve --json` writes: how KV caches use a server's memory.",
          Shape.of(answer ->
              answer
                  .text("format", "Format of the request file.", each -> each.traffic().format())
                  .count("requests", "Requests served.", each -> each.traffic().count())
                  .count(
                      "skipped_requests",
                      "Requests in the file without a prompt or an answer.",
                      each -> each.traffic().unanswered())
                  .seconds(
                      "span_seconds",
                      "Time from the first to the last request.",
                      each -> each.traffic().spanNanos() / NANOS_PER_SECOND)
                  .term(Columns.MODEL, each -> each.model().name())
                  .bytes(
                      "token_bytes",
                      "KV cache bytes per token, over all layers.",
                      ServeAnswer::tokenBytes)
                  .bytes(
                      "state_bytes",
                      "Bytes of a sequence's state, in layers that keep one; 0 without such"
                          + " layers.",
                      each -> each.model().stateBytes())
                  .bytes(
                      "adapter_bytes",
                      "Room for low-rank adapters.",
                      each -> each.model().adapterBytes())
                  .bytes(
                      "draft_bytes",
                      "Weights of the draft model; 0 if there is none.",
                      each ->
                          each.settings()
                              .speculation()
                              .map(draft -> draft.draft().weightBytes())
                              .orElse(0L))
                  .count(
                      "num_speculative_tokens",
                      "Draft tokens per sequence; 0 without speculation.",
                      each -> each.settings().speculation().map(Speculation::tokens).orElse(0))
                  .ratio(
                      "acceptance_ratio",
                      "Acceptance rate of draft tokens, as given by the user.",
                      each ->
                          each.settings()
                              .speculation()
                              .map(Speculation::acceptance)
                              .orElse(Double.NaN))
                  .missing("speculation is off")
                  .term(Columns.DEVICE, ServeAnswer::device)
                  .count(
                      "max_num_seqs",
                      "Maximum number of concurrent sequences.",
                      each -> each.settings().mostSequences())
                  .count(
                      "max_num_batched_tokens",
                      "Maximum tokens per step.",
                      each -> each.settings().stepTokens())
                  .count(
                      "max_model_len",
                      "Maximum tokens of prompt and answer.",
                      each -> each.settings().mostTokens())
                  .count("block_size", "Tokens per block.", each -> each.settings().blockTokens())
                  .count(
                      "cache_tokens",
                      "Tokens in sequences of max_model_len that vLLM's KV cache holds, as its log"
                          + " counts them.",
                      ServeAnswer::cacheTokens)
                  .one("budget", "Memory budget of the KV cache.", BUDGET, ServeAnswer::budget)
                  .many("caches", "One entry for each cache.", ROWS, ServeAnswer::rows)
                  .many(
                      "utilizations",
                      "One entry per gpu_memory_utilization tried; empty if none was requested.",
                      TRIALS,
                      ServeAnswer::trials)
                  .term(Columns.WALL_SECONDS_OF_SIMULATION, ServeAnswer::seconds)));

  private static double useful(ServingResult row) {
    return row.memory().heldBytes() - row.memory().wastedBytes();
  }

  private static double share(ServingResult row, double bytes) {
    return bytes / row.memory().capacityBytes();
  }

  private static double wasteOfHeld(ServingResult row) {
    return row.memory().wastedBytes() / row.memory().heldBytes();
  }

  /** Whether the engine starts and captures its graphs. */
  public boolean isSafe() {
    return !budget.isRefused() && budget.leftBytes() >= 0;
  }

  public Document<ServeAnswer> document() {
    Table<ServingResult> table = Table.of("Caches", ROWS, rows).at("/caches");
    Facts facts =
        withModel(
                Facts.none()
                    .and(
                        "requests",
                        "{} in {} ({}), {} of them skipped",
                        count(traffic.count()),
                        Quantity.nanos(traffic.spanNanos()),
                        traffic.format(),
                        count(traffic.unanswered())))
            .and(
                "device",
                "{}, {} at {} of it, less weights and {} for the profiling run",
                device,
                bytes(budget.shareBytes()),
                share(budget.utilization()),
                bytes(budget.profileBytes()))
            .and(
                "budget",
                "vLLM {}: in addition to the KV cache, gpu_memory_utilization covers {}",
                budget.release().name(),
                budget.release().rule())
            .and(
                "KV cache",
                "{}: {} tokens in sequences of {}",
                bytes(budget.cacheBytes()),
                count(cacheTokens()),
                count(settings.mostTokens()))
            .and(
                "left",
                budget.leftBytes() >= 0
                    ? "{} after {} of context and {} of graphs"
                    : "none: {} is missing after {} of context and {} of graphs",
                bytes(Math.abs(budget.leftBytes())),
                bytes(budget.contextBytes()),
                bytes(budget.graphBytes()));
    return new Document<>(
        KIND,
        String.valueOf(Path.of(file).getFileName()),
        verdict(),
        List.of(new Section(null, blocks(facts, table))),
        table,
        this);
  }

  /** The same with what the model is. */
  private Facts withModel(Facts facts) {
    return model.keepsState()
        ? facts.and(
            "model",
            "{}: {} of weights, {} of KV cache per token and {} of state per sequence, in blocks of"
                + " {} tokens",
            model.name(),
            bytes(budget.weightBytes()),
            bytes(tokenBytes()),
            bytes(model.stateBytes()),
            count(settings.blockTokens()))
        : facts.and(
            "model",
            "{}: {} of weights, {} of KV cache per token",
            model.name(),
            bytes(budget.weightBytes()),
            bytes(tokenBytes()));
  }

  private long tokenBytes() {
    return settings.tokenBytes(model);
  }

  private long cacheTokens() {
    return settings.cacheTokens(model, budget.cacheBytes(), budget.release());
  }

  private List<Block> blocks(Facts facts, Table<ServingResult> table) {
    List<Block> blocks = new ArrayList<>(List.of(facts, table));
    if (!trials.isEmpty()) {
      blocks.add(Table.of("Values of gpu_memory_utilization", TRIALS, trials).at("/utilizations"));
    }
    blocks.add(new Notes(notes()));
    return blocks;
  }

  private List<Sentence> notes() {
    List<Sentence> notes = new ArrayList<>();
    notes.add(
        Sentence.of(
            "Fractions are of the {} KV cache, averaged over step time.",
            bytes(budget.cacheBytes())));
    notes.add(
        Sentence.of(
            "Steps are timed at the GPU's peak bandwidth and compute rates; real steps take longer,"
                + " so more sequences run concurrently."));
    if (model.adapterBytes() > 0) {
      notes.add(
          Sentence.of(
              "The weights include {} for adapters, assumed to be read in each step.",
              bytes(model.adapterBytes())));
    }
    settings
        .speculation()
        .ifPresent(each ->
            notes.add(
                Sentence.of(
                    "Of the weights, {} belong to {}, which drafts {}; each draft token is"
                        + " assumed to be accepted with probability {} if those before it are.",
                    bytes(each.draft().weightBytes()),
                    each.draft().name(),
                    Quantity.count(each.tokens(), "token"),
                    share(each.acceptance()))));
    if (traffic.blockTokens() == 0) {
      notes.add(
          Sentence.of(
              "The file does not identify shared prompts, so only restarted sequences hit the"
                  + " prefix cache."));
    }
    return notes;
  }

  private Verdict verdict() {
    ServingResult best =
        rows.stream()
            .min(
                Comparator.comparingInt(ServingResult::rejected)
                    .thenComparingLong(ServingResult::endNanos)
                    .thenComparingLong(ServingResult::preemptions)
                    .thenComparingDouble(row -> -useful(row)))
            .orElseThrow();
    List<Sentence> details = new ArrayList<>();
    details.add(
        Sentence.of(
            "The largest gpu_memory_utilization that leaves room for context and graphs is {}: {}"
                + " of KV cache.",
            share(budget.largestUtilization()),
            bytes(budget.largestCacheBytes())));
    if (rows.size() > 1) {
      details.add(
          Sentence.of(
              "{} finishes first, after {} with {}.",
              best.cache().label(),
              Quantity.nanos(best.endNanos()),
              Quantity.count(best.preemptions(), "preemption")));
    }
    return new Verdict(isSafe() ? Tone.NEUTRAL : Tone.BAD, sentence(), details);
  }

  private Sentence sentence() {
    if (budget.isRefused()) {
      return Sentence.of(
          "With gpu_memory_utilization={} the engine refuses to start: it needs {}, but only {} is"
              + " free.",
          share(budget.utilization()),
          bytes(budget.shareBytes()),
          bytes(Math.max(0, budget.freeAtStartBytes())));
    }
    if (!isSafe()) {
      return Sentence.of(
          "With gpu_memory_utilization={} the GPU runs out of memory: context and graphs need {}"
              + " more.",
          share(budget.utilization()),
          bytes(-budget.leftBytes()));
    }
    return Sentence.of(
        "With gpu_memory_utilization={} the KV cache gets {}, enough for {} tokens.",
        share(budget.utilization()),
        bytes(budget.cacheBytes()),
        count(cacheTokens()));
  }

  /** A share as engines take it. */
  private static String share(double value) {
    String text = String.format(Locale.ROOT, "%.3f", value);
    return text.endsWith("0") ? text.substring(0, text.length() - 1) : text;
  }
}
