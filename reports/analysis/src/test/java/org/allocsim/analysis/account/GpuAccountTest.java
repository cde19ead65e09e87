package org.allocsim.analysis.account;

import static org.allocsim.analysis.moment.TestPrograms.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.util.Map;
import java.util.Set;
import org.allocsim.analysis.account.GpuAccount.Gpu;
import org.allocsim.analysis.account.GpuAccount.Line;
import org.allocsim.analysis.account.GpuAccount.Part;
import org.allocsim.analysis.account.SmiSamples.Choice;
import org.allocsim.analysis.moment.Landmarks;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery.Kind;
import org.allocsim.analysis.moment.TestPrograms;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GpuAccountTest {
  private static final long GPU = 81_559 * MIB;

  private static MemoryMoment moment() throws Exception {
    Landmarks landmarks =
        TestPrograms.survey(TestPrograms.recorded(TestPrograms.shipped("cuda_graph")));
    return TestPrograms.at(landmarks, Kind.PEAK_RESERVED);
  }

  private static Gpu gpu(long free, long process, long others, long driver) {
    return new Gpu(GPU, "", free, "", driver, process, others, 500 * MIB, -1, -1, "sample");
  }

  private static void assertSumsToTheGpu(GpuAccount account) {
    assertEquals(GPU, account.lines().stream().mapToLong(Line::bytes).sum());
  }

  @Test
  void theLinesAddUpToTheGpuWhateverIsKnown() throws Exception {
    MemoryMoment moment = moment();
    for (Gpu gpu :
        new Gpu[] {
          gpu(-1, -1, -1, -1),
          gpu(1000 * MIB, -1, -1, -1),
          gpu(80_000 * MIB, 900 * MIB, 100 * MIB, 479 * MIB),
          gpu(GPU, 900 * MIB, 100 * MIB, 479 * MIB)
        }) {
      GpuAccount account = GpuAccount.of(moment, gpu);
      assertSumsToTheGpu(account);
      assertEquals(moment.bytes().reservedBytes(), account.reservedBytes());
    }
  }

  @Test
  void theProcessHoldsItsContextBesidesWhatIsReserved() throws Exception {
    MemoryMoment moment = moment();
    long reserved = moment.bytes().reservedBytes();
    GpuAccount account = GpuAccount.of(moment, gpu(1000 * MIB, reserved + 7 * MIB, 3 * MIB, 0));
    assertEquals(7 * MIB, account.bytes(Part.CONTEXT));
    assertEquals(3 * MIB, account.bytes(Part.OTHER_PROCESSES));
    assertEquals(GPU - reserved - 1010 * MIB, account.bytes(Part.UNEXPLAINED));
  }

  @Test
  void whatIsKnownOfTheProcessComesOffWhatItsLibrariesHold() throws Exception {
    MemoryMoment moment = moment();
    long processBytes = moment.bytes().reservedBytes() + 2000 * MIB;
    Gpu gpu =
        new Gpu(GPU, "", 0, "", 0, processBytes, 0, 500 * MIB, 300 * MIB, 1100 * MIB, "sample");
    GpuAccount account = GpuAccount.of(moment, gpu);
    assertEquals(500 * MIB, account.bytes(Part.CONTEXT));
    assertEquals(300 * MIB, account.bytes(Part.POOLS));
    assertEquals(1100 * MIB, account.bytes(Part.COLLECTIVES));
    assertEquals(100 * MIB, account.bytes(Part.LIBRARIES));
    assertSumsToTheGpu(account);
  }

  @Test
  void aSampleOfAnotherMomentDoesNotMakeTheContextNegative() throws Exception {
    GpuAccount account = GpuAccount.of(moment(), gpu(-1, 1, 0, 0));
    assertEquals(500 * MIB, account.bytes(Part.CONTEXT));
    assertTrue(
        account.lines().stream()
            .anyMatch(line -> line.source().contains("holds less in the sample")));
  }

  @Test
  void whatDoesNotAddUpIsShownAsNegative() throws Exception {
    GpuAccount account = GpuAccount.of(moment(), gpu(GPU, -1, -1, -1));
    assertTrue(account.bytes(Part.UNEXPLAINED) < 0);
    assertSumsToTheGpu(account);
  }

  // Samples of nvidia-smi.

  private static SmiSamples read(String... texts) throws IOException {
    SmiSamples samples = new SmiSamples();
    for (String text : texts) {
      samples.read("smi.csv", new BufferedReader(new StringReader(text)));
    }
    return samples;
  }

  private static final String GPUS =
      """
      index, uuid, timestamp, memory.total [MiB], memory.used [MiB], memory.free [MiB]
      0, GPU-a, 2026/01/01 00:00:01.000, 81559 MiB, 100 MiB, 80980 MiB
      1, GPU-b, 2026/01/01 00:00:01.000, 81559 MiB, 900 MiB, 80180 MiB
      0, GPU-a, 2026/01/01 00:00:02.000, 81559 MiB, 300 MiB, 80780 MiB
      0, GPU-a, 2026/01/01 00:00:03.000, 81559 MiB, 200 MiB, 80880 MiB
      """;

  @Test
  void theHighestOrTheLastSampleCounts() throws IOException {
    SmiSamples samples = read(GPUS);
    assertEquals(Set.of("0", "1"), samples.gpuNames());
    assertEquals(300 * MIB, samples.gpu("0", Choice.HIGHEST).usedBytes());
    assertEquals(200 * MIB, samples.gpu("0", Choice.LAST).usedBytes());
    assertEquals("GPU-b", samples.gpu("1", Choice.LAST).uuid());
    assertEquals(-1, samples.gpu("1", Choice.LAST).driverBytes());
  }

  @Test
  void processesAreKeptByGpu() throws IOException {
    SmiSamples samples =
        read(
            GPUS,
            """
            gpu_uuid, pid, process_name, used_gpu_memory [MiB]
            GPU-a, 10, python, 50
            GPU-a, 10, python, 90
            GPU-a, 10, python, 70
            GPU-a, 11, python, [N/A]
            GPU-b, 12, python, 800
            """);
    assertEquals(Map.of(10L, 90 * MIB, 11L, 0L), samples.processBytes("GPU-a", Choice.HIGHEST));
    assertEquals(70 * MIB, samples.processBytes("GPU-a", Choice.LAST).get(10L));
    assertEquals(1, samples.unreadable());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a, b\n1, 2\n",
        "memory.used [MiB]\nmuch MiB\n",
        "memory.used [MiB]\n1 parsec\n",
        "memory.used [MiB], memory.free [MiB]\n1 MiB\n",
        "pid, used_memory [MiB]\nme, 3 MiB\n",
        "memory.used [MiB]\n9999999999999999999999 MiB\n",
        "memory.used [MiB]\n1e999999999 MiB\n"
      })
  void otherFilesAreRefusedInASentence(String text) {
    SmiFormatException refusal = assertThrows(SmiFormatException.class, () -> read(text));
    assertTrue(refusal.getMessage().startsWith("smi.csv: "), refusal.getMessage());
    assertTrue(refusal.getMessage().contains("nvidia-smi"), refusal.getMessage());
  }
}
