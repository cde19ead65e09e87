package org.allocsim.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.allocsim.validation.benchmark.Samples;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Makes the page of speeds from the files that {@code allocsim bench --json} and {@code
 * beside_pytorch.py} wrote, and from the figures of others.
 */
final class SpeedPage {
  private static final double MILLION = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  private final StringBuilder page = new StringBuilder();

  private SpeedPage() {}

  /**
   * The page.
   *
   * @param results folder of JSON files, taken by name
   * @param peers figures of others
   * @param allocators what the real allocators cost, and how long plans take
   * @param counters what the processor does for an event, as Counters.java wrote it
   * @param commands how long whole commands took, in seconds of a clock
   */
  static String of(Path results, Path peers, Path allocators, Path counters, Path commands)
      throws IOException {
    SpeedPage speed = new SpeedPage();
    speed.page.append(
        """
        # Speed

        Made from the files in `benchmarks/results/`, `benchmarks/commands.json`,
        `benchmarks/counters.json`, `benchmarks/peers.json` and `benchmarks/real-allocators.json` by
        `SpeedPageTest`; do not edit.

        ## What is measured

        - An *event* is an effect as PyTorch's history records it: `alloc`, `free_requested`,
          `free_completed`, `segment_alloc` and so on. A block that comes and goes makes three events
          and two *requests*. Whoever drives an allocator from outside sees requests only, so time
          per request is what compares with PyTorch's own allocator. Simulations in time count rows
          of the program: kernels, copies, requests.
        - *Replay* sends a trace to the policy on a simulated device, with all 122 statistics. Passes
          follow each other on one allocator, whose cache has what they need; what a pass leaves is
          given back at its end and counts. So is PyTorch's allocator measured. Policies that plan
          make a new plan in each pass, which counts.
        - Where other machines share the cores, their speed changes by the second. So PyTorch's
          allocator and allocsim take turns on one core, another one in each round: a sample of one,
          a sample of the other, a fifth of a second each. How many times faster allocsim is, is
          taken of each pair; where the page gives a range after it, that of the quartiles, it was
          measured so. Where it gives none, it is the ratio of the medians.
        - *Reading* takes a snapshot from a file in the system's memory to columns, digest included;
          MB/s are uncompressed bytes. *Deriving* adds the requests that explain the recorded effects.
        - Start-up, compilation and making the inputs are left out: JMH warms up, in several
          processes one after the other, whose order is the same in each round. What takes turns
          warms up likewise, until the compiler rests.
        - Figures are medians of all samples; the range is that of the quartiles. Nothing is left
          out, and there is no best-of. *CPU* is the part of the time that the processor gave to the
          measured thread; what is missing there other programs took.

        `./allocsim bench --json validation/benchmarks/results/NAME.json` measures; `--policies all`,
        `--only blocks` and `--trace FILE` measure more. CONTRIBUTING.md says how this page is made.

        """);
    List<Path> files;
    try (Stream<Path> all = Files.list(results)) {
      files = all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
    for (Path file : files) {
      speed.add(file);
    }
    speed.addCommands(new ObjectMapper().readTree(Files.readAllBytes(commands)));
    speed.addCounters(new ObjectMapper().readTree(Files.readAllBytes(counters)));
    speed.addAllocators(new ObjectMapper().readTree(Files.readAllBytes(allocators)));
    speed.addPeers(new ObjectMapper().readTree(Files.readAllBytes(peers)));
    return speed.page.toString();
  }

  private void add(Path file) throws IOException {
    JsonNode json = new ObjectMapper().readTree(Files.readAllBytes(file));
    page.append("## ").append(file.getFileName().toString().replace(".json", "")).append("\n\n");
    JsonNode machine = json.get("machine");
    page.append(machine.get("cpu").asString())
        .append(", ")
        .append(machine.get("cores").asInt())
        .append(" cores, ")
        .append(machine.get("system").asString());
    for (String key : List.of("jdk", "python", "pytorch", "gpu")) {
      if (machine.hasNonNull(key) && !machine.get(key).asString().isEmpty()) {
        page.append("; ").append(key).append(' ').append(machine.get(key).asString());
      }
    }
    page.append(".\n\n");
    switch (json.get("schema").asString()) {
      case "allocsim-bench-1" -> addBench(json, "ns_per_");
      case "allocsim-bench-2" -> addBench(json, "nanos_per_");
      case "allocsim-beside-1" -> addBeside(json);
      default -> throw new IOException(file + ": unknown form");
    }
  }

  private void addBench(JsonNode json, String nanosPer) {
    row("what", "ns/event", "quartiles", "M/s", "MB/s", "ns/request", "B/event", "CPU");
    row("---", "--:", "--:", "--:", "--:", "--:", "--:", "--:");
    for (JsonNode each : json.get("measurements")) {
      JsonNode nanos = each.get(nanosPer + "event");
      row(
          each.get("what").asString(),
          number(nanos.get("median")),
          range(nanos),
          fixed(each.get("events_per_second").asDouble() / MILLION),
          millions(each.get("plain_bytes_per_second")),
          number(each.get(nanosPer + "request")),
          number(each.get("allocated_bytes_per_event")),
          percent(each.get("cpu_share")));
    }
    page.append('\n');
    for (Map.Entry<String, JsonNode> each : json.get("not_run").properties()) {
      page.append("- not run: ").append(each.getKey()).append(": ");
      page.append(each.getValue().asString()).append('\n');
    }
    if (!json.get("not_run").isEmpty()) {
      page.append('\n');
    }
  }

  /** Rows of the same work stand together, each with how many times faster allocsim is. */
  private void addBeside(JsonNode json) {
    Map<String, List<JsonNode>> groups = new LinkedHashMap<>();
    for (JsonNode each : json.get("measurements")) {
      String what = each.get("what").asString();
      boolean hasPolicy = each.hasNonNull("policy");
      boolean replays = hasPolicy || what.equals("pytorch") || what.equals("allocsim");
      String unit = each.get("unit").asString();
      if (replays && !unit.equals("ns_per_request")) {
        continue;
      }
      String setting = each.get("setting").asString();
      String task =
          replays
              ? "replay of "
                  + each.get("trace").asString()
                  + (hasPolicy ? ", " + each.get("policy").asString() : "")
                  + (setting.isEmpty() ? "" : ", " + setting)
              : "reading " + each.get("trace").asString() + ", " + compression(setting);
      groups.computeIfAbsent(task, _ -> new ArrayList<>()).add(each);
    }
    row("work", "by", "ns", "quartiles", "M/s", "MB/s", "allocsim is faster");
    row("---", "---", "--:", "--:", "--:", "--:", "--:");
    groups.forEach((task, rows) -> {
      JsonNode own = of(rows, task.startsWith("reading") ? "allocsim read" : "allocsim");
      for (JsonNode each : rows) {
        JsonNode samples = each.get("samples");
        double nanos = samples.get("median").asDouble();
        String what = each.get("what").asString();
        row(
            task,
            what,
            number(samples.get("median"))
                + (each.get("unit").asString().equals("ns_per_request")
                    ? " a request"
                    : " an event"),
            range(samples),
            fixed(NANOS_PER_SECOND / nanos / MILLION),
            millions(each.get("bytes_per_second")),
            what.startsWith("allocsim") || own == null ? "" : times(nanos, own));
      }
    });
    page.append('\n');
    for (Map.Entry<String, JsonNode> each : json.get("failed").properties()) {
      page.append("- not measured: ").append(each.getKey()).append(": ");
      page.append(each.getValue().asString()).append('\n');
    }
    if (!json.get("failed").isEmpty()) {
      page.append('\n');
    }
  }

  private static String compression(String setting) {
    return setting.equals("none") ? "not compressed" : setting;
  }

  private static JsonNode of(List<JsonNode> rows, String what) {
    for (JsonNode each : rows) {
      if (each.get("what").asString().equals(what)) {
        return each;
      }
    }
    return null;
  }

  /** How many times longer another takes: of each pair of samples where they were in turns. */
  private static String times(double nanos, JsonNode own) {
    JsonNode pairs = own.get("times");
    return isNone(pairs)
        ? fixed(nanos / own.get("samples").get("median").asDouble()) + " times"
        : number(pairs.get("median")) + " times (" + range(pairs) + ")";
  }

  private void addCommands(JsonNode commands) {
    page.append(
        """
        ## Whole commands

        From the start of the process to its end, start-up and compilation included, in seconds of a
        clock. The ahead-of-time cache was there, as it is from the second start of `./allocsim` on.

        """);
    row("command", "machine", "times", "s", "quartiles");
    row("---", "---", "--:", "--:", "--:");
    for (JsonNode each : commands.get("rows")) {
      List<Double> seconds = new ArrayList<>();
      each.get("seconds").forEach(value -> seconds.add(value.asDouble()));
      Samples samples = Samples.of(seconds);
      row(
          each.get("command").asString(),
          each.get("machine").asString(),
          Integer.toString(seconds.size()),
          hundredths(samples.median()),
          hundredths(samples.lowerQuartile()) + " to " + hundredths(samples.upperQuartile()));
    }
    page.append('\n');
  }

  private void addCounters(JsonNode counters) {
    page.append(
        """
        ## What the processor does for an event

        Counted by `benchmarks/beside/Counters.java` with Linux `perf` on the replaying thread, once
        it is compiled; user mode only. An allocation and its free are three events: the request is
        rounded, the free lists are searched, a block leaves its list, splits, and its rest enters a
        list; then it merges with up to two neighbours, which leave theirs; three to seven figures
        behind the 122 statistics change at each step and are compared with limits that stand for
        the peaks. No profile has one place that is more than a seventh. Where free blocks are many
        and of similar sizes, the processor guesses one to two branches an event wrong (which block
        fits, whether a neighbour is free), which cannot be known before, and each costs what some
        40 instructions do.

        With more blocks instructions grow with the logarithm of their number at most, whatever the
        sizes; cycles grow faster where a million blocks no longer fit the caches and each step down
        a tree waits for memory.

        """);
    if (counters.hasNonNull("note")) {
      page.append(counters.get("note").asString()).append("\n\n");
    }
    page.append(counters.get("cpu").asString()).append("; jdk ");
    page.append(counters.get("jdk").asString()).append(".\n\n");
    List<String> columns = List.of("instructions", "cycles", "branches", "branch-misses");
    row("what, an event", "instructions", "cycles", "branches", "wrongly guessed");
    row("---", "--:", "--:", "--:", "--:");
    for (JsonNode each : counters.get("rows")) {
      List<String> cells = new ArrayList<>();
      cells.add(each.get("what").asString());
      columns.forEach(column -> cells.add(number(each.get(column))));
      row(cells.toArray(String[]::new));
    }
    page.append('\n');
  }

  /** What a request costs the allocators that policies simulate, as far as that is known. */
  private void addAllocators(JsonNode allocators) {
    page.append(
        """
        ## Real allocators

        What others published or recordings show of the allocators that the policies simulate. Where
        no figure was found, the table says so. `beside_others.py` measures those that a machine has.

        """);
    row("policy", "what the real one costs", "source");
    row("---", "---", "---");
    for (JsonNode each : allocators.get("allocators")) {
      List<String> policies = new ArrayList<>();
      each.get("policies").forEach(policy -> policies.add("`" + policy.asString() + "`"));
      row(String.join(", ", policies), each.get("cost").asString(), each.get("source").asString());
    }
    page.append(
        """

        Policies that plan take longer than 200 ns an event, by the nature of their work:

        """);
    row("policy", "cost");
    row("---", "---");
    for (JsonNode each : allocators.get("plans")) {
      row("`" + each.get("policy").asString() + "`", each.get("cost").asString());
    }
    page.append('\n');
  }

  private void addPeers(JsonNode peers) {
    page.append(
        """
        ## Others

        Measured elsewhere, on other machines and other traces: orders of magnitude to compare with,
        no more. Their events are requests.

        """);
    row("system", "figure", "source");
    row("---", "---", "---");
    for (String part : List.of("replay", "reading")) {
      for (JsonNode each : peers.get(part)) {
        row(
            each.get("system").asString(),
            each.get("figure").asString(),
            each.get("source").asString());
      }
    }
  }

  private void row(String... cells) {
    page.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  private static String range(JsonNode samples) {
    return number(samples.get("lower_quartile")) + " to " + number(samples.get("upper_quartile"));
  }

  private static String percent(JsonNode share) {
    return isNone(share) ? "" : Math.round(100 * share.asDouble()) + " %";
  }

  private static String millions(JsonNode value) {
    return isNone(value) ? "" : fixed(value.asDouble() / MILLION);
  }

  private static String number(JsonNode value) {
    return isNone(value) ? "" : fixed(value.asDouble());
  }

  private static String hundredths(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private static boolean isNone(JsonNode value) {
    return value == null || value.isNull();
  }

  private static String fixed(double value) {
    return String.format(Locale.ROOT, Math.abs(value) < 100 ? "%.1f" : "%.0f", value);
  }
}
