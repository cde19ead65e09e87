package org.allocsim.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.allocsim.validation.benchmark.Samples;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/**
 * Makes the two pages of speeds from the files that {@code allocsim bench --json} and {@code
 * beside_pytorch.py} wrote, and from published figures: the current results, and every measurement.
 */
final class SpeedPage {
  private static final double MILLION = 1e6;
  private static final double NANOS_PER_SECOND = 1e9;

  /** Results that the page of current results shows, without ".json". */
  private static final String CURRENT_BENCH = "epyc-bench";

  private static final List<String> CURRENT_BESIDE = List.of("h100-growing", "h200-others");

  private final StringBuilder page = new StringBuilder();

  private SpeedPage() {}

  /**
   * The current results and how to reproduce them.
   *
   * @param results folder of JSON files
   * @param peers published figures
   * @param commands how long whole commands took, in seconds of a clock
   */
  static String current(Path results, Path peers, Path commands) throws IOException {
    SpeedPage speed = new SpeedPage();
    speed.page.append(
        """
        # Speed

        On the same requests allocsim is TIMES times faster than PyTorch's own allocator. This page
        has the current results and says how to reproduce them; [SPEED-HISTORY.md](SPEED-HISTORY.md)
        has every measurement, all policies, processor counters and the cost of the real allocators.
        `SpeedPageTest` makes both pages from the files in [benchmarks](benchmarks); do not edit them.

        ## What is measured

        - An *event* is an entry of PyTorch's history: `alloc`, `free_requested`, `free_completed`,
          `segment_alloc` and so on. A block that is allocated and freed makes three events and two
          *requests*. A program that drives an allocator from outside sees requests only, so compare
          time per request with PyTorch's own allocator. Simulations in time count rows of the program:
          kernels, copies, requests.
        - *Replay* sends a trace to the policy on a simulated device and keeps all 122 statistics. All
          passes use one allocator, whose cache is warm; freeing the rest at the end of a pass counts.
          PyTorch's allocator is measured in the same way. Policies that plan make a new plan in each
          pass, which counts.
        - On shared machines the speed of a core changes by the second. PyTorch's allocator and allocsim
          therefore take turns on one core, a fifth of a second each, on another core in each round. The
          speedup is the median over pairs of samples, followed by its quartiles. A speedup without
          quartiles is the ratio of the medians.
        - *Reading* loads a snapshot from the page cache into columns, digest included; MB/s are
          uncompressed bytes. *Deriving* adds the search for the requests behind the recorded effects.
        - Start-up, compilation and making the inputs are not measured. JMH warms up in several processes,
          one after the other, in the same order in each round; measurements in turns warm up until the
          compiler rests.
        - Figures are medians of all samples, ranges are quartiles. No sample is dropped. *CPU* is the
          fraction of the time that the measured thread ran; other programs took the rest.

        ## Reproduce

            ./allocsim bench --json mine.json              # also --policies all, --only blocks, --trace FILE
            ./allocsim bundle allocsim.tgz --with bench    # for a machine with a GPU and PyTorch; there:
            python3 validation/benchmarks/beside/beside_pytorch.py allocsim.tgz beside.json SNAPSHOT...
            python3 validation/benchmarks/beside/beside_others.py allocsim.tgz others.json SNAPSHOT

        [CONTRIBUTING.md](../CONTRIBUTING.md#speed) has all commands and says how to update this page.

        """
            .replace(
                "TIMES", speedups(json(results.resolve(CURRENT_BESIDE.getFirst() + ".json")))));
    for (String name : CURRENT_BESIDE) {
      speed.addComparison(json(results.resolve(name + ".json")));
    }
    JsonNode bench = json(results.resolve(CURRENT_BENCH + ".json"));
    speed.page.append("## allocsim alone\n\n");
    speed.addMachine(bench);
    speed.addMeasurements(bench);
    speed.addCommands(json(commands));
    speed.addPeers(json(peers));
    return speed.page.toString();
  }

  /**
   * Every measurement.
   *
   * @param results folder of JSON files, taken by name
   * @param allocators what the real allocators cost, and how long plans take
   * @param counters what the processor does for an event, as Counters.java wrote it
   */
  static String history(Path results, Path allocators, Path counters) throws IOException {
    SpeedPage speed = new SpeedPage();
    speed.page.append(
        """
        # Speed: all measurements

        Made by `SpeedPageTest` from the files in `benchmarks/results/`, `benchmarks/counters.json` and
        `benchmarks/real-allocators.json`; do not edit. [SPEED.md](SPEED.md) explains what is measured
        and has the current results. Each section is a file of results.

        """);
    List<Path> files;
    try (Stream<Path> all = Files.list(results)) {
      files = all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
    for (Path file : files) {
      speed.add(file);
    }
    speed.addCounters(json(counters));
    speed.addAllocators(json(allocators));
    return speed.page.toString();
  }

  private static JsonNode json(Path file) throws IOException {
    return new ObjectMapper().readTree(Files.readAllBytes(file));
  }

  private void add(Path file) throws IOException {
    JsonNode json = json(file);
    page.append("## ").append(file.getFileName().toString().replace(".json", "")).append("\n\n");
    addMachine(json);
    addMeasurements(json);
  }

  private void addMachine(JsonNode json) {
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
  }

  private void addMeasurements(JsonNode json) throws IOException {
    String schema = json.get("schema").asString();
    switch (schema) {
      case "allocsim-bench-1" -> addBench(json, "ns_per_");
      case "allocsim-bench-2", "allocsim-bench-3" -> addBench(json, "nanos_per_");
      case "allocsim-beside-1" -> addBeside(json);
      default -> throw new IOException("unknown schema " + schema);
    }
  }

  /** From the lowest to the highest median. */
  private static String speedups(JsonNode json) {
    List<Long> medians =
        groups(json).values().stream()
            .map(rows -> of(rows, "allocsim"))
            .filter(Objects::nonNull)
            .map(own -> Math.round(own.get("times").get("median").asDouble()))
            .sorted()
            .toList();
    return medians.getFirst() + " to " + medians.getLast();
  }

  /** A row for each piece of work that another allocator did too. */
  private void addComparison(JsonNode json) {
    page.append("## Compared with ");
    page.append(json.get("machine").hasNonNull("pytorch") ? "PyTorch" : "other allocators");
    page.append("\n\n");
    addMachine(json);
    row("work", "allocator", "ns/request", "allocsim, ns/request", "allocsim is faster");
    row("---", "---", "--:", "--:", "--:");
    groups(json)
        .forEach((task, rows) -> {
          JsonNode own = of(rows, "allocsim");
          for (JsonNode each : rows) {
            String what = each.get("what").asString();
            if (own != null && !what.startsWith("allocsim")) {
              JsonNode samples = each.get("samples");
              row(
                  task,
                  what,
                  number(samples.get("median")),
                  number(own.get("samples").get("median")),
                  times(samples.get("median").asDouble(), own));
            }
          }
        });
    page.append('\n');
  }

  /** A figure by its name, or by the one that it had before version 3. */
  private static JsonNode either(JsonNode measurement, String key, String before) {
    return measurement.get(measurement.has(key) ? key : before);
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
          millions(either(each, "uncompressed_bytes_per_second", "plain_bytes_per_second")),
          number(each.get(nanosPer + "request")),
          number(each.get("allocated_bytes_per_event")),
          percent(either(each, "cpu_utilization_ratio", "cpu_share")));
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

  /** Measurements by the work that was done, in their order. */
  private static Map<String, List<JsonNode>> groups(JsonNode json) {
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
    return groups;
  }

  /** Rows of the same work are together, each with how many times faster allocsim is. */
  private void addBeside(JsonNode json) {
    row("work", "by", "ns", "quartiles", "M/s", "MB/s", "allocsim is faster");
    row("---", "---", "--:", "--:", "--:", "--:", "--:");
    groups(json)
        .forEach((task, rows) -> {
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

        Wall time of the whole process, start-up and compilation included. The ahead-of-time cache
        existed, as it does from the second start of `./allocsim` on.

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

        Counted by `benchmarks/beside/Counters.java` with Linux `perf` on the replaying thread after
        compilation, in user mode. An allocation and its free are three events: the request is rounded,
        the free lists are searched, a block leaves its list and is split, and the rest enters a list;
        on the free, the block merges with up to two neighbours, which leave their lists. At each step
        three to seven of the counters behind the 122 statistics change and are compared with limits
        that represent the peaks. No single place takes more than a seventh of a profile. With many
        free blocks of similar sizes the processor mispredicts one to two branches an event (which
        block fits, whether a neighbour is free). They are unpredictable, and each costs as much as
        some 40 instructions.

        Instructions grow at most with the logarithm of the number of blocks, whatever the sizes.
        Cycles grow faster where a million blocks no longer fit the caches and each step down a tree
        waits for memory.

        """);
    if (counters.hasNonNull("note")) {
      page.append(counters.get("note").asString()).append("\n\n");
    }
    page.append(counters.get("cpu").asString()).append("; jdk ");
    page.append(counters.get("jdk").asString()).append(".\n\n");
    List<String> columns = List.of("instructions", "cycles", "branches", "branch-misses");
    row("what, an event", "instructions", "cycles", "branches", "mispredicted");
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

        Published or recorded figures for the allocators that the policies simulate. Where no figure
        was found, the table says so. `beside_others.py` measures the allocators that a machine has.

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

        Policies that plan necessarily take longer than 200 ns an event:

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
        ## Other simulators and readers

        Measured on other machines and other traces, so only the order of magnitude is comparable.
        Their events are requests.

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
