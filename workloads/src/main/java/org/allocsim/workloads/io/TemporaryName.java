package org.allocsim.workloads.io;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names of files that grow beside their target, {@code .allocsim-PLACE-PID-NUMBER.tmp}. A process
 * that was killed leaves them; the next one that writes into the folder removes them. Machines and
 * containers that share a folder number their processes alike, so only those of one place are
 * compared.
 */
final class TemporaryName {
  private static final String PREFIX = ".allocsim-";
  private static final String PLACE = place();
  private static final Pattern NAME =
      Pattern.compile(Pattern.quote(PREFIX + PLACE) + "-([0-9a-f]{1,15})-[0-9]+\\.tmp");
  private static final AtomicLong NUMBERS = new AtomicLong();
  private static final Set<Path> SEEN = ConcurrentHashMap.newKeySet();

  private TemporaryName() {}

  /** A name that no file of the folder has; what a killed process left there goes. */
  static Path in(Path folder) {
    Path here = folder.toAbsolutePath().normalize();
    if (SEEN.add(here)) {
      removeLeft(here);
    }
    while (true) {
      Path file =
          folder.resolve(
              PREFIX
                  + PLACE
                  + "-"
                  + Long.toHexString(ProcessHandle.current().pid())
                  + "-"
                  + NUMBERS.incrementAndGet()
                  + ".tmp");
      if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        return file;
      }
    }
  }

  /** Removes what processes left that are gone. */
  static void removeLeft(Path folder) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, PREFIX + "*.tmp")) {
      for (Path file : files) {
        Matcher name = NAME.matcher(file.getFileName().toString());
        if (name.matches() && isGone(Long.parseLong(name.group(1), 16))) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException | DirectoryIteratorException _) {
      // Whoever owns them will remove them.
    }
  }

  /** The machine and the space of process numbers in it. */
  private static String place() {
    String place;
    try {
      place =
          Files.readString(Path.of("/proc/sys/kernel/hostname")).strip()
              + Files.readSymbolicLink(Path.of("/proc/self/ns/pid"));
    } catch (IOException | UnsupportedOperationException _) {
      place = "";
    }
    return Integer.toHexString(place.hashCode());
  }

  private static boolean isGone(long pid) {
    return ProcessHandle.of(pid).isEmpty();
  }
}
