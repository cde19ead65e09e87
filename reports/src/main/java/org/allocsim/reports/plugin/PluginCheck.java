package org.allocsim.reports.plugin;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Looks at every jar of a folder before it is used, so that a mistake is reported in one sentence.
 */
final class PluginCheck {
  /** Ids are written on command lines, where other characters separate options. */
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

  private final PluginLoader loader;

  /** Who has an id, by kind and id; null stands for allocsim itself. */
  private final Map<String, Path> owners = new HashMap<>();

  PluginCheck(PluginLoader loader) {
    this.loader = loader;
    for (Extension<?> extension : Extension.ALL) {
      extension.ids(loader.getParent()).forEach(id -> owners.put(key(extension, id), null));
    }
  }

  /**
   * Checks all jars.
   *
   * @throws PluginException for the first that cannot be used, or where none is a plugin
   */
  void check(Path folder) throws PluginException {
    int found = 0;
    for (Path jar : loader.jars()) {
      found += check(jar, Extension.ALL);
    }
    if (found == 0) {
      throw new PluginException(
          folder,
          "none of its jars (%s) is a plugin; a plugin lists its classes in files such as %s"
              .formatted(
                  loader.jars().stream()
                      .map(jar -> jar.getFileName().toString())
                      .collect(Collectors.joining(", ")),
                  Extension.ALL.getFirst().serviceFile()),
          null);
    }
  }

  private int check(Path jar, List<Extension<?>> extensions) throws PluginException {
    int found = 0;
    try (ZipFile file = new ZipFile(jar.toFile())) {
      for (Extension<?> extension : extensions) {
        for (String name : names(file, extension)) {
          check(jar, extension, name);
          found++;
        }
      }
    } catch (IOException e) {
      throw new PluginException(
          jar, "it cannot be read as a jar (" + e.getMessage() + "); copy or build it again", e);
    }
    return found;
  }

  /** The classes that a jar names; the format is that of {@link java.util.ServiceLoader}. */
  private static List<String> names(ZipFile file, Extension<?> extension) throws IOException {
    ZipEntry entry = file.getEntry(extension.serviceFile());
    if (entry == null) {
      return List.of();
    }
    try (InputStream in = file.getInputStream(entry)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.replaceFirst("#.*", "").strip())
          .filter(line -> !line.isEmpty())
          .toList();
    }
  }

  private void check(Path jar, Extension<?> extension, String name) throws PluginException {
    List<?> description = description(jar, extension, name);
    if (description.isEmpty() || description.stream().anyMatch(Objects::isNull)) {
      throw new PluginException(
          jar,
          "class " + name + " has null in its description; return id, summary and options",
          null);
    }
    String id = description.getFirst().toString();
    if (!ID.matcher(id).matches()) {
      throw new PluginException(
          jar,
          "the %s of class %s has the id '%s'; use letters, digits, '.', '_' and '-' only"
              .formatted(extension.word(), name, id),
          null);
    }
    String key = key(extension, id);
    if (owners.containsKey(key)) {
      Path owner = owners.get(key);
      throw new PluginException(
          jar,
          "its %s '%s' has the id of one %s; give it another id%s"
              .formatted(
                  extension.word(),
                  id,
                  owner == null ? "that is built in" : "in " + owner,
                  owner == null ? "" : " or remove one of the two jars"),
          null);
    }
    owners.put(key, jar);
  }

  /** What an object of a class says about itself, or why there is none. */
  private List<?> description(Path jar, Extension<?> extension, String name)
      throws PluginException {
    try {
      Class<?> type = Class.forName(name, true, loader);
      if (type.getClassLoader() != loader) {
        throw new PluginException(
            jar,
            "it lists class " + name + ", which is part of allocsim; build the jar without it",
            null);
      }
      if (!extension.service().isAssignableFrom(type)) {
        throw new PluginException(
            jar,
            "%s does not implement %s; implement it or remove it from %s"
                .formatted(name, extension.service().getSimpleName(), extension.serviceFile()),
            null);
      }
      return extension.describe(make(type));
    } catch (ClassNotFoundException e) {
      throw new PluginException(
          jar,
          "%s lists class %s, which is not in the jar; correct the name or add the class"
              .formatted(extension.serviceFile(), name),
          e);
    } catch (UnsupportedClassVersionError e) {
      throw new PluginException(
          jar,
          ("class %s is compiled for a newer Java than the current one, %s; compile it with"
                  + " --release %s")
              .formatted(name, Runtime.version().feature(), Runtime.version().feature()),
          e);
    } catch (NoClassDefFoundError e) {
      throw new PluginException(
          jar,
          "class %s needs class %s, which cannot be loaded; put its jar into the same folder"
              .formatted(name, String.valueOf(e.getMessage()).replace('/', '.')),
          e);
    } catch (ExceptionInInitializerError e) {
      throw failed(jar, name, Objects.requireNonNullElse(e.getCause(), e));
    } catch (LinkageError e) {
      throw new PluginException(
          jar,
          ("class %s is incompatible with this version of allocsim (%s); recompile it against this"
                  + " version")
              .formatted(name, reason(e)),
          e);
    } catch (InstantiationException | NoSuchMethodException | IllegalAccessException e) {
      throw new PluginException(
          jar,
          "class "
              + name
              + " cannot be instantiated; make it a public class with a public no-argument"
              + " constructor",
          e);
    } catch (InvocationTargetException e) {
      throw failed(jar, name, Objects.requireNonNullElse(e.getCause(), e));
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      throw failed(jar, name, e);
    }
  }

  /** An object of a class; what its constructor cannot find is reported as if the class said so. */
  private static Object make(Class<?> type)
      throws InstantiationException,
          NoSuchMethodException,
          IllegalAccessException,
          InvocationTargetException {
    try {
      return type.getConstructor().newInstance();
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof LinkageError missing) {
        throw missing;
      }
      throw e;
    }
  }

  private static PluginException failed(Path jar, String name, Throwable cause) {
    return new PluginException(
        jar,
        "class %s fails when instantiated or described (%s); fix the class"
            .formatted(name, reason(cause)),
        cause);
  }

  private static String reason(Throwable failure) {
    String kind = failure.getClass().getSimpleName();
    return failure.getMessage() == null ? kind : kind + ": " + failure.getMessage();
  }

  private static String key(Extension<?> extension, String id) {
    return extension.word() + " " + id;
  }
}
