package org.allocsim.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class JvmOptionsTest {
  private static final Pattern METHOD =
      Pattern.compile("-XX:CompileCommand=(?:dont)?inline,([\\w.]+)::(\\w+)");

  /** Flags that follow from the machine's memory: what the heap may grow to, and where it lies. */
  private static final Pattern BOUND =
      Pattern.compile(" (?:MaxRAM|MaxHeapSize|SoftMaxHeapSize|SharedBaseAddress) ");

  /** The compiler is silent about commands for methods that there are not. */
  @Test
  void everyMethodThatTheCompilerIsToldOfExists() throws IOException, ClassNotFoundException {
    List<String> missing = new ArrayList<>();
    int commands = 0;
    for (String line : options()) {
      Matcher method = METHOD.matcher(line);
      if (line.contains("inline,")) {
        assertTrue(method.matches(), line);
        commands++;
        Class<?> owner = Class.forName(method.group(1), false, getClass().getClassLoader());
        String name = method.group(2);
        if (Arrays.stream(owner.getDeclaredMethods()).noneMatch(m -> m.getName().equals(name))) {
          missing.add(line);
        }
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(commands > 10, "commands: " + commands);
  }

  @Test
  void noOptionStandsTwice() throws IOException {
    List<String> options = options();
    assertEquals(options.stream().distinct().toList(), options);
  }

  @Test
  void theHeapBeginsAndGrowsAlikeOnEveryMachine() throws IOException {
    List<String> small = flagsOn("16g");
    assertTrue(small.stream().anyMatch(each -> each.contains("InitialHeapSize")));
    assertEquals(small, flagsOn("128g"));
    assertEquals(small, flagsOn("1024g"));
  }

  private static List<String> flagsOn(String memory) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    URL file = Objects.requireNonNull(JvmOptionsTest.class.getResource("jvm.options"));
    Process process =
        new ProcessBuilder(
                java,
                "@" + Path.of(URI.create(file.toString())),
                "-XX:MaxRAM=" + memory,
                "-XX:+PrintFlagsFinal",
                "-version")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (BufferedReader said = process.inputReader(StandardCharsets.UTF_8)) {
      return said.lines().filter(BOUND.asPredicate().negate()).toList();
    }
  }

  private static List<String> options() throws IOException {
    try (InputStream file = JvmOptionsTest.class.getResourceAsStream("jvm.options")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    }
  }
}
