package org.allocsim.reports.answer.diagnosis;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.oom.BfcDump;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;

/** Explains dumps of BFC allocators, as text and as a tree for JSON. */
public final class BfcDumpText {
  private static final String INDENT = "  ";

  private BfcDumpText() {}

  public static void print(String name, List<BfcDump> dumps, int show, PrintWriter out) {
    int shown = Math.min(show, dumps.size());
    for (int i = 0; i < shown; i++) {
      if (i > 0) {
        out.println();
      }
      print(name, dumps.get(i), out);
    }
    if (dumps.size() > shown) {
      out.println();
      WrappedText.printLine(
          out,
          Numbers.count(dumps.size() - shown, "more dump")
              + " explained on demand: --show N, or --json FILE for all.");
    }
  }

  private static void print(String name, BfcDump dump, PrintWriter out) {
    WrappedText.print(out, dump.verdict().word() + "  ", INDENT, headline(dump));
    String allocator = dump.allocator().isEmpty() ? "a BFC allocator" : dump.allocator();
    out.println(
        INDENT
            + FailureReport.oneLine(
                name + ", line " + dump.line() + ", " + allocator + " (TensorFlow, JAX)"));
    if (!dump.hasChunks()) {
      return;
    }
    out.println();
    TextTable sums = TextTable.of("where the pool's memory is", ">bytes", ">chunks");
    sums.row("in use", Numbers.count(dump.bytesInUse()), Numbers.count(dump.chunksInUse()));
    sums.row("free", Numbers.count(dump.freeBytes()), Numbers.count(dump.freeChunks()));
    sums.row("largest free chunk", Numbers.count(dump.largestFreeBytes()), "");
    if (dump.limitBytes() >= 0) {
      sums.row("not yet asked of the device", Numbers.count(dump.ungrownBytes()), "");
      sums.row("limit", Numbers.count(dump.limitBytes()), "");
    }
    sums.print(out, INDENT);
    out.println();
    TextTable bins = TextTable.of(">chunks from", ">in use", ">bytes", ">free", ">bytes");
    for (BfcDump.Bin bin : dump.bins()) {
      bins.row(
          Numbers.count(bin.minBytes()),
          Numbers.count(bin.chunksInUse()),
          Numbers.count(bin.bytesInUse()),
          Numbers.count(bin.freeChunks()),
          Numbers.count(bin.freeBytes()));
    }
    bins.print(out, INDENT);
    List<String> helps = helps(dump);
    if (!helps.isEmpty()) {
      out.println();
      out.println(INDENT + "Can help:");
      helps.forEach(item -> WrappedText.printItem(out, INDENT, item));
    }
  }

  private static String headline(BfcDump dump) {
    if (!dump.hasChunks()) {
      return "the dump lacks the chunks; give the whole log";
    }
    if (dump.request() == null) {
      return "the dump does not say how much was asked for; give the lines around it";
    }
    String asked = "the request of " + Numbers.bytes(Math.round(dump.request().value()));
    String largest = Numbers.bytes(dump.largestFreeBytes());
    return switch (dump.verdict()) {
      case FRAGMENTED ->
          dump.freeBytes() >= dump.request().high()
              ? asked + " would fit into what is free, but the largest free chunk has " + largest
              : asked
                  + " would fit into what is free and what the pool may still get, but not in one"
                  + " piece: the largest free chunk has "
                  + largest;
      case FULL -> asked + " is more than all that is free; perfect packing would not help";
      case IMPOSSIBLE -> asked + " is larger than the pool's limit";
      default ->
          dump.largestFreeBytes() >= dump.request().high()
              ? asked
                  + " is smaller than the largest free chunk of "
                  + largest
                  + ": the chunks were printed at another moment"
              : asked + " is close to what is free, and the dump does not print it exactly enough";
    };
  }

  private static List<String> helps(BfcDump dump) {
    List<String> helps = new ArrayList<>();
    switch (dump.verdict()) {
      case FRAGMENTED -> {
        if (dump.regions() > 1) {
          helps.add(
              "one region instead of "
                  + dump.regions()
                  + ", whose chunks never merge: XLA_PYTHON_CLIENT_PREALLOCATE=true (JAX),"
                  + " TF_FORCE_GPU_ALLOW_GROWTH=false (TensorFlow)");
        }
        helps.add(
            "an allocator that maps pages where they are: TF_GPU_ALLOCATOR=cuda_malloc_async"
                + " (TensorFlow), XLA_PYTHON_CLIENT_ALLOCATOR=cuda_async (JAX)");
      }
      case FULL, IMPOSSIBLE ->
          helps.add(
              "a smaller batch or model; or, where the limit of "
                  + (dump.limitBytes() < 0 ? "the pool" : Numbers.bytes(dump.limitBytes()))
                  + " is below the GPU's memory, XLA_PYTHON_CLIENT_MEM_FRACTION (JAX, default"
                  + " 0.75) or per_process_gpu_memory_fraction (TensorFlow)");
      default -> {}
    }
    return helps;
  }

  static Map<String, Object> json(BfcDump dump) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("verdict", dump.verdict().word());
    map.put("exit_code", ExitCodes.of(dump.verdict()));
    map.put("headline", headline(dump));
    map.put("line", dump.line());
    map.put("allocator", dump.allocator().isEmpty() ? null : dump.allocator());
    map.put("requested_bytes", dump.request() == null ? null : Math.round(dump.request().value()));
    map.put("limit_bytes", dump.limitBytes() < 0 ? null : dump.limitBytes());
    map.put("in_use_bytes", dump.bytesInUse());
    map.put("free_bytes", dump.freeBytes());
    map.put("free_chunks", dump.freeChunks());
    map.put("largest_free_bytes", dump.largestFreeBytes());
    map.put("regions", dump.regions());
    map.put(
        "bins",
        dump.bins().stream()
            .<Object>map(bin -> {
              Map<String, Object> row = new LinkedHashMap<>();
              row.put("from_bytes", bin.minBytes());
              row.put("chunks_in_use", bin.chunksInUse());
              row.put("in_use_bytes", bin.bytesInUse());
              row.put("free_chunks", bin.freeChunks());
              row.put("free_bytes", bin.freeBytes());
              return row;
            })
            .toList());
    map.put("helps", helps(dump));
    return map;
  }
}
