package org.allocsim.reports.output;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.allocsim.workloads.format.SimilarPath;
import org.allocsim.workloads.io.Unfinished;
import org.jspecify.annotations.Nullable;

/**
 * The files a command writes. Each is opened, and thereby checked, before the long work begins,
 * grows in a temporary file beside its target and appears under its name only when {@link
 * #commit()} finds every one of them complete. Without a commit, closing leaves nothing behind.
 *
 * <p>The name {@code -} stands for standard output; it and targets that are no regular files
 * (pipes, devices) get their bytes at the commit.
 */
public final class OutputFiles implements AutoCloseable {
  private static final String STANDARD_OUTPUT = "-";

  private final PrintWriter standardOutput;
  private final List<Output> outputs = new ArrayList<>();

  public OutputFiles(PrintWriter standardOutput) {
    this.standardOutput = standardOutput;
  }

  /** Whether standard output belongs to one of the outputs, so that nothing else may go there. */
  public boolean takesStandardOutput() {
    return outputs.stream().anyMatch(output -> output.target.file() == null);
  }

  /**
   * Opens an output.
   *
   * @param option the option that names it, for messages
   * @param name file name, or {@code -}
   * @param input file that is read and must therefore not be written, or null
   * @throws Failure if the target cannot be written
   */
  public Output open(String option, String name, @Nullable Path input) {
    return openApart(option, name, input == null ? List.of() : List.of(input));
  }

  /** As {@link #open(String, String, Path)}, where several files are read. */
  Output openApart(String option, String name, List<Path> inputs) {
    try {
      Target target = Target.of(name);
      for (Path input : inputs) {
        if (target.file() != null
            && Files.exists(target.file())
            && Files.exists(input)
            && Files.isSameFile(target.file(), input)) {
          throw Failure.usage(
              option + " " + name + " would overwrite the input; name another file");
        }
      }
      for (Output other : outputs) {
        if (Objects.equals(other.target.file(), target.file())) {
          throw Failure.usage(
              other.option
                  + " and "
                  + option
                  + " both write to "
                  + name
                  + "; name different files");
        }
      }
      Output output = new Output(option, name, target);
      outputs.add(output);
      return output;
    } catch (IOException e) {
      throw unwritable(option, name, e);
    } catch (InvalidPathException e) {
      throw unwritable(option, name, new IOException("not a file name"));
    }
  }

  /** Puts every output in its place. */
  public void commit() {
    for (Output output : outputs) {
      output.finish();
    }
    // Files take their names last: a pipe or device that fails leaves them absent.
    for (Output output : outputs) {
      if (output.target.isSpecial()) {
        output.publish();
      }
    }
    for (Output output : outputs) {
      if (!output.target.isSpecial()) {
        output.publish();
      }
    }
  }

  /** Removes what was not committed. */
  @Override
  public void close() {
    for (Output output : outputs) {
      output.discard();
    }
    Unfinished.removeEmptyFolders();
  }

  private static Failure unwritable(String option, String name, IOException cause) {
    return new Failure(
        option + ": cannot write " + name + ": " + reason(cause) + "; " + remedy(name), cause);
  }

  /** The folder that was meant where there is none as typed. */
  private static String remedy(String name) {
    String hint = "";
    try {
      Path folder = Path.of(name).getParent();
      hint = folder == null || Files.exists(folder) ? "" : SimilarPath.hint(folder);
    } catch (InvalidPathException _) {
      // No file can have this name, so that none is similar.
    }
    return hint.isEmpty() ? "name a writable file" : hint;
  }

  private static String reason(IOException cause) {
    return switch (cause) {
      case NoSuchFileException _ -> "its folder does not exist";
      case AccessDeniedException _ -> "permission denied";
      case FileSystemException e when e.getReason() != null -> e.getReason();
      case FileSystemException e -> e.getClass().getSimpleName();
      default -> String.valueOf(cause.getMessage());
    };
  }

  /**
   * Where an output goes.
   *
   * @param file the file itself behind any links, or null for standard output
   * @param folder takes the temporary file
   * @param isSpecial whether it is no regular file, so that it gets its bytes at the commit
   */
  private record Target(@Nullable Path file, Path folder, boolean isSpecial) {
    static Target of(String name) throws IOException {
      Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
      if (name.equals(STANDARD_OUTPUT)) {
        return new Target(null, temporary, true);
      }
      if (name.isEmpty()) {
        throw new IOException("the name is empty");
      }
      Path path = Path.of(name).toAbsolutePath().normalize();
      if (Files.isSymbolicLink(path) && !Files.exists(path)) {
        throw new IOException("it is a link to a file that does not exist");
      }
      if (Files.isDirectory(path)) {
        throw new IOException("it is a folder");
      }
      boolean exists = exists(path);
      if (exists && !Files.isWritable(path)) {
        throw new IOException("permission denied");
      }
      Path folder = path.getParent();
      if (folder == null || !Files.isDirectory(folder)) {
        throw new IOException("its folder does not exist");
      }
      Path file = exists ? path.toRealPath() : folder.toRealPath().resolve(path.getFileName());
      boolean isSpecial = exists && !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS);
      return new Target(
          file, isSpecial ? temporary : Objects.requireNonNull(file.getParent()), isSpecial);
    }

    /**
     * Unlike {@link Files#exists}, distinguishes a missing file from a name that no file can have.
     */
    private static boolean exists(Path path) throws IOException {
      try {
        Files.readAttributes(path, BasicFileAttributes.class);
        return true;
      } catch (NoSuchFileException _) {
        return false;
      } catch (FileSystemException e) {
        if (path.getParent() != null && !Files.isDirectory(path.getParent())) {
          return false;
        }
        throw e;
      }
    }
  }

  /** One output. */
  public final class Output {
    private final String option;
    private final String name;
    private final Target target;
    private final Path temporary;
    private OutputStream stream;
    private boolean isMoved;

    private Output(String option, String name, Target target) throws IOException {
      this.option = option;
      this.name = name;
      this.target = target;
      try {
        Unfinished.Begun begun =
            Unfinished.begin(
                target.folder(),
                file -> target.isSpecial() ? newPrivateFile(file) : createBeside(file));
        temporary = begun.file();
        stream = begun.stream();
      } catch (NoSuchFileException e) {
        throw target.isSpecial() ? e : new IOException("no files can be created in its folder");
      }
    }

    /** The folder for temporary files is everybody's, what is in the file is not. */
    private static OutputStream newPrivateFile(Path file) throws IOException {
      boolean hasRights = file.getFileSystem().supportedFileAttributeViews().contains("posix");
      Files.createFile(
          file,
          hasRights
              ? new FileAttribute<?>[] {
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
              }
              : new FileAttribute<?>[0]);
      return Files.newOutputStream(file, StandardOpenOption.TRUNCATE_EXISTING);
    }

    /** A new file with the rights that the user's other new files get. */
    private static OutputStream createBeside(Path file) throws IOException {
      return Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    /** Drops what was written so far. */
    public void restart() {
      try {
        stream.close();
        stream = Files.newOutputStream(temporary, StandardOpenOption.TRUNCATE_EXISTING);
      } catch (IOException e) {
        throw failed(e);
      }
    }

    /** Where the bytes go; unbuffered. */
    public OutputStream stream() {
      return new Guarded(this);
    }

    private Failure failed(IOException cause) {
      return new Failure(
          "%s: writing %s failed (%s); nothing was written under that name"
              .formatted(option, name, reason(cause)),
          cause);
    }

    private void finish() {
      try {
        stream.close();
      } catch (IOException e) {
        throw failed(e);
      }
    }

    private void publish() {
      Path file = target.file();
      try {
        if (file == null) {
          // JSON and its lines are pure ASCII or UTF-8 text, as the command's writer expects.
          try (var reader = Files.newBufferedReader(temporary, StandardCharsets.UTF_8)) {
            reader.transferTo(standardOutput);
          }
          standardOutput.flush();
        } else if (target.isSpecial()) {
          try (OutputStream out = Files.newOutputStream(file, StandardOpenOption.WRITE)) {
            Files.copy(temporary, out);
          }
        } else {
          Unfinished.finish(temporary, () -> move(file));
          isMoved = true;
        }
      } catch (IOException e) {
        throw failed(e);
      }
    }

    private void move(Path file) throws IOException {
      try {
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
      } catch (AtomicMoveNotSupportedException _) {
        Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
      }
    }

    private void discard() {
      if (isMoved) {
        return;
      }
      try {
        try {
          stream.close();
        } finally {
          Unfinished.remove(temporary);
        }
      } catch (IOException _) {
        // A full disk may refuse even this; the command has already failed with its own sentence.
      }
    }
  }

  /** Names the output in every failure to write it. */
  private static final class Guarded extends OutputStream {
    private final Output output;

    Guarded(Output output) {
      this.output = output;
    }

    @Override
    public void write(int b) {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      try {
        output.stream.write(bytes, offset, length);
      } catch (IOException e) {
        throw output.failed(e);
      }
    }

    @Override
    public void flush() {
      try {
        output.stream.flush();
      } catch (IOException e) {
        throw output.failed(e);
      }
    }
  }
}
