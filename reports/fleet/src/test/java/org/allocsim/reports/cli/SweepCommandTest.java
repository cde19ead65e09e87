package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import de.siegmar.fastcsv.reader.CsvReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.allocsim.analysis.fleet.sweep.RowCsv;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.analysis.fleet.sweep.SweepRow;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class SweepCommandTest {
  private static final long MIB = 1L << 20;

  @TempDir private Path folder;
  private Path traces;
  private Path out;

  @BeforeEach
  void folders() throws IOException {
    traces = Files.createDirectories(folder.resolve("traces"));
    out = folder.resolve("out");
  }

  /** A program that keeps so many blocks of 8 MiB. */
  private Path trace(String name, int blocks) throws IOException {
    StringBuilder lines = new StringBuilder("{\"allocsim\":\"trace\",\"version\":1}\n");
    for (int i = 0; i < blocks; i++) {
      lines.append("{\"op\":\"alloc\",\"id\":").append(i).append(",\"bytes\":8388608}\n");
    }
    return Files.writeString(traces.resolve(name), lines);
  }

  private CommandRun sweep(Object... more) {
    List<Object> arguments = new ArrayList<>(List.of("sweep", traces, "-o", out));
    arguments.addAll(Arrays.asList(more));
    return CommandRun.of(arguments.toArray());
  }

  private List<SweepRow> rows() throws IOException {
    List<SweepRow> rows = new ArrayList<>();
    try (InputStream in = Files.newInputStream(out.resolve("rows.csv"))) {
      RowCsv.read(in, rows::add);
    }
    return rows;
  }

  private List<Path> parts() throws IOException {
    try (Stream<Path> parts = Files.list(out.resolve("parts"))) {
      return parts.sorted().toList();
    }
  }

  @Test
  void hasARowForEveryTraceSettingAndGpu() throws IOException {
    trace("a.jsonl", 4);
    trace("b.jsonl", 40);
    CommandRun run = sweep("--confs", ";max_split_size_mb:64", "--capacities", "64MiB,1GiB");
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(
        run.out().startsWith("2 traces, 8 runs: 6 served every request, 2 ran out of memory\n"),
        run.out());
    List<SweepRow> rows = rows();
    assertEquals(8, rows.size());
    SweepRow failing =
        rows.stream().filter(row -> row.is(SweepColumn.OOM)).findFirst().orElseThrow();
    assertEquals(traces.resolve("b.jsonl").toString(), failing.text(SweepColumn.FILE));
    assertEquals("oom", failing.text(SweepColumn.OUTCOME));
    // Segments of 20 MiB hold two blocks each; after three of them 2 MiB are left, one is kept.
    assertEquals(6, failing.number(SweepColumn.FIRST_OOM_REQUEST_INDEX));
    assertEquals(8 * MIB, failing.number(SweepColumn.FIRST_OOM_REQUESTED_BYTES));
    assertEquals(34, failing.number(SweepColumn.OOMS));
    assertEquals(60 * MIB, failing.number(SweepColumn.PEAK_RESERVED_BYTES));
    assertEquals(48 * MIB, failing.number(SweepColumn.PEAK_ALLOCATED_BYTES));
    assertEquals(64 * MIB, failing.number(SweepColumn.CAPACITY_BYTES));
    SweepRow passing = rows.getFirst();
    assertEquals(traces.resolve("a.jsonl").toString(), passing.text(SweepColumn.FILE));
    assertEquals(2, passing.number(SweepColumn.DRIVER_ALLOCATE_CALLS));
    assertEquals(40 * MIB, passing.number(SweepColumn.PEAK_RESERVED_BYTES));
    assertEquals(0.8, passing.get(SweepColumn.UTILISATION_RATIO));
  }

  @Test
  void ofATraceWithoutRecordedSettingsPyTorchsDefaultIsTheBaseline() throws IOException {
    trace("a.jsonl", 40);
    sweep("--policies", "pytorch,direct", "--capacities", "64MiB");
    List<SweepRow> rows = rows();
    assertEquals(3, rows.size());
    for (SweepRow row : rows) {
      Boolean isBaseline =
          row.text(SweepColumn.POLICY).equals("pytorch")
              ? row.text(SweepColumn.CONF).isEmpty()
              : null;
      assertEquals(isBaseline, row.get(SweepColumn.IS_RECORDED_CONF));
    }
    CommandRun report = CommandRun.of("fleet-report", out);
    assertTrue(report.out().contains("1 failure with the recorded settings"), report.out());
  }

  @Test
  void saysTheSameOfARunAsCompare() throws IOException {
    Path recording = CommandRun.recording("cat_growth.pickle.xz");
    Path csv = folder.resolve("compare.csv");
    CommandRun.of("compare", recording, "--policies", "pytorch,cuda-async", "--csv", csv);
    CommandRun run =
        CommandRun.of("sweep", recording, "--policies", "pytorch,cuda-async", "-o", out);
    assertEquals(0, run.exitCode(), run.err());
    Set<List<String>> compared = new HashSet<>();
    try (var reader = CsvReader.builder().ofNamedCsvRecord(csv)) {
      reader.forEach(each ->
          compared.add(
              List.of(
                  each.getField("peak_reserved_bytes"),
                  each.getField("peak_allocated_bytes"),
                  each.getField("peak_requested_bytes"))));
    }
    for (SweepRow row : rows()) {
      List<String> figures =
          List.of(
              row.get(SweepColumn.PEAK_RESERVED_BYTES).toString(),
              row.get(SweepColumn.PEAK_ALLOCATED_BYTES).toString(),
              row.get(SweepColumn.PEAK_REQUESTED_BYTES).toString());
      assertTrue(compared.contains(figures), figures::toString);
      assertEquals(0, row.number(SweepColumn.RECORDED_OOMS));
      assertEquals(
          row.text(SweepColumn.POLICY).equals("pytorch") && row.text(SweepColumn.CONF).isEmpty(),
          row.is(SweepColumn.IS_RECORDED_CONF));
    }
    assertEquals(3, rows().size());
  }

  @Test
  void keepsFinishedRuns() throws IOException {
    trace("a.jsonl", 4);
    Path changed = trace("b.jsonl", 4);
    Path untouched = trace("c.jsonl", 5);
    sweep();
    List<SweepRow> before = rows();
    byte[] csv = Files.readAllBytes(out.resolve("rows.csv"));

    CommandRun again = sweep();
    assertTrue(again.out().contains("0 runs made, 6 kept from before"), again.out());
    // With their wall times: they are the very rows.
    assertArrayEquals(csv, Files.readAllBytes(out.resolve("rows.csv")));

    Files.setLastModifiedTime(untouched, FileTime.fromMillis(0));
    CommandRun touched = sweep();
    assertTrue(touched.out().contains("0 runs made, 6 kept from before"), touched.out());

    trace("b.jsonl", 6);
    CommandRun other = sweep();
    assertTrue(other.out().contains("2 runs made, 4 kept from before"), other.out());
    assertEquals(before.subList(0, 2), rows().subList(0, 2));
    assertNotEquals(before.subList(2, 4), rows().subList(2, 4));
    assertEquals(changed.toString(), rows().get(2).text(SweepColumn.FILE));
  }

  @Test
  void makesOnlyWhatALargerGridAdds() throws IOException {
    trace("a.jsonl", 4);
    sweep("--capacities", "1GiB");
    CommandRun larger = sweep("--capacities", "1GiB,2GiB");
    assertTrue(larger.out().contains("2 runs made, 2 kept from before"), larger.out());
    assertEquals(4, rows().size());
    CommandRun smaller = sweep("--capacities", "2GiB");
    assertTrue(smaller.out().contains("0 runs made, 2 kept from before"), smaller.out());
    assertEquals(2, rows().size());
    CommandRun back = sweep("--capacities", "1GiB,2GiB");
    assertTrue(back.out().contains("0 runs made, 4 kept from before"), back.out());
  }

  @Test
  void goesOnWhereAKilledSweepWas() throws IOException {
    for (int i = 0; i < 10; i++) {
      trace(i + ".jsonl", i + 1);
    }
    sweep();
    List<SweepRow> whole = rows();
    List<Path> parts = parts();
    // As if killed: some traces finished, one part torn, no table yet.
    Files.delete(parts.get(0));
    Files.write(parts.get(1), Arrays.copyOf(Files.readAllBytes(parts.get(1)), 100));
    Files.delete(out.resolve("rows.csv"));
    CommandRun again = sweep();
    assertTrue(again.out().contains("4 runs made, 16 kept from before"), again.out());
    List<SweepRow> rows = rows();
    assertEquals(whole.size(), rows.size());
    for (int i = 0; i < rows.size(); i++) {
      assertTrue(whole.get(i).isSameRun(rows.get(i)), rows.get(i).toString());
    }
  }

  @Test
  @Timeout(value = 5, unit = TimeUnit.MINUTES)
  void whatWasFinishedBeforeAKillIsNotRunAgain() throws Exception {
    int count = 500;
    for (int i = 0; i < count; i++) {
      trace("%03d.jsonl".formatted(i), i % 30 + 1);
    }
    Path log = folder.resolve("log");
    Process killed = ChildSweep.start("128m", log, traces, "-o", out);
    while (!Files.isDirectory(out.resolve("parts")) || parts().size() < 20) {
      assertTrue(killed.isAlive(), () -> log.toUri() + " says why");
      Thread.sleep(5);
    }
    killed.destroyForcibly().waitFor();
    Map<Path, FileTime> finished = new TreeMap<>();
    for (Path part : parts()) {
      if (part.toString().endsWith(".csv.zst")) {
        finished.put(part, Files.getLastModifiedTime(part));
      }
    }
    assertTrue(finished.size() < count, "the sweep was over before it could be killed");
    assertFalse(Files.exists(out.resolve("rows.csv")));

    // By the same program, started as before.
    Process again = ChildSweep.start("128m", log, traces, "-o", out);
    assertEquals(0, again.waitFor());
    String kept = ", " + 2 * finished.size() + " kept from before";
    String said = Files.readString(log);
    assertTrue(said.contains(2 * (count - finished.size()) + " runs made" + kept), said);
    for (Map.Entry<Path, FileTime> part : finished.entrySet()) {
      assertEquals(part.getValue(), Files.getLastModifiedTime(part.getKey()));
    }
    List<SweepRow> rows = rows();
    out = folder.resolve("uninterrupted");
    sweep();
    List<SweepRow> uninterrupted = rows();
    assertEquals(2 * count, rows.size());
    for (int i = 0; i < rows.size(); i++) {
      assertTrue(uninterrupted.get(i).isSameRun(rows.get(i)), rows.get(i).toString());
    }
  }

  @Test
  void withoutThePartForParquetRowsAreCsvOnlyAndTheCommandSaysHowToGetIt() throws IOException {
    trace("a.jsonl", 4);
    CommandRun run = sweep();
    assertTrue(
        run.out()
            .contains(
                "No rows.parquet: Parquet support is not part of this installation; use"
                    + " './allocsim' in a checkout, or bundle it with './allocsim bundle"
                    + " ARCHIVE.tgz --with parquet'\n"),
        run.out());
    assertFalse(Files.exists(out.resolve("rows.parquet")));
    assertEquals(2, rows().size());
  }

  @Test
  void badFilesAreRowsWithTheirError() throws IOException {
    for (int i = 0; i < 200; i++) {
      trace("%03d.jsonl".formatted(i), i % 9 + 1);
    }
    for (int i = 0; i < 10; i++) {
      Path bad = traces.resolve("bad%d.jsonl".formatted(i));
      switch (i % 5) {
        case 0 -> Files.createFile(bad);
        case 1 -> Files.writeString(bad, "{\"allocsim\":\"trace\",\"version\":1}\n{\"op\":");
        case 2 -> Files.write(bad, new byte[] {(byte) 0xfd, '7', 'z', 'X', 'Z', 0, 1, 2, 3});
        case 3 -> Files.write(bad, new byte[] {(byte) 0x80, 4, 'c', 'o', 's', '\n'});
        default -> Files.writeString(bad, "no trace at all, but a text\n");
      }
    }
    CommandRun run = sweep();
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(run.out().contains("10 files could not be read; their rows say why"), run.out());
    List<SweepRow> bad =
        rows().stream().filter(row -> row.text(SweepColumn.OUTCOME).equals("unreadable")).toList();
    assertEquals(10, bad.size());
    for (SweepRow row : bad) {
      String error = row.text(SweepColumn.ERROR);
      assertTrue(error.startsWith(row.text(SweepColumn.FILE)), error);
      assertFalse(error.contains("defect"), error);
    }
    assertEquals(200 * 2 + 10, rows().size());
  }

  @Test
  void aRunThatCannotBeMadeHasARowThatSaysWhy() throws IOException {
    trace("a.jsonl", 4);
    CommandRun run = sweep("--policies", "direct,rmm-pool(initial=much)");
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(run.out().contains("1 could not be simulated"), run.out());
    List<SweepRow> rows = rows();
    assertEquals("passed", rows.get(0).text(SweepColumn.OUTCOME));
    assertEquals("not_run", rows.get(1).text(SweepColumn.OUTCOME));
    assertTrue(rows.get(1).text(SweepColumn.ERROR).contains("much"));
    assertEquals("initial=much", rows.get(1).text(SweepColumn.OPTIONS));
  }

  @Test
  void takesPatternsAndLists() throws IOException {
    Path deep = Files.createDirectories(traces.resolve("x/y"));
    Path one = trace("one.jsonl", 1);
    Path two = trace("x/two.jsonl", 2);
    Path three = trace("x/y/three.jsonl", 3);
    Files.writeString(deep.resolve("notes.md"), "no trace");
    Path list = folder.resolve("list.txt");
    Files.writeString(list, "# the first\n" + one + "\n\n" + traces + "/x/**/*.jsonl\n");
    CommandRun run = CommandRun.of("sweep", "@" + list, "-o", out);
    assertEquals(0, run.exitCode(), run.err());
    assertEquals(
        List.of(one.toString(), three.toString()),
        rows().stream().map(row -> row.text(SweepColumn.FILE)).distinct().toList());
    CommandRun all = sweep();
    assertTrue(all.out().contains("1 file in folders skipped: no trace extension"), all.out());
    assertEquals(
        List.of(one.toString(), two.toString(), three.toString()),
        rows().stream().map(row -> row.text(SweepColumn.FILE)).distinct().toList());
  }

  @Test
  void inputsMayNameTheSameFiles() throws IOException {
    trace("a.jsonl", 1);
    CommandRun run =
        CommandRun.of("sweep", traces, traces, traces + "/*.jsonl", "-o", out, "--confs", "");
    assertEquals(0, run.exitCode(), run.err());
    assertEquals(1, rows().size());
  }

  @Test
  void tuneStandsForTheGridOfTune() throws IOException {
    Path recording = CommandRun.recording("cat_growth.pickle.xz");
    CommandRun run = CommandRun.of("sweep", recording, "--confs", "tune", "-o", out);
    assertEquals(0, run.exitCode(), run.err());
    Path json = folder.resolve("tune.json");
    CommandRun.of("tune", recording, "--json", json);
    String tuned = Files.readString(json);
    List<SweepRow> rows = rows();
    assertEquals(
        tuned.lines().filter(line -> line.strip().startsWith("\"peak_reserved_bytes\"")).count(),
        rows.size());
    for (SweepRow row : rows) {
      assertTrue(tuned.contains('"' + row.text(SweepColumn.CONF) + '"'), row.toString());
      assertTrue(
          tuned.contains("\"peak_reserved_bytes\": " + row.get(SweepColumn.PEAK_RESERVED_BYTES)));
    }
  }

  @Test
  void recordedCapacityIsTheLimitThatTheRecordingShows() throws IOException {
    Path sample = Path.of("../samples/gpt_oom.pickle.xz");
    CommandRun run =
        CommandRun.of(
            "sweep", sample, "--capacities", "recorded", "--confs", "recorded", "-o", out);
    assertEquals(0, run.exitCode(), run.err());
    SweepRow row = rows().getFirst();
    assertEquals(20, row.number(SweepColumn.RECORDED_OOMS));
    assertTrue(row.is(SweepColumn.OOM));
    assertTrue(row.number(SweepColumn.LIMIT_BYTES) > 4_000_000_000L);
  }

  @Test
  void saysWhatIsWrongBeforeItBegins() throws IOException {
    trace("a.jsonl", 1);
    Files.createDirectories(folder.resolve("taken"));
    Files.writeString(folder.resolve("taken/file"), "x");
    record Case(int exitCode, String sentence, Object... arguments) {}
    List<Case> cases =
        List.of(
            new Case(1, "no such file or folder", "sweep", folder.resolve("gone"), "-o", out),
            new Case(1, "no file matches", "sweep", traces + "/*.pickle", "-o", out),
            new Case(2, "contains other files", "sweep", traces, "-o", folder.resolve("taken")),
            new Case(2, "is not a policy", "sweep", traces, "-o", out, "--policies", "x"),
            new Case(2, "rejects", "sweep", traces, "-o", out, "--confs", "max_split:1"),
            new Case(2, "not a size", "sweep", traces, "-o", out, "--capacities", "big"),
            new Case(2, "unknown device", "sweep", traces, "-o", out, "--devices", "x9"),
            new Case(2, "is not an engine", "sweep", traces, "-o", out, "--engine", "x"),
            new Case(1, "spark-submit", "sweep", traces, "-o", out, "--engine", "spark"),
            new Case(2, "--master", "sweep", traces, "-o", out, "--master", "local"));
    for (Case each : cases) {
      CommandRun run = CommandRun.of(each.arguments());
      assertEquals(each.exitCode(), run.exitCode(), run.err());
      assertTrue(run.err().contains(each.sentence()), run.err());
      assertEquals(1, run.err().lines().count(), run.err());
    }
  }

  @Test
  void failsWhereNoFileCouldBeRead() throws IOException {
    Files.writeString(traces.resolve("a.jsonl"), "nothing");
    CommandRun run = sweep();
    assertEquals(1, run.exitCode());
    assertTrue(run.err().contains("none of the files could be read"), run.err());
    assertEquals(1, rows().size());
  }

  @Test
  void aboutNamesSchemaAndColumns() throws IOException {
    trace("a.jsonl", 1);
    sweep();
    String about = Files.readString(out.resolve("sweep.json"));
    assertTrue(about.contains("\"schema\": \"allocsim-sweep-3\""));
    for (SweepColumn column : SweepColumn.all()) {
      assertTrue(about.contains("\"name\": \"" + column.label() + "\""), column.label());
    }
  }

  @Test
  void rowsNameTheJobOfARankAndAFurtherRankCostsItsOwnRunsOnly() throws IOException {
    trace("rank0.jsonl", 4);
    assertEquals(0, sweep("--confs", "").exitCode());
    assertNull(rows().getFirst().text(SweepColumn.JOB));
    trace("rank1.jsonl", 8);
    trace("other.jsonl", 4);
    CommandRun run = sweep("--confs", "");
    assertTrue(run.out().contains("2 runs made, 1 kept from before"), run.out());
    List<String> members =
        rows().stream()
            .map(row -> row.text(SweepColumn.JOB) + " " + row.get(SweepColumn.RANK))
            .toList();
    assertEquals(List.of("null null", traces + " 0", traces + " 1"), members);
    assertNull(rows().getLast().text(SweepColumn.HOST));
  }
}
