package org.allocsim.licences;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * The list that {@code -Psbom} makes names what users install, to the byte, and nothing else; that
 * of an archive has the Java run-time, too.
 */
final class SbomIT {
  private static final Path SBOM = Path.of("target/sbom.json");

  private static final List<String> INSTALLED =
      List.of(
          "reports/app/target/app/lib",
          "validation/benchmarks/target/part",
          "reports/parquet/target/part");

  private static final Pattern COMPONENT =
      Pattern.compile(
          "\"bom-ref\" : \"pkg:maven/([^/]+)/([^@]+)@([^?\"]+).*?\"SHA-256\",\\s*\"content\" :"
              + " \"([0-9a-f]{64})\"",
          Pattern.DOTALL);

  /** Its classes are those of the library, without what keeps a start from being fast. */
  private static final String PICOCLI = "picocli";

  private static final Pattern RUN_TIME =
      Pattern.compile(
          "\"type\": \"platform\".*?\"name\": \"([^\"]+)\"\\s*}.*?\"version\": \"([^\"]+)\"",
          Pattern.DOTALL);

  @TempDir private Path folder;

  private static Map<String, String> listed(Path list) throws IOException {
    Map<String, String> listed = new TreeMap<>();
    String sbom = Files.readString(list).replace("\": ", "\" : ");
    Matcher component = COMPONENT.matcher(sbom.substring(sbom.indexOf("\"components\"")));
    while (component.find()) {
      if (!component.group(1).equals("org.allocsim")) {
        listed.put(component.group(2) + "-" + component.group(3), component.group(4));
      }
    }
    return listed;
  }

  private static Map<String, String> files(List<Path> folders) throws Exception {
    Map<String, String> installed = new TreeMap<>();
    for (Path folder : folders) {
      try (Stream<Path> jars = Files.list(folder)) {
        for (Path jar : jars.toList()) {
          String name =
              jar.getFileName()
                  .toString()
                  .replaceFirst("(-linux-x86_64)?\\.(jar|so)$", "")
                  .replaceFirst("^libJCudaDriver", "jcuda-natives");
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
    Map<String, String> listed = listed(SBOM);
    Map<String, String> installed = files(INSTALLED.stream().map(Ran.ROOT::resolve).toList());
    assertEquals(installed.keySet(), listed.keySet());
    installed.keySet().removeIf(each -> each.startsWith(PICOCLI));
    listed.keySet().removeIf(each -> each.startsWith(PICOCLI));
    assertEquals(installed, listed);
  }

  @Test
  @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
  void thatOfAnArchiveNamesItsFilesAndItsRunTime() throws Exception {
    assumeTrue(Files.exists(SBOM), "there is no " + SBOM + "; -Psbom makes it");
    Path archive = Ran.bundle(folder);
    Path script = Ran.ROOT.resolve("build/sbom.py");
    Ran.of(folder, Map.of(), "python3", script, SBOM.toAbsolutePath(), archive).made();
    Ran.of(folder, Map.of(), "tar", "-xzf", archive).made();
    Path list = folder.resolve("allocsim.tgz.cdx.json");
    assertEquals(files(List.of(folder.resolve("allocsim/lib"))), listed(list));

    Properties release = new Properties();
    try (Reader reader = Files.newBufferedReader(folder.resolve("allocsim/runtime/release"))) {
      release.load(reader);
    }
    Matcher runTime = RUN_TIME.matcher(Files.readString(list));
    assertTrue(runTime.find());
    assertEquals(release.getProperty("IMPLEMENTOR"), "\"" + runTime.group(1) + "\"");
    assertEquals(release.getProperty("JAVA_RUNTIME_VERSION"), "\"" + runTime.group(2) + "\"");
  }
}
