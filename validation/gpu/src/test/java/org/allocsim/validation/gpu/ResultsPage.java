package org.allocsim.validation.gpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.commons.math3.distribution.BinomialDistribution;
import org.apache.commons.math3.stat.descriptive.rank.Median;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Makes the page of results from the JSON files that {@code allocsim validate} wrote. */
final class ResultsPage {
  private final StringBuilder page = new StringBuilder();

  private ResultsPage() {}

  /** The page for all files of a folder, by name. */
  static String of(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
    ResultsPage result = new ResultsPage();
    result.page.append(
        """
        # Simulation against real GPUs

        Made from the files in `results/` by `ResultsPageTest`; do not edit. Each case is one policy
        that served the requests of one trace twice, on the GPU and on the simulated device, as
        `allocsim validate gpu` runs it. Two addresses of each process were taken from the run: that of
        the driver's arena and that of the first reservation; in the near-limits files also how many
        pages of the GPU the process could not use, which differs from context to context.

        - *same calls*: cases in which every driver call had the same kind and size and failed alike
        - *free exact*: calls after which the GPU's free bytes were those predicted
        - *addresses*: addresses equal to those predicted, relative to their reservation; address
          ranges and pool relative to the first. In the gmlake files ranges were not yet compared
          with the base that this process had: they lie in the predicted order (Kendall's tau 1.000)
          elsewhere. The 4 449 calls of `AddressRangeExperimentTest`, recorded on the same GPU, show
          that they are where predicted
        - *failures*: cases by their first failed request: none on both sides / the same request /
          another request / predicted only / real only
        - *time*: predicted over measured driver time, median of the cases without failures and its
          95 % interval (order statistics; from 6 cases on). Files of near limits and
          `h200-edge` were predicted with an earlier profile, whose times of virtual memory and of
          the pool were those of H100, the others with the profile that `allocsim calibrate` made
          on an H200 in another process. `h100-calibrated` was predicted with the profile that was made
          right before, on the same host, and for the host as fast as it was: the same calls of the
          driver, timed before and after each case, took 0.81 to 1.81 times as long as the profile
          says. Each program ran twice. Two of them spend nearly all time of the pool's calls on
          mapping memory (cat_growth, prefetch_streams), which is predicted 1.5 to 1.9 times too long

        """);
    result.addNearLimits(files);
    for (Path file : files) {
      JsonNode json = new ObjectMapper().readTree(Files.readAllBytes(file));
      if (json.get("schema").asString().startsWith("allocsim-validate-pytorch-")) {
        result.page.append(TorchResults.of(file.getFileName().toString(), json));
      } else {
        result.add(file);
      }
    }
    return result.page.toString();
  }

  /** With fewer, not even all of them hold the median in 95 % of samples. */
  private static final int MIN_FOR_INTERVAL = 6;

  private static final class Row {
    private long cases;
    private long same;
    private long free;
    private long freeOf;
    private long addresses;
    private long addressesOf;
    private long pool;
    private long poolOf;
    private final long[] failures = new long[5];
    private final List<Double> ratios = new ArrayList<>();
  }

  private static final List<String> SCHEMAS =
      List.of("allocsim-validate-1", "allocsim-validate-2", "allocsim-validate-3");
  private static final List<String> VERDICTS =
      List.of("neither", "same_request", "other_request", "predicted_only", "measured_only");

  private void add(Path file) throws IOException {
    JsonNode json = new ObjectMapper().readTree(Files.readAllBytes(file));
    if (!SCHEMAS.contains(json.get("schema").asString())) {
      throw new IOException(file + " has another schema");
    }
    page.append("## ").append(file.getFileName()).append("\n\n");
    page.append(
        String.format(
            Locale.ROOT,
            "%s, %s, driver %s (CUDA %d.%d); free before and after: %d and %d bytes%s.\n\n",
            json.get("date").asString(),
            json.get("device").asString(),
            json.get("driver").asString(),
            json.get("cuda_version").asInt() / 1000,
            json.get("cuda_version").asInt() % 1000 / 10,
            either(json, "free_before_bytes", "free_bytes_before").asLong(),
            either(json, "free_after_bytes", "free_bytes_after").asLong(),
            json.get("touched").asBoolean() ? "; blocks were filled" : ""));
    Map<String, Row> rows = new LinkedHashMap<>();
    List<String> differences = new ArrayList<>();
    for (JsonNode each : json.get("cases")) {
      if (each.get("requests") == null) {
        differences.add(name(each) + " was not run: " + each.get("not_run").asString());
        continue;
      }
      count(rows.computeIfAbsent(family(each), _ -> new Row()), each);
      if (!each.get("first_difference").isNull()) {
        differences.add(name(each) + ": " + each.get("first_difference").asString());
      }
    }
    page.append(
        "| policy | cases | same calls | free exact | addresses | pool exact | failures | time"
            + " |\n");
    page.append("|---|---|---|---|---|---|---|---|\n");
    rows.forEach(this::print);
    page.append('\n');
    for (String difference : differences) {
      page.append("- ").append(difference).append('\n');
    }
    if (!differences.isEmpty()) {
      page.append('\n');
    }
  }

  /** All cases with just enough memory, or a page less, that the command chose itself. */
  private void addNearLimits(List<Path> files) throws IOException {
    Map<String, long[]> rows = new LinkedHashMap<>();
    for (Path file : files) {
      for (JsonNode each : new ObjectMapper().readTree(Files.readAllBytes(file)).get("cases")) {
        JsonNode near = each.get("near_limit");
        if (near != null && near.asBoolean() && each.get("requests") != null) {
          String verdict = either(each, "failed_requests", "failures").get("verdict").asString();
          rows.computeIfAbsent(family(each), _ -> new long[VERDICTS.size()])[
              VERDICTS.indexOf(verdict)]++;
        }
      }
    }
    page.append(
        """
        ## Near limits

        All cases below in which the memory of the GPU, or the limit of the allocator, just suffices
        or is one page too small for it.

        | policy | cases | none fails | the same request fails | another | predicted only | real only |
        |---|---|---|---|---|---|---|
        """);
    rows.forEach((policy, counts) -> {
      page.append("| %s | %d |".formatted(policy, Arrays.stream(counts).sum()));
      for (long count : counts) {
        page.append(" %d |".formatted(count));
      }
      page.append('\n');
    });
    page.append('\n');
  }

  /** A value under its key, or under the one that it had in version 1. */
  static JsonNode either(JsonNode node, String key, String firstKey) {
    return node.has(key) ? node.get(key) : node.get(firstKey);
  }

  private static String family(JsonNode each) {
    String policy = each.get("policy").asString();
    return policy.contains("expandable_segments:True")
        ? "pytorch, expandable"
        : policy.startsWith("pytorch") ? "pytorch, native" : policy;
  }

  private static String name(JsonNode each) {
    JsonNode limit = each.get("limit_bytes");
    JsonNode capacity = each.get("chosen_capacity_bytes");
    return "%s with %s%s"
        .formatted(
            each.get("trace").asString(),
            each.get("policy").asString(),
            !limit.isNull()
                ? ", limit %d".formatted(limit.asLong())
                : !capacity.isNull() ? ", free %d".formatted(capacity.asLong()) : "");
  }

  private static void count(Row row, JsonNode each) {
    row.cases++;
    boolean same = each.get("first_difference").isNull();
    row.same += same ? 1 : 0;
    row.free += each.get("free_bytes").get("exact").asLong();
    row.freeOf += each.get("free_bytes").get("compared").asLong();
    row.addresses += each.get("addresses").get("equal_relative").asLong();
    row.addressesOf += each.get("addresses").get("compared").asLong();
    row.pool += each.get("pool_reserved").get("exact").asLong();
    row.poolOf += each.get("pool_reserved").get("compared").asLong();
    String verdict = either(each, "failed_requests", "failures").get("verdict").asString();
    row.failures[VERDICTS.indexOf(verdict)]++;
    JsonNode ratio = each.get("driver_time").get("ratio");
    if (same
        && verdict.equals("neither")
        && each.get("chosen_capacity_bytes").isNull()
        && !ratio.isNull()) {
      row.ratios.add(ratio.asDouble());
    }
  }

  private void print(String policy, Row row) {
    double[] ratios = row.ratios.stream().mapToDouble(Double::doubleValue).toArray();
    page.append(
        String.format(
            Locale.ROOT,
            "| %s | %d | %d | %s | %s | %s | %d / %d / %d / %d / %d | %s |\n",
            policy,
            row.cases,
            row.same,
            share(row.free, row.freeOf),
            share(row.addresses, row.addressesOf),
            share(row.pool, row.poolOf),
            row.failures[0],
            row.failures[1],
            row.failures[2],
            row.failures[3],
            row.failures[4],
            ratios.length == 0 ? "-" : median(ratios)));
  }

  /** The median, with the order statistics that hold it in 95 % of all samples. */
  private static String median(double[] ratios) {
    if (ratios.length < MIN_FOR_INTERVAL) {
      return String.format(Locale.ROOT, "%.2f", new Median().evaluate(ratios));
    }
    double[] sorted = ratios.clone();
    Arrays.sort(sorted);
    BinomialDistribution below = new BinomialDistribution(null, sorted.length, 0.5);
    int rank = Math.max(1, below.inverseCumulativeProbability(0.025));
    return String.format(
        Locale.ROOT,
        "%.2f [%.2f, %.2f]",
        new Median().evaluate(sorted),
        sorted[rank - 1],
        sorted[sorted.length - rank]);
  }

  private static String share(long part, long whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%d/%d", part, whole);
  }
}
