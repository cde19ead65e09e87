package org.allocsim.analysis.serving.traffic;

import java.util.Arrays;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.ObjectLine;
import org.allocsim.workloads.format.TraceFormatException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Reads requests of Mooncake's JSON lines. */
final class MooncakeReader {
  /** Tokens of a numbered block. */
  static final int BLOCK_TOKENS = 512;

  private static final long MILLISECOND_NANOS = 1_000_000;
  private static final long MOST_MILLISECONDS = Long.MAX_VALUE / MILLISECOND_NANOS;
  private static final String TIMESTAMP = "timestamp";
  private static final String INPUT = "input_length";
  private static final String OUTPUT = "output_length";
  private static final String HASHES = "hash_ids";
  private static final long ABSENT = -1;

  private final LineInput lines;
  private final ObjectLine object;
  private final Traffic.Builder traffic = new Traffic.Builder("mooncake", BLOCK_TOKENS);
  private long milliseconds;
  private long prompt;
  private long output;
  private int[] blocks = new int[256];
  private int blockCount;

  private MooncakeReader(LineInput lines) {
    this.lines = lines;
    object = new ObjectLine(lines, this::field);
  }

  /** Reads a file whose first line was read. */
  static Traffic read(LineInput lines) throws TraceFormatException {
    MooncakeReader reader = new MooncakeReader(lines);
    do {
      if (lines.length() > 0) {
        reader.line();
      }
    } while (lines.next());
    return reader.traffic.build();
  }

  private void line() throws TraceFormatException {
    milliseconds = ABSENT;
    prompt = ABSENT;
    output = ABSENT;
    blockCount = 0;
    object.parse();
    require(TIMESTAMP, milliseconds);
    require(INPUT, prompt);
    require(OUTPUT, output);
    if (traffic.add(lines, milliseconds * MILLISECOND_NANOS, prompt, output)) {
      lines.hold(2L * Integer.BYTES * blockCount);
      for (int i = 0; i < blockCount; i++) {
        traffic.addBlock(blocks[i]);
      }
    }
  }

  private void field(JsonParser json) throws TraceFormatException {
    String name = json.currentName();
    switch (name) {
      case TIMESTAMP -> milliseconds = number(json, name, MOST_MILLISECONDS);
      case INPUT -> prompt = number(json, name, Integer.MAX_VALUE);
      case OUTPUT -> output = number(json, name, Integer.MAX_VALUE);
      case HASHES -> hashes(json);
      default -> {
        json.nextToken();
        json.skipChildren();
      }
    }
  }

  private long number(JsonParser json, String name, long most) throws TraceFormatException {
    if (json.nextToken() == JsonToken.VALUE_NUMBER_INT) {
      long value = json.getLongValue();
      if (value >= 0 && value <= most) {
        return value;
      }
    }
    throw wrong(name, "a whole number from 0 to " + most);
  }

  private void hashes(JsonParser json) throws TraceFormatException {
    if (json.nextToken() != JsonToken.START_ARRAY) {
      throw wrong(HASHES, "a list of whole numbers");
    }
    while (json.nextToken() == JsonToken.VALUE_NUMBER_INT) {
      long number = json.getLongValue();
      if (number < 0 || number > Integer.MAX_VALUE) {
        throw wrong(HASHES, "a list of whole numbers from 0 to " + Integer.MAX_VALUE);
      }
      if (blockCount == blocks.length) {
        blocks = Arrays.copyOf(blocks, blockCount * 2);
      }
      blocks[blockCount++] = (int) number;
    }
    if (json.currentToken() != JsonToken.END_ARRAY) {
      throw wrong(HASHES, "a list of whole numbers");
    }
  }

  private void require(String name, long value) throws TraceFormatException {
    if (value == ABSENT) {
      throw lines.failure("field \"" + name + "\" is missing", "add it");
    }
  }

  private TraceFormatException wrong(String name, String what) {
    return lines.failure("field \"" + name + "\" is not " + what, "correct it");
  }
}
