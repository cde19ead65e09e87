package org.allocsim.analysis.fleet.sweep;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Where traces lie and results go. Other processes get it by serialization. */
public interface FleetStorage extends Serializable {
  /** Writes a file's bytes. */
  @FunctionalInterface
  interface Content {
    /** Writes everything; the stream is closed by the caller. */
    void writeTo(OutputStream out) throws IOException;
  }

  /** A file on this machine; closing it removes it where it was made for reading. */
  interface LocalFile extends AutoCloseable {
    /** Where it lies. */
    Path path();

    @Override
    void close();
  }

  /** A regular file; empty where there is none of that name. */
  Optional<FleetFile> file(String name) throws IOException;

  /** Whether there is a folder of that name. */
  boolean isFolder(String name) throws IOException;

  /** All regular files in a folder and those below it; their names begin with the folder's. */
  List<FleetFile> walk(String folder) throws IOException;

  /** Brings a file to this machine. */
  LocalFile fetch(FleetFile file) throws IOException;

  /** Opens a file for reading. */
  InputStream read(String name) throws IOException;

  /**
   * Writes a file, and its folder where that is missing. It appears under its name when it is
   * whole, in place of what was there.
   */
  void write(String name, Content content) throws IOException;

  /** What a user can do about a name that does not exist. */
  default String remedy(String missing) {
    return "check the path";
  }

  /** The name of a file in a folder. */
  default String in(String folder, String file) {
    return folder.endsWith("/") ? folder + file : folder + "/" + file;
  }
}
