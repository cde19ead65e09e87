package org.allocsim.reports.wing;

import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.output.Failure;

/**
 * The wings of this installation. To find them, Java looks through every jar, so a command of the
 * core must not ask for them, unless a file needs one.
 */
public final class Wings {
  private Wings() {}

  /** All, in the order of their classes' names; plugins add none. */
  private static List<CommandProvider> all() {
    return ServiceLoader.load(CommandProvider.class, Wings.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get)
        .sorted(Comparator.comparing(wing -> wing.getClass().getName()))
        .toList();
  }

  /** The commands of all wings. */
  public static List<Class<?>> commands() {
    return all().stream().<Class<?>>flatMap(wing -> wing.commands().stream()).toList();
  }

  /** What serves requests with KV caches, for a wing that needs it. */
  public static Optional<CacheRecorder> cacheRecorder() {
    return first(ServiceLoader.load(CacheRecorder.class, Wings.class.getClassLoader()));
  }

  /** What says why the GPU of a profile is idle, for answers about a file that has its time. */
  public static Optional<IdleTime> idleTime() {
    return first(ServiceLoader.load(IdleTime.class, Wings.class.getClassLoader()));
  }

  /** The browser's run-time has no {@link ServiceLoader#findFirst}. */
  private static <T> Optional<T> first(Iterable<T> services) {
    Iterator<T> each = services.iterator();
    return each.hasNext() ? Optional.of(each.next()) : Optional.empty();
  }

  /** A command whose wing is not installed, or one that it needs. */
  public static Failure missing(String command) {
    return Failure.usage(
        "%1$s is not part of this installation; use './allocsim %1$s' in a checkout, or bundle all"
                .formatted(command)
            + " commands with './allocsim bundle ARCHIVE.tgz'");
  }

  /** The kinds of documents that these commands write as JSON. */
  public static List<Kind<?>> kinds() {
    return all().stream().<Kind<?>>flatMap(wing -> wing.kinds().stream()).toList();
  }
}
