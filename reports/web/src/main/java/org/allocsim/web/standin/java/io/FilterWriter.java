package org.allocsim.web.standin.java.io;

import java.io.IOException;
import java.io.Writer;

/** A writer in front of another one. */
public abstract class FilterWriter extends Writer {
  /** The other writer. */
  protected Writer out;

  /** Writes to another writer. */
  protected FilterWriter(Writer out) {
    this.out = out;
  }

  @Override
  public void write(char[] text, int from, int length) throws IOException {
    out.write(text, from, length);
  }

  @Override
  public void flush() throws IOException {
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
