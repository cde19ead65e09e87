package org.allocsim.reports.answer.diagnosis;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.oom.BfcDump;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Block;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.FailureReport;

/** What a dump of a BFC allocator says. */
final class BfcDumpPart {
  private static final Shape<BfcDump.Bin> BIN =
      Shape.of(bin ->
          bin.bytes("from_bytes", "chunks from", "Minimum size of the bin.", BfcDump.Bin::minBytes)
              .count("chunks_in_use", "in use", "Chunks in use.", BfcDump.Bin::chunksInUse)
              .term(Columns.IN_USE_BYTES, "bytes", BfcDump.Bin::bytesInUse)
              .term(Columns.FREE_CHUNKS, "free", BfcDump.Bin::freeChunks)
              .term(Columns.FREE_BYTES, "bytes", BfcDump.Bin::freeBytes));

  static final Shape<BfcDump> SHAPE =
      Shape.of(dump ->
          dump.text("oom_verdict", ExplainOomAnswer.VERDICT, each -> each.verdict().word())
              .term(Columns.EXIT_CODE, each -> ExitCodes.of(each.verdict()))
              .term(Columns.HEADLINE, BfcDumpPart::headline)
              .term(Columns.LINE, BfcDump::line)
              .text(
                  "allocator",
                  "Name of the allocator.",
                  each -> each.allocator().isEmpty() ? null : each.allocator())
              .missing("the dump has none")
              .bytes(
                  "requested_bytes",
                  "Size of the failed request.",
                  each -> each.request() == null ? null : Math.round(each.request().value()))
              .missing("the dump does not print it")
              .bytes(
                  "limit_bytes",
                  "Limit of the pool.",
                  each -> each.limitBytes() < 0 ? null : each.limitBytes())
              .missing("the dump prints none")
              .term(Columns.IN_USE_BYTES, BfcDump::bytesInUse)
              .term(Columns.FREE_BYTES, BfcDump::freeBytes)
              .term(Columns.FREE_CHUNKS, BfcDump::freeChunks)
              .bytes("largest_free_bytes", "Largest free chunk.", BfcDump::largestFreeBytes)
              .count("regions", "Regions; chunks never merge across regions.", BfcDump::regions)
              .many("bins", "Chunks by size.", BIN, BfcDump::bins)
              .texts("can_help", "What can help.", BfcDumpPart::helps));

  private static final Shape<Sum> SUMS =
      Shape.of(row ->
          row.shown(Unit.TEXT, "where the pool's memory goes", "What it is.", Sum::name)
              .shown(Unit.COUNT, "bytes", "Its size.", Sum::bytes)
              .shown(
                  Unit.COUNT,
                  "chunks",
                  "Its chunks.",
                  each -> each.chunks() < 0 ? "" : each.chunks()));

  private BfcDumpPart() {}

  /** A line of the sums; no chunks below 0. */
  private record Sum(String name, long bytes, long chunks) {}

  /** What people read below the headline. */
  static List<Block> blocks(String log, BfcDump dump) {
    String allocator = dump.allocator().isEmpty() ? "a BFC allocator" : dump.allocator();
    List<Block> blocks = new ArrayList<>();
    blocks.add(
        Facts.none()
            .and(
                "dump",
                "{}",
                FailureReport.oneLine(
                    log + ", line " + dump.line() + ", " + allocator + " (TensorFlow, JAX)")));
    if (dump.hasSums()) {
      List<Sum> sums = new ArrayList<>();
      long unknown = dump.hasChunks() ? 0 : -1;
      sums.add(new Sum("in use", dump.bytesInUse(), dump.chunksInUse() + unknown));
      sums.add(new Sum("free", dump.freeBytes(), dump.freeChunks() + unknown));
      if (dump.hasChunks()) {
        sums.add(new Sum("largest free chunk", dump.largestFreeBytes(), -1));
      }
      if (dump.limitBytes() >= 0) {
        sums.add(new Sum("not yet allocated from the device", dump.ungrownBytes(), -1));
        sums.add(new Sum("limit", dump.limitBytes(), -1));
      }
      blocks.add(Table.of("Where the pool's memory goes", SUMS, sums));
      if (dump.hasChunks()) {
        blocks.add(Table.of("Chunks by size", BIN, dump.bins()));
      }
      blocks.add(Notes.of("Can help", helps(dump)));
    }
    return blocks;
  }

  /** The verdict in a sentence. */
  static String headline(BfcDump dump) {
    if (dump.isOfHost()) {
      return "the allocator "
          + dump.allocator()
          + " manages host memory, which ran out; the GPU is not the cause";
    }
    if (!dump.hasSums()) {
      return "the dump has no chunks or statistics; pass the whole log";
    }
    if (dump.request() == null) {
      return "the dump does not print the requested size; pass the lines around it";
    }
    String asked = "the request of " + Numbers.bytes(Math.round(dump.request().value()));
    String largest = Numbers.bytes(dump.largestFreeBytes());
    return switch (dump.verdict()) {
      case ELSEWHERE ->
          asked
              + " is within the "
              + Numbers.bytes(dump.ungrownBytes())
              + " that the pool may still grow by, but the device had no memory: others hold it";
      case FRAGMENTED ->
          !dump.hasChunks()
              ? asked + " would fit into free memory if it were contiguous"
              : dump.freeBytes() >= dump.request().high()
                  ? asked + " would fit into free memory, but the largest free chunk has " + largest
                  : asked
                      + " would fit into free memory plus pool growth if it were contiguous: the"
                      + " largest free chunk has "
                      + largest;
      case FULL -> asked + " exceeds all free memory; perfect packing would not help";
      case IMPOSSIBLE -> asked + " is larger than the pool's limit";
      default ->
          dump.largestFreeBytes() >= dump.request().high()
              ? asked
                  + " is smaller than the largest free chunk of "
                  + largest
                  + ": the chunks are from another moment"
              : asked + " is close to the free memory, and the dump is not precise enough";
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
            "an allocator that maps pages instead of moving data:"
                + " TF_GPU_ALLOCATOR=cuda_malloc_async (TensorFlow),"
                + " XLA_PYTHON_CLIENT_ALLOCATOR=cuda_async (JAX)");
      }
      case HOST ->
          helps.add("load less into host memory at once: stream data, use smaller batches");
      case ELSEWHERE ->
          helps.add("end other processes on the GPU, or preallocate this one's share at the start");
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
}
