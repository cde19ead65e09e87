package org.allocsim.analysis.idle.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.allocsim.analysis.idle.ProfileText;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeProfileReaderTest {
  @TempDir private Path folder;

  private TimeProfile read(String text) throws IOException, TraceFormatException {
    Path file = Files.writeString(folder.resolve("trace.json"), text, StandardCharsets.UTF_8);
    return TimeProfileReader.read(file, Progress.NONE);
  }

  private String refusal(String text) {
    String message = assertThrows(TraceFormatException.class, () -> read(text)).getMessage();
    return message.substring(message.indexOf("trace.json") + "trace.json".length());
  }

  @Test
  void rowsAreOrderedByTimeAndOuterOnesComeFirst() throws Exception {
    TimeProfile profile =
        read(
            new ProfileText()
                .kernel("gemm", 3, 20, 25, 30, 42.5)
                .operator("aten::mm", 20, 28)
                .step(1, 10, 50)
                .toString());
    assertEquals(4, profile.count());
    assertEquals("ProfilerStep#1", profile.name(0));
    assertEquals(RowKind.ANNOTATION, profile.kind(0));
    assertEquals(0, profile.startNanos(0));
    assertEquals(40_000, profile.endNanos(0));
    assertEquals("aten::mm", profile.name(1));
    assertEquals("cudaLaunchKernel", profile.name(2));
    assertEquals(RowKind.CALL, profile.kind(2));
    assertEquals("gemm", profile.name(3));
    assertEquals(12_500, profile.durationNanos(3));
    assertEquals(profile.link(2), profile.link(3));
    assertEquals(new TimeProfile.Lane(true, 0, 3), profile.laneOf(profile.lane(3)));
    assertEquals(new TimeProfile.Lane(false, 5, 7), profile.laneOf(profile.lane(2)));
  }

  @Test
  void whatTheFileSaysAboutItselfIsRead() throws Exception {
    TimeProfile.Source source =
        read(new ProfileText()
                .header("\"deviceProperties\": [{\"id\": 0, \"name\": \"GPU one\"}, {\"id\": 1}]")
                .header("\"distributedInfo\": {\"rank\": 3, \"world_size\": 8, \"pg\": [1]}")
                .host("python_function", "train.py(3): main", 1, 2)
                .toString())
            .source();
    assertEquals("GPU one", source.gpuName());
    assertEquals(3, source.rank());
    assertEquals(8, source.worldSize());
    assertTrue(source.hasStacks());
  }

  @Test
  void aPythonFunctionKnowsTheLineOfItsCall() throws Exception {
    TimeProfile profile =
        read(
            "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"python_function\", \"name\": \"f\","
                + " \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 2, \"args\": {\"CallFrom\":"
                + " \"train.py:41\"}}]}");
    assertEquals("train.py:41", profile.nameText(profile.link(0)));
  }

  @Test
  void compressedProfilesAreRead() throws Exception {
    Path file = folder.resolve("trace.json.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(new ProfileText().step(1, 0, 1).toString().getBytes(StandardCharsets.UTF_8));
    }
    assertEquals(1, TimeProfileReader.read(file, Progress.NONE).count());
  }

  @Test
  void whatHasNoTimeIsCountedAndWhatHasNoDurationIsPassedOver() throws Exception {
    TimeProfile profile =
        read(
            "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", \"dur\": 1},"
                + "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"b\", \"ts\": 1, \"dur\": -1},"
                + "{\"ph\": \"i\", \"cat\": \"cpu_op\", \"name\": \"c\", \"ts\": 1},"
                + "{\"ph\": \"X\", \"cat\": \"Trace\", \"name\": \"d\", \"ts\": 1, \"dur\": 1}]}");
    assertEquals(0, profile.count());
    assertEquals(2, profile.source().damagedRows());
    assertFalse(profile.source().hasStacks());
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1000",
    "1.5, 1500",
    "4363756530815.002, 4363756530815002",
    "0.0004, 0",
    "0.0005, 1",
    "-2.25, -2250",
    "1e3, 1000000",
    "1.25E-1, 125",
    "1e-99, 0",
    "1234567890123456, 1234567890123456000",
  })
  void timesAreReadToTheNanosecond(String micros, long nanos) {
    assertEquals(nanos, Micros.nanos(micros.toCharArray(), 0, micros.length()));
  }

  @ParameterizedTest
  @CsvSource({"1e999999999", "1e99", "99999999999999999", "1e9999999999"})
  void timesOutOfRangeAreRefused(String micros) {
    assertEquals(
        ", line 1: a time or duration of more than 3000000000000000 µs is out of range; record with"
            + " torch.profiler and export_chrome_trace, with the activities CPU and CUDA.",
        refusal(
            "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": "
                + micros
                + "}]}"));
  }

  @Test
  void aCutOffCompressedProfileIsNamedAsSuch() throws Exception {
    Path file = folder.resolve("cut.json.xz");
    byte[] whole = Files.readAllBytes(Path.of("../samples/loader.trace.json.xz"));
    Files.write(file, Arrays.copyOf(whole, whole.length / 2));
    String message =
        assertThrows(TraceFormatException.class, () -> TimeProfileReader.read(file, Progress.NONE))
            .getMessage();
    assertTrue(
        message.endsWith("its compressed data is damaged or truncated; copy the file again."));
  }

  @Test
  void otherFilesAreRefused() {
    assertTrue(
        refusal("\u0080\u0002}q").startsWith(": it is not a profile; 'allocsim idle' reads"));
    assertTrue(refusal("[]").startsWith(": it is not a JSON object; record with"));
    assertTrue(refusal("{\"a\": 1}").startsWith(": it has no traceEvents; record with"));
    assertTrue(
        refusal("{\"traceEvents\": [{\"ph\": ")
            .startsWith(", line 1: the JSON is damaged or truncated; copy the file again."));
    assertTrue(
        refusal("{\"traceEvents\": [{\"args\": " + "[".repeat(100))
            .contains("lists nest too deeply"));
  }
}
