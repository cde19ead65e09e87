package org.allocsim.reports.answer.diagnosis;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.oom.BfcDump;
import org.allocsim.analysis.oom.ByteRange;
import org.allocsim.analysis.oom.GpuAccount;
import org.allocsim.analysis.oom.OomExplanation;
import org.allocsim.analysis.oom.OomLog;
import org.allocsim.analysis.oom.OomMessage;
import org.allocsim.analysis.oom.OomSettings;
import org.allocsim.analysis.oom.OomVerdict;
import org.allocsim.analysis.oom.PrintedSize;
import org.allocsim.analysis.oom.SummaryTable;
import org.allocsim.reports.output.ExitCodes;

/** The explanations of out-of-memory messages as a tree for JSON. */
public final class ExplainOomJson {
  private ExplainOomJson() {}

  public static Map<String, Object> of(
      String name,
      OomLog.Contents contents,
      OomSettings settings,
      List<OomExplanation> explanations,
      List<BfcDump> dumps) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("file", name);
    map.put("lines", contents.lines());
    map.put(
        "verdict",
        (explanations.isEmpty() ? dumps.getFirst().verdict() : explanations.getFirst().verdict())
            .word());
    map.put("conf", settings.isKnown() ? settings.text() : null);
    map.put("mentions_without_numbers", contents.bare().count());
    map.put("messages_left_out", contents.left());
    List<Object> messages = new ArrayList<>();
    for (int i = 0; i < explanations.size(); i++) {
      messages.add(message(explanations.get(i), contents.found().get(i)));
    }
    map.put("messages", messages);
    if (!dumps.isEmpty()) {
      map.put("bfc_dumps", dumps.stream().<Object>map(BfcDumpText::json).toList());
    }
    return map;
  }

  private static Map<String, Object> message(OomExplanation explanation, OomLog.Found found) {
    OomMessage message = explanation.message();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("verdict", explanation.verdict().word());
    map.put("exit_code", ExitCodes.of(explanation.verdict()));
    map.put("possible", explanation.possible().stream().<Object>map(OomVerdict::word).toList());
    map.put("headline", explanation.headline());
    map.put("line", found.line());
    map.put("source", found.source().isEmpty() ? null : found.source());
    map.put("count", found.count());
    map.put("device", message.deviceIndex() < 0 ? null : message.deviceIndex());
    map.put("wording", message.wording().versions());
    Map<String, Object> printed = new LinkedHashMap<>();
    message.amounts().forEach((amount, size) -> printed.put(amount.key(), size(size)));
    map.put("printed", printed);
    map.put(
        "processes",
        message.processes().stream()
            .<Object>map(use -> {
              Map<String, Object> process = new LinkedHashMap<>();
              process.put("pid", use.pid());
              process.putAll(size(use.size()));
              return process;
            })
            .toList());
    map.put("left_over", explanation.leftOver().map(ExplainOomJson::range).orElse(null));
    map.put("other", explanation.other().map(ExplainOomJson::range).orElse(null));
    map.put("nearly_full", explanation.nearlyFull());
    map.put("large_other", explanation.largeOther());
    map.put("account", explanation.account().map(ExplainOomJson::account).orElse(null));
    map.put("memory_summary", explanation.table().map(table -> table(table, message)).orElse(null));
    map.put("equation", explanation.equation().isEmpty() ? null : explanation.equation());
    map.put("findings", explanation.findings());
    map.put("helps", explanation.helps());
    map.put("cannot_help", explanation.cannotHelp());
    return map;
  }

  private static Map<String, Object> table(SummaryTable table, OomMessage message) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("line", table.line());
    map.put("same_moment", table.isOfTheMomentOf(message));
    for (SummaryTable.Row row : SummaryTable.Row.values()) {
      map.put(
          row.name().toLowerCase(Locale.ROOT),
          table.bytes(row).map(ExplainOomJson::range).orElse(null));
    }
    map.put("rounding", table.roundingBytes().map(ExplainOomJson::range).orElse(null));
    map.put(
        "awaiting_other_streams", table.awaitingBytes().map(ExplainOomJson::range).orElse(null));
    map.put("whole_free_segments", table.releasableBytes().map(ExplainOomJson::range).orElse(null));
    return map;
  }

  private static Map<String, Object> account(GpuAccount account) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("gpu_bytes", bytes(account, account.totalHundredths()));
    map.put(
        "parts",
        account.parts().stream()
            .<Object>map(part -> {
              Map<String, Object> row = new LinkedHashMap<>();
              row.put("name", part.name());
              row.put("bytes", bytes(account, part.hundredths()));
              row.put("within_part_above", part.within());
              return row;
            })
            .toList());
    return map;
  }

  /** The printed hundredths of a unit, to the nearest byte. */
  private static long bytes(GpuAccount account, long hundredths) {
    double unitBytes = account.unit().equals("MiB") ? 0x1p20 : 0x1p30;
    return Math.round(hundredths * unitBytes / 100);
  }

  private static Map<String, Object> size(PrintedSize size) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("text", size.text());
    map.putAll(range(size.bytes()));
    return map;
  }

  private static Map<String, Object> range(ByteRange range) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("bytes", Math.round(range.value()));
    map.put("low_bytes", (long) Math.ceil(range.low()));
    map.put("high_bytes", (long) Math.floor(range.high()));
    return map;
  }
}
