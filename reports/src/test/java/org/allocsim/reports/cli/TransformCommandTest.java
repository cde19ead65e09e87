package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.jsonl.JsonLinesFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class TransformCommandTest {
  private static final long MIB = 1L << 20;

  @TempDir Path folder;
  private Path small;
  private Path large;
  private Path out;

  @BeforeEach
  void writePrograms() throws IOException {
    small = write("small.jsonl", 8);
    large = write("large.jsonl", 16);
    out = folder.resolve("out.jsonl");
  }

  /** 100 MiB that stay, and ten steps of the batch's MiB. */
  private Path write(String name, int batch) throws IOException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.allocate(100 * MIB, 0, PoolId.DEFAULT);
    for (int step = 0; step < 10; step++) {
      trace.at(0, step * 1_000L, 0);
      trace.markerBegin("step " + step);
      trace.free(trace.allocate(batch * MIB, 0, PoolId.DEFAULT));
      trace.markerEnd("step " + step);
    }
    Path file = folder.resolve(name);
    try (var stream = Files.newOutputStream(file)) {
      new JsonLinesFormat()
          .writer()
          .orElseThrow()
          .write(trace.build(StackTable.empty()), 0, stream);
    }
    return file;
  }

  private CommandRun transform(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of("transform"));
    all.addAll(Arrays.asList(arguments));
    all.addAll(List.of("-o", out));
    return CommandRun.of(all.toArray());
  }

  private static long stat(Path file, String key, Object... options) {
    List<Object> all = new ArrayList<>(List.of("replay", file, "--json", "-"));
    all.addAll(Arrays.asList(options));
    JsonNode json = new ObjectMapper().readTree(CommandRun.of(all.toArray()).out());
    return json.get("stats").get(key).asLong();
  }

  @Test
  void aWindowOfStepsBeginsWithWhatIsHeld() {
    CommandRun run = transform(small, "--window", "3:5");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertEquals(3, stat(out, "allocation.all.allocated"));
    assertEquals(108 * MIB, stat(out, "allocated_bytes.all.peak"));
  }

  @Test
  void aWindowOfRowsHoldsThem() {
    assertEquals(ExitCodes.DONE, transform(small, "--rows", "0:1").exitCode());
    assertEquals(1, stat(out, "allocation.all.allocated"));
  }

  @Test
  void aRepeatedProgramMakesAllItsRequestsAgain() {
    assertEquals(ExitCodes.DONE, transform(small, "--repeat", 5).exitCode());
    assertEquals(55, stat(out, "allocation.all.allocated"));
    assertEquals(108 * MIB, stat(out, "allocated_bytes.all.peak"));
  }

  @Test
  void twoRunsTellAThirdBatch() {
    CommandRun run = transform(small, "--scale-batch", 4, "--other", large, "--other-scale", 2);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertEquals(132 * MIB, stat(out, "allocated_bytes.all.peak"));
  }

  /** Runs of the project's own programs, of which some differ in the number of their requests. */
  @ParameterizedTest
  @ValueSource(strings = {"gpt", "vit", "resnet", "mlp"})
  void aBatchIsScaledAsFitDoesIt(String program) {
    String options = "(iterations=2;batch=%d)";
    CommandRun run =
        transform(
            "program:" + program + options.formatted(4),
            "--scale-batch",
            0.5,
            "--other",
            "program:" + program + options.formatted(8),
            "--other-scale",
            2);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    long scaled = stat(out, "allocated_bytes.all.peak");
    long real =
        stat(Path.of("program:" + program + options.formatted(2)), "allocated_bytes.all.peak");
    assertEquals(1, (double) scaled / real, 0.01);
    boolean differ = program.equals("gpt") || program.equals("vit");
    assertEquals(differ, run.out().contains("of the requests are not in the other run"), run.out());
  }

  @Test
  void aWrongShareOfBatchesIsRefused() {
    CommandRun run = transform(small, "--scale-batch", 4, "--other", large, "--other-scale", 3);
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("no request grows by a factor of --other-scale 3.0"), run.err());
    assertTrue(run.err().contains("'allocsim fit --batch'"), run.err());
    assertFalse(Files.exists(out), "nothing is written");
  }

  @Test
  void stepsComeInAnotherOrder() {
    assertEquals(ExitCodes.DONE, transform(small, "--reorder-steps", "seed:3").exitCode());
    assertEquals(11, stat(out, "allocation.all.allocated"));
    assertEquals(
        ExitCodes.DONE,
        transform(small, "--reorder-steps", "8,7,6,5,4,3,2,1,0").exitCode()
            & transform(small, "--reorder-steps", "seed:-4").exitCode());
  }

  @Test
  void ranksBecomeDevices() {
    assertEquals(ExitCodes.DONE, transform(small, large, "--merge").exitCode());
    assertEquals(108 * MIB, stat(out, "allocated_bytes.all.peak", "--device-index", 0));
    assertEquals(116 * MIB, stat(out, "allocated_bytes.all.peak", "--device-index", 1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--window 5:3|FROM below TO",
        "--window 0:99|is not a part of",
        "--window a:b|is not a range",
        "--rows 7|is not a range",
        "--scale-batch 2|does not show which sizes",
        "--repeat 2 --other x|does not show which sizes",
        "--reorder-steps backwards|is not an order",
        "--merge|name more",
        "--repeat 2 --merge|--merge",
      })
  void whatMakesNoSenseIsRefusedInOneSentence(String options, String words) {
    List<Object> arguments = new ArrayList<>(List.of(small));
    arguments.addAll(List.of(options.split(" ")));
    CommandRun run = transform(arguments.toArray());
    assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains(words), run.err());
    assertFalse(Files.exists(out), "nothing is written");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--reorder-steps 0,1|must name each",
        "--window 0:2 --iterations nothing|its steps are unknown",
      })
  void whatTheTraceCannotGiveIsRefusedInOneSentence(String options, String words) {
    List<Object> arguments = new ArrayList<>(List.of(small));
    arguments.addAll(List.of(options.split(" ")));
    CommandRun run = transform(arguments.toArray());
    assertEquals(ExitCodes.FAILED, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains(words), run.err());
  }

  @Test
  void noRepetitionAtAllIsWrongUsage() {
    CommandRun run = transform(small, "--repeat", 0);
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertEquals("allocsim: --repeat 0 must be at least 1\n", run.err());
  }

  @Test
  void anOtherRunOfAnotherProgramIsRefused() throws IOException {
    Path other = folder.resolve("other.jsonl");
    Files.writeString(
        other, "{\"allocsim\":\"trace\",\"version\":1}\n{\"op\":\"alloc\",\"id\":1,\"bytes\":5}\n");
    CommandRun run = transform(small, "--scale-batch", 4, "--other", other, "--other-scale", 2);
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("do not differ only in batch size"), run.err());
  }

  @Test
  void otherFormatsAreLeftToConvert() {
    out = folder.resolve("out.csv");
    CommandRun run = transform(small, "--repeat", 2);
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("convert"), run.err());
  }

  @Test
  void severalTracesAreForMergingOnly() {
    CommandRun run = transform(small, large, "--repeat", 2);
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("--merge"), run.err());
  }
}
