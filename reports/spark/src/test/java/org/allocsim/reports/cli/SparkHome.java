package org.allocsim.reports.cli;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * A folder that Spark takes for its installation, made of jars on the class path of the test.
 *
 * @param folder the installation
 * @param classFolders folders on the class path, which no installation can hold
 */
record SparkHome(Path folder, List<Path> classFolders) {
  /** Name or address of this machine for everything that Spark does here. */
  static final String HOST = "127.0.0.1";

  /**
   * Makes one.
   *
   * @param jars which files on the class path it has
   */
  static SparkHome of(Path folder, Predicate<String> jars) throws IOException {
    Path target = Files.createDirectories(folder.resolve("jars"));
    List<Path> classFolders = new ArrayList<>();
    int number = 0;
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path path = Path.of(entry).toAbsolutePath();
      if (Files.isDirectory(path)) {
        classFolders.add(path);
      } else if (Files.exists(path) && jars.test(path.getFileName().toString())) {
        Files.createSymbolicLink(target.resolve(number++ + "-" + path.getFileName()), path);
      }
    }
    return new SparkHome(folder, classFolders);
  }

  /** A Java program with Spark's jars. */
  ProcessBuilder java(List<String> options, String mainClass, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", folder.resolve("jars") + "/*", mainClass));
    command.addAll(arguments);
    return inside(command);
  }

  /** A program in the environment of the installation. */
  ProcessBuilder inside(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("SPARK_HOME", folder.toString());
    builder.environment().put("SPARK_SCALA_VERSION", "2.13");
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("SPARK_LOCAL_IP", HOST);
    return builder;
  }

  /** What Java must open to Spark, as this test was started with it. */
  static List<String> opens() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--add-opens"))
        .toList();
  }
}
