package org.allocsim.validation.torch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The talk with Python, which is played by shell scripts here. */
class TorchProcessesTest {
  private static final String HELLO =
      "echo '{\"device\":\"NVIDIA H200\",\"total_bytes\":150109880320,\"free_bytes\":149433614336,"
          + "\"cuda\":\"13.0\",\"torch\":\"2.11.0+cu130\"}'\n";

  @TempDir private Path folder;

  private final List<String> heard = new ArrayList<>();

  private String python(String script) throws IOException {
    Path file = Files.writeString(folder.resolve("python"), "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    return file.toString();
  }

  private static TorchJob job(int id) {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.free(trace.allocate(1000, 0, PoolId.DEFAULT));
    return new TorchJob(
        id, TorchRequests.of(trace.build(new StackTable.Builder().build()), 0), 5L << 20);
  }

  private void run(String python, String conf, TorchJob... jobs)
      throws TorchException, IOException {
    new TorchProcesses(python, 2, 3, 60, 4, 50, folder)
        .run(
            conf,
            List.of(jobs),
            new TorchProcesses.Listener() {
              @Override
              public void started(TorchMachine machine) {
                heard.add(machine.toString());
              }

              @Override
              public void done(TorchJob job, Path snapshot, Path side, String error) {
                heard.add(job.id() + " " + snapshot.getFileName() + " " + error);
              }
            });
  }

  private String refusal(String script) throws IOException {
    String python = python(script);
    return assertThrows(TorchException.class, () -> run(python, "", job(0), job(1))).getMessage();
  }

  @Test
  void jobsAreHandedOverAndTheirResultsHeard() throws Exception {
    run(
        python(
            "cp \"$1\" \"$(dirname \"$0\")/script\"; cp \"$2\" \"$(dirname \"$0\")/seen\"; "
                + "echo \"$3 $4 $5 $6 $7 $PYTORCH_CUDA_ALLOC_CONF\" > \"$(dirname \"$0\")/told\"\n"
                + HELLO
                + "echo '{\"id\":1}'; echo '{\"id\":0,\"error\":\"it broke\"}'\n"),
        "max_split_size_mb:64",
        job(0),
        job(1));
    assertEquals(
        List.of(
            "TorchMachine[torch=2.11.0+cu130, cuda=13.0, device=NVIDIA H200,"
                + " totalBytes=150109880320, freeBytes=149433614336, mockDriver=false]",
            "1 1.pickle null",
            "0 0.pickle it broke"),
        heard);
    assertEquals(
        "3 60 2 4 50 max_split_size_mb:64", Files.readString(folder.resolve("told")).strip());
    assertTrue(Files.readString(folder.resolve("script")).startsWith("\"\"\"Sends recorded"));
    assertEquals("a 0 1000 0 0\nf 0\n", Files.readString(folder.resolve("0.requests")));
    assertEquals(
        "{\"id\":1,\"requests\":\"%s\",\"out\":\"%s\",\"limit\":5242880,\"streams\":[0],"
                .formatted(folder.resolve("1.requests"), folder.resolve("1"))
            + "\"spare\":0,\"holds\":false}",
        Files.readAllLines(folder.resolve("seen")).get(1));
  }

  @Test
  void jobsForWhichNoTimeWasLeftAreNotMissed() throws Exception {
    run(python(HELLO + "echo '{\"id\":0}'; echo '{\"not_begun\":1}'\n"), "", job(0), job(1));
    assertEquals("0 0.pickle null", heard.getLast());
  }

  @Test
  void aMachineWithoutANameIsRefused() throws IOException {
    String unnamed = HELLO.replace("device", "else");
    assertEquals("Python did not report device", refusal(unnamed));
  }

  @Test
  void aMissingProgramIsNamed() {
    String name = folder.resolve("nothing").toString();
    TorchException missing = assertThrows(TorchException.class, () -> run(name, "", job(0)));
    assertEquals(
        "no program " + name + " to run PyTorch; name a Python that has it with --python",
        missing.getMessage());
  }

  @Test
  void aPythonWithoutPyTorchSaysSo() throws IOException {
    assertEquals(
        "Python has no usable PyTorch: No module named 'torch'; run this on a machine with PyTorch"
            + " and an NVIDIA GPU, or name another Python with --python",
        refusal(
            "echo \"{\\\"error\\\":\\\"Python has no usable PyTorch: No module named"
                + " 'torch'\\\"}\"; exit 1\n"));
  }

  @Test
  void withoutAGpuJobsRunOnTheMockDriver() throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/cc")),
        "left out: no C compiler to build the stand-in with");
    String noGpu = "{\\\"error\\\":\\\"no GPU\\\",\\\"no_gpu\\\":true,\\\"cuda\\\":\\\"13.0\\\"}";
    run(
        python(
            "preloaded=$LD_PRELOAD; unset LD_PRELOAD\n"
                + "[ -z \"$preloaded\" ] && { echo \""
                + noGpu
                + "\"; exit 1; }\n"
                + "[ -f \"$preloaded\" ] || exit 2\n"
                + HELLO.replace("NVIDIA H200", "stand-in")
                + "echo '{\"id\":0}'\n"),
        "",
        job(0));
    assertTrue(heard.getFirst().contains("device=stand-in"), heard.getFirst());
    assertTrue(heard.getFirst().endsWith("mockDriver=true]"), heard.getFirst());
    assertEquals("0 0.pickle null", heard.getLast());
  }

  @Test
  void withoutCudaInPyTorchAndWithoutAGpuNothingRuns() throws IOException {
    assertEquals(
        "no GPU; run this on a machine with PyTorch and an NVIDIA GPU, or name another Python"
            + " with --python",
        refusal("echo '{\"error\":\"no GPU\",\"no_gpu\":true,\"cuda\":null}'; exit 1\n"));
  }

  @Test
  void anEarlyEndIsToldWithPythonsLastWord() throws IOException {
    assertEquals(
        "Python ended after 1 of 2 cases: MemoryError",
        refusal(HELLO + "echo '{\"id\":0}'; echo MemoryError >&2; exit 1\n"));
    assertEquals("Python ended before reporting its results", refusal("exit 1\n"));
  }

  @Test
  void whatIsNoAnswerIsRefused() throws IOException {
    assertEquals(
        "Python printed \"Segmentation fault\", which is not an answer",
        refusal(HELLO + "echo Segmentation fault\n"));
    assertEquals(
        "Python reported case 7, which it was not given", refusal(HELLO + "echo '{\"id\":7}'\n"));
    assertFalse(heard.isEmpty());
  }
}
