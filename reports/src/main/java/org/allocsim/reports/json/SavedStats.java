package org.allocsim.reports.json;

import java.io.IOException;
import java.io.InputStream;
import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.workloads.io.StoredInput;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads what {@code json.dump(torch.cuda.memory_stats(), file)} writes: an object of whole numbers,
 * alone or under the key {@code "stats"} of a larger object. The file streams; what else is in it
 * is passed over.
 */
public final class SavedStats {
  private static final String NESTED_KEY = "stats";
  private static final int MAX_KEYS = 10_000;
  private static final JsonFactory FACTORY = new JsonFactory();

  private SavedStats() {}

  /**
   * The statistics in a stream, which may be compressed with gzip, xz or zstd.
   *
   * @throws IOException with the cause where it cannot be read or holds no statistics
   */
  public static SortedMap<String, Long> read(InputStream stream) throws IOException {
    try (StoredInput stored = StoredInput.of(stream);
        JsonParser json = FACTORY.createParser(ObjectReadContext.empty(), stored.asStream())) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("it is not a JSON object");
      }
      SortedMap<String, Long> stats = readObject(json, true);
      if (stats.isEmpty()) {
        throw new IOException("it holds no statistics, neither at the top nor under \"stats\"");
      }
      return stats;
    } catch (JacksonException e) {
      throw new IOException(JsonValues.broken(e), e);
    }
  }

  private static SortedMap<String, Long> readObject(JsonParser json, boolean top)
      throws IOException {
    SortedMap<String, Long> stats = new TreeMap<>();
    while (json.nextToken() == JsonToken.PROPERTY_NAME) {
      String key = json.currentName();
      JsonToken value = json.nextToken();
      if (top && key.equals(NESTED_KEY) && value == JsonToken.START_OBJECT) {
        return readObject(json, false);
      }
      if (value == JsonToken.VALUE_NUMBER_INT) {
        if (json.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
          throw new IOException("the value of " + key + " is beyond 2^63");
        }
        if (stats.size() == MAX_KEYS) {
          throw new IOException("it holds more than " + MAX_KEYS + " numbers");
        }
        stats.put(key, json.getLongValue());
      } else {
        json.skipChildren();
      }
    }
    return stats;
  }
}
