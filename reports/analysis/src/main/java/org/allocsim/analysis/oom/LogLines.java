package org.allocsim.analysis.oom;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Cuts a log of any size into lines in constant memory.
 *
 * <p>Only ASCII passes: messages contain nothing else, and so UTF-8, UTF-16 and stray bytes need no
 * decoding. Terminal escape sequences are left out. A carriage return ends a line like a line feed;
 * line numbers count line feeds. A line longer than {@link #MAX_CHARS} comes in pieces.
 */
final class LogLines {
  /** Longest piece. */
  static final int MAX_CHARS = 1 << 16;

  private static final int BUFFER_BYTES = 1 << 16;
  private static final int ESCAPE = 0x1b;
  private static final int BELL = 0x07;

  /** Receives the lines. */
  interface Sink {
    /**
     * Takes a line, or a piece of one.
     *
     * @param text the characters, without a line end
     * @param number number of the line, from 1
     * @param continued whether this piece goes on with the line of the last call
     */
    void line(String text, long number, boolean continued);
  }

  private enum State {
    TEXT,
    ESCAPED,
    /** Inside a control sequence such as a colour. */
    CONTROL,
    /** Inside an operating system command such as a window title. */
    COMMAND
  }

  private final Sink sink;
  private final byte[] line = new byte[MAX_CHARS];
  private int length;
  private long number = 1;
  private boolean continued;
  private State state = State.TEXT;

  private LogLines(Sink sink) {
    this.sink = sink;
  }

  /**
   * Reads to the end.
   *
   * @return number of lines
   */
  static long read(InputStream in, Sink sink) throws IOException {
    LogLines lines = new LogLines(sink);
    byte[] buffer = new byte[BUFFER_BYTES];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      for (int i = 0; i < count; i++) {
        lines.accept(buffer[i]);
      }
    }
    boolean open = lines.length > 0 || lines.continued;
    lines.end();
    return open ? lines.number : lines.number - 1;
  }

  private void accept(byte b) {
    if (b == '\n' || b == '\r') {
      state = State.TEXT;
      end();
      if (b == '\n') {
        number++;
      }
    } else if (state != State.TEXT) {
      skip(b);
    } else if (b >= ' ' || b == '\t') {
      if (length == MAX_CHARS) {
        flush();
        continued = true;
      }
      line[length++] = b;
    } else if (b == ESCAPE) {
      state = State.ESCAPED;
    }
  }

  private void skip(byte b) {
    if (b == 0) {
      return;
    }
    state =
        switch (state) {
          case ESCAPED -> b == '[' ? State.CONTROL : b == ']' ? State.COMMAND : State.TEXT;
          case CONTROL -> b >= ' ' && b < '@' ? State.CONTROL : State.TEXT;
          case COMMAND -> b == BELL || b == ESCAPE ? State.TEXT : State.COMMAND;
          case TEXT -> State.TEXT;
        };
  }

  private void end() {
    if (length > 0) {
      flush();
    }
    continued = false;
  }

  private void flush() {
    sink.line(new String(line, 0, length, StandardCharsets.ISO_8859_1), number, continued);
    length = 0;
  }
}
