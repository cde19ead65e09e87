package org.allocsim.licences;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list that {@code -Psbom} makes names what users install, to the byte, and nothing else. */
final class SbomIT {
  private static final Path SBOM = Path.of("target/sbom.json");

  private static final List<String> INSTALLED =
      List.of(
          "reports/target/app/lib",
          "validation/benchmarks/target/part",
          "reports/parquet/target/part");

  private static final Pattern COMPONENT =
      Pattern.compile(
          "\"bom-ref\" : \"pkg:maven/([^/]+)/([^@]+)@([^?\"]+).*?\"SHA-256\",\\s*\"content\" :"
              + " \"([0-9a-f]{64})\"",
          Pattern.DOTALL);

  /** Its classes are those of the library, without what keeps a start from being fast. */
  private static final String PICOCLI = "picocli";

  private static Map<String, String> listed() throws IOException {
    Map<String, String> listed = new TreeMap<>();
    String sbom = Files.readString(SBOM);
    Matcher component = COMPONENT.matcher(sbom.substring(sbom.indexOf("\"components\"")));
    while (component.find()) {
      if (!component.group(1).equals("org.allocsim")) {
        listed.put(component.group(2) + "-" + component.group(3), component.group(4));
      }
    }
    return listed;
  }

  private static Map<String, String> installed() throws Exception {
    Map<String, String> installed = new TreeMap<>();
    for (String folder : INSTALLED) {
      try (Stream<Path> jars = Files.list(Ran.ROOT.resolve(folder))) {
        for (Path jar : jars.toList()) {
          String name = jar.getFileName().toString().replaceFirst("(-linux-x86_64)?\\.jar$", "");
          if (!name.startsWith("allocsim-")) {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar));
            installed.put(name, HexFormat.of().formatHex(digest));
          }
        }
      }
    }
    return installed;
  }

  @Test
  void namesTheJarsThatAreInstalledAndNoOther() throws Exception {
    assumeTrue(Files.exists(SBOM), "there is no " + SBOM + "; -Psbom makes it");
    Map<String, String> listed = listed();
    Map<String, String> installed = installed();
    assertEquals(installed.keySet(), listed.keySet());
    installed.keySet().removeIf(each -> each.startsWith(PICOCLI));
    listed.keySet().removeIf(each -> each.startsWith(PICOCLI));
    assertEquals(installed, listed);
  }
}
