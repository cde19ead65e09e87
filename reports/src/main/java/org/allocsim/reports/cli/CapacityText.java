package org.allocsim.reports.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.advice.CapacitySearch;
import org.allocsim.reports.advice.Scenario;
import org.allocsim.reports.chart.FrontierData;
import org.allocsim.reports.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;

/** Prints smallest devices. */
final class CapacityText {
  private static final int MOST_COLUMNS = 6;
  private static final int MOST_SIZES = 8;

  private CapacityText() {}

  static void print(List<CapacitySearch.Result> results, String recordedConf, PrintWriter out) {
    out.println(
        "bound   the program asks for "
            + Numbers.bytes(results.getFirst().demand().peakRequestedBytes())
            + " at its peak; no device with less free runs it");
    out.println();
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
    table.print(out, "");
    out.println();
    printCards(results, out);
    for (CapacitySearch.Result result : results) {
      if (!result.failingAboveBytes().isEmpty()) {
        WrappedText.print(
            out,
            "",
            "",
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

  /** What fits on which card; too wide for many allocators, whose smallest card is told above. */
  private static void printCards(List<CapacitySearch.Result> results, PrintWriter out) {
    if (results.size() > MOST_COLUMNS) {
      out.println("--json tells for each of the cards what fits on it.");
      return;
    }
    String[] headings = new String[results.size() + 2];
    headings[0] = "card";
    headings[1] = ">free for the program";
    for (int i = 0; i < results.size(); i++) {
      headings[i + 2] = name(results.get(i), results);
    }
    TextTable table = TextTable.of(headings);
    List<CapacitySearch.Card> cards = results.getFirst().cards();
    for (int row = 0; row < cards.size(); row++) {
      Object[] cells = new Object[headings.length];
      cells[0] = cards.get(row).profile().name();
      cells[1] = ByteFormat.human(cards.get(row).profile().capacityBytes());
      for (int i = 0; i < results.size(); i++) {
        cells[i + 2] = results.get(i).cards().get(row).fits() ? "fits" : "no";
      }
      table.row(cells);
    }
    table.print(out, "");
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
