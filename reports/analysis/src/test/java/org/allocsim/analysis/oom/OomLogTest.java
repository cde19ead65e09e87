package org.allocsim.analysis.oom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import org.allocsim.analysis.oom.OomMessage.Amount;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.message.OutOfMemoryMessage.Template;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class OomLogTest {
  private static final String PROCESSES =
      "Process 519 has 1.13 GiB memory in use. Including non-PyTorch memory, this process has 60.02"
          + " GiB memory in use. ";

  private static String message(Template template, int device) {
    return new OutOfMemoryMessage(
            device,
            138L << 20,
            85_017_493_504L,
            2_300_000,
            70L << 30,
            58L << 30,
            59L << 30,
            100 << 20,
            PROCESSES)
        .text(template);
  }

  private static final String TRACEBACK =
      """
      Traceback (most recent call last):
        File "/home/user/train.py", line 12, in <module>
          loss = model(batch)
                 ^^^^^^^^^^^^
      """;

  private static OomLog.Contents read(String log) throws IOException {
    return read(log, StandardCharsets.UTF_8);
  }

  private static OomLog.Contents read(String log, Charset charset) throws IOException {
    return OomLog.read(new ByteArrayInputStream(log.getBytes(charset)));
  }

  private static OomLog.Found only(OomLog.Contents contents) {
    assertEquals(1, contents.found().size(), () -> contents.found().toString());
    return contents.found().getFirst();
  }

  private static void assertWhole(Template template, int device, String log) throws IOException {
    OomLog.Found found = only(read(log));
    assertEquals(OomMessageParser.parse(message(template, device)), found.message(), log);
  }

  private static List<String> wrap(String text, int columns) {
    List<String> lines = new ArrayList<>();
    for (int at = 0; at < text.length(); at += columns) {
      lines.add(text.substring(at, Math.min(text.length(), at + columns)));
    }
    return lines;
  }

  private static String prefixed(List<String> lines, IntFunction<String> prefix) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < lines.size(); i++) {
      text.append(prefix.apply(i)).append(lines.get(i)).append('\n');
    }
    return text.toString();
  }

  @ParameterizedTest
  @EnumSource(Template.class)
  void aMessageAfterATracebackIsFoundWithItsLine(Template template) throws IOException {
    String log =
        "epoch 1\n" + TRACEBACK + "torch.OutOfMemoryError: " + message(template, 3) + "\nbye\n";
    OomLog.Found found = only(read(log));
    assertEquals(OomMessageParser.parse(message(template, 3)), found.message());
    assertEquals(6, found.line());
    assertEquals("", found.source());
    assertEquals(1, found.count());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[rank0]: ",
        "[rank0]:[E1121 03:14:15.000000000 ProcessGroupNCCL.cpp:616] ",
        "[default0]:",
        "[1,0]<stderr>:",
        "0: ",
        " 12: ",
        "node07: ",
        "worker-0  | ",
        "(RayTrainWorker pid=12345, ip=10.0.0.7) ",
        "(VllmWorker rank=1 pid=477) ERROR 07-22 12:55:39 [multiproc_executor.py:618] ",
        "ERROR 10-11 12:27:29 engine.py:157] ",
        "2024-10-11 12:27:00,123 ",
        "2024-10-11T12:27:00.123456Z stderr F ",
        "[2024-10-11 12:27:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] ",
        "[2024-10-11 12:27:00,123][trainer][ERROR] - ",
        "E1011 12:27:00.123456 4242 trainer.cc:99] ",
        "12:27:00 ",
        "INFO: ",
        "> ",
        "| ",
        "\u2502 ",
        "\u001b[31m",
        "\u001b[1;31m[rank3]\u001b[0m: ",
        "[31m",
        "\\x1b[31m",
      })
  void brokenLinesAreJoinedAfterAnyPrefix(String prefix) throws IOException {
    for (Template template : List.of(Template.V2_0, Template.V2_11)) {
      String text = "torch.OutOfMemoryError: " + message(template, 1);
      for (int columns = 24; columns <= 200; columns += 4) {
        String log = "start\n" + prefixed(wrap(text, columns), _ -> prefix) + prefix + "end\n";
        assertWhole(template, 1, log);
      }
    }
  }

  @Test
  void ranksThatWriteInTurnsAreKeptApart() throws IOException {
    for (int columns = 30; columns < 100; columns += 3) {
      List<String> first = wrap("torch.OutOfMemoryError: " + message(Template.V2_11, 0), columns);
      List<String> second = wrap("torch.OutOfMemoryError: " + message(Template.V2_11, 1), columns);
      StringBuilder log = new StringBuilder();
      for (int i = 0; i < first.size(); i++) {
        log.append("12:00:0").append(i % 10).append(" [rank0]: ").append(first.get(i)).append('\n');
        log.append("12:00:0")
            .append(i % 10)
            .append(" [rank1]: ")
            .append(second.get(i))
            .append('\n');
      }
      OomLog.Contents contents = read(log.toString());
      assertEquals(2, contents.found().size(), log.toString());
      for (int rank = 0; rank < 2; rank++) {
        OomLog.Found found = contents.found().get(rank);
        assertEquals("[rank" + rank + "]", found.source());
        assertEquals(rank + 1, found.line());
        assertEquals(OomMessageParser.parse(message(Template.V2_11, rank)), found.message());
      }
    }
  }

  @Test
  void theAsyncBackendsSixLinesAreOneMessage() throws IOException {
    String text = OomTexts.async("640.00 MiB", "11.59 GiB", "9.43 GiB", "7.12 MiB", "8.00 GiB");
    for (String log :
        List.of(
            text,
            "torch.OutOfMemoryError: " + text + "\n\nMemory summary: |====|\n",
            "2024-10-11 12:00:00 ERROR [rank0]: " + text,
            prefixed(text.lines().toList(), _ -> "[rank1]: "),
            "{\"exception_message\": \"" + text.replace("\n", "\\n") + "\"}")) {
      assertEquals(OomMessageParser.parse(text), only(read(log)).message(), log);
    }
  }

  @Test
  void quotingAndEscapesDoNotHurt() throws IOException {
    String text = message(Template.V2_4, 0);
    assertWhole(Template.V2_4, 0, "OutOfMemoryError('" + text + "')");
    assertWhole(Template.V2_4, 0, "{\"msg\": \"" + text.replace(". ", ".\\n ") + "\"}");
    assertWhole(Template.V2_4, 0, "`" + text.replace("138.00 MiB", "**138.00 MiB**") + "`");
    assertWhole(Template.V2_4, 0, prefixed(wrap(text, 60), i -> i == 0 ? "('" : "' '"));
    assertWhole(
        Template.V2_4,
        0,
        " 10%|#  | 1/10\r 20%|## | 2/10\r\n" + text.replace(". ", ".\r\n") + "\r\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "ISO-8859-1"})
  void encodingsNeedNoTelling(String charset) throws IOException {
    String log =
        "Gr\u00fc\u00dfe\n\u001b[31m" + prefixed(wrap(message(Template.V2_11, 2), 70), _ -> "");
    OomLog.Found found = only(read(log, Charset.forName(charset)));
    assertEquals(OomMessageParser.parse(message(Template.V2_11, 2)), found.message());
    assertEquals(2, found.line());
  }

  @Test
  void aMessageRepeatedIsCounted() throws IOException {
    String text = "RuntimeError: " + message(Template.V2_0, 0) + "\n";
    OomLog.Found found = only(read("a\n" + text + TRACEBACK + text + "b\n" + text));
    assertEquals(3, found.count());
    assertEquals(2, found.line());
  }

  @Test
  void severalMessagesStandInTheirOrder() throws IOException {
    StringBuilder log = new StringBuilder();
    for (Template template : Template.values()) {
      log.append(TRACEBACK).append("RuntimeError: ").append(message(template, 0)).append('\n');
    }
    OomLog.Contents contents = read(log.toString());
    assertEquals(
        Template.values().length, contents.found().size(), () -> contents.found().toString());
    for (int i = 0; i < Template.values().length; i++) {
      assertEquals(
          OomMessageParser.parse(message(Template.values()[i], 0)),
          contents.found().get(i).message());
      assertEquals(5L * (i + 1), contents.found().get(i).line());
    }
  }

  @Test
  void messagesOnOneLineAreCutApart() throws IOException {
    String line =
        message(Template.V2_11, 0) + " " + message(Template.V2_11, 1) + message(Template.V2_0, 2);
    assertEquals(3, read(line).found().size());
    assertEquals(3, read("x".repeat(LogLines.MAX_CHARS - 300) + line).found().size());
  }

  @Test
  void aMessageAcrossThePiecesOfAVeryLongLineIsWhole() throws IOException {
    for (int before = LogLines.MAX_CHARS - 700; before <= LogLines.MAX_CHARS; before += 7) {
      assertWhole(
          Template.V2_11,
          0,
          "[rank0]: "
              + " x".repeat(before / 2)
              + message(Template.V2_11, 0)
              + " y".repeat(500_000));
    }
  }

  @Test
  void mentionsWithoutNumbersAreOnlyCounted() throws IOException {
    OomLog.Contents contents =
        read(
            "ok\nRuntimeError: CUDA error: out of memory\nWARNING: CUDA out of memory, retrying\n"
                + message(Template.V2_0, 0));
    assertEquals(1, contents.found().size());
    assertEquals(new OomLog.Bare(2, 2), contents.bare());
    assertEquals(4, contents.lines());
  }

  @Test
  void noMessageIsNoMessage() throws IOException {
    for (String log :
        List.of(
            "",
            "\n\n",
            "step 7: 3.00 GiB allocated, 8.00 GiB total capacity\n",
            "{\"OOMKilled\": false}\n")) {
      assertEquals(List.of(), read(log).found());
    }
    assertEquals(0, read("").lines());
    assertEquals(2, read("a\nb").lines());
    assertEquals(2, read("a\nb\n").lines());
  }

  @Test
  void settingsAssignedInTheLogAreTakenAndTheHintIsNot() throws IOException {
    String text = message(Template.V2_11, 0) + "\n";
    assertEquals(OomSettings.UNKNOWN, read(text).settings());
    for (String assignment :
        List.of(
            "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
            "PYTORCH_ALLOC_CONF=\"expandable_segments:True\" python train.py",
            "os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'expandable_segments:True'",
            "os.environ.setdefault(\"PYTORCH_CUDA_ALLOC_CONF\", \"expandable_segments:True\")",
            "{'PYTORCH_HIP_ALLOC_CONF': 'expandable_segments:True'}")) {
      assertEquals(
          new OomSettings("expandable_segments:True", "line 2 of the log"),
          read("begin\n" + assignment + "\n" + text).settings(),
          assignment);
    }
    assertEquals(
        OomSettings.UNKNOWN,
        read("advice: try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid it\n")
            .settings());
  }

  @Test
  void windowsShowsInThePathsOfTheTraceback() throws IOException {
    String trace = "  File \"C:\\ai\\train.py\", line 3, in main\n    y = f(x)\n";
    assertTrue(read(trace + "RuntimeError: " + message(Template.V2_4, 0)).windows());
    assertEquals(false, read(TRACEBACK + message(Template.V2_4, 0)).windows());
  }

  @Test
  void differentMessagesAreKeptUpToABoundAndCountedBeyond() throws IOException {
    StringBuilder log = new StringBuilder();
    for (int i = 0; i < OomLog.MAX_DISTINCT + 50; i++) {
      log.append(message(Template.V2_0, i)).append('\n');
    }
    OomLog.Contents contents = read(log.toString());
    assertEquals(OomLog.MAX_DISTINCT, contents.found().size());
    assertEquals(50, contents.left());
  }

  @Test
  void noiseNeverBreaksTheReader() throws IOException {
    Random random = new Random(7);
    List<String> scraps =
        List.of(
            "CUDA out of memory.",
            "Tried to allocate",
            " 1.00 GiB",
            "99999999999999999999.9 TiB",
            " total capacity;",
            "[rank0]: ",
            "\u001b[",
            "\u001b]0;",
            "\n",
            "\r",
            "\\n",
            "\\x1b[3m",
            "Process 999999999999999999999 has 1 bytes memory in use.",
            " free;",
            "GPU 9999999 has",
            "Allocation on device 0 would exceed allowed memory. (out of memory)",
            "Requested: ",
            "PYTORCH_CUDA_ALLOC_CONF=",
            "a:b",
            "((((",
            "[[[[",
            "0 bytes",
            "and ",
            " is reserved by",
            " PyTorch but unallocated",
            "Of the allocated memory ",
            "preemptively rejected",
            ".");
    for (int round = 0; round < 2000; round++) {
      StringBuilder log = new StringBuilder();
      int parts = random.nextInt(200);
      for (int i = 0; i < parts; i++) {
        switch (random.nextInt(4)) {
          case 0 -> log.append((char) random.nextInt(256));
          case 1 -> log.append(message(Template.V2_11, 0), 0, random.nextInt(300));
          default -> log.append(scraps.get(random.nextInt(scraps.size())));
        }
      }
      byte[] bytes = log.toString().getBytes(StandardCharsets.ISO_8859_1);
      for (OomLog.Found found : OomLog.read(new ByteArrayInputStream(bytes)).found()) {
        OomExplanation explanation =
            OomExplainer.explain(found.message(), OomSettings.UNKNOWN, random.nextBoolean());
        assertTrue(explanation.possible().contains(explanation.verdict()));
        assertTrue(found.line() >= 1);
      }
    }
    byte[] garbage = new byte[1 << 20];
    random.nextBytes(garbage);
    OomLog.read(new ByteArrayInputStream(garbage));
  }

  /** Keeping the lines would take more than a gigabyte of heap. */
  @Test
  void aLargeLogIsNotKept() throws IOException {
    byte[] line =
        ("step 1 loss 2.0 memory 3.1 GiB " + "z".repeat(5000) + "\n")
            .getBytes(StandardCharsets.US_ASCII);
    int copies = 1 + (1 << 30) / line.length;
    List<InputStream> parts =
        new ArrayList<>(
            Collections.nCopies(copies, (InputStream) null).stream()
                .<InputStream>map(_ -> new ByteArrayInputStream(line))
                .toList());
    parts.add(
        new ByteArrayInputStream(message(Template.V2_10, 0).getBytes(StandardCharsets.US_ASCII)));
    OomLog.Contents contents = OomLog.read(new SequenceInputStream(Collections.enumeration(parts)));
    assertEquals("138.00 MiB", only(contents).message().amounts().get(Amount.REQUEST).text());
    assertEquals(copies + 1L, contents.lines());
  }
}
