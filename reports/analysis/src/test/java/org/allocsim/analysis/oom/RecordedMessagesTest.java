package org.allocsim.analysis.oom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.allocsim.analysis.SharedRecordings;
import org.junit.jupiter.api.Test;
import org.tukaani.xz.XZInputStream;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** The messages of PyTorch 2.11 that recorded runs raised on real GPUs. */
class RecordedMessagesTest {
  /** Messages that real models raised, per verdict. */
  @Test
  void everyRecordedModelsMessageGetsItsVerdict() throws IOException {
    Map<String, Map<String, Integer>> verdicts = new TreeMap<>();
    int count = 0;
    for (Path file : files("pytorch-models")) {
      for (String text : messages(file)) {
        count++;
        OomExplanation explanation = explain(text);
        String inside =
            explanation.verdict() != OomVerdict.CAPPED
                ? ""
                : explanation.leftOver().orElseThrow().value() < 0 ? " full" : " fragmented";
        verdicts
            .computeIfAbsent(file.getFileName().toString(), _ -> new TreeMap<>())
            .merge(explanation.verdict() + inside, 1, Integer::sum);
      }
    }
    assertEquals(55, count);
    // With expandable segments the GPU, or the limit, is full when a request fails; without them
    // it mostly is not.
    assertEquals(
        Map.of(
            "device_oom.expandable.json.xz", Map.of("FULL", 2),
            "device_oom.json.xz", Map.of("FRAGMENTED", 2),
            "gpt_oom.expandable.json.xz", Map.of("CAPPED fragmented", 5, "CAPPED full", 10),
            "gpt_oom.json.xz", Map.of("CAPPED fragmented", 19, "CAPPED full", 1),
            "gpt_oom.max_split_64.json.xz", Map.of("CAPPED fragmented", 10, "CAPPED full", 6)),
        verdicts);
  }

  /** Random request sequences ran under a memory fraction on GPUs that were nearly empty. */
  @Test
  void everyRecordedRandomSequencesMessageIsExplained() throws IOException {
    Map<OomVerdict, Integer> verdicts = new TreeMap<>();
    for (Path file : files("pytorch-fuzz")) {
      for (String text : messages(file)) {
        OomExplanation explanation = explain(text);
        assertTrue(explanation.account().isPresent(), text);
        verdicts.merge(explanation.verdict(), 1, Integer::sum);
      }
    }
    assertEquals(Map.of(OomVerdict.CAPPED, 6554), verdicts);
  }

  private static OomExplanation explain(String text) {
    OomMessage message = OomMessageParser.parse(text);
    assertEquals(Wording.V2_11, message.wording(), text);
    return OomExplainer.explain(message, OomSettings.UNKNOWN, false);
  }

  private static List<Path> files(String folder) throws IOException {
    Path recordings = SharedRecordings.folder();
    assumeTrue(
        Files.isDirectory(recordings.resolve(folder)),
        () -> recordings + " is absent: recorded messages are left out");
    try (Stream<Path> files = Files.list(recordings.resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(".json.xz")).sorted().toList();
    }
  }

  /** Every string of the file that is a message. */
  private static List<String> messages(Path file) throws IOException {
    List<String> messages = new ArrayList<>();
    try (InputStream in = new XZInputStream(Files.newInputStream(file));
        JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), in)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.VALUE_STRING && parser.getString().startsWith("CUDA out of")) {
          messages.add(parser.getString());
        }
      }
    }
    return messages;
  }
}
