package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles sources and packs them, and the files that name services, into a jar. */
final class PluginJar {
  /** The template of a policy, which the documentation has. */
  static final Path TEMPLATE = Path.of("../simulator/docs/template-policy/src/main");

  private final Path work;
  private final Map<String, byte[]> entries = new TreeMap<>();

  /**
   * An empty jar.
   *
   * @param work folder for what lies about meanwhile
   */
  PluginJar(Path work) {
    this.work = work;
  }

  /** The jar of the template policy. */
  static Path ofTemplate(Path work, Path jar) throws IOException {
    Map<String, String> sources = new LinkedHashMap<>();
    Path java = TEMPLATE.resolve("java");
    try (Stream<Path> files = Files.walk(java)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        sources.put(java.relativize(file).toString(), Files.readString(file));
      }
    }
    PluginJar plugin = new PluginJar(work).classes(sources);
    Path services = TEMPLATE.resolve("resources/META-INF/services");
    for (String service : CommandRun.files(services)) {
      plugin.service(service, Files.readString(services.resolve(service)));
    }
    return plugin.writeTo(jar);
  }

  /** Adds the classes of sources by file name. */
  PluginJar classes(Map<String, String> sources) throws IOException {
    Path java = Files.createTempDirectory(work, "java");
    Path classes = Files.createTempDirectory(work, "classes");
    for (Map.Entry<String, String> source : sources.entrySet()) {
      Path file = java.resolve(source.getKey());
      Files.createDirectories(file.getParent());
      Files.writeString(file, source.getValue());
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<Path> paths = sources.keySet().stream().map(java::resolve).toList();
      boolean compiled =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of("-proc:none", "-d", classes.toString()),
                  null,
                  files.getJavaFileObjectsFromPaths(paths))
              .call();
      assertTrue(compiled, messages.toString());
    }
    try (Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        entries.put(classes.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
    return this;
  }

  /** Adds one class that has its source for itself. */
  PluginJar source(String className, String source) throws IOException {
    return classes(Map.of(className.replace('.', '/') + ".java", source));
  }

  /** Names classes of a service. */
  PluginJar service(String service, String content) {
    entries.put("META-INF/services/" + service, content.getBytes(StandardCharsets.UTF_8));
    return this;
  }

  /** Leaves a class out. */
  PluginJar without(String className) {
    assertTrue(entries.remove(className.replace('.', '/') + ".class") != null, className);
    return this;
  }

  /** Marks a class as compiled for another Java. */
  PluginJar classVersion(String className, int major) {
    // Bytes 6 and 7 of a class file are its major version.
    byte[] bytes = entries.get(className.replace('.', '/') + ".class");
    bytes[6] = (byte) (major >> 8);
    bytes[7] = (byte) major;
    return this;
  }

  Path writeTo(Path jar) throws IOException {
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
        zip.putNextEntry(new ZipEntry(entry.getKey()));
        zip.write(entry.getValue());
      }
    }
    return jar;
  }
}
