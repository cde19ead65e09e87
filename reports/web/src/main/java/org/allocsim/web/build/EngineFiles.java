package org.allocsim.web.build;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.html.ReportPage;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.profile.ShippedProfiles;

/**
 * The files of the program that its engine reads: device profiles, and what pages are made of. They
 * lie beside the engine as one file, an object of their texts by path.
 */
final class EngineFiles {
  private final Map<String, Object> texts = new LinkedHashMap<>();

  /** Reads them all. */
  EngineFiles() throws IOException {
    for (String name : ShippedProfiles.names()) {
      add(ShippedProfiles.class, name + ".json");
    }
    for (DeviceProfile other : ShippedProfiles.others()) {
      add(ShippedProfiles.class, "more/" + other.name() + ".json");
    }
    for (String name : ReportPage.resources()) {
      add(ReportPage.class, name);
    }
  }

  private void add(Class<?> beside, String name) throws IOException {
    texts.put(
        beside.getPackageName().replace('.', '/') + '/' + name,
        new String(read(beside, name), StandardCharsets.UTF_8));
  }

  void write(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      JsonText.write(texts, out);
    }
  }

  /** A file of the program. */
  static byte[] read(Class<?> beside, String name) throws IOException {
    try (InputStream in = beside.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("this installation does not contain the file " + name);
      }
      return in.readAllBytes();
    }
  }
}
