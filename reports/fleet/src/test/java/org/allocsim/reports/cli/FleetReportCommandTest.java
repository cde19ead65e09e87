package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.fleet.SweptRows;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.reports.chart.ChartFonts;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FleetReportCommandTest {
  private static final long MIB = 1L << 20;

  @TempDir private Path folder;
  private Path swept;

  @BeforeEach
  void folder() throws IOException {
    swept = Files.createDirectories(folder.resolve("swept"));
  }

  private void rows(String... rows) throws IOException {
    Files.write(swept.resolve("rows.csv"), SweptRows.csv(rows));
  }

  private String csv(String name) throws IOException {
    return Files.readString(swept.resolve(name));
  }

  @Test
  void requestsThatFailAreDemand() throws IOException {
    CommandRun run =
        CommandRun.of(
            "sweep", "program:gpt(iterations=1)", "-o", swept, "--capacities", "100MiB,16GiB");
    assertEquals(0, run.exitCode(), run.err());
    assertEquals(0, CommandRun.of("fleet-report", swept).exitCode());
    List<String> gpus = csv("fleet-gpus.csv").lines().toList();
    assertEquals("1", gpus.get(1).split(",")[8], gpus.get(1));
    assertEquals("0", gpus.get(2).split(",")[8], gpus.get(2));
  }

  @Test
  void aRecordingIsSweptUnderItsOwnLimit() throws IOException {
    CommandRun run =
        CommandRun.of("sweep", "../samples/gpt_oom.pickle.xz", "-o", swept, "--confs", "recorded");
    assertEquals(0, run.exitCode(), run.err());
    List<String> rows = csv("rows.csv").lines().toList();
    List<String> columns = List.of(rows.getFirst().split(","));
    List<String> row = List.of(rows.get(1).split(","));
    assertEquals(row.get(columns.indexOf("recorded_ooms")), row.get(columns.indexOf("ooms")));
    assertTrue(Long.parseLong(row.get(columns.indexOf("ooms"))) > 0);
  }

  @Test
  void countsFailuresThatSettingsSaveAndBreak() throws IOException {
    rows(
        "x/a,,true,100,true,100",
        "x/a,s,false,100,false,80",
        "x/a,t,false,100,true,100",
        "x/b,,true,100,false,100",
        "x/b,s,false,100,false,50",
        "x/b,t,false,100,true,100",
        "y/c,,true,100,true,100",
        "y/c,s,false,100,true,100",
        "y/c,t,false,100,true,100");
    CommandRun run = CommandRun.of("fleet-report", swept);
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(run.out().startsWith("s prevents 1 of 2 failures and breaks nothing.\n"), run.out());
    assertEquals(
        """
        policy,conf,options,prevented_failures,introduced_failures,ooms,runs,saving_p10_ratio,saving_p50_ratio,saving_p90_ratio,driver_time_ratio
        pytorch,s,,1,0,1,3,0.5,0.5,0.5,1.0
        pytorch,,,0,0,2,3,0.0,0.0,0.0,1.0
        pytorch,t,,0,1,3,3,,,,
        """,
        csv("fleet-settings.csv"));
    assertEquals(
        """
        family,traces,failures,conf,prevented_failures,introduced_failures,saving_p50_ratio,driver_time_ratio
        x,2,1,s,1,0,0.5,1.0
        y,1,1,,0,0,,
        """,
        csv("fleet-families.csv"));
    assertEquals(
        """
        device,capacity_bytes,has_limit,traces,served_as_recorded,served_by_best_setting,served_by_own_best_setting,served_by_any_allocator,too_large,best_conf
        capacity,104857600,false,3,1,2,2,2,0,s
        """,
        csv("fleet-gpus.csv"));
    assertEquals(
        """
        file,family,failures,unpreventable_failures,peak_requested_bytes,capacity_bytes,peak_reserved_bytes,best_peak_reserved_bytes,best_conf
        y/c,y,1,1,10485760,,,,
        x/b,x,0,0,10485760,104857600,104857600,52428800,s
        x/a,x,1,0,10485760,,,,
        """,
        csv("fleet-traces.csv"));
  }

  @Test
  void savingsAreCountedInClassesOfTraces() throws IOException {
    rows(
        "a,,true,100,false,100",
        "a,s,false,100,false,50",
        "b,,true,100,false,100",
        "b,s,false,100,false,120",
        "c,,true,100,false,100",
        "c,s,false,100,false,95",
        "d,,true,100,true,100",
        "d,s,false,100,false,50");
    assertEquals(0, CommandRun.of("fleet-report", swept).exitCode());
    assertEquals(
        """
        saving_from_ratio,saving_to_ratio,traces
        0.0,0.01,1
        0.01,0.05,0
        0.05,0.1,1
        0.1,0.2,0
        0.2,0.3,0
        0.3,0.4,0
        0.4,0.5,0
        0.5,1.0,1
        """,
        csv("fleet-savings.csv"));
    assertTrue(csv("fleet.md").contains("| 5 to 10 % less | 1 | 33.3 % |"), csv("fleet.md"));
  }

  @Test
  void namesFailuresThatNoAllocatorCouldSave() throws IOException {
    rows(
        "july/a,,true,9,true,9",
        "july/a,s,false,9,true,9",
        "july/a,,true,11,true,11",
        "july/a,s,false,11,true,11");
    CommandRun run = CommandRun.of("fleet-report", swept);
    assertTrue(
        run.out()
            .replaceAll("\\s+", " ")
            .contains(
                "2 failures with the recorded settings, counted for each trace and GPU; no setting"
                    + " prevents 2 of them: in 1 of these the program requests more memory than"
                    + " the GPU has."),
        run.out());
    assertTrue(run.out().contains("trace names are relative to july/\n"), run.out());
    assertTrue(csv("fleet-gpus.csv").contains("\ncapacity,9437184,false,1,0,0,0,0,1,\n"));
    assertTrue(csv("fleet-gpus.csv").contains("\ncapacity,11534336,false,1,0,0,0,0,0,\n"));
  }

  @Test
  void ofEqualSettingsOnAGpuTheOneThatIsBestOnAllIsNamed() throws IOException {
    rows(
        "a,,true,20,true,20",
        "a,s,false,20,false,15",
        "a,,true,100,false,30",
        "a,s,false,100,false,15");
    CommandRun.of("fleet-report", swept);
    assertTrue(csv("fleet-gpus.csv").contains("\ncapacity,104857600,false,1,1,1,1,1,0,s\n"));
  }

  @Test
  void familiesAreReportedByFolderSizeOrName() throws IOException {
    rows(
        "m/gpt-1.pickle,,true,100,false,10",
        "m/gpt-2.pickle,,true,100,false,10",
        "m/vit.pickle,,true,100,false,10");
    CommandRun.of("fleet-report", swept, "--family", "([a-z]+)-[0-9]");
    List<String> byName = csv("fleet-families.csv").lines().skip(1).toList();
    assertTrue(byName.get(0).startsWith("(others),1,"), byName.get(0));
    assertTrue(byName.get(1).startsWith("gpt,2,"), byName.get(1));
    CommandRun.of("fleet-report", swept, "--family", "size");
    assertTrue(csv("fleet-families.csv").contains("\nbelow 1 GiB,3,"));
    CommandRun wrong = CommandRun.of("fleet-report", swept, "--family", "(");
    assertEquals(2, wrong.exitCode());
    assertTrue(wrong.err().contains("not a regular expression"), wrong.err());
  }

  @Test
  void thePageNeedsNothingElseAndShowsNamesAsText() throws IOException {
    rows("<b>evil<i>,,true,100,true,100", "<b>evil<i>,s,false,100,false,80");
    CommandRun run = CommandRun.of("fleet-report", swept, "-o", folder.resolve("report"));
    assertEquals(0, run.exitCode(), run.err());
    String page = Files.readString(folder.resolve("report/fleet.html"));
    assertFalse(page.contains("<b>evil"));
    assertFalse(page.contains("src=\"http") || page.contains("href=\"http"));
    assertTrue(page.contains("&lt;b&gt;evil&lt;i&gt;"));
    assertTrue(page.contains("data:image/svg+xml;base64,") || !ChartFonts.areAvailable());
    String markdown = Files.readString(folder.resolve("report/fleet.md"));
    assertTrue(
        markdown.startsWith("**s prevents 1 of 1 failure and breaks nothing.**\n"), markdown);
  }

  @Test
  void aLongTableIsCutForPeopleAndWholeForPrograms() throws IOException {
    rows(
        "a,,true,100,false,100",
        "a,s,false,100,false,50",
        "b,,true,100,false,100",
        "b,s,false,100,false,80");
    Path json = folder.resolve("fleet.json");
    CommandRun run = CommandRun.of("fleet-report", swept, "--top", 1, "--json", json);
    assertTrue(run.out().contains("1 more row; fleet-traces.csv has all.\n"), run.out());
    assertEquals(3, csv("fleet-traces.csv").lines().count());
    assertTrue(Files.readString(json).contains("\"best_peak_reserved_bytes\": 83886080"));
  }

  @Test
  void saysWhereThereIsNoSweep() {
    CommandRun run = CommandRun.of("fleet-report", swept);
    assertEquals(1, run.exitCode());
    assertTrue(run.err().contains("no such file"), run.err());
  }

  @Test
  void theGuideListsEveryColumn() throws IOException {
    String guide = Files.readString(Path.of("../docs/fleets.md"));
    for (SweepColumn column : SweepColumn.all()) {
      assertTrue(
          guide.contains("| `" + column.label() + "` | " + column.meaning() + " |"),
          column.label());
    }
    assertTrue(guide.contains(SweepColumn.SCHEMA));
  }

  @Test
  void aJobFailsWhereARankDoesAndIsServedWhereEveryRankIs() throws IOException {
    rows(
        "even/rank0,,true,500,false,400",
        "even/rank1,,true,500,false,396",
        "job/rank0,,true,1000,false,500",
        "job/rank0,A:1,false,1000,false,450",
        "job/rank0,,true,600,false,500",
        "job/rank0,A:1,false,600,false,450",
        "job/rank1,,true,1000,false,800",
        "job/rank1,A:1,false,1000,false,550",
        "job/rank1,,true,600,true,600",
        "job/rank1,A:1,false,600,false,560",
        "job/rank2,,true,1000,false,500",
        "job/rank2,A:1,false,1000,false,490",
        "job/rank2,,true,600,false,500",
        "job/rank2,A:1,false,600,false,490");
    CommandRun run = CommandRun.of("fleet-report", swept);
    assertEquals(0, run.exitCode(), run.err());
    assertTrue(run.out().contains("2 jobs of several ranks, 1 failing"), run.out());
    List<String> lines = csv("fleet-jobs.csv").lines().toList();
    List<String> names = List.of(lines.getFirst().split(","));
    List<String> job = List.of(lines.get(1).split(","));
    assertEquals("job", job.get(names.indexOf("job")));
    assertEquals("3", job.get(names.indexOf("ranks")));
    assertEquals("1", job.get(names.indexOf("failures")));
    assertEquals("0", job.get(names.indexOf("unpreventable_failures")));
    assertEquals("1", job.get(names.indexOf("max_reserved_rank")));
    assertEquals(800 * MIB, Long.parseLong(job.get(names.indexOf("max_reserved_bytes"))));
    assertEquals(1.6, Double.parseDouble(job.get(names.indexOf("imbalance_ratio"))));
    assertEquals("1000.00 MiB", job.get(names.indexOf("smallest_gpu_recorded")));
    assertEquals("600.00 MiB", job.get(names.indexOf("smallest_gpu")));
    assertEquals("A:1", job.get(names.indexOf("best_conf")));
    assertEquals(560 * MIB, Long.parseLong(job.get(names.indexOf("best_peak_reserved_bytes"))));
    assertTrue(lines.get(2).startsWith("even,2,0,0,0,"), lines.get(2));
  }

  @Test
  void aJobIsLostWhereNoOneSettingServesEveryRank() throws IOException {
    rows(
        "job/rank0,,true,600,true,600",
        "job/rank0,A:1,false,600,false,500",
        "job/rank0,B:1,false,600,true,600",
        "job/rank1,,true,600,false,500",
        "job/rank1,A:1,false,600,true,600",
        "job/rank1,B:1,false,600,false,500");
    assertEquals(0, CommandRun.of("fleet-report", swept).exitCode());
    List<String> lines = csv("fleet-jobs.csv").lines().toList();
    List<String> names = List.of(lines.getFirst().split(","));
    List<String> job = List.of(lines.get(1).split(",", -1));
    assertEquals("1", job.get(names.indexOf("unpreventable_failures")));
    assertEquals("", job.get(names.indexOf("smallest_gpu")));
  }
}
