package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands peak, blockers, diff, check and account. */
class AdviceCommandsTest {
  private static final Path SAMPLE = Path.of("samples/gpt_oom.pickle.xz");
  private static final Path GRAPHS = CommandRun.recording("cuda_graph.pickle.xz");
  private static final Path GROWTH = CommandRun.recording("cat_growth.pickle.xz");
  private static final Path DEVICE_OOM = CommandRun.recording("device_oom.pickle.xz");
  private static final String FRACTION = "--memory-fraction=0.05";

  private static final String GPU_CSV =
      """
      index, uuid, memory.total [MiB], memory.used [MiB], memory.free [MiB], memory.reserved [MiB]
      0, GPU-a, 81559 MiB, 5800 MiB, 75280 MiB, 479 MiB
      """;

  private static final String APPS_CSV =
      """
      gpu_uuid, pid, used_gpu_memory [MiB]
      GPU-a, 10, 4600 MiB
      GPU-a, 11, 1190 MiB
      """;

  @TempDir private Path folder;

  private static CommandRun done(Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertEquals("", run.err());
    return run;
  }

  private static String text(CommandRun run) {
    return run.out()
        .replace(GRAPHS.toString(), "GRAPHS")
        .replace(GROWTH.toString(), "GROWTH")
        .replace(DEVICE_OOM.toString(), "DEVICE_OOM");
  }

  @Test
  void peakOfTheSample() throws IOException {
    Golden.assertGolden("peak-sample.txt", text(done("peak", SAMPLE, FRACTION, "--top", "6")));
  }

  @Test
  void peakByPhaseOfPrivatePools() throws IOException {
    Golden.assertGolden(
        "peak-cuda-graph.txt", text(done("peak", GRAPHS, "--by", "phase", "--of", "reserved")));
  }

  @Test
  void peakAsJsonHoldsEveryGroup() throws IOException {
    CommandRun run = done("peak", SAMPLE, FRACTION, "--top", "1", "--json", "-");
    Golden.assertGolden("peak-sample.json", run.out());
  }

  @Test
  void blockersOfTheSampleAtItsFirstFailure() throws IOException {
    Golden.assertGolden(
        "blockers-sample.txt", text(done("blockers", SAMPLE, FRACTION, "--top", "5")));
  }

  @Test
  void blockersAtTheEndRankedByFreeBytes() throws IOException {
    Golden.assertGolden(
        "blockers-sample-end.txt",
        text(done("blockers", SAMPLE, FRACTION, "--at", "end", "--sort", "free", "--top", "3")));
  }

  @Test
  void blockersAsJson() throws IOException {
    Golden.assertGolden(
        "blockers-cuda-graph.json", normalized(done("blockers", GRAPHS, "--json", "-")));
  }

  private static String normalized(CommandRun run) {
    return text(run).replaceAll("\"file\": \".*\"", "\"file\": \"FILE\"");
  }

  @Test
  void anInferredLimitIsSaidToBeOne() {
    String text = done("blockers", SAMPLE, "--top", "1").out().replaceAll("\\s+", " ");
    assertTrue(text.contains("The memory limit is not recorded"), text);
  }

  @Test
  void diffOfTwoPrograms() throws IOException {
    Golden.assertGolden("diff.txt", text(done("diff", GROWTH, DEVICE_OOM, "--top", "4")));
  }

  @Test
  void diffAsJson() throws IOException {
    Golden.assertGolden("diff.json", normalized(done("diff", GROWTH, DEVICE_OOM, "--json", "-")));
  }

  @Test
  void checkSaysInALineForEachLimitWhetherItIsKept() {
    CommandRun run =
        CommandRun.of(
            "check",
            SAMPLE,
            FRACTION,
            "--max-reserved",
            "4GiB",
            "--max-allocated",
            "3.7GiB",
            "--max-slack",
            "5%",
            "--no-oom");
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode(), run.err());
    assertEquals(
        """
        3 of 4 limits are not met.

              limit                                actual     at most    over by
        ok    reserved         3.96 GiB (4 248 829 952 B)    4.00 GiB
        FAIL  allocated        3.75 GiB (4 026 217 984 B)    3.70 GiB  50.90 MiB
        FAIL  slack            220.95 MiB (231 687 168 B)  202.60 MiB  18.35 MiB
        FAIL  failed requests                          20           0         20
        """,
        run.out());
  }

  @Test
  void aFigureThatEqualsItsLimitKeepsIt() {
    done("check", SAMPLE, FRACTION, "--max-reserved", "4248829952", "--max-slack", "231687168");
    CommandRun run = CommandRun.of("check", SAMPLE, FRACTION, "--max-reserved", "4248829951");
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode());
    assertTrue(run.out().endsWith(" 1 B\n"), run.out());
  }

  @Test
  void checkAsJson() throws IOException {
    CommandRun run =
        CommandRun.of("check", DEVICE_OOM, "--no-oom", "--max-requested", "1TiB", "--json", "-");
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode());
    Golden.assertGolden("check-device-oom.json", normalized(run));
  }

  @Test
  void accountOfTheSample() throws IOException {
    Golden.assertGolden("account-sample.txt", text(done("account", SAMPLE, FRACTION)));
  }

  @Test
  void accountWithSamplesOfGpuAndProcesses() throws IOException {
    Path gpu = Files.writeString(folder.resolve("gpu.csv"), GPU_CSV);
    Path apps = Files.writeString(folder.resolve("apps.csv"), APPS_CSV);
    CommandRun run =
        done("account", SAMPLE, FRACTION, "--at", "peak", "--smi", gpu, "--smi", apps, "--pid", 10);
    Golden.assertGolden("account-sample-smi.txt", text(run));
    CommandRun unclear = CommandRun.of("account", SAMPLE, FRACTION, "--smi", apps);
    assertEquals(ExitCodes.USAGE, unclear.exitCode());
    assertTrue(unclear.err().contains("select the program's with --pid"), unclear.err());
  }

  @Test
  void accountAsJson() throws IOException {
    CommandRun run = done("account", GRAPHS, "--free", "1GiB", "--total", "16GiB", "--json", "-");
    Golden.assertGolden("account-cuda-graph.json", normalized(run));
  }

  @Test
  void aSnapshotWithoutHistoryShowsItsEnd() throws IOException {
    Path file = folder.resolve("snapshot.pickle");
    Files.write(file, TestSnapshot.ofOneTensor().bytesWithoutHistory());
    String account = done("account", file, "--at", "end").out();
    assertTrue(account.replaceAll(" +", " ").contains("= reserved by PyTorch 2.00 MiB"), account);
    assertTrue(
        done("blockers", file).out().contains("0 B of free memory in 0 segments is held open"));
    String peak = done("peak", file).out();
    assertTrue(peak.contains("moment  at the end"), peak);
    assertTrue(peak.replaceAll(" +", " ").contains("= reserved 2.00 MiB"), peak);
    CommandRun blockers = CommandRun.of("blockers", file, "--at", "peak");
    assertEquals(ExitCodes.FAILED, blockers.exitCode());
    assertTrue(blockers.err().contains("_record_memory_history()"), blockers.err());
    assertEquals(1, blockers.err().lines().count());
  }

  @Test
  void aProgramThatNeverFailsHasNoFirstFailure() {
    CommandRun run = CommandRun.of("blockers", GROWTH, "--at", "oom");
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("every request succeeds in this replay"), run.err());
  }

  @Test
  void checkWithoutALimitIsThatNoRequestFails() {
    CommandRun plain = CommandRun.of("check", GROWTH, "--json", "-");
    assertEquals(CommandRun.of("check", GROWTH, "--no-oom", "--json", "-"), plain);
    assertTrue(plain.out().contains("failed requests"), plain.out());
  }

  @ParameterizedTest
  @CsvSource({
    "'blockers GROWTH --at 99999999', 'counted from 0; name one of them'",
    "'blockers GROWTH --at -1', 'is not a moment'",
    "'blockers GROWTH --at now', 'is not a moment'",
    "'blockers GROWTH --sort size', 'is not one of ratio, free'",
    "'peak GROWTH --by colour', 'is not one of stack, size, phase'",
    "'peak GROWTH --of active', 'is not one of requested, allocated, reserved'",
    "'peak GROWTH --top 0', 'must be at least 1'",
    "'peak GROWTH --frames 0', 'is outside 1..64'",
    "'check GROWTH --max-slack 110%', 'from 0% to 100%'",
    "'check GROWTH --max-slack 1GB', 'ambiguous unit'",
    "'diff GROWTH', 'AFTER'",
    "'account GROWTH --free 5%', 'is a percentage'"
  })
  void wrongUsageIsSaidInASentence(String arguments, String cause) {
    CommandRun run =
        CommandRun.of((Object[]) arguments.replace("GROWTH", GROWTH.toString()).split(" "));
    assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
    assertTrue(run.err().contains(cause), run.err());
    assertEquals(1, run.err().lines().count());
  }

  @ParameterizedTest
  @ValueSource(strings = {"peak", "blockers", "diff", "check", "account"})
  void helpHasExamples(String command) {
    String help = done(command, "--help").out();
    assertTrue(help.contains("Examples:\n  allocsim " + command), help);
    assertTrue(help.lines().allMatch(line -> line.length() <= 100), help);
  }
}
