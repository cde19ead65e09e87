package org.allocsim.workloads.format.pytorch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.pickle.PickleInput;
import org.allocsim.workloads.format.pytorch.pickle.TextPool;
import org.allocsim.workloads.format.pytorch.pickle.Vocabulary;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.io.MemoryBudget;
import org.allocsim.workloads.io.StoredInput;

/**
 * Reads PyTorch memory snapshots: pickles of protocol 2 to 5, plain or compressed with gzip, xz or
 * zstd. The file streams through a bounded buffer into columns; nothing in it is ever executed.
 */
public final class SnapshotReader {
  private SnapshotReader() {}

  /**
   * Reads a file.
   *
   * @throws TraceFormatException if it is no snapshot or cannot be read
   */
  public static Snapshot read(Path file, Progress progress) throws TraceFormatException {
    String name = file.toString();
    if (Files.isDirectory(file)) {
      throw new TraceFormatException(
          name, "", "this is a directory", "give one of the snapshot files in it");
    }
    try (InputStream stream = Files.newInputStream(file)) {
      // A pipe has no size.
      return read(stream, name, Files.isRegularFile(file) ? Files.size(file) : -1, progress);
    } catch (NoSuchFileException e) {
      throw TraceFormatException.noSuchFile(file);
    } catch (IOException e) {
      throw PickleInput.unreadable(name, Compression.NONE, e, 0);
    }
  }

  /**
   * Reads a stream, and closes it.
   *
   * @param name name of the source for messages
   * @throws TraceFormatException if it is no snapshot or cannot be read
   */
  public static Snapshot read(InputStream stream, String name, Progress progress)
      throws TraceFormatException {
    return read(stream, name, -1, progress);
  }

  private static Snapshot read(InputStream stream, String name, long size, Progress progress)
      throws TraceFormatException {
    try (StoredInput input = open(stream, name)) {
      return parse(input, name, size, progress);
    } catch (IOException e) {
      throw PickleInput.unreadable(name, Compression.NONE, e, 0);
    } catch (OutOfMemoryError e) {
      TraceFormatException tooLarge =
          new TraceFormatException(
              name,
              "",
              "it does not fit " + (Runtime.getRuntime().maxMemory() >> 20) + " MiB of Java heap",
              "allow more with " + MemoryBudget.HEAP_VARIABLE + ", or record a shorter history");
      tooLarge.initCause(e);
      throw tooLarge;
    }
  }

  private static StoredInput open(InputStream stream, String name) throws TraceFormatException {
    try {
      return StoredInput.ahead(stream);
    } catch (IOException e) {
      throw new TraceFormatException(
          name,
          "",
          "its compressed data is damaged from the start (" + e.getMessage() + ")",
          "copy the file again");
    }
  }

  private static Snapshot parse(StoredInput input, String name, long size, Progress progress)
      throws TraceFormatException {
    PickleInput in = new PickleInput(input, name, size, progress);
    TextPool texts = new TextPool();
    Vocabulary.teach(texts);
    SnapshotBuilder builder = new SnapshotBuilder(texts, in);
    new PickleMachine(in, texts, builder, true).run();
    List<String> notes =
        in.atEnd()
            ? List.of()
            : List.of("data after the end of the pickle (byte " + in.offset() + ") ignored");
    String sha256;
    try {
      sha256 = input.finishDigest();
    } catch (IOException e) {
      throw PickleInput.unreadable(name, Compression.NONE, e, 0);
    }
    progress.update(input.storedBytes(), size);
    return builder.build(name, sha256, notes);
  }
}
