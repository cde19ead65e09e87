package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.allocsim.analysis.Analysis;
import org.allocsim.analysis.TracedProgram;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.run.RunResult;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The library answers as the commands do. */
class LibraryAnswersTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String SAMPLE = Path.of("samples", "gpt_oom.pickle.xz").toString();
  private static final String CONF = "max_split_size_mb:64";

  @Test
  void runsAreThoseOfReplay() throws Exception {
    TracedProgram program = Analysis.open(SAMPLE);
    assertSame(program.run(), SAMPLE);
    assertSame(program.under(CONF).run(), SAMPLE, "--conf", CONF);
    assertSame(program.withLimit(3L << 30).run(), SAMPLE, "--memory-limit", "3GiB");
    assertSame(program.on("rtx-4090").run(), SAMPLE, "--device", "rtx-4090");
    assertSame(program.onCapacity(9L << 29).run(), SAMPLE, "--capacity", "4.5GiB");
    assertSame(program.withRelease("2.3").run(), SAMPLE, "--torch-version", "2.3");
    assertSame(program.run("cuda-async"), SAMPLE, "--policy", "cuda-async");
    String generated = "program:gpt(iterations=2)";
    assertSame(Analysis.open(generated).run(), generated);
  }

  @Test
  void tuningIsThatOfTune() throws Exception {
    Tuning tuning = Analysis.open(SAMPLE).onCapacity(9L << 29).tune();
    CommandRun run =
        CommandRun.of("tune", SAMPLE, "--capacity", "4.5GiB", "--top", "0", "--csv", "-");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    List<String> rows = run.out().lines().skip(1).toList();
    assertEquals(tuning.ranked().size(), rows.size());
    for (int i = 0; i < rows.size(); i++) {
      Tuning.Entry entry = tuning.ranked().get(i);
      String conf = entry.conf().contains(",") ? '"' + entry.conf() + '"' : entry.conf();
      String row = rows.get(i);
      assertTrue(row.startsWith(i + 1 + "," + conf + "," + entry.result().passes() + ","), row);
      assertTrue(row.contains("," + entry.result().peakReservedBytes() + ","), row);
    }
  }

  private static void assertSame(RunResult result, String trace, String... options)
      throws Exception {
    List<Object> arguments = new ArrayList<>(List.of("replay", trace, "--json", "-"));
    arguments.addAll(List.of(options));
    CommandRun run = CommandRun.of(arguments.toArray());
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    JsonNode json = MAPPER.readTree(run.out());
    TreeMap<String, Long> stats = new TreeMap<>();
    json.get("stats")
        .properties()
        .forEach(each -> stats.put(each.getKey(), each.getValue().asLong()));
    assertEquals(stats, result.stats(), arguments.toString());
  }
}
