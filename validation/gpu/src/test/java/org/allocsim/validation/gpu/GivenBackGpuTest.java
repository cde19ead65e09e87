package org.allocsim.validation.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.validation.gpu.cuda.CudaException;
import org.allocsim.validation.gpu.cuda.GpuBounds;
import org.allocsim.validation.gpu.cuda.NativeCuda;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a run takes from a GPU is free again after it. A second context of this process stays open
 * meanwhile, as the end of the last one would give everything back in any case.
 */
@Tag("gpu")
class GivenBackGpuTest {
  private static final long MIB = 1L << 20;
  private static final AllocationTrace TRACE = InterruptedRun.trace(200);
  private static NativeCuda observer;

  private final GpuValidation validation = new GpuValidation(0, GpuBounds.NONE);

  @BeforeAll
  static void openTheGpu() {
    assumeTrue(Files.exists(Path.of("/dev/nvidiactl")), "not run: this machine has no NVIDIA GPU");
    observer = new NativeCuda(0);
  }

  @AfterAll
  static void closeIt() {
    if (observer != null) {
      observer.close();
    }
  }

  private static GpuCase of(PolicyProvider provider, Map<String, String> options, long capacity) {
    return new GpuCase(TRACE, 0, provider, new PolicySettings(-1, options), capacity, false);
  }

  private static PolicyProvider named(String policy) {
    return Policies.named(policy).orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "direct,,",
    "pytorch,,",
    "pytorch,conf,expandable_segments:True",
    "cuda-async,,",
    "gmlake,frag-limit,2MiB"
  })
  void afterARun(String policy, String option, String value) throws Exception {
    GpuCase run = of(named(policy), option == null ? Map.of() : Map.of(option, value), -1);
    validation.run(run);
    long before = observer.freeBytes();
    CaseResult result = validation.run(run);
    assertTrue(result.measuredPeakBytes() >= 1024 * MIB, result.toString());
    assertEquals(OomComparison.Verdict.NEITHER, result.failures().verdict());
    assertEquals(before, observer.freeBytes());
  }

  @ParameterizedTest
  @CsvSource({
    "direct,,",
    "pytorch,,",
    "pytorch,conf,expandable_segments:True",
    "cuda-async,,",
    "gmlake,frag-limit,2MiB"
  })
  void afterRefusedRequests(String policy, String option, String value) throws Exception {
    GpuCase run = of(named(policy), option == null ? Map.of() : Map.of(option, value), 500 * MIB);
    validation.run(run);
    long before = observer.freeBytes();
    CaseResult result = validation.run(run);
    assertTrue(result.failures().measuredCount() > 0, result.toString());
    assertEquals(before, observer.freeBytes());
  }

  @ParameterizedTest
  @CsvSource({"direct", "pytorch", "cuda-async", "gmlake"})
  void afterAPolicyThatFails(String policy) throws Exception {
    validation.run(of(named(policy), Map.of(), -1));
    long before = observer.freeBytes();
    long[] between = new long[1];
    PolicyProvider failing =
        new HookedProvider(
            policy,
            50,
            () -> {
              between[0] = observer.freeBytes();
              throw new IllegalStateException("the policy failed");
            });
    assertThrows(IllegalStateException.class, () -> validation.run(of(failing, Map.of(), -1)));
    assertTrue(between[0] <= before - 1000 * MIB, before + " and " + between[0]);
    assertEquals(before, observer.freeBytes());
  }

  @Test
  void afterATimeThatIsUp() throws Exception {
    validation.run(of(named("direct"), Map.of(), -1));
    long before = observer.freeBytes();
    GpuValidation late = new GpuValidation(0, new GpuBounds(Long.MAX_VALUE, 1_000_000_000));
    PolicyProvider slow =
        new HookedProvider(
            "direct",
            50,
            () -> {
              try {
                Thread.sleep(1500);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    CudaException failure =
        assertThrows(CudaException.class, () -> late.run(of(slow, Map.of(), -1)));
    assertTrue(failure.getMessage().contains("longer than"), failure.getMessage());
    assertEquals(before, observer.freeBytes());
  }

  @Test
  void onTheWayOutOfAnInterruptedProgram() throws Exception {
    // Started by Java and not by a shell, which would let background programs ignore SIGINT.
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.library.path=" + System.getProperty("java.library.path"),
                "-cp",
                System.getProperty("java.class.path"),
                InterruptedRun.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader said = program.inputReader()) {
      assertEquals("running", said.readLine());
      Process kill = new ProcessBuilder("kill", "-INT", Long.toString(program.pid())).start();
      assertEquals(0, kill.waitFor());
      assertTrue(program.waitFor(20, TimeUnit.SECONDS), "it goes on");
      assertEquals(130, program.exitValue());
      List<String> last = said.lines().toList();
      assertEquals(List.of("given back"), last);
    } finally {
      program.destroyForcibly();
    }
    assertNotNull(observer);
  }
}
