package org.allocsim.reports.fuzz;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.TraceFormats;

/** Inputs of any length that each stress one thing of one reader. */
enum GrowingInput {
  JSONL_CHURN(FuzzTarget.JSONL, rows -> written("jsonl", churn(rows))),
  JSONL_STREAMS(FuzzTarget.JSONL, rows -> written("jsonl", streams(rows))),
  JSONL_MARKERS(
      FuzzTarget.JSONL,
      rows ->
          "{\"allocsim\":\"trace\",\"version\":1}\n{\"op\":\"stream\",\"stream\":0}\n"
              + lines(rows, i -> "{\"op\":\"begin\",\"name\":\"m" + i + "\"}")),
  MINIMALLOC_CHURN(FuzzTarget.MINIMALLOC, rows -> written("minimalloc", churn(rows))),
  MINIMALLOC_HELD(
      FuzzTarget.MINIMALLOC,
      rows -> "id,lower,upper,size\n" + lines(rows, i -> i + ",0," + (i + 1) + ",4")),
  RMM_CHURN(FuzzTarget.RMM_CSV, rows -> written("rmm-csv", churn(rows))),
  RMM_STREAMS(FuzzTarget.RMM_CSV, rows -> written("rmm-csv", streams(rows))),
  /**
   * Addresses that a multiplication by the golden ratio's bits, an ordinary hash, sends to one
   * place.
   */
  RMM_COLLIDING(
      FuzzTarget.RMM_CSV,
      rows ->
          "Thread,Time,Action,Pointer,Size,Stream\n"
              + lines(
                  rows,
                  i ->
                      "1,00:00:00.000000,allocate,0x%x,512,0"
                          .formatted((i + 1) * 0xf1de83e19937733dL))),
  STALLOC_CHURN(FuzzTarget.STALLOC, rows -> written("stalloc", churn(rows))),
  STALLOC_LAYERS(
      FuzzTarget.STALLOC,
      rows ->
          "1 0x7f0000000000 4096 0\nIteration Index : 0\nmicro-batch : F\n"
              + lines(rows, i -> "layer." + i + "->Module Layer : F-start")),
  NSYS_CHURN(FuzzTarget.NSYS_SQLITE, GrowingDatabase::ofMemoryEvents),
  NSYS_TABLES(FuzzTarget.NSYS_SQLITE, GrowingDatabase::ofTables),
  UMPIRE_CHURN(FuzzTarget.UMPIRE_REPLAY, rows -> written("umpire-replay", churn(rows))),
  BFC_CHURN(
      FuzzTarget.BFC_LOG,
      rows ->
          bfc(0, "Creating new BFCAllocator named: GPU_0_bfc")
              + lines(
                  rows,
                  i ->
                      bfc(i, "AllocateRaw GPU_0_bfc 1000 alignment=64")
                          + bfc(i, "Returning: 0x" + Long.toHexString(0x302000000L + 1024L * i))
                          + bfc(
                              i,
                              "[mem-debug] AllocateRaw,GPU_0_bfc,1000,0x"
                                  + Long.toHexString(0x302000000L + 1024L * i)
                                  + ","))),
  KINETO_CHURN(
      FuzzTarget.KINETO,
      rows -> kineto(rows, i -> memory(i, 4096 + 4096L * (i / 2 % 64), i % 2 == 0 ? 512 : -512))),
  /** Later events come first in the file. */
  KINETO_BACKWARDS(
      FuzzTarget.KINETO, rows -> kineto(rows, i -> memory(rows - i, 4096 + 4096L * i, 512))),
  KINETO_NESTED(
      FuzzTarget.KINETO,
      rows ->
          kineto(
              rows,
              i ->
                  memory(i, 4096 + 4096L * i, 512)
                      + ",{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op%d\",\"tid\":1,\"ts\":%d,\"dur\":%d}"
                          .formatted(i, i, 2 * (rows - i)))),
  KINETO_TIME_LAUNCHES(FuzzTarget.KINETO_TIME, rows -> kineto(rows, GrowingInput::launch)),
  /** Operators within each other, each of which waits for every stream that there is. */
  KINETO_TIME_WAITS(
      FuzzTarget.KINETO_TIME,
      rows ->
          kineto(
              rows,
              i ->
                  launch(i)
                      + ","
                      + timed("cpu_op", "aten::op" + i, 1, 10 * i, 20 * (rows - i), "")
                      + ","
                      + timed(
                          "cuda_runtime",
                          i % 2 == 0 ? "cudaEventSynchronize" : "cudaFree",
                          1,
                          10 * i + 5,
                          3,
                          ""))),
  SNAPSHOT_CHURN(
      FuzzTarget.PYTORCH_SNAPSHOT,
      rows ->
          snapshot(
              "",
              row(0, "segment_alloc", 0, 2 << 20)
                  + repeated(
                      rows,
                      i ->
                          row(i, "alloc", 512L * (i % 4096), 512)
                              + row(i, "free_requested", 512L * (i % 4096), 512)
                              + row(i, "free_completed", 512L * (i % 4096), 512)))),
  /** What is freed was there before the history, so that the start has all of it. */
  SNAPSHOT_START(
      FuzzTarget.PYTORCH_SNAPSHOT,
      rows -> snapshot("", repeated(rows, i -> row(i, "segment_free", (2L << 20) * i, 2 << 20)))),
  SNAPSHOT_PAGES(
      FuzzTarget.PYTORCH_SNAPSHOT,
      rows ->
          snapshot("", repeated(rows, i -> row(i, "segment_unmap", (40L << 20) * i, 20 << 20)))),
  /** The history does not tell where the segments at the end come from. */
  SNAPSHOT_END(
      FuzzTarget.PYTORCH_HISTORY,
      rows -> snapshot(repeated(rows, i -> segment((2L << 20) * i)), row(0, "snapshot", 0, 0))),
  SNAPSHOT_OF_ONE_SEGMENT_THAT_IS_REPEATED(
      FuzzTarget.PYTORCH_HISTORY,
      rows -> snapshot(repeated(rows, i -> segment(0)), row(0, "snapshot", 0, 0))),
  PICKLE_MEMO(
      FuzzTarget.PYTORCH_SNAPSHOT, rows -> "\u0080\u0004]K\u0001" + "\u0094".repeat(rows) + "a."),
  PICKLE_NESTED(FuzzTarget.PYTORCH_SNAPSHOT, rows -> "\u0080\u0002" + "]".repeat(rows) + "."),
  ANY_LINES(FuzzTarget.TRACE, rows -> lines(rows, i -> "row " + i)),
  REQUESTS_OF_AZURE(
      FuzzTarget.SERVED_REQUESTS,
      rows ->
          "TIMESTAMP,ContextTokens,GeneratedTokens\n"
              + lines(
                  rows,
                  i ->
                      "2023-11-16 %02d:%02d:%02d.0000000,374,44"
                          .formatted(i / 3600 % 24, i / 60 % 60, i % 60))),
  REQUESTS_OF_BURSTGPT(
      FuzzTarget.SERVED_REQUESTS,
      rows ->
          "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
              + lines(rows, i -> i + ",ChatGPT,374,44,418,Conversation log")),
  REQUESTS_OF_MOONCAKE(
      FuzzTarget.SERVED_REQUESTS,
      rows ->
          lines(
              rows,
              i ->
                  "{\"timestamp\":%d,\"input_length\":900,\"output_length\":9,\"hash_ids\":[%d,%d]}"
                      .formatted(rows - i, i, 2 * i))),
  MODEL_LAYERS(
      FuzzTarget.MODEL_CONFIG, rows -> "{\"layer_types\":[" + joined(rows, i -> "\"x\"") + "]}"),
  PROFILE_FIELDS(
      FuzzTarget.DEVICE_PROFILE, rows -> "{" + joined(rows, i -> "\"field" + i + "\":" + i) + "}"),
  SMI_ROWS(
      FuzzTarget.NVIDIA_SMI,
      rows ->
          "timestamp, memory.used [MiB], memory.total [MiB]\n"
              + lines(
                  rows,
                  i ->
                      "2026/01/01 %02d:%02d:%02d.000, %d MiB, 8000 MiB"
                          .formatted(i / 3600 % 24, i / 60 % 60, i % 60, i % 8000))),
  FLEET_ROWS(
      FuzzTarget.FLEET_ROWS,
      rows ->
          Arrays.stream(SweepColumn.values())
                  .map(SweepColumn::label)
                  .collect(Collectors.joining(",", "", "\n"))
              + lines(
                  rows,
                  i ->
                      "run"
                          + i
                          + ",,,,13,86412,pytorch-snapshot,0,0,,passed,,pytorch,,,2.11,false,h100-80gb,84465090560,,false,0,,,273,539,181944328,181945344,181945344,276824064,276824064,0.66,0,111656960,276824064,175095808,33554432,0.81,0,0,10,10,0,0,0,0,0,0,0,0,0,0,0,640480,,0.01")),
  OOM_TEXT(FuzzTarget.OOM_MESSAGE, rows -> "CUDA out of memory. " + "Process 12 has ".repeat(rows)),
  CONF_SETTINGS(FuzzTarget.CONF, rows -> joined(rows, i -> "max_split_size_mb:" + (21 + i % 1000))),
  STRICT_CONF_SETTINGS(
      FuzzTarget.STRICT_CONF, rows -> joined(rows, i -> "max_split_size_mb:" + (21 + i % 1000))),
  CONF_DIVISIONS(
      FuzzTarget.CONF, rows -> "roundup_power2_divisions:[" + joined(rows, i -> "256:1") + "]"),
  POLICY_OPTIONS(FuzzTarget.POLICY, rows -> "pytorch(" + joined(rows, i -> "a" + i + "=1") + ")"),
  POLICY_NESTED(FuzzTarget.POLICY, rows -> "pytorch(".repeat(rows)),
  SIZE_DIGITS(FuzzTarget.SIZE, rows -> "1".repeat(rows) + "GiB"),
  TORCH_VERSION_DIGITS(FuzzTarget.TORCH_VERSION, rows -> "2." + "1".repeat(rows)),
  PROGRAM_OPTIONS(FuzzTarget.PROGRAM, rows -> "mlp(" + "a=b,".repeat(rows) + ")");

  private static final long BASE = 0x7f0000000000L;

  private final FuzzTarget target;
  private final IntFunction<String> text;

  GrowingInput(FuzzTarget target, IntFunction<String> text) {
    this.target = target;
    this.text = text;
  }

  FuzzTarget target() {
    return target;
  }

  /** Characters are bytes. */
  String text(int rows) {
    return text.apply(rows);
  }

  private static String lines(int rows, IntFunction<String> line) {
    return IntStream.range(0, rows).mapToObj(line).collect(Collectors.joining("\n", "", "\n"));
  }

  private static String joined(int rows, IntFunction<String> element) {
    return IntStream.range(0, rows).mapToObj(element).collect(Collectors.joining(","));
  }

  private static AllocationTrace churn(int rows) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int[] live = new int[64];
    for (int i = 0; i < rows / 2; i++) {
      if (i >= live.length) {
        trace.free(live[i % live.length]);
      }
      live[i % live.length] = trace.allocate(512L * (1 + i % 1000), 0, PoolId.DEFAULT);
    }
    return trace.build(StackTable.empty());
  }

  private static AllocationTrace streams(int rows) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    for (int i = 0; i < rows; i++) {
      trace.allocate(4096, i, PoolId.DEFAULT);
    }
    return trace.build(StackTable.empty());
  }

  private static String written(String format, AllocationTrace trace) {
    try {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      TraceFormats.named(format).orElseThrow().writer().orElseThrow().write(trace, 0, out);
      return out.toString(StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String bfc(int micros, String text) {
    return "I1121 00:07:%02d.%06d    1 bfc_allocator.cc:333] %s%n"
        .formatted(micros / 1_000_000, micros % 1_000_000, text);
  }

  private static String kineto(int rows, IntFunction<String> event) {
    return "{\"schemaVersion\":1,\"traceEvents\":[" + joined(rows, event) + "]}";
  }

  private static String memory(int micros, long address, long bytes) {
    return "{\"ph\":\"i\",\"name\":\"[memory]\",\"tid\":1,\"ts\":%d,\"args\":{\"Device Type\":1,\"Device Id\":0,\"Addr\":%d,\"Bytes\":%d,\"Total Allocated\":9,\"Total Reserved\":9}}"
        .formatted(micros, address, bytes);
  }

  /** A launch with its kernel, on a stream of its own. */
  private static String launch(int row) {
    String correlation = "\"correlation\":" + (row + 1);
    return timed("cuda_runtime", "cudaLaunchKernel", 1, 10 * row, 2, correlation)
        + ","
        + timed(
            "kernel",
            "k" + row,
            row,
            10 * row + 4,
            4,
            correlation + ",\"device\":0,\"stream\":" + row);
  }

  private static String timed(
      String category, String name, int thread, int micros, int duration, String arguments) {
    return "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":%d,\"args\":{%s}}"
        .formatted(category, name, thread, micros, duration, arguments);
  }

  private static String repeated(int rows, IntFunction<String> element) {
    return IntStream.range(0, rows).mapToObj(element).collect(Collectors.joining());
  }

  /** A pickle of protocol 2. */
  private static String snapshot(String segments, String entries) {
    return "\u0080\u0002"
        + dict(pair("segments", list(segments)), pair("device_traces", list(list(entries))))
        + ".";
  }

  private static String row(int micros, String action, long offset, long bytes) {
    return dict(
        pair("action", text(action)),
        pair("addr", number(BASE + offset)),
        pair("size", number(bytes)),
        pair("stream", number(0)),
        pair("time_us", number(micros)),
        pair("frames", list("")));
  }

  private static String segment(long offset) {
    return dict(
        pair("device", number(0)),
        pair("address", number(BASE + offset)),
        pair("total_size", number(2 << 20)),
        pair("stream", number(0)),
        pair(
            "blocks",
            list(
                dict(
                    pair("size", number(2 << 20)),
                    pair("address", number(BASE + offset)),
                    pair("state", text("inactive"))))));
  }

  private static String dict(String... pairs) {
    return "}(" + String.join("", pairs) + "u";
  }

  private static String list(String elements) {
    return "](" + elements + "e";
  }

  private static String pair(String key, String value) {
    return text(key) + value;
  }

  private static String text(String text) {
    return "X" + little(text.length(), 4) + text;
  }

  private static String number(long number) {
    return "\u008a\b" + little(number, 8);
  }

  private static String little(long number, int bytes) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < bytes; i++) {
      text.append((char) (number >>> 8 * i & 0xff));
    }
    return text.toString();
  }
}
