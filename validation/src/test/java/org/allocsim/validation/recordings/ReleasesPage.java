package org.allocsim.validation.recordings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Makes the page of releases from JSON: counts of recordings, and answers of {@code validate}. */
final class ReleasesPage {
  private static final Path MODULE =
      Files.isDirectory(Path.of("results")) ? Path.of("") : Path.of("../validation");

  /** The page itself. */
  static final Path PAGE = MODULE.resolve("RELEASES.md");

  /** The files that it is made from. */
  static final Path FOLDER = MODULE.resolve("releases");

  /** The key of what PyTorch aborted in files of {@code allocsim-validate-pytorch-1}. */
  private static final String ABORTED_BEFORE = "broken_off";

  private static final String HEAD =
      """
      # PyTorch's releases against the simulation

      Made from the files in `releases/` by `ReleasesPageTest`; do not edit. The allocator of each release
      was sent random calls without a GPU, and the simulated allocator of that release the same ones.

      - *recorded*: sequences of calls that were sent to the release's own allocator on a device that counts
        bytes; `ReleaseRecordingTest` compares
      - *mock driver*: the installed PyTorch's own allocator, on a mock CUDA driver that computes nothing, as
        `allocsim validate pytorch --sequences N` runs it; addresses are predicted, not taken from the run
      - *exact*: sequences in which every event, address, statistic and message is the same. Recorded sequences
        have the first four messages each
      - *aborted*: sequences that end in an assertion of PyTorch itself or in its crash; events before an
        assertion are the same

      - *GPU*: the same calls to PyTorch's own allocator on a real GPU, and on the mock driver with the addresses
        that the GPU's driver gave (`validation/gpu-calls`), which rules out that the mock driver is at fault

      The page does not cover the order in which frees complete together on several streams, which is that of a hash
      map by addresses in PyTorch's memory. The counters that 2.13 and later keep for each private pool are not
      simulated. Uses that a capture made, of blocks that are freed outside of it,
      PyTorch keeps by the addresses of its own objects, and may drop uses of another block by chance (before 2.13
      also where requests are routed to a pool); calls of kind *captures* avoid that, *pools_streams* does not.

      """;

  private final StringBuilder page = new StringBuilder(HEAD);

  private ReleasesPage() {}

  /** The page of a folder. */
  static String of(Path folder) throws IOException {
    ReleasesPage made = new ReleasesPage();
    List<JsonNode> recorded = new ArrayList<>();
    List<JsonNode> runs = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".json")).sorted().toList()) {
        JsonNode json = new ObjectMapper().readTree(Files.readAllBytes(file));
        (json.has("recording") ? recorded : runs).add(json);
      }
    }
    recorded.sort(Comparator.comparingInt(ReleasesPage::minor));
    made.addReleases(recorded, runs);
    for (JsonNode run : runs) {
      made.addKinds(run);
    }
    return made.page.toString().stripTrailing() + '\n';
  }

  private static int minor(JsonNode json) {
    return Integer.parseInt(json.get("torch").asString().split("[.+]")[1]);
  }

  private void addReleases(List<JsonNode> recorded, List<JsonNode> runs) {
    page.append(
        "| release | how | sequences | exact | aborted | events | statistics | messages |\n");
    page.append("|---|---|--:|--:|--:|--:|--:|--:|\n");
    recorded.forEach(each -> row(each.get("torch").asString(), "recorded", List.of(each)));
    runs.forEach(each ->
        row(each.get("torch").asString(), how(each), each.get("sequences").valueStream().toList()));
    page.append('\n');
  }

  private static String how(JsonNode run) {
    return run.has("how") ? run.get("how").asString() : "mock driver";
  }

  /** One row with the sums of some objects with counts. */
  private void row(String first, String second, List<JsonNode> counts) {
    page.append("| ").append(first).append(second.isEmpty() ? "" : " | " + second).append(" |");
    for (String key : List.of("sequences", "exact", "aborted", "events", "statistics")) {
      long sum = sum(counts, key) + (key.equals("aborted") ? sum(counts, ABORTED_BEFORE) : 0);
      page.append(' ').append(number(sum)).append(" |");
    }
    page.append(' ')
        .append(number(sum(counts, "messages") + sum(counts, "failed_requests")))
        .append(" |\n");
  }

  private static long sum(List<JsonNode> counts, String key) {
    return counts.stream().mapToLong(each -> each.has(key) ? each.get(key).asLong() : 0).sum();
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value).replace(',', ' ');
  }

  private void addKinds(JsonNode run) {
    page.append("## PyTorch %s, %s\n\n".formatted(run.get("torch").asString(), how(run)));
    if (run.has("date")) {
      page.append(
          "Run on %s in %.0f s.\n\n"
              .formatted(run.get("date").asString(), run.get("seconds").asDouble()));
    }
    page.append("| calls | sequences | exact | aborted | events | statistics | messages |\n");
    page.append("|---|--:|--:|--:|--:|--:|--:|\n");
    List<String> differences = new ArrayList<>();
    for (JsonNode kind : run.get("sequences")) {
      row(kind.get("kind").asString(), "", List.of(kind));
      kind.path("differences").valueStream().map(JsonNode::asString).forEach(differences::add);
    }
    page.append('\n');
    differences.forEach(each -> page.append("- ").append(each).append('\n'));
    page.append(differences.isEmpty() ? "" : "\n");
  }
}
