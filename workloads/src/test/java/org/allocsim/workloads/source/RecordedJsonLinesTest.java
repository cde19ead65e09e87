package org.allocsim.workloads.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceText;
import org.allocsim.workloads.format.jsonl.JsonLinesFormat;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.RecordedWriter;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotData;
import org.allocsim.workloads.format.pytorch.SnapshotSegment;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A recording in JSON Lines is the recording: no column of it differs. */
class RecordedJsonLinesTest {
  private static final ReadingOptions OPTIONS = ReadingOptions.of(PyTorchVersion.DEFAULT);

  @TempDir private Path folder;
  private Path shipped;

  @BeforeEach
  void copyShippedRecording() throws IOException {
    shipped = folder.resolve("mempool.pickle.xz");
    try (InputStream stream = SnapshotData.class.getResourceAsStream("mempool.pickle.xz")) {
      Files.copy(stream, shipped);
    }
  }

  @TestFactory
  Stream<DynamicTest> everyRecordingIsReadBackColumnByColumn() throws IOException {
    List<Path> files = new ArrayList<>(List.of(shipped));
    Path recordings =
        Stream.of("../shared/recordings", "../../shared/recordings")
            .map(near -> Path.of(System.getProperty("allocsim.recordings", near)))
            .filter(Files::isDirectory)
            .findFirst()
            .orElse(shipped);
    try (Stream<Path> all = Files.walk(recordings)) {
      all.filter(file -> file.toString().contains(".pickle")).sorted().forEach(files::add);
    }
    return files.stream()
        .distinct()
        .map(file -> DynamicTest.dynamicTest(file.getFileName().toString(), () -> check(file)));
  }

  private void check(Path file) throws Exception {
    OpenedTrace original = open(file).read(OPTIONS);
    int device = original.device(null);
    Path converted = convert(original, device, "t.jsonl");
    OpenedTrace read = open(converted).read(OPTIONS);
    assertEquals("jsonl", read.format());
    assertEquals(device, read.device(null));
    assertEquals(original.notes(), read.notes());
    assertSame(
        original.recording().orElseThrow().snapshot(), read.recording().orElseThrow().snapshot());
    for (int each = 0; each < original.recording().get().snapshot().devices().size(); each++) {
      assertEquals(TraceText.of(original.trace(), each), TraceText.of(read.trace(), each));
    }
    assertArrayEquals(
        Files.readAllBytes(converted),
        Files.readAllBytes(convert(read, device, "again.jsonl")),
        "a second conversion changes nothing");
  }

  @Test
  void whatTheRecorderAddedIsKept() throws Exception {
    Path file = folder.resolve("recorded-refused.pickle.xz");
    try (InputStream stream =
        SnapshotData.class.getResourceAsStream("recorded-refused.pickle.xz")) {
      Files.copy(stream, file);
    }
    Snapshot original = open(file).read(OPTIONS).recording().orElseThrow().snapshot();
    assertEquals(
        2_000_000_000, original.facts().orElseThrow().device(0).orElseThrow().limitBytes());
    check(file);
  }

  private static void assertSame(Snapshot expected, Snapshot read) {
    assertEquals(expected.facts(), read.facts());
    assertEquals(SnapshotData.columns(expected), SnapshotData.columns(read));
    assertEquals(expected.stacks().frameCount(), read.stacks().frameCount());
    assertEquals(expected.stacks().stackCount(), read.stacks().stackCount());
    for (int device = 0; device < expected.devices().size(); device++) {
      DeviceHistory history = expected.devices().get(device);
      for (int row = 0; row < history.effects().count(); row++) {
        assertEquals(history.stack(row), read.devices().get(device).stack(row));
      }
    }
    for (int i = 0; i < expected.segments().size(); i++) {
      SnapshotSegment segment = expected.segments().get(i);
      assertEquals(segment.device(), read.segments().get(i).device());
      assertEquals(segment.stack(), read.segments().get(i).stack());
    }
  }

  private static TraceSource open(Path file) throws Exception {
    return TraceSource.open(file.toString(), null, Progress.NONE);
  }

  private Path convert(OpenedTrace trace, int device, String name) throws IOException {
    Path file = folder.resolve(name);
    RecordedWriter writer = (RecordedWriter) new JsonLinesFormat().writer().orElseThrow();
    try (OutputStream out = Files.newOutputStream(file)) {
      writer.write(
          trace.trace(), device, trace.recording().map(Recording::snapshot).orElseThrow(), out);
    }
    return file;
  }

  private String shippedAsText() throws Exception {
    return Files.readString(convert(open(shipped).read(OPTIONS), 0, "shipped.jsonl"));
  }

  private TraceFormatException refusal(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("changed.jsonl"), text);
    return assertThrows(TraceFormatException.class, () -> open(file));
  }

  @Test
  void requestsThatWereChangedDoNotPassForThoseOfTheRecording() throws Exception {
    String changed = shippedAsText().replaceFirst("(\"op\":\"alloc\",.*\"bytes\":)", "$1" + 1);
    String message = refusal(changed).getMessage();
    assertTrue(message.contains("the requests do not match the recording"), message);
  }

  @Test
  void aRecordingThatIsCutAnywhereIsRefused() throws Exception {
    List<String> lines = shippedAsText().lines().toList();
    int begin = 0;
    while (!lines.get(begin).startsWith("{\"op\":\"recording\"")) {
      begin++;
    }
    for (int length = begin + 1; length < lines.size(); length++) {
      String cut = String.join("\n", lines.subList(0, length));
      String message = refusal(cut).getMessage();
      assertTrue(message.contains("line ") && message.contains("copy it again"), message);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\\{\"allocsim\":\"trace\",\"version\":2|{\"allocsim\":\"trace\",\"version\":1"
            + "|only version 2 of the format has recordings",
        "\\[\"segment_alloc\",|[\"segment_dance\",|the action \"segment_dance\" is unknown",
        "\\[\"segment_alloc\",|[7,|the line is not a row",
        "\\[\"segment_alloc\",(\\d+),\\d+,|[\"segment_alloc\",$1,-5,|the size is negative",
        "\\[\"alloc\",(\\d+),(\\d+),\\d+,|[\"alloc\",$1,$2,77,|no such stream",
        "\\[\"alloc\",(\\d+),(\\d+),0,\\d+,|[\"alloc\",$1,$2,0,-9,|before that of an earlier row",
        "\"op\":\"segment\",\"device\":0|\"op\":\"segment\",\"device\":7"
            + "|a segment belongs to no device",
        "\\[\"inactive\"|[\"idle\"|the state \"idle\" is unknown",
        "\"op\":\"settings\"|\"op\":\"setting\"|op \"setting\" is unknown within a recording",
        "\"expandable_segments\":false|\"expandable_segments\":0"
            + "|field \"expandable_segments\" is not true or false",
        "\"roundup_power2_divisions\":\\[0,|\"roundup_power2_divisions\":[|expected 16 divisions",
      })
  void aDamagedRecordingIsRefusedWithItsCause(String found, String replaced, String expected)
      throws Exception {
    String text = shippedAsText();
    String changed = text.replaceFirst(found, replaced);
    assertTrue(!changed.equals(text), "nothing was changed");
    String message = refusal(changed).getMessage();
    assertTrue(message.contains(expected) && message.contains("line "), message);
  }

  @Test
  void filesOfVersionOneHoldRequestsOnly() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("old.jsonl"),
            """
            {"allocsim":"trace","version":1}
            {"op":"alloc","id":3,"bytes":5,"device":2}
            """);
    OpenedTrace read = open(file).read(OPTIONS);
    assertTrue(read.recording().isEmpty());
    assertEquals(2, read.device(null));
    assertThrows(SourceUsageException.class, () -> read.device(1));
  }

  @Test
  void aProgramIsATraceWithoutAFile() throws Exception {
    TraceSource source = TraceSource.open("program:mlp(iterations=2)", null, Progress.NONE);
    OpenedTrace read = source.read(OPTIONS);
    assertEquals("program", read.format());
    assertNull(read.sha256());
    assertTrue(read.trace().eventCount() > 0 && read.recording().isEmpty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "program:mlp(iterations=2|no closing parenthesis",
        "program:mlp(iterations)|is not of the form name=value",
        "program:nothing|unknown program: nothing"
      })
  void aProgramThatDoesNotExistIsWrongUsage(String name, String expected) {
    SourceUsageException error =
        assertThrows(SourceUsageException.class, () -> TraceSource.open(name, null, Progress.NONE));
    assertTrue(error.getMessage().contains(expected), error.getMessage());
  }
}
