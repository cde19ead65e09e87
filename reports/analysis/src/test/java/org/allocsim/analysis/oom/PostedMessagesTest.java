package org.allocsim.analysis.oom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.analysis.SharedRecordings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Messages as people post them, each with its truth: {@code -Dallocsim.oom-messages=FOLDER} names
 * the folder, by default {@code ../shared/oom-messages} beside the checkout.
 */
class PostedMessagesTest {
  private static final String UNKNOWN = "unknown";

  @ParameterizedTest
  @ValueSource(strings = {"messages.jsonl", "messages-2.jsonl"})
  void noVerdictIsWrongAndWhatTheTextDecidesIsDecided(String name) throws IOException {
    Path file = folder().resolve(name);
    int recognised = 0;
    int right = 0;
    int decidable = 0;
    int decided = 0;
    List<String> wrong = new ArrayList<>();
    List<String> undecided = new ArrayList<>();
    List<String> lines = Files.readAllLines(file);
    for (String line : lines) {
      Map<String, List<String>> message = fields(line);
      String truth = message.get("truth").getFirst();
      List<String> accepted = message.get("also");
      Optional<OomVerdict> verdict = verdict(message.get("text").getFirst());
      recognised += verdict.isPresent() ? 1 : 0;
      String word = verdict.map(PostedMessagesTest::truth).orElse(UNKNOWN);
      boolean isRight = word.equals(truth) || accepted.contains(word);
      right += isRight ? 1 : 0;
      String where = message.get("id").getFirst() + ": " + word + " instead of " + truth;
      if (!isRight && !word.equals(UNKNOWN)) {
        wrong.add(where);
      }
      if (!truth.equals(UNKNOWN) && !accepted.contains(UNKNOWN)) {
        decidable++;
        decided += isRight ? 1 : 0;
        if (word.equals(UNKNOWN)) {
          undecided.add(where);
        }
      }
    }
    String figures =
        "%d of %d recognised, %d right, %d of %d decided, wrong %s, undecided %s"
            .formatted(recognised, lines.size(), right, decided, decidable, wrong, undecided);
    System.out.println(figures);
    assertEquals(List.of(), wrong, figures);
    assertTrue(decided >= 0.95 * decidable, figures);
  }

  /** The strings of an object, by its keys. */
  private static Map<String, List<String>> fields(String json) {
    Map<String, List<String>> fields = new HashMap<>();
    String name = "";
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), json)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.PROPERTY_NAME) {
          name = parser.currentName();
          fields.put(name, new ArrayList<>());
        } else if (token == JsonToken.VALUE_STRING) {
          fields.get(name).add(parser.getString());
        }
      }
    }
    return fields;
  }

  /** The verdict that the command's exit code is of. */
  private static Optional<OomVerdict> verdict(String text) throws IOException {
    OomLog.Contents contents =
        OomLog.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    if (!contents.found().isEmpty()) {
      return Optional.of(contents.explain(contents.settings()).getFirst().verdict());
    }
    List<BfcDump> dumps = contents.dumps();
    if (!dumps.isEmpty()) {
      return Optional.of(dumps.getFirst().verdict());
    }
    return contents.bare().count() > 0 ? Optional.of(OomVerdict.UNKNOWN) : Optional.empty();
  }

  /** The corpus's word for a verdict. */
  private static String truth(OomVerdict verdict) {
    return switch (verdict) {
      case FULL, SPILLED -> "full";
      case FRAGMENTED, POOL -> "fragmented";
      case CAPPED -> "capped";
      case NOT_ALLOCATOR, ELSEWHERE -> "elsewhere";
      case HOST -> "host";
      case IMPOSSIBLE -> "impossible";
      case UNKNOWN -> UNKNOWN;
    };
  }

  private static Path folder() {
    String named = System.getProperty("allocsim.oom-messages");
    Path folder =
        named == null ? SharedRecordings.folder().resolveSibling("oom-messages") : Path.of(named);
    assumeTrue(Files.exists(folder), "left out: no folder " + folder);
    return folder;
  }
}
