package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import de.siegmar.fastcsv.reader.CsvReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.Scenario;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.ReadingOptions;
import org.allocsim.workloads.source.TraceSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A trace is a trace, whatever file it came from and whichever command replays it: equal questions
 * that go different roads have equal answers.
 */
class SameAnswersTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final PyTorchVersion VERSION = PyTorchVersion.DEFAULT;

  /** A limit under which some settings pass and others fail. */
  private static final String LIMIT = "4GiB";

  @TempDir private Path folder;

  private static Path sample() {
    return Path.of("samples", "gpt_oom.pickle.xz");
  }

  /** The shipped sample and every recording of PyTorch in the folder of recordings. */
  static List<Path> recordings() throws IOException {
    List<Path> files = new ArrayList<>(List.of(sample()));
    Path root = Path.of(System.getProperty("allocsim.recordings", "../shared/recordings"));
    Path all = root.isAbsolute() ? root : Path.of("..").resolve(root);
    if (Files.isDirectory(all)) {
      for (String name :
          List.of("pytorch-models", "pytorch-other", "pytorch-fuzz", "pytorch-2.14")) {
        try (Stream<Path> each = Files.list(all.resolve(name))) {
          each.filter(file -> file.toString().matches(".*\\.pickle(\\.xz)?"))
              .sorted()
              .forEach(files::add);
        }
      }
    }
    return files;
  }

  private static List<String> grid(String recordedConf, boolean limited) {
    return TuningGrid.of(recordedConf, VERSION, Platform.LINUX, limited, TuningGrid.Fineness.USUAL)
        .confs();
  }

  @TestFactory
  Stream<DynamicTest> aConvertedTraceHasTheResultsOfItsSnapshotUnderAllSettings()
      throws IOException {
    return recordings().stream()
        .map(file ->
            DynamicTest.dynamicTest(file.getFileName().toString(), () -> compareRuns(file)));
  }

  private void compareRuns(Path file) throws Exception {
    Path converted = folder.resolve("converted.jsonl");
    CommandRun conversion = CommandRun.of("convert", file, "-o", converted);
    assumeTrue(conversion.exitCode() == 0, conversion.err());
    OpenedTrace snapshot = open(file);
    OpenedTrace lines = open(converted);
    int device = snapshot.device(null);
    assertEquals(device, lines.device(null));
    String recorded = snapshot.recording().orElseThrow().config().text();
    for (String conf : grid(recorded, true)) {
      long limitBytes = snapshot.recording().orElseThrow().peakBytes(device) * 9 / 10;
      for (long limit : new long[] {MemoryLimit.NONE, limitBytes}) {
        RunResult first = run(snapshot, device, conf, limit);
        RunResult second = run(lines, device, conf, limit);
        assertEquals(first.stats(), second.stats(), conf);
        assertEquals(first.failures(), second.failures(), conf);
        assertEquals(first.driverCallsByKind(), second.driverCallsByKind(), conf);
      }
    }
  }

  private static OpenedTrace open(Path file) throws Exception {
    return TraceSource.open(file.toString(), null, (_, _) -> {}).read(ReadingOptions.of(VERSION));
  }

  private static RunResult run(OpenedTrace trace, int device, String conf, long limitBytes)
      throws Exception {
    Scenario scenario =
        Scenario.of(
            conf,
            VERSION,
            limitBytes,
            DeviceProfiles.defaultProfile().withHistory(trace.addressHistory(device)));
    return Run.of(
        scenario
            .setup(trace.trace(), device, AfterOom.CONTINUE)
            .keepingFailures(Integer.MAX_VALUE));
  }

  @TestFactory
  Stream<DynamicTest> aSettingIsASettingWhicheverOptionGivesIt() {
    return Stream.concat(
            grid("", true).stream(),
            Stream.of("max_split_size_mb:64", "roundup_power2_divisions:[256:2,>:8]"))
        .map(conf ->
            DynamicTest.dynamicTest(
                conf.isEmpty() ? "(default)" : conf,
                () ->
                    assertEquals(
                        replay("--conf", conf), replay("--policy", "pytorch(conf=" + conf + ")"))));
  }

  @Test
  void aReleaseIsAReleaseWhicheverOptionNamesIt() throws IOException {
    assertEquals(
        replay("--torch-version", "2.5"), replay("--policy", "pytorch(torch-version=2.5)"));
  }

  @Test
  void onceIsAnOrdinaryReplay() throws IOException {
    assertEquals(replay("--conf", ""), replay("--conf", "", "--repeat", "1"));
  }

  @Test
  void settingsOfOtherPoliciesAreCountedAsTheirStatisticsSay() throws IOException {
    JsonNode stats = replay("--policy", "pytorch(conf=max_split_size_mb:64)").get("stats");
    assertEquals(64L << 20, stats.get("max_split_size").asLong());
    assertFalse(stats.get("oversize_allocations.allocated").asLong() == 0);
  }

  @Test
  void aRowOfASweepIsThatOfTheReplay() throws IOException {
    List<String> confs = grid("", true);
    Path out = folder.resolve("swept");
    List<Object> arguments =
        new ArrayList<>(
            List.of(
                "sweep",
                sample(),
                "-o",
                out,
                "--memory-limit",
                LIMIT,
                "--confs",
                String.join(";", confs)));
    CommandRun sweep = CommandRun.of(arguments.toArray());
    assertEquals(0, sweep.exitCode(), sweep.err());
    Map<String, List<String>> rows = rows(out.resolve("rows.csv"));
    assertEquals(confs.size(), rows.size());
    for (String conf : confs) {
      JsonNode stats = replay("--addresses", "modelled", "--memory-limit", LIMIT, "--conf", conf);
      assertEquals(
          List.of(
              stats.get("stats").get("reserved_bytes.all.peak").asString(),
              stats.get("stats").get("num_ooms").asString()),
          rows.get(conf),
          conf);
    }
  }

  /** Peak of reserved memory and number of failures by setting. */
  private static Map<String, List<String>> rows(Path csv) throws IOException {
    Map<String, List<String>> rows = new TreeMap<>();
    try (var reader = CsvReader.builder().ofNamedCsvRecord(csv)) {
      reader.forEach(row ->
          rows.put(
              row.getField("conf"),
              List.of(row.getField("peak_reserved_bytes"), row.getField("ooms"))));
    }
    return rows;
  }

  /**
   * The program went on after its failures, so its own settings, and those that come to the same,
   * are replayed to the end.
   */
  @Test
  void aRowOfTuneIsThatOfTheReplayThatStops() throws IOException {
    JsonNode tuned =
        json("tune", sample(), "--memory-limit", LIMIT, "--torch-version", VERSION.id());
    int rows = 0;
    JsonNode recordedPeak = null;
    for (JsonNode row : tuned.get("settings")) {
      recordedPeak =
          row.get("conf").asString().isEmpty() ? row.get("peak_reserved_bytes") : recordedPeak;
    }
    for (JsonNode row : tuned.get("settings")) {
      boolean isAsRecorded = row.get("peak_reserved_bytes").equals(recordedPeak);
      JsonNode stats =
          replay(
                  "--addresses",
                  "modelled",
                  "--after-oom",
                  isAsRecorded ? "continue" : "stop",
                  "--memory-limit",
                  LIMIT,
                  "--torch-version",
                  VERSION.id(),
                  "--conf",
                  row.get("conf").asString())
              .get("stats");
      assertEquals(
          stats.get("reserved_bytes.all.peak"),
          row.get("peak_reserved_bytes"),
          row.get("conf").asString());
      rows++;
    }
    assertEquals(grid("", true).size(), rows);
  }

  private JsonNode replay(Object... options) throws IOException {
    List<Object> arguments = new ArrayList<>(List.of("replay", sample()));
    arguments.addAll(List.of(options));
    return json(arguments.toArray());
  }

  private JsonNode json(Object... arguments) throws IOException {
    List<Object> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--json", "-"));
    CommandRun run = CommandRun.of(all.toArray());
    assertEquals(0, run.exitCode() == 3 ? 0 : run.exitCode(), run.err());
    JsonNode node = MAPPER.readTree(run.out());
    ((ObjectNode) node).remove("wall_seconds");
    return node;
  }
}
