package org.allocsim.reports.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.tuning.CapacitySearch;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.reports.chart.FrontierData;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;

/** Smallest devices as text, CSV and JSON. */
final class CapacityText {
  private static final int MOST_SIZES = 8;

  private CapacityText() {}

  /** Columns that are left out where lines are short, the first one first. */
  private static final List<String> EXPENDABLE = List.of("blocks at peak", "MiB");

  static void print(List<CapacitySearch.Result> results, String recordedConf, PrintWriter out) {
    WrappedText.printField(out, "bound   ", bound(results));
    out.println();
    table(results, recordedConf).expendable("--csv FILE has all", EXPENDABLE).print(out, "");
    out.println();
    cards(results).print(out, "");
    for (String warning : warnings(results)) {
      WrappedText.print(out, "", "", warning);
    }
  }

  /** The tables for a pull request. */
  static void printMarkdown(
      String head, List<CapacitySearch.Result> results, String recordedConf, PrintWriter out) {
    out.println(head + ": " + bound(results) + ".");
    out.println();
    table(results, recordedConf).printMarkdown(out);
    out.println();
    cards(results).printMarkdown(out);
    for (String warning : warnings(results)) {
      out.println();
      out.println(warning);
    }
  }

  private static String bound(List<CapacitySearch.Result> results) {
    return "the program asks for "
        + Numbers.bytes(results.getFirst().demand().peakRequestedBytes())
        + " at its peak; no device with less free runs it";
  }

  private static TextTable table(List<CapacitySearch.Result> results, String recordedConf) {
    TextTable table =
        TextTable.of(
            isPyTorchOnly(results) ? "setting" : "allocator",
            ">smallest device",
            ">MiB",
            ">blocks at peak",
            ">reserved if ample",
            "smallest card",
            "note");
    for (CapacitySearch.Result result : results) {
      boolean found = result.capacityBytes() >= 0;
      table.row(
          name(result, results),
          found ? ByteFormat.human(result.capacityBytes()) : "none",
          found ? Numbers.count(result.capacityBytes() >> 20) : "-",
          ByteFormat.human(result.peakBlockBytes()),
          ByteFormat.human(result.ample().peakReservedBytes()),
          result.smallestCard().map(card -> card.profile().name()).orElse("none"),
          result.scenario().takesConf() && result.config().text().equals(recordedConf)
              ? "recorded"
              : "");
    }
    return table;
  }

  private static List<String> warnings(List<CapacitySearch.Result> results) {
    List<String> warnings = new ArrayList<>();
    for (CapacitySearch.Result result : results) {
      if (!result.failingAboveBytes().isEmpty()) {
        warnings.add(
            name(result, results)
                + ": a request fails all the same with "
                + String.join(
                    ", ",
                    result.failingAboveBytes().stream()
                        .map(bytes -> Numbers.count(bytes >> 20) + " MiB")
                        .toList())
                + "; leave some room.");
      }
    }
    return warnings;
  }

  private static boolean isPyTorchOnly(List<CapacitySearch.Result> results) {
    return results.stream().allMatch(result -> result.scenario().takesConf());
  }

  private static String name(CapacitySearch.Result result, List<CapacitySearch.Result> among) {
    if (!result.scenario().takesConf()) {
      return result.scenario().choice().label();
    }
    String conf = ConfText.name(result.config().text());
    return isPyTorchOnly(among) ? conf : Scenario.PYTORCH + " " + conf;
  }

  /** What runs on which card. */
  private static TextTable cards(List<CapacitySearch.Result> results) {
    TextTable table = TextTable.of("card", ">free for the program", "large enough for");
    List<CapacitySearch.Card> cards = results.getFirst().cards();
    for (int card = 0; card < cards.size(); card++) {
      List<String> fit = new ArrayList<>();
      List<String> fail = new ArrayList<>();
      for (CapacitySearch.Result result : results) {
        (result.cards().get(card).fits() ? fit : fail).add(name(result, results));
      }
      table.row(
          cards.get(card).profile().name(),
          ByteFormat.human(cards.get(card).profile().capacityBytes()),
          fail.isEmpty()
              ? "all"
              : fit.isEmpty()
                  ? "none"
                  : fail.size() < fit.size()
                      ? "all but " + String.join(", ", fail)
                      : String.join(", ", fit));
    }
    return table;
  }

  /**
   * Which allocator runs the program on which device, for a chart: on the sizes that are the
   * smallest for one of them, where more than an allocator's own is taken to be enough unless a
   * replay failed, and on the known cards.
   */
  static FrontierData frontier(List<CapacitySearch.Result> results) {
    long[] sizes =
        results.stream()
            .mapToLong(CapacitySearch.Result::capacityBytes)
            .filter(bytes -> bytes >= 0)
            .sorted()
            .distinct()
            .toArray();
    List<Long> shown = new ArrayList<>();
    int step = Math.max(1, (sizes.length + MOST_SIZES - 1) / MOST_SIZES);
    for (int i = sizes.length - 1; i >= 0; i -= step) {
      shown.addFirst(sizes[i]);
    }
    List<FrontierData.Column> columns = new ArrayList<>();
    shown.forEach(bytes -> columns.add(new FrontierData.Column("", bytes)));
    for (CapacitySearch.Card card : results.getFirst().cards()) {
      columns.add(new FrontierData.Column(card.profile().name(), card.profile().capacityBytes()));
    }
    FrontierData data = new FrontierData(columns);
    for (CapacitySearch.Result result : results) {
      List<Boolean> fits = new ArrayList<>();
      for (long bytes : shown) {
        fits.add(
            result.capacityBytes() >= 0
                && bytes >= result.capacityBytes()
                && !result.failingAboveBytes().contains(bytes));
      }
      result.cards().forEach(card -> fits.add(card.fits()));
      data.add(name(result, results), fits, result.capacityBytes());
    }
    return data;
  }

  /** Keys of {@link #toMap} that are columns of CSV. */
  static final List<String> CSV =
      List.of(
          "policy",
          "conf",
          "capacity_bytes",
          "failing_above_bytes",
          "peak_requested_bytes",
          "peak_block_bytes",
          "reserved_if_ample_bytes",
          "cards_that_fit",
          "replays");

  /** A result as JSON. */
  static Map<String, Object> toMap(CapacitySearch.Result result) {
    Map<String, Object> map = new LinkedHashMap<>();
    boolean takesConf = result.scenario().takesConf();
    map.put("policy", result.scenario().choice().label());
    map.put("conf", takesConf ? result.config().text() : null);
    map.put("capacity_bytes", result.capacityBytes() < 0 ? null : result.capacityBytes());
    map.put("failing_above_bytes", List.copyOf(result.failingAboveBytes()));
    map.put("peak_requested_bytes", result.demand().peakRequestedBytes());
    map.put("peak_block_bytes", result.peakBlockBytes());
    map.put("reserved_if_ample_bytes", result.ample().peakReservedBytes());
    map.put(
        "cards_that_fit",
        result.cards().stream()
            .filter(CapacitySearch.Card::fits)
            .map(card -> card.profile().name())
            .toList());
    map.put("replays", result.replays());
    return map;
  }
}
