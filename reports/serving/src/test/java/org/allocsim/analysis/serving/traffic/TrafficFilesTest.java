package org.allocsim.analysis.serving.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files of requests, made up here in the forms of the published ones. */
class TrafficFilesTest {
  private static final String BURST =
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n";
  private static final String AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

  @TempDir private Path folder;

  private Traffic read(String text) throws IOException, TraceFormatException {
    return TrafficFiles.read(Files.writeString(folder.resolve("requests"), text), Progress.NONE);
  }

  private static String rows(Traffic traffic) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < traffic.count(); i++) {
      text.append(traffic.arrivalNanos(i))
          .append(' ')
          .append(traffic.promptTokens(i))
          .append(' ')
          .append(traffic.outputTokens(i));
      for (int j = 0; traffic.blockTokens() > 0 && traffic.block(i, j) >= 0; j++) {
        text.append(j == 0 ? " :" : "").append(' ').append(traffic.block(i, j));
      }
      text.append('\n');
    }
    return text.toString();
  }

  @Test
  void burstGptCountsSecondsAndLeavesOutWhatFailed() throws Exception {
    Traffic traffic =
        read(
            BURST
                + "7,ChatGPT,312,19,331,Conversation log\n"
                + "9,GPT-4,88,0,88,API log\n"
                + "12.25,GPT-4,1500,640,2140,Conversation log\r\n"
                + "\n");
    assertEquals("burstgpt", traffic.format());
    assertEquals("0 312 19\n5250000000 1500 640\n", rows(traffic));
    assertEquals(1, traffic.unanswered());
    assertEquals(0, traffic.blockTokens());
  }

  @Test
  void azureHasDatesWithAndWithoutZone() throws Exception {
    Traffic traffic =
        read(AZURE + "2023-12-31 23:59:59.5000000,40,10\n" + "2024-01-01 00:00:00.0000001,50,20\n");
    assertEquals("azure", traffic.format());
    assertEquals("0 40 10\n500000100 50 20\n", rows(traffic));
    assertEquals(
        "0 1 2\n1000000000 3 4\n",
        rows(
            read(
                AZURE
                    + "2024-05-10 00:00:00.009930+00:00,1,2\n"
                    + "2024-05-10 00:00:01.009930+00:00,3,4\n")));
  }

  @Test
  void mooncakeCountsMillisecondsAndNumbersBlocks() throws Exception {
    Traffic traffic =
        read(
            """
            {"timestamp": 50, "input_length": 1100, "output_length": 5, "hash_ids": [0, 1, 2]}
            {"output_length": 7, "hash_ids": [0], "more": {"a": [1]}, "input_length": 9, "timestamp": 53}
            {"timestamp": 53, "input_length": 10, "output_length": 1}
            """);
    assertEquals("mooncake", traffic.format());
    assertEquals(512, traffic.blockTokens());
    assertEquals("0 1100 5 : 0 1 2\n3000000 9 7 : 0\n3000000 10 1\n", rows(traffic));
  }

  @Test
  void compressedFilesAreReadAsThemselves() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write((BURST + "1,a,2,3,5,b\n").getBytes(StandardCharsets.UTF_8));
    }
    Path file = Files.write(folder.resolve("requests.gz"), bytes.toByteArray());
    assertEquals("0 2 3\n", rows(TrafficFiles.read(file, Progress.NONE)));
  }

  @Test
  void columnsMayStandInAnyOrderAndHaveOthersBesideThem() throws Exception {
    assertEquals(
        "0 2 3\n2000000000 4 5\n",
        rows(
            read(
                """
                \uFEFFSession ID,Response tokens,Timestamp,Request tokens
                x,3,1,2
                y,5,3,4
                """)));
  }

  /** The pause after the last request is none of its own. */
  @Test
  void requestsOfNearlyAHundredYearsAreServedOnce() throws Exception {
    Traffic traffic = read(BURST + "0,a,1,2,3,b\n3100000000,a,3,4,7,b\n");
    assertEquals("0 1 2\n3100000000000000000 3 4\n", rows(traffic.repeated(1)));
    assertEquals(
        "requests that span more than a hundred years",
        assertThrows(IllegalArgumentException.class, () -> traffic.repeated(2)).getMessage());
  }

  @Test
  void repetitionsFollowEachOtherAtTheSameRate() throws Exception {
    Traffic traffic = read(BURST + "0,a,1,2,3,b\n10,a,3,4,7,b\n20,a,5,6,11,b\n").repeated(2);
    assertEquals(
        """
        0 1 2
        10000000000 3 4
        20000000000 5 6
        30000000000 1 2
        40000000000 3 4
        50000000000 5 6
        """,
        rows(traffic));
    assertEquals("0 1 2\n10000000000 3 4\n", rows(traffic.first(2)));
  }

  @Test
  void aFasterRateKeepsRequestsAndTheirBlocks() throws Exception {
    Traffic traffic =
        read(
            """
            {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [3, 4]}
            {"timestamp": 100, "input_length": 9, "output_length": 7, "hash_ids": [5]}
            """);
    assertEquals("0 600 5 : 3 4\n25000000 9 7 : 5\n", rows(traffic.faster(4)));
    assertEquals(rows(traffic), rows(traffic.faster(4).faster(0.25)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Timestamp,Request tokens,Response tokens~5,1,2~4,1,2|line 3: the request is earlier than"
            + " the previous line's; sort the file by time.",
        "Timestamp,Request tokens,Response tokens~5,1"
            + "|line 2: the line has 2 fields, the header 3",
        "Timestamp,Request tokens,Response tokens~1e3,1,2"
            + "|line 2: field Timestamp is '1e3', which is not a number of seconds",
        "Timestamp,Request tokens,Response tokens~9999999999,1,2"
            + "|line 2: field Timestamp is '9999999999'",
        "Timestamp,Request tokens,Response tokens~1,-1,2"
            + "|line 2: field Request tokens is '-1', which is not a number below 2^63",
        "Timestamp,Request tokens,Response tokens~1,99999999,2"
            + "|line 2: a request has 99999999 tokens, more than 16777216",
        "Timestamp,Request tokens,Response tokens~1,1,2~8999999999,1,2"
            + "|line 3: the request comes more than a hundred years after the first one",
        "Timestamp,Request tokens,Response tokens~1,0,2|the file has no request with a prompt and"
            + " an output",
        "TIMESTAMP,ContextTokens,GeneratedTokens~yesterday,1,2"
            + "|line 2: field TIMESTAMP is 'yesterday', which is not a time of the form YYYY-MM-DD",
        "TIMESTAMP,ContextTokens,GeneratedTokens~2024-02-30 00:00:00,1,2"
            + "|line 2: field TIMESTAMP is '2024-02-30 00:00:00'",
        "TIMESTAMP,ContextTokens,GeneratedTokens~9999-02-03 00:00:00,1,2"
            + "|which is not a time between 1970 and 2261",
        "Thread,Time,Action|line 1: unknown header for a request file",
        "{\"timestamp\": 1, \"input_length\": 2}|line 1: field \"output_length\" is missing",
        "{\"timestamp\": 1, \"input_length\": 2.5}"
            + "|line 1: field \"input_length\" is not a whole number from 0 to 2147483647",
        "{\"timestamp\": 1, \"hash_ids\": [1, \"a\"]}"
            + "|line 1: field \"hash_ids\" is not a list of whole numbers",
        "{\"timestamp\": 1, \"hash_ids\": [-3]}|field \"hash_ids\" is not a list",
        "{\"timestamp\": 1|line 1: the line is not valid JSON",
        "{} {}|line 1: the line continues after its object",
      })
  void aBadFileIsRefusedWithPlaceCauseAndRemedy(String text, String sentence) {
    TraceFormatException failure =
        assertThrows(TraceFormatException.class, () -> read(text.replace('~', '\n')));
    assertTrue(failure.getMessage().contains(sentence), failure.getMessage());
    assertTrue(failure.getMessage().endsWith("."), failure.getMessage());
  }

  @Test
  void anEmptyFileIsRefused() {
    assertTrue(
        assertThrows(TraceFormatException.class, () -> read("")).getMessage().contains("empty"));
  }
}
