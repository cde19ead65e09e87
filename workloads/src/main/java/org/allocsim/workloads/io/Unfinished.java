package org.allocsim.workloads.io;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What commands of this process have begun to write and not finished: temporary files, and folders
 * that were made for outputs. It goes when the process is asked to stop.
 */
public final class Unfinished {
  private static final Set<Path> FILES = new LinkedHashSet<>();

  /** The innermost first. */
  private static final Deque<Path> FOLDERS = new ArrayDeque<>();

  private static boolean isHooked;
  private static boolean isEnding;

  private Unfinished() {}

  /** Something to do with files while nothing is removed. */
  public interface Step {
    void run() throws IOException;
  }

  /** Makes a file that is not there yet. */
  public interface Opening {
    OutputStream open(Path file) throws IOException;
  }

  /** A temporary file, open and empty. */
  public record Begun(Path file, OutputStream stream) {}

  /** Makes a temporary file in a folder. What a killed process left there goes. */
  public static synchronized Begun begin(Path folder, Opening opening) throws IOException {
    prepare();
    Path file = TemporaryName.in(folder);
    OutputStream stream = opening.open(file);
    FILES.add(file);
    return new Begun(file, stream);
  }

  /**
   * Makes folders for outputs. Where that fails, those that were made go again.
   *
   * @param missing all that are not there yet, the innermost first
   */
  public static synchronized void makeFolders(List<Path> missing, Step making) throws IOException {
    prepare();
    missing.reversed().forEach(FOLDERS::addFirst);
    try {
      making.run();
    } catch (IOException e) {
      removeEmptyFolders();
      throw e;
    }
  }

  /** Gives a file its name, which ends what is to be removed of it. */
  public static synchronized void finish(Path file, Step move) throws IOException {
    prepare();
    move.run();
    FILES.remove(file);
  }

  /** Removes a file that will not be finished. */
  public static synchronized void remove(Path file) throws IOException {
    FILES.remove(file);
    Files.deleteIfExists(file);
  }

  /** Removes folders that were made for outputs and have none. */
  public static synchronized void removeEmptyFolders() {
    for (Path folder : FOLDERS) {
      try {
        Files.deleteIfExists(folder);
      } catch (IOException _) {
        // It is in use.
      }
    }
    FOLDERS.clear();
  }

  /** While the process ends nothing new begins, and nothing is given its name. */
  private static void prepare() {
    if (!isHooked) {
      isHooked = true;
      try {
        Runtime.getRuntime().addShutdownHook(new Thread(Unfinished::end, "unfinished outputs"));
      } catch (IllegalStateException _) {
        isEnding = true;
      }
    }
    while (isEnding) {
      try {
        Unfinished.class.wait();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("the process is ending");
      }
    }
  }

  private static void end() {
    EarlyEnd.await();
    removeAll();
  }

  private static synchronized void removeAll() {
    isEnding = true;
    for (Path file : FILES) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException _) {
        // A full disk may refuse even this.
      }
    }
    removeEmptyFolders();
  }
}
