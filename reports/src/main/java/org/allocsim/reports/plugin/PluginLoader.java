package org.allocsim.reports.plugin;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.allocsim.workloads.format.SimilarPath;

/**
 * Finds the classes in a folder of jars after those of allocsim itself. While it is the context
 * class loader, every command knows the policies, formats and programs of the jars; threads inherit
 * it from the one that starts them.
 */
public final class PluginLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  private final List<Path> jars;

  private PluginLoader(List<Path> jars, ClassLoader parent) throws MalformedURLException {
    super("plugins", urls(jars), parent);
    this.jars = List.copyOf(jars);
  }

  /**
   * A loader of the jars in a folder, each of which was found usable.
   *
   * @param folder its jars are taken in the order of their names; what else is in it does not
   *     matter
   * @throws PluginException where there is none, or where one of them cannot be used
   */
  public static PluginLoader open(Path folder) throws PluginException {
    List<Path> jars = jars(folder);
    try {
      PluginLoader loader = new PluginLoader(jars, Thread.currentThread().getContextClassLoader());
      try {
        new PluginCheck(loader).check(folder);
      } catch (PluginException | RuntimeException | Error e) {
        loader.close();
        throw e;
      }
      return loader;
    } catch (IOException e) {
      throw new PluginException(folder, "cannot be read (" + e.getMessage() + "); check it", e);
    }
  }

  /** The loader that is in use on this thread; empty where no plugins were named. */
  public static Optional<PluginLoader> current() {
    return Thread.currentThread().getContextClassLoader() instanceof PluginLoader loader
        ? Optional.of(loader)
        : Optional.empty();
  }

  /** The jars, by name. */
  public List<Path> jars() {
    return jars;
  }

  private static List<Path> jars(Path folder) throws PluginException {
    if (!Files.isDirectory(folder)) {
      throw new PluginException(
          folder,
          Files.exists(folder)
              ? "this is a file, not a folder of jars; name its folder"
              : "no such plugin folder; " + SimilarPath.remedy(folder),
          null);
    }
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> jars = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
      if (jars.isEmpty()) {
        throw new PluginException(folder, "the plugin folder contains no .jar file; add one", null);
      }
      return jars;
    } catch (IOException e) {
      throw new PluginException(
          folder, "the plugin folder cannot be read; check its permissions", e);
    }
  }

  private static URL[] urls(List<Path> jars) throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (Path jar : jars) {
      urls.add(jar.toUri().toURL());
    }
    return urls.toArray(URL[]::new);
  }
}
