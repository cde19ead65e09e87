package org.allocsim.analysis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.analysis.oom.OomVerdict;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.run.MemorySource;
import org.allocsim.simulator.run.RunPolicy;
import org.allocsim.simulator.run.RunResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class TracedProgramTest {
  private static final Path SAMPLE = Path.of("../samples/gpt_oom.pickle.xz");
  private static final String EXPANDABLE = "expandable_segments:True";

  @TempDir private Path folder;

  @Test
  void theRecordedAnswersAreFollowedUntilSomethingElseIsChosen() throws AnalysisException {
    TracedProgram program = Analysis.open(SAMPLE);
    assertTrue(program.run().setup().memory() instanceof MemorySource.Recorded);
    assertEquals(-1, program.run().divergedRow());
    assertTrue(program.under(EXPANDABLE).run().setup().memory() instanceof MemorySource.Simulated);
    assertTrue(
        program.withLimit(1L << 30).run().setup().memory() instanceof MemorySource.Simulated);
    assertTrue(program.on("rtx-4090").run().setup().memory() instanceof MemorySource.Simulated);
  }

  @Test
  void otherCircumstancesLeaveAProgramAsItIs() throws AnalysisException {
    TracedProgram program = Analysis.open(SAMPLE);
    RunResult before = program.run();
    TracedProgram small = program.onCapacity(1L << 30);
    assertFalse(small.run().passes());
    assertTrue(small.run().failureCount() > before.failureCount());
    assertEquals(before.stats(), program.run().stats());
    assertEquals(before.failures(), program.run().failures());
  }

  @Test
  void requestsAreDerivedOnceForTheSameCircumstances() throws AnalysisException {
    TracedProgram program = Analysis.open(SAMPLE);
    assertSame(program.requests().trace(), program.under(EXPANDABLE).requests().trace());
    assertSame(program.run("direct").setup().trace(), program.run("cuda-async").setup().trace());
  }

  @Test
  void settingsOfPolicyPytorchAreThoseOfUnder() throws AnalysisException {
    TracedProgram program = Analysis.open("program:gpt(iterations=2)");
    RunResult run = program.under(EXPANDABLE).withRelease("2.9").run();
    RunResult same = program.run("pytorch(conf=expandable_segments:True;torch-version=2.9)");
    assertEquals(run.stats(), same.stats());
    assertEquals(run.choice().label(), same.choice().label());
  }

  @Test
  void aLimitHolds() throws AnalysisException {
    long limitBytes = 3L << 30;
    RunResult limited = Analysis.open(SAMPLE).withLimit(limitBytes).run();
    assertTrue(limited.peakReservedBytes() <= limitBytes);
    assertTrue(limited.failureCount() > 0);
    assertThrows(IllegalArgumentException.class, () -> Analysis.open(SAMPLE).withLimit(-2));
  }

  @Test
  void anAllocatorThatIsNotInstalledRunsAsOneThatIs() throws AnalysisException {
    TracedProgram program = Analysis.open(SAMPLE);
    RunPolicy direct = RunPolicy.of(PolicyChoice.parse("direct"));
    assertEquals(program.run("direct").stats(), program.run(direct).stats());
  }

  @Test
  void tuningRanksTheSettingsThatHold() throws AnalysisException {
    TracedProgram program = Analysis.open(SAMPLE).onCapacity(4608L << 20);
    Tuning tuning = program.tune();
    assertEquals("", tuning.recorded().conf());
    assertEquals(EXPANDABLE, tuning.recommended().orElseThrow().conf());
    assertEquals(EXPANDABLE, program.under(EXPANDABLE).tune().recorded().conf());
    assertEquals(
        program.under(EXPANDABLE).run().peakReservedBytes(),
        tuning.recommended().orElseThrow().result().peakReservedBytes());
  }

  @Test
  void theHoldersOfAMomentAddUpToItsAllocatedMemory() throws AnalysisException {
    TracedProgram program = Analysis.open(SAMPLE);
    MemoryMoment peak = program.peak();
    assertEquals(program.run().peakReservedBytes(), peak.bytes().reservedBytes());
    for (LiveSet.By by : LiveSet.By.values()) {
      assertEquals(
          peak.bytes().allocatedBytes(), program.holders(peak, by).allocated().blockBytes());
    }
  }

  @Test
  void aMomentThatAProgramDoesNotHaveIsEmpty() throws AnalysisException {
    MomentQuery failure = MomentQuery.of(MomentQuery.Kind.FIRST_OOM);
    assertTrue(Analysis.open("program:gpt(iterations=1)").at(failure).isEmpty());
    assertTrue(Analysis.open(SAMPLE).onCapacity(1L << 30).at(failure).isPresent());
  }

  @Test
  void requestsInMemoryAreAProgramAsThoseOfAFile() throws AnalysisException {
    TracedProgram named = Analysis.open("program:gpt(iterations=2)");
    TracedProgram given = Analysis.of("mine", named.requests().trace());
    assertEquals("mine", given.toString());
    assertEquals(named.run().stats(), given.run().stats());
  }

  @Test
  void aLogIsExplainedByItsFirstMessage() throws Exception {
    String log = Files.readString(Path.of("../samples/oom.log"));
    assertEquals(OomVerdict.FRAGMENTED, Analysis.explain(log).verdict());
  }

  @Test
  void whatCannotBeAnsweredSaysWhyInASentence() throws Exception {
    Path folderName = folder.resolve("traces");
    Files.createDirectory(folderName);
    Path text = Files.writeString(folder.resolve("notes.txt"), "no trace at all\n");
    TracedProgram program = Analysis.open(SAMPLE);
    List<Executable> questions =
        List.of(
            () -> Analysis.open(folder.resolve("missing.pickle")),
            () -> Analysis.open(folderName),
            () -> Analysis.open(text),
            () -> Analysis.open("program:nothing"),
            () -> Analysis.open("program:gpt(iterations=2"),
            () -> program.on("gpu-of-nobody"),
            () -> program.on(folder.resolve("missing.json").toString()),
            () -> program.on(text + ".json"),
            () -> program.withRelease("0.1"),
            () -> program.ofDevice(7).run(),
            () -> program.under("max_split_size_mb:1").run(),
            () -> program.under("max_split_size_mb:1").tune(),
            () -> program.under("backend:cudaMallocAsync").peak(),
            () -> program.run("nothing"),
            () -> program.run("direct(size=1)"),
            () -> program.run("rmm-pool(initial=x)"),
            () -> Analysis.explain(""),
            () -> Analysis.explain("all is well\n"),
            () -> Analysis.explain("torch.OutOfMemoryError: CUDA error: out of memory\n"));
    for (Executable question : questions) {
      String message = assertThrows(AnalysisException.class, question).getMessage();
      assertEquals(1, message.lines().count(), message);
      assertTrue(
          message.contains("; ") || message.contains(", or ") || message.contains("known"),
          "no remedy: " + message);
    }
  }
}
