package org.allocsim.reports.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.JobException;
import org.allocsim.reports.cli.option.FigureConverter;
import org.allocsim.reports.cli.option.TenantOption;
import org.allocsim.reports.output.Failure;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFactsReader;
import org.allocsim.workloads.source.SourceUsageException;
import org.allocsim.workloads.source.TraceSource;
import picocli.CommandLine.TypeConversionException;

/**
 * Inputs that are nearly right: their bytes choose among words, types and references, so that they
 * pass the first checks of a reader and reach what lies behind. Each is read, or refused by a
 * sentence.
 */
enum FuzzStructure {
  /** What recorders put into snapshots. */
  FACTS(FuzzStructure::facts),
  /** Databases whose pages share rows and refer to each other. */
  DATABASE(choices -> FuzzTarget.NSYS_SQLITE.accept(database(choices))),
  /** Requests of servers. */
  REQUESTS(choices -> FuzzTarget.SERVED_REQUESTS.accept(utf8(requests(choices)))),
  MODEL(choices -> FuzzTarget.MODEL_CONFIG.accept(utf8(model(choices)))),
  /** Folders of recordings. */
  JOB(FuzzStructure::job),
  /** Processes of {@code share}. */
  TENANT(FuzzStructure::tenant),
  FIGURE(FuzzStructure::figure),
  PROGRAM(FuzzStructure::program);

  private static final int PAGE_BYTES = 512;
  private static final int MAX_PARTS = 6;

  /** Makes and reads an input. */
  @FunctionalInterface
  private interface Reading {
    void read(ByteChoices choices);
  }

  private final Reading reading;

  FuzzStructure(Reading reading) {
    this.reading = reading;
  }

  /** Reads what the bytes choose; the first one chooses the structure. */
  static void read(byte[] input) {
    ByteChoices choices = new ByteChoices(input);
    values()[choices.below(values().length)].read(choices);
  }

  /**
   * Reads what is chosen.
   *
   * @throws AssertionError where it is neither read nor refused
   */
  void read(ByteChoices choices) {
    try {
      reading.read(choices);
    } catch (RuntimeException e) {
      throw new AssertionError(name() + " is neither read nor refused: " + e, e);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String repeated(ByteChoices choices, int most, Supplier<String> part) {
    return IntStream.range(0, choices.below(most + 1))
        .mapToObj(_ -> part.get())
        .reduce((one, two) -> one + "," + two)
        .orElse("");
  }

  /** A number that is likely to be at an end of a range. */
  private static String number(ByteChoices choices) {
    return choices.of(
        "0",
        "1",
        "2",
        "3",
        "16",
        "512",
        "-1",
        "2147483647",
        "2147483648",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "0.5",
        "1e9",
        "1e300",
        "1e999999999",
        "00");
  }

  private static String json(ByteChoices choices) {
    return choices.of(
        number(choices),
        "null",
        "true",
        "\"text\"",
        "\"\"",
        "\"\\u202e\"",
        "[]",
        "{}",
        "[1,2]",
        "[[\"a\"],{}]",
        "{\"a\":[1]}",
        "[{\"device\":0}]");
  }

  /** A value of the right type, or now and then another. */
  private static String json(ByteChoices choices, String right) {
    return choices.rarely(8) ? json(choices) : right;
  }

  private static String field(ByteChoices choices, String name, String right) {
    return "\"" + name + "\":" + json(choices, right);
  }

  private static String object(ByteChoices choices, Supplier<String> field) {
    return "{" + repeated(choices, MAX_PARTS, field) + "}";
  }

  private static String list(ByteChoices choices, Supplier<String> field) {
    return "[" + repeated(choices, MAX_PARTS, () -> json(choices, object(choices, field))) + "]";
  }

  private static String position(ByteChoices choices) {
    return "[%s,%s,%s,%s]"
        .formatted(number(choices), number(choices), number(choices), number(choices));
  }

  private static String fact(ByteChoices choices) {
    String name =
        choices.of(
            "device",
            "name",
            "total_bytes",
            "memory_fraction",
            "memory_fractions",
            "end_position",
            "call",
            "pool",
            "positions",
            "settings",
            "fraction",
            "before_start",
            "address",
            "time_unix_nanos",
            "bytes",
            "category",
            "used_bytes",
            "free_bytes",
            "driver_bytes",
            "process_bytes",
            "memory");
    return field(
        choices,
        name,
        switch (name) {
          case "name", "settings", "category" -> choices.of("\"\"", "\"H100\"", "\"forward\"");
          case "call" ->
              choices.of(
                  "\"settings\"", "\"memory_fraction\"", "\"empty_cache\"", "\"begin_pool\"");
          case "end_position" -> position(choices);
          case "positions" -> "[" + repeated(choices, 3, () -> position(choices)) + "]";
          case "pool" -> "[" + number(choices) + "," + number(choices) + "]";
          case "memory_fractions" -> "[1,0.5]";
          case "before_start" -> choices.of("true", "false");
          case "memory" -> "{\"total\":" + number(choices) + "}";
          default -> number(choices);
        });
  }

  private static void facts(ByteChoices choices) {
    Supplier<String> part =
        () -> {
          String name =
              choices.of(
                  "rank",
                  "pytorch",
                  "settings",
                  "devices",
                  "calls",
                  "stream_uses",
                  "categories",
                  "samples",
                  "collectives",
                  "lost_calls",
                  "version");
          return field(
              choices,
              name,
              switch (name) {
                case "rank", "lost_calls", "version" -> number(choices);
                case "pytorch" -> "\"2.9.1\"";
                case "settings" -> object(choices, () -> field(choices, "PYTORCH", "\"a:1\""));
                default -> list(choices, () -> fact(choices));
              });
        };
    String rest = repeated(choices, MAX_PARTS, part);
    String text = "{\"version\":1" + (rest.isEmpty() ? "" : "," + rest) + "}";
    try {
      RecordedFactsReader.read(text, 16);
    } catch (IllegalArgumentException e) {
      if (e.getMessage() == null || e.getClass() != IllegalArgumentException.class) {
        throw e;
      }
    }
  }

  private static String requests(ByteChoices choices) {
    StringBuilder text = new StringBuilder();
    int format = choices.below(3);
    text.append(
        format == 0
            ? "Timestamp,Request tokens,Response tokens\n"
            : format == 1 ? "TIMESTAMP,ContextTokens,GeneratedTokens\n" : "");
    for (int row = choices.below(MAX_PARTS + 1); row >= 0; row--) {
      text.append(
          switch (format) {
            case 0 -> number(choices) + "," + number(choices) + "," + number(choices);
            case 1 ->
                choices.of(
                        "2023-11-16 18:01:02.1", "2023-02-30 25:61:61", "9999-12-31 23:59:59", "")
                    + ","
                    + number(choices)
                    + ","
                    + number(choices);
            default ->
                "{%s,%s,%s,%s}"
                    .formatted(
                        field(choices, "timestamp", number(choices)),
                        field(choices, "input_length", number(choices)),
                        field(choices, "output_length", number(choices)),
                        field(
                            choices,
                            "hash_ids",
                            "[" + repeated(choices, MAX_PARTS, () -> number(choices)) + "]"));
          });
      text.append('\n');
    }
    return text.toString();
  }

  private static String model(ByteChoices choices) {
    return object(
        choices,
        () ->
            field(
                choices,
                choices.of(
                    "num_hidden_layers",
                    "hidden_size",
                    "intermediate_size",
                    "num_attention_heads",
                    "num_key_value_heads",
                    "head_dim",
                    "vocab_size",
                    "max_position_embeddings",
                    "sliding_window",
                    "num_local_experts",
                    "num_experts_per_tok",
                    "layer_types",
                    "text_config",
                    "torch_dtype"),
                number(choices)));
  }

  /** Pages of tables' rows, of trees, and of what does not fit a page, in any order. */
  private static byte[] database(ByteChoices choices) {
    int pages = 2 + choices.below(MAX_PARTS);
    ByteBuffer bytes = ByteBuffer.allocate(pages * PAGE_BYTES);
    bytes.put(utf8("SQLite format 3\0")).putShort((short) PAGE_BYTES);
    bytes.putInt(56, 1);
    schema(choices, bytes, pages);
    for (int page = 1; page < pages; page++) {
      rows(choices, bytes, page * PAGE_BYTES, 0, pages);
    }
    return bytes.array();
  }

  private static void schema(ByteChoices choices, ByteBuffer bytes, int pages) {
    int end = PAGE_BYTES;
    int tables = 1 + choices.below(2);
    bytes.put(100, (byte) 13).putShort(103, (short) tables);
    for (int table = 0; table < tables; table++) {
      String name =
          choices.of("CUDA_GPU_MEMORY_USAGE_EVENTS", "StringIds", "ENUM_CUDA_MEM_KIND", "x");
      String statement =
          "CREATE TABLE "
              + name
              + choices.of(
                  "(start INT,bytes INT,address INT,memoryOperationType INT,memKind INT)",
                  "(id INTEGER PRIMARY KEY,value TEXT)",
                  "(a)",
                  "(");
      byte[] texts = utf8("table" + name + name + (char) (1 + choices.below(pages)) + statement);
      byte[] header = {
        7, 23, (byte) (13 + 2 * name.length()), (byte) (13 + 2 * name.length()), 1, 0, 0
      };
      int type = 13 + 2 * statement.length();
      header[5] = (byte) (type >> 7 | 0x80);
      header[6] = (byte) (type & 0x7f);
      int size = header.length + texts.length;
      end -= size + 3;
      if (end < 120) {
        return;
      }
      bytes.position(end);
      bytes.put((byte) (size >> 7 | 0x80)).put((byte) (size & 0x7f)).put((byte) (table + 1));
      bytes.put(header).put(texts);
      bytes.putShort(108 + 2 * table, (short) end);
    }
  }

  private static void rows(ByteChoices choices, ByteBuffer bytes, int page, int from, int pages) {
    boolean isLeaf = !choices.rarely(4);
    int count = choices.of(1, 2, 3, 9, 60, 200, 255);
    bytes.put(page + from, (byte) (isLeaf ? 13 : 5));
    bytes.putShort(page + from + 3, (short) count);
    int first = page + from + (isLeaf ? 8 : 12);
    if (!isLeaf) {
      bytes.putInt(page + from + 8, 1 + choices.below(pages + 1));
    }
    int cell = PAGE_BYTES;
    for (int row = 0; row < count && first + 2 * row + 2 < page + PAGE_BYTES; row++) {
      // Now and then a row is the same bytes as the one before it.
      if (!choices.rarely(3) && cell > 300) {
        cell -= 20;
        bytes.position(page + cell);
        if (isLeaf) {
          boolean isLong = choices.rarely(5);
          bytes.put((byte) (isLong ? 0x84 : 14)).put((byte) choices.below(128));
          bytes.put((byte) (int) choices.of(6, 1, 3, 60));
          for (int column = 0; column < 5; column++) {
            bytes.put((byte) (int) choices.of(1, 6, 9, 8, 0, 7, 25, 2));
          }
        } else {
          bytes.putInt(1 + choices.below(pages + 1));
        }
      }
      bytes.putShort(first + 2 * row, (short) cell);
    }
  }

  private static void job(ByteChoices choices) {
    Path folder = null;
    try {
      folder = Files.createTempDirectory(FuzzFolder.get(), "fuzz");
      for (int file = choices.below(MAX_PARTS + 1); file > 0; file--) {
        String name =
            choices.of("", "node0/", "node-1/", "a/b/")
                + choices.of("rank", "rank_", "", "snapshot-", "host1_")
                + choices.of("0", "1", "01", "9999999", "99999999999", "-1", "\u202e")
                + choices.of(".pickle", ".jsonl", ".txt", ".pickle.xz", "/");
        Path path = folder.resolve(name);
        Files.createDirectories(Optional.ofNullable(path.getParent()).orElse(folder));
        if (name.endsWith("/")) {
          Files.createDirectories(path);
        } else if (!Files.exists(path)) {
          Files.writeString(
              path, choices.of("", "{\"allocsim\":\"trace\",\"version\":1}\n", "x", "\u0080"));
        }
      }
      Job.open(folder);
    } catch (JobException | FileAlreadyExistsException _) {
      // Refused, or a name that another one is below.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      delete(folder);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void tenant(ByteChoices choices) {
    StringBuilder text =
        new StringBuilder(choices.of("a.pickle", "a,b.pickle", "", "program:x(y=1)"));
    for (int part = choices.below(MAX_PARTS); part > 0; part--) {
      text.append(',').append(choices.of(TenantOption.WORDS.toArray(String[]::new))).append('=');
      text.append(
          choices.of(
              number(choices) + choices.of("", "s", "GiB", "PiB", "%"),
              "pytorch(conf=expandable_segments:True)",
              "bfc(",
              "exit",
              "hold",
              "NaN",
              "",
              "\u202e"));
    }
    try {
      TenantOption option = TenantOption.parse(text.toString());
      option.policy();
      option.bytes("memory-limit");
      option.bytes("mps-limit");
      option.bytes("context");
      option.bytes("other");
      option.fraction();
      option.startNanos();
      option.exits();
    } catch (Failure _) {
      // Refused.
    }
  }

  private static void figure(ByteChoices choices) {
    String values =
        repeated(
                choices,
                MAX_PARTS,
                () ->
                    choices.of(
                            "width", "height", "size", "font", "dpi", "title", "axis", "from", "to",
                            "name.x", "name.", "x")
                        + choices.of("=", "", "==")
                        + choices.of(number(choices), "\\", "(", ")", "'", "event", "Serif")
                        + choices.of("", "mm", "pt", "in", "ms", "%"))
            .replace(',', ';');
    try {
      new FigureConverter()
          .convert(choices.of("one-column", "slide", "two-columns", "x") + "(" + values + ")");
    } catch (TypeConversionException _) {
      // Refused.
    }
  }

  /** Names and types only: what programs ask for is as large as their options say. */
  private static void program(ByteChoices choices) {
    String values =
        repeated(
                choices,
                MAX_PARTS,
                () ->
                    choices.of("layers", "batch", "steps", "seed", "x", "", "dtype", "hidden")
                        + choices.of("=", "", "=-", "==")
                        + choices.of("x", "", "(", ")", ";", "1e9", "-1", "0", "NaN", "\u202e"))
            .replace(',', ';');
    try {
      TraceSource.open(
          "program:" + choices.of("mlp", "llama", "engine", "x", "", "mlp(") + "(" + values + ")",
          null,
          Progress.NONE);
    } catch (SourceUsageException | TraceFormatException e) {
      if (e.getMessage() == null) {
        throw new AssertionError("refused without a reason", e);
      }
    }
  }
}
