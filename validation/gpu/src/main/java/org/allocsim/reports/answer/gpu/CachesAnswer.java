package org.allocsim.reports.answer.gpu;

import static org.allocsim.reports.document.Quantity.bytes;

import java.util.List;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.reports.wing.CacheRecorder;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.jspecify.annotations.Nullable;

/**
 * Caches of keys and values whose driver calls were made on a real GPU, beside the simulation.
 *
 * @param date the day of the run
 * @param driverVersion the driver's own version, null where it is not known
 * @param gpu the GPU
 * @param traffic name of the file of requests
 * @param model name of the model
 * @param cacheBytes memory that each cache may take
 * @param caches what came of each
 */
public record CachesAnswer(
    String date,
    @Nullable String driverVersion,
    CudaDevice.Identity gpu,
    String traffic,
    String model,
    long cacheBytes,
    List<OneCache> caches) {
  /** A cache that served the requests, and its calls on both devices. */
  public record OneCache(CacheRecorder.Recording recording, CaseResult result) {}

  private static final Shape<OneCache> ROWS =
      Shape.of(row ->
          row.text("cache", "Name of the cache.", each -> each.recording().cache())
              .term(Columns.SERVED, each -> each.recording().served())
              .count(
                  "preemptions",
                  "Sequences preempted for lack of memory.",
                  each -> each.recording().preemptions())
              .rank(9)
              .embed(ValidatedCase.RESULT, OneCache::result));

  public static final Kind<CachesAnswer> KIND =
      new Kind<>(
          "validate-caches",
          "validate cache --json",
          "What `allocsim validate cache --json` writes: driver calls of KV caches, real and"
              + " simulated.",
          Shape.of(answer ->
              answer
                  .term(Columns.DATE, CachesAnswer::date)
                  .term(Columns.GPU_NAME, each -> each.gpu().name())
                  .term(Columns.DRIVER, CachesAnswer::driverVersion)
                  .missing("it is not known")
                  .text("traffic", "Request file.", CachesAnswer::traffic)
                  .term(Columns.MODEL, CachesAnswer::model)
                  .bytes("cache_bytes", "Memory of the KV cache.", CachesAnswer::cacheBytes)
                  .flag(
                      "exact",
                      "Whether all calls, failed calls and free bytes match the prediction.",
                      CachesAnswer::isExact)
                  .many("caches", "One entry for each cache.", ROWS, CachesAnswer::caches)));

  /** Whether all calls, refusals and free bytes are as predicted. */
  public boolean isExact() {
    return caches.stream()
        .map(OneCache::result)
        .allMatch(each -> each.hasSameCalls() && each.freeBytes().isExact());
  }

  public Document<CachesAnswer> document() {
    Facts facts =
        Facts.none()
            .and("GPU", "{}", gpu.name())
            .and("requests", "{}", traffic)
            .and("model", "{}", model)
            .and("memory for the cache", "{}", bytes(cacheBytes));
    Table<OneCache> table = Table.of("Caches", ROWS, caches).at("/caches");
    List<Sentence> differences =
        caches.stream()
            .filter(each -> each.result().firstDifference() != null)
            .map(each ->
                Sentence.of("{}: {}", each.recording().cache(), each.result().firstDifference()))
            .toList();
    return new Document<>(
        KIND,
        gpu.name(),
        new Verdict(
            isExact() ? Tone.GOOD : Tone.BAD,
            isExact()
                ? Sentence.of(
                    "This GPU's driver did what was predicted for the caches: the same calls,"
                        + " and the same free bytes after each.")
                : Sentence.of("The simulation and this GPU differ."),
            differences),
        List.of(new Section(null, List.of(facts, table))),
        table,
        this);
  }
}
