package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The whole card by what {@code allocsim record} saw of it, without an option. */
class RecordedAccountTest {
  private static final Path VALIDATION = Path.of("..", "validation");

  private static JsonNode account(Path recording, String moment) {
    CommandRun run = CommandRun.of("account", recording, "--at", moment, "--json", "-");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    return JsonMapper.shared().readTree(run.out());
  }

  private static long bytes(JsonNode account, String part) {
    return StreamSupport.stream(account.get("lines").spliterator(), false)
        .filter(line -> line.get("part").asString().equals(part))
        .mapToLong(line -> line.get("bytes").asLong())
        .sum();
  }

  static List<Path> recordings() throws IOException {
    try (Stream<Path> files = Files.walk(VALIDATION.resolve("jobs"));
        Stream<Path> more = Files.walk(VALIDATION.resolve("account"))) {
      return Stream.concat(files, more)
          .filter(each -> each.toString().endsWith(".pickle.xz"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void theLinesAddUpAndLessThanAHundredthIsUnexplained(Path recording) {
    for (String moment : List.of("peak", "end")) {
      JsonNode account = account(recording, moment);
      long gpuBytes = account.get("gpu_bytes").asLong();
      long sumBytes = 0;
      for (JsonNode line : account.get("lines")) {
        sumBytes += line.get("bytes").asLong();
      }
      assertEquals(gpuBytes, sumBytes);
      // The management library's count of an H200, which is more than PyTorch's.
      assertEquals(150_754_820_096L, gpuBytes);
      assertTrue(Math.abs(bytes(account, "unexplained")) * 100 <= gpuBytes, account::toString);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "vision, 9240576", "graphs, 9240576", "compiled, 9240576", "streams, 9240576",
    "collected, 9240576", "refused, 9240576", "async_pools, 9240576", "neighbour, 15073280"
  })
  void onlyWhatTheDriverGivesToNoProcessIsLeft(String program, long bytes) {
    Path recording = VALIDATION.resolve("account/recorded/" + program + ".pickle.xz");
    assertEquals(bytes, bytes(account(recording, "end"), "unexplained"));
  }

  @Test
  void theDriversPoolsAndOtherProcessesAreTheirOwnLines() {
    Path pools = VALIDATION.resolve("account/recorded/async_pools.pickle.xz");
    assertEquals(8L * (100 << 20), bytes(account(pools, "end"), "pools"));
    Path neighbour = VALIDATION.resolve("account/recorded/neighbour.pickle.xz");
    assertEquals(3_764_387_840L, bytes(account(neighbour, "end"), "other_processes"));
  }

  @Test
  void theColumnsOfAJobAddUpToTheGpu() {
    CommandRun run =
        CommandRun.of("account", VALIDATION.resolve("jobs/recorded/tp"), "--json", "-");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    for (JsonNode rank : JsonMapper.shared().readTree(run.out()).get("ranks")) {
      long sumBytes =
          Stream.of(
                  "reserved",
                  "context",
                  "pools",
                  "collectives",
                  "libraries",
                  "other_processes",
                  "driver",
                  "free",
                  "unexplained")
              .mapToLong(part -> rank.path(part + "_bytes").asLong(0))
              .sum();
      assertEquals(rank.get("gpu_bytes").asLong(), sumBytes);
    }
  }

  /**
   * PyTorch 2.11 does not say what NCCL has. Of two runs the one counts in which the library was
   * asked when all was connected; the rest is the kernels of PyTorch and cuBLAS, of one GPU alone
   * 151 to 283 MiB.
   */
  @ParameterizedTest(name = "{0}, rank {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "ddp | 0 | ddp() | 215",
        "ddp | 1 | ddp() | 215",
        "zero1 | 0 | ddp(zero=1) | 215",
        "fsdp1 | 0 | fsdp1() | 215",
        "fsdp2 | 0 | fsdp2() | 215",
        "tp | 0 | tensor-parallel(rank=0) | 215",
        "interleaved | 0 | pipeline(schedule=interleaved;stages-each=2;rank=0) | 215",
        "zerobubble | 1 | pipeline(schedule=zero-bubble;stages-each=2;rank=1) | 215",
        "fsdp2_mixed | 1 | fsdp2(param-dtype=bfloat16) | 231",
        "tp_attention | 0 | tensor-parallel(attention=true;dtype=bfloat16;rank=0) | 231",
        "tp_attention | 1 | tensor-parallel(attention=true;dtype=bfloat16;rank=1) | 231",
      })
  void ncclsRuleLeavesTheSameForKernelsOfAllJobs(
      String job, int rank, String program, long restMebibytes) {
    long maxBytes = 0;
    for (String setting : List.of("", "_expandable")) {
      String file = "jobs/recorded/" + job + setting + "/run.rank" + rank + ".pickle.xz";
      JsonNode recorded = account(VALIDATION.resolve(file), "end");
      maxBytes = Math.max(maxBytes, bytes(recorded, "libraries"));
    }
    CommandRun run = CommandRun.of("account", "program:" + program, "--at", "end", "--json", "-");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    long ncclBytes = bytes(JsonMapper.shared().readTree(run.out()), "collectives");
    // 192 KiB belong to no page of 2 MiB, in every process.
    assertEquals((restMebibytes << 20) + (192 << 10), maxBytes - ncclBytes);
  }

  @Test
  void whatOtherSettingsReserveIsNotFree() {
    Path recording = VALIDATION.resolve("jobs/recorded/fsdp2/run.rank0.pickle.xz");
    CommandRun run =
        CommandRun.of(
            "account",
            recording,
            "--conf",
            "expandable_segments:True",
            "--at",
            "peak",
            "--json",
            "-");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    JsonNode other = JsonMapper.shared().readTree(run.out());
    JsonNode recorded = account(recording, "peak");
    long lessBytes = recorded.get("reserved_bytes").asLong() - other.get("reserved_bytes").asLong();
    assertTrue(lessBytes > 0);
    assertEquals(bytes(recorded, "free") + lessBytes, bytes(other, "free"));
    assertEquals(bytes(recorded, "unexplained"), bytes(other, "unexplained"));
  }
}
