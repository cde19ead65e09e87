package org.allocsim.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class JvmOptionsTest {
  private static final Pattern METHOD =
      Pattern.compile("-XX:CompileCommand=(?:dont)?inline,([\\w.]+)::(\\w+)");

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

  private static List<String> options() throws IOException {
    try (InputStream file = JvmOptionsTest.class.getResourceAsStream("jvm.options")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isEmpty() && !line.startsWith("#"))
          .toList();
    }
  }
}
