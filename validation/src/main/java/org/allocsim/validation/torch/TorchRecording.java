package org.allocsim.validation.torch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
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
      expect(json.nextToken(), JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.PROPERTY_NAME) {
        String key = json.currentName();
        JsonToken value = json.nextToken();
        switch (key) {
          case "total_bytes" -> totalBytes = json.getLongValue();
          case "free_bytes_at_start" -> freeBytesAtStart = json.getLongValue();
          case "conf" -> conf = json.getString();
          case "makes_streams" -> makesStreams = json.getBooleanValue();
          case "cases_before" -> casesBefore = json.getIntValue();
          case "forced" -> {
            expect(value, JsonToken.START_ARRAY);
            while (json.nextToken() != JsonToken.END_ARRAY) {
              forcedWaits.add(json.getIntValue());
            }
          }
          case "streams" -> {
            expect(value, JsonToken.START_ARRAY);
            while (json.nextToken() != JsonToken.END_ARRAY) {
              streams.add(json.getLongValue());
            }
          }
          case "oom" -> {
            expect(value, JsonToken.START_ARRAY);
            while (json.nextToken() == JsonToken.START_ARRAY) {
              expect(json.nextToken(), JsonToken.VALUE_NUMBER_INT);
              int allocation = json.getIntValue();
              expect(json.nextToken(), JsonToken.VALUE_STRING);
              failures.add(new Failure(allocation, json.getString()));
              expect(json.nextToken(), JsonToken.END_ARRAY);
            }
          }
          case "stats" -> {
            expect(value, JsonToken.START_OBJECT);
            while (json.nextToken() == JsonToken.PROPERTY_NAME) {
              String name = json.currentName();
              expect(json.nextToken(), JsonToken.VALUE_NUMBER_INT);
              statistics.put(name, json.getLongValue());
            }
          }
          default -> json.skipChildren();
        }
      }
    }

    private static void expect(JsonToken found, JsonToken expected) throws IOException {
      if (found != expected) {
        throw new IOException("it holds " + found + " where " + expected + " belongs");
      }
    }
  }
}
