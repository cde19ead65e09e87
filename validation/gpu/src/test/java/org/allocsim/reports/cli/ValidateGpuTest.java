package org.allocsim.reports.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.validation.gpu.GpuValidation;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command in a process of its own: however it ends, the GPU has as much memory free as before,
 * by {@code cuMemGetInfo} of this process and by {@code nvidia-smi}.
 */
@Tag("gpu")
class ValidateGpuTest {
  private static final long GIB = 1L << 30;

  @TempDir private Path folder;

  private long freeBytes;
  private String used;

  @BeforeAll
  static void requireAGpu() {
    assumeTrue(Files.exists(Path.of("/dev/nvidiactl")), "not run: this machine has no NVIDIA GPU");
  }

  @BeforeEach
  void measure() throws Exception {
    freeBytes = freeBytes();
    used = usedMemory();
  }

  @AfterEach
  void asMuchIsFreeAsBefore() throws Exception {
    assertEquals(freeBytes, freeBytes());
    assertEquals(used, usedMemory());
  }

  private static long freeBytes() {
    return new GpuValidation(0, GpuBounds.NONE).identify().freeBytesAtStart();
  }

  private static String usedMemory() throws Exception {
    Process smi =
        new ProcessBuilder(
                "nvidia-smi", "--id=0", "--query-gpu=memory.used", "--format=csv,noheader")
            .start();
    String answer = new String(smi.getInputStream().readAllBytes(), UTF_8).strip();
    assertEquals(0, smi.waitFor());
    assertTrue(answer.endsWith("MiB"), answer);
    return answer;
  }

  /** Requests of 512 MiB that live as long as seven others. */
  private String trace(int requests) throws IOException {
    StringBuilder lines = new StringBuilder("{\"allocsim\":\"trace\",\"version\":1}\n");
    for (int request = 1; request <= requests; request++) {
      if (request > 8) {
        lines.append("{\"op\":\"free\",\"id\":%d}\n".formatted(request - 8));
      }
      lines.append("{\"op\":\"alloc\",\"id\":%d,\"bytes\":%d}\n".formatted(request, GIB / 2));
    }
    return Files.writeString(folder.resolve("trace.jsonl"), lines).toString();
  }

  private Process start(String... arguments) throws IOException {
    Path services = Files.createDirectories(folder.resolve("more/META-INF/services"));
    Files.writeString(
        services.resolve(PolicyProvider.class.getName()), FailingPolicyProvider.class.getName());
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.library.path=" + System.getProperty("java.library.path"),
                "-cp",
                System.getProperty("java.class.path") + File.pathSeparator + folder.resolve("more"),
                Main.class.getName(),
                "validate"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .redirectOutput(folder.resolve("out").toFile())
        .redirectError(folder.resolve("err").toFile())
        .start();
  }

  private int run(String... arguments) throws Exception {
    Process process = start(arguments);
    assertTrue(process.waitFor(90, TimeUnit.SECONDS), "it goes on");
    return process.exitValue();
  }

  private String said(String where) throws IOException {
    return Files.readString(folder.resolve(where));
  }

  @Test
  void aRunThatEnds() throws Exception {
    int exitCode =
        run(trace(100), "--policies", "direct,pytorch,cuda-async,gmlake(frag-limit=2MiB)");
    assertEquals(ExitCodes.DONE, exitCode, said("err"));
    assertTrue(said("out").contains("as much after"), said("out"));
  }

  @Test
  void aRefusedRequest() throws Exception {
    int exitCode =
        run(trace(100), "--policy", "direct,gmlake(frag-limit=2MiB)", "--capacity", "2GiB");
    assertEquals(ExitCodes.DONE, exitCode, said("err"));
    assertTrue(said("out").contains("3 as predicted"), said("out"));
  }

  @Test
  void aPolicyThatFails() throws Exception {
    int exitCode = run(trace(100), "--policy", "failing");
    assertEquals(ExitCodes.FAILED, exitCode, said("err"));
    assertTrue(said("err").contains("the policy failed"), said("err"));
    assertEquals(1, said("err").lines().count(), said("err"));
  }

  @Test
  void anInterruptInTheMiddle() throws Exception {
    Process process = start(trace(200_000), "--policy", "direct");
    try {
      long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      // Its context takes memory as well, but not that much.
      while (freeBytes() > freeBytes - 3 * GIB) {
        assertTrue(process.isAlive(), said("err"));
        assertTrue(System.nanoTime() < patience, "it takes no memory");
      }
      assertEquals(
          0, new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor());
      assertTrue(process.waitFor(20, TimeUnit.SECONDS), "it goes on");
      assertEquals(130, process.exitValue());
      assertTrue(said("err").lines().noneMatch(line -> line.startsWith("\tat ")), said("err"));
      assertEquals("", said("out"));
    } finally {
      process.destroyForcibly().waitFor();
    }
  }
}
