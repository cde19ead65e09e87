package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class InspectCommandTest {
  @TempDir private Path folder;

  @Test
  void textShowsWhatIsInTheFile() throws IOException {
    Path file = CommandRun.recording("cuda_graph.pickle.xz");
    CommandRun run = CommandRun.of("inspect", file);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    Golden.assertGolden("inspect-cuda-graph.txt", run.out().replace(file.toString(), "FILE"));
  }

  @Test
  void jsonHoldsTheSameCounts() throws IOException {
    Path file = CommandRun.recording("two_gpu.pickle.xz");
    CommandRun run = CommandRun.of("inspect", file, "--json", "-");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    Golden.assertGolden("inspect-two-gpu.json", run.out().replace(file.toString(), "FILE"));
  }

  @Test
  void aSnapshotWithoutHistoryCanBeInspected() throws IOException {
    Path file =
        Files.write(folder.resolve("s.pickle"), TestSnapshot.ofOneTensor().bytesWithoutHistory());
    CommandRun run = CommandRun.of("inspect", file);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(run.out().contains("1 segment of 2.00 MiB"), run.out());
  }

  @Test
  void everyEntryOfEveryGpuIsARow() throws IOException {
    Path file = CommandRun.recording("two_gpu.pickle.xz");
    Path rows = folder.resolve("rows.csv");
    CommandRun run = CommandRun.of("inspect", file, "--events", rows, "--from", "1", "--to", "4");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    List<String> lines = Files.readAllLines(rows);
    assertEquals("device,entry,action,address,bytes,stream,time_ns,frame", lines.getFirst());
    assertEquals(
        List.of("0,1", "0,2", "0,3", "1,1", "1,2", "1,3"),
        lines.stream()
            .skip(1)
            .map(line -> line.split(",", 3))
            .map(c -> c[0] + "," + c[1])
            .toList());
  }

  @Test
  void everyBlockAtTheEndIsARowWithTheBytesOfItsSegment() throws IOException {
    Path file = CommandRun.recording("two_gpu.pickle.xz");
    Path rows = folder.resolve("blocks.csv");
    CommandRun run = CommandRun.of("inspect", file, "--blocks", rows, "--json", "-");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    List<String> lines = Files.readAllLines(rows);
    assertEquals(
        "device,address,bytes,requested_bytes,state,stream,category,frame", lines.getFirst());
    long total = lines.stream().skip(1).mapToLong(line -> Long.parseLong(line.split(",")[2])).sum();
    long reserved = 0;
    for (JsonNode device : JsonMapper.shared().readTree(run.out()).get("devices")) {
      reserved += device.get("reserved_bytes").asLong();
    }
    assertEquals(reserved, total);
  }

  @Test
  void whatTheRecorderAddedIsWrittenAsItIsAndNullWithoutIt() throws IOException {
    CommandRun run =
        CommandRun.of("inspect", CommandRun.recording("two_gpu.pickle.xz"), "--facts", "-");
    assertEquals("null", run.out().lines().findFirst().orElse(""), run.err());
  }

  @Test
  void anUnwritableOutputIsFoundBeforeTheFileIsRead() throws IOException {
    Path damaged = Files.writeString(folder.resolve("damaged"), "no pickle");
    CommandRun run = CommandRun.of("inspect", damaged, "--json", folder + "/none/out.json");
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("--json: cannot write"), run.err());
  }
}
