package org.allocsim.workloads.format;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.allocsim.simulator.service.Services;
import org.allocsim.workloads.io.StoredInput;

/** The trace formats that are installed. */
public final class TraceFormats {
  /** What programs print when a GPU's memory runs out. */
  private static final Pattern OUT_OF_MEMORY =
      Pattern.compile("(?i)out of memory|OutOfMemoryError|RESOURCE_EXHAUSTED");

  private static final Services<TraceFormat> INSTALLED =
      new Services<>(TraceFormat.class, TraceFormat::id);

  private TraceFormats() {}

  /** All formats by ascending id. */
  public static List<TraceFormat> all() {
    return INSTALLED.all();
  }

  /** The format with an id. */
  public static Optional<TraceFormat> named(String id) {
    return INSTALLED.named(id);
  }

  /**
   * The format of a file, by its content.
   *
   * @throws TraceFormatException where the file cannot be read or is of no known format, or where
   *     several could be meant
   */
  public static TraceFormat of(Path file) throws TraceFormatException {
    FileStart start = start(file);
    List<TraceFormat> matches = all().stream().filter(each -> each.recognises(start)).toList();
    if (matches.size() == 1) {
      return matches.getFirst();
    }
    String name = file.toString();
    if (matches.isEmpty()) {
      Optional<ForeignFile> foreign = ForeignFile.of(start);
      if (foreign.isPresent()) {
        throw foreign.get().failure(name);
      }
      if (OUT_OF_MEMORY.matcher(start.text()).find()) {
        throw new TraceFormatException(
            name,
            "",
            "it is a log with an out-of-memory message, not a recording",
            "run 'allocsim explain-oom " + name + "'");
      }
      throw new TraceFormatException(
          name,
          "",
          start.length() == 0 ? "the file is empty" : "unknown trace format",
          "'allocsim list formats' lists the known ones, '--format ID' selects one");
    }
    throw new TraceFormatException(
        name,
        "",
        "it could be any of "
            + matches.stream().map(TraceFormat::id).collect(Collectors.joining(", ")),
        "select one with --format ID");
  }

  /**
   * Whether a format recognises a file.
   *
   * @throws TraceFormatException where it cannot be read
   */
  public static boolean isTrace(Path file) throws TraceFormatException {
    FileStart start = start(file);
    return all().stream().anyMatch(each -> each.recognises(start));
  }

  /**
   * Whether a file is of an encoding that a format recognises and certainly holds something else.
   *
   * @throws TraceFormatException where it cannot be read
   */
  public static boolean isOther(Path file) throws TraceFormatException {
    FileStart start = start(file);
    List<TraceFormat> matches = all().stream().filter(each -> each.recognises(start)).toList();
    return !matches.isEmpty() && matches.stream().allMatch(each -> each.isOther(start));
  }

  /**
   * Refuses files that can be neither a trace nor a text, by what they are, such as a pointer of
   * Git LFS in place of the file.
   *
   * @throws TraceFormatException where it is one of them, or cannot be read
   */
  public static void refuseForeign(Path file) throws TraceFormatException {
    Optional<ForeignFile> foreign = ForeignFile.of(start(file));
    if (foreign.isPresent()) {
      throw foreign.get().failure(file.toString());
    }
  }

  private static FileStart start(Path file) throws TraceFormatException {
    byte[] bytes = new byte[FileStart.MAX_BYTES];
    int length = 0;
    try (InputStream stream = Files.newInputStream(file);
        StoredInput input = StoredInput.of(stream)) {
      int got = 0;
      while (length < bytes.length && got >= 0) {
        got = input.read(bytes, length, bytes.length - length);
        length += Math.max(0, got);
      }
    } catch (NoSuchFileException _) {
      throw TraceFormatException.noSuchFile(file);
    } catch (IOException e) {
      if (length == 0) {
        throw new TraceFormatException(
            file.toString(),
            "",
            e.getMessage() == null
                ? "its compressed data is damaged or truncated"
                : "it cannot be read (" + e.getMessage() + ")",
            "copy it again");
      }
      // What could be read shows the format; its reader will name the damage and its place.
    }
    return new FileStart(Arrays.copyOf(bytes, length));
  }
}
