package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.Loader;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.Precision;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.transform.Timestamps;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SimulatedTimeTest {
  private static final long MIB = 1L << 20;
  private static final long SIDE = 32;

  @TempDir private Path folder;

  /** Training whose batches are prefetched on a side stream. */
  private Path program(int workers, boolean emptiesCache) throws IOException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.declareStream(0);
    int loader = trace.declareLoader(new Loader(workers, 2, 8_000_000, 0, 1));
    for (int step = 0; step < 20; step++) {
      trace.markerBegin("step");
      trace.loadBatch(loader);
      int batch = trace.allocate(30 * MIB, SIDE, PoolId.DEFAULT);
      trace.launch(new Work.Copy(30 * MIB, true, true), SIDE);
      trace.recordEvent(0, SIDE);
      trace.waitEvent(0, 0);
      trace.useStream(batch, 0, 0);
      int activations = trace.allocate(500 * MIB, 0, PoolId.DEFAULT);
      trace.launch(new Work.Kernel(3_000_000_000_000L, 500 * MIB, Precision.BF16), 0);
      trace.free(batch, 0);
      trace.free(activations, 0);
      if (emptiesCache) {
        trace.emptyCache();
      }
      trace.markerEnd("step");
    }
    AllocationTrace timed =
        Timestamps.onto(
            trace.build(new StackTable.Builder().build()), 0, DeviceProfiles.defaultProfile());
    Path file = folder.resolve("program-" + workers + "-" + emptiesCache + ".jsonl");
    try (OutputStream out = Files.newOutputStream(file)) {
      TraceFormats.named("jsonl").orElseThrow().writer().orElseThrow().write(timed, 0, out);
    }
    return file;
  }

  private static String done(Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    return run.out();
  }

  private JsonNode replay(Path program, Object... more) throws IOException {
    Path json = folder.resolve("out.json");
    Object[] arguments = new Object[more.length + 4];
    arguments[0] = "replay";
    arguments[1] = program;
    arguments[2] = "--json";
    arguments[3] = json;
    System.arraycopy(more, 0, arguments, 4, more.length);
    done(arguments);
    return JsonMapper.shared().readTree(Files.readString(json));
  }

  @Test
  void aProgramIsReplayedInTimeOnWhateverGpu() throws IOException {
    Path program = program(4, false);
    double fast = replay(program).path("time").path("seconds").asDouble();
    double slow = replay(program, "--device", "t4").path("time").path("seconds").asDouble();
    assertTrue(slow > 5 * fast, fast + " " + slow);
  }

  @Test
  void workersFillTheGpuAndChangeNoMemory() throws IOException {
    JsonNode alone = replay(program(0, false));
    JsonNode fed = replay(program(4, false));
    assertTrue(alone.path("time").path("gpu_utilization_ratio").asDouble() < 0.7);
    assertTrue(fed.path("time").path("gpu_utilization_ratio").asDouble() > 0.85);
    String peak = "allocated_bytes.all.peak";
    assertEquals(alone.path("stats").get(peak), fed.path("stats").get(peak));
  }

  @Test
  void emptyingTheCacheEveryStepCostsTimeAndSaysHowMuch() throws IOException {
    JsonNode kept = replay(program(4, false)).path("time");
    JsonNode emptied = replay(program(4, true)).path("time");
    assertTrue(emptied.path("seconds").asDouble() > kept.path("seconds").asDouble());
    JsonNode calls = emptied.path("requests").path("empty_cache");
    assertEquals(20, calls.path("count").asInt());
    assertTrue(calls.path("seconds").asDouble() > 0);
  }

  @Test
  void compareShowsTheTimeOfEveryPolicy() throws IOException {
    String text = done("compare", program(4, true), "--policies", "pytorch,direct", "--confs", "");
    assertTrue(text.contains("simulated time"), text);
  }

  @Test
  void aRecordingKeepsItsPaceAndOtherSettingsShiftIt() throws IOException {
    Path growth = CommandRun.recording("cat_growth.pickle.xz");
    JsonNode same = replay(growth, "--addresses", "modelled");
    JsonNode expandable = replay(growth, "--conf", "expandable_segments:True");
    double driver = same.path("driver_seconds").asDouble();
    double other = expandable.path("driver_seconds").asDouble();
    double shift =
        expandable.path("time").path("seconds").asDouble()
            - same.path("time").path("seconds").asDouble();
    assertEquals(other - driver, shift, 1e-6);
  }
}
