package org.allocsim.reports.output;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Standard output in UTF-8. Where it cannot be written, it fails with a {@link Failure}, which a
 * {@link java.io.PrintWriter} above it passes on, unlike an {@link IOException}. Whoever closes a
 * pipe has read enough: the rest is dropped, and {@code PrintWriter.checkError} tells.
 */
public final class StandardOutput extends Writer {
  private static final Path STANDARD_OUTPUT = Path.of("/proc/self/fd/1");

  private final Writer out;
  private final boolean isOfProcess;
  private boolean isOver;

  /** Writes to a stream that stands for that of the process. */
  public StandardOutput(OutputStream stream) {
    this(stream, false);
  }

  private StandardOutput(OutputStream stream, boolean isOfProcess) {
    out = new OutputStreamWriter(stream, StandardCharsets.UTF_8);
    this.isOfProcess = isOfProcess;
  }

  /** Writes to the standard output of the process. */
  public static StandardOutput ofProcess() {
    return new StandardOutput(new FileOutputStream(FileDescriptor.out), true);
  }

  @Override
  public void write(char[] text, int offset, int length) throws IOException {
    if (!isOver) {
      try {
        out.write(text, offset, length);
      } catch (IOException e) {
        fail(e);
      }
    }
  }

  @Override
  public void flush() throws IOException {
    if (!isOver) {
      try {
        out.flush();
      } catch (IOException e) {
        fail(e);
      }
    }
  }

  /** A failure is reported once; what comes after it goes nowhere. */
  private void fail(IOException cause) throws IOException {
    isOver = true;
    String reason = String.valueOf(cause.getMessage());
    if (reason.equals("Broken pipe") || (isOfProcess && isPipe())) {
      throw cause;
    }
    throw new Failure(
        "standard output cannot be written ("
            + reason
            + "), so the printed output is incomplete; redirect it to a writable place with enough"
            + " space",
        cause);
  }

  /** Errors have names in the language of the user; to write to a pipe fails where it is closed. */
  private static boolean isPipe() {
    try {
      String name = Files.readSymbolicLink(STANDARD_OUTPUT).toString();
      return name.startsWith("pipe:") || name.startsWith("socket:");
    } catch (IOException | InvalidPathException | UnsupportedOperationException _) {
      return false;
    }
  }

  @Override
  public void close() throws IOException {
    flush();
  }
}
