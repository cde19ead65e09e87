package org.allocsim.validation.torch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.json.JsonFactory;

/**
 * What a PyTorch process reports beside its snapshot.
 *
 * @param totalBytes size of the GPU
 * @param freeBytesAtStart free memory of the GPU with the process's context on it
 * @param conf settings that the process was started with
 * @param streams handles of the streams that stand for those of the trace, by their numbers
 * @param makesStreams whether PyTorch had made its streams in the process
 * @param casesBefore cases that the process served before
 * @param forcedWaits allocations during whose requests the allocator waited for the GPU, so that
 *     all streams were let run
 * @param failures requests that failed, in order
 * @param statistics {@code memory_stats()} at the end
 */
public record TorchRecording(
    long totalBytes,
    long freeBytesAtStart,
    String conf,
    List<Long> streams,
    boolean makesStreams,
    int casesBefore,
    List<Integer> forcedWaits,
    List<Failure> failures,
    SortedMap<String, Long> statistics) {
  private static final JsonFactory FACTORY = new JsonFactory();

  private static final Map<JsonToken, String> KINDS =
      Map.of(
          JsonToken.START_OBJECT, "an object",
          JsonToken.START_ARRAY, "a list",
          JsonToken.END_ARRAY, "the end of a list",
          JsonToken.VALUE_STRING, "a text",
          JsonToken.VALUE_NUMBER_INT, "a whole number",
          JsonToken.VALUE_NUMBER_FLOAT, "a fraction",
          JsonToken.VALUE_TRUE, "true",
          JsonToken.VALUE_FALSE, "false",
          JsonToken.VALUE_NULL, "null");

  /**
   * A request that failed.
   *
   * @param allocation its id
   * @param message first line of the error's text
   */
  public record Failure(int allocation, String message) {}

  /** Reads the file that the process wrote. */
  static TorchRecording read(Path file) throws IOException {
    Reader reader = new Reader();
    try (JsonParser json =
        FACTORY.createParser(ObjectReadContext.empty(), Files.newInputStream(file))) {
      reader.read(json);
    } catch (InputCoercionException e) {
      throw new IOException("it is not what PyTorch reports: " + e.getOriginalMessage(), e);
    } catch (JacksonException e) {
      throw new IOException("it is not JSON (" + e.getOriginalMessage() + ")", e);
    }
    return new TorchRecording(
        reader.totalBytes,
        reader.freeBytesAtStart,
        reader.conf,
        List.copyOf(reader.streams),
        reader.makesStreams,
        reader.casesBefore,
        List.copyOf(reader.forcedWaits),
        List.copyOf(reader.failures),
        reader.statistics);
  }

  private static final class Reader {
    private long totalBytes;
    private long freeBytesAtStart;
    private String conf = "";
    private final List<Long> streams = new ArrayList<>();
    private boolean makesStreams;
    private int casesBefore;
    private final List<Integer> forcedWaits = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();
    private final SortedMap<String, Long> statistics = new TreeMap<>();

    void read(JsonParser json) throws IOException {
      expect("it", json.nextToken(), JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String key = json.currentName();
        JsonToken value = json.nextToken();
        switch (key) {
          case "total_bytes" -> totalBytes = number(key, json);
          case "free_bytes_at_start" -> freeBytesAtStart = number(key, json);
          case "conf" -> {
            expect(key, value, JsonToken.VALUE_STRING);
            conf = json.getString();
          }
          case "makes_streams" -> {
            if (value != JsonToken.VALUE_TRUE && value != JsonToken.VALUE_FALSE) {
              throw wrong(key, value, "true or false");
            }
            makesStreams = value == JsonToken.VALUE_TRUE;
          }
          case "cases_before" -> casesBefore = count(key, json);
          case "forced" -> {
            expect(key, value, JsonToken.START_ARRAY);
            while (json.nextToken() != JsonToken.END_ARRAY) {
              forcedWaits.add(count(key, json));
            }
          }
          case "streams" -> {
            expect(key, value, JsonToken.START_ARRAY);
            while (json.nextToken() != JsonToken.END_ARRAY) {
              streams.add(number(key, json));
            }
          }
          case "oom" -> {
            expect(key, value, JsonToken.START_ARRAY);
            while (json.nextToken() != JsonToken.END_ARRAY) {
              expect(key, json.currentToken(), JsonToken.START_ARRAY);
              json.nextToken();
              int allocation = count(key, json);
              expect(key, json.nextToken(), JsonToken.VALUE_STRING);
              failures.add(new Failure(allocation, json.getString()));
              expect(key, json.nextToken(), JsonToken.END_ARRAY);
            }
          }
          case "stats" -> {
            expect(key, value, JsonToken.START_OBJECT);
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
              String name = json.currentName();
              json.nextToken();
              statistics.put(name, number(name, json));
            }
          }
          default -> json.skipChildren();
        }
      }
    }

    private static long number(String key, JsonParser json) throws IOException {
      expect(key, json.currentToken(), JsonToken.VALUE_NUMBER_INT);
      return json.getLongValue();
    }

    private static int count(String key, JsonParser json) throws IOException {
      expect(key, json.currentToken(), JsonToken.VALUE_NUMBER_INT);
      return json.getIntValue();
    }

    private static void expect(String key, @Nullable JsonToken found, JsonToken expected)
        throws IOException {
      if (found != expected) {
        throw wrong(key, found, KINDS.get(expected));
      }
    }

    private static IOException wrong(
        String key, @Nullable JsonToken found, @Nullable String expected) {
      return new IOException(
          "it is not what PyTorch reports: %s is %s where %s belongs"
              .formatted(
                  key.equals("it") ? "the whole" : "'" + key + "'",
                  found == null ? "nothing" : KINDS.getOrDefault(found, "something else"),
                  expected));
    }
  }
}
