package org.allocsim.licences;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** NOTICE names what users install, with the licences that the libraries state. */
final class NoticeIT {
  private static final Path ROOT = Path.of("../..");

  /** Licences whose terms an Apache-2.0 program that is passed on keeps with NOTICE and texts. */
  private static final Set<String> ALLOWED =
      Set.of("Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "LGPL-2.1-or-later");

  private static final String JMH_LICENCE = "GPL-2.0-only WITH Classpath-exception-2.0";

  private static final Pattern ENTRY = Pattern.compile("(\\S+) {2,}(\\S.*?) {2,}\\S.*");
  private static final Pattern JAR = Pattern.compile("(.+?)-[0-9].*\\.jar");
  private static final Pattern STATED =
      Pattern.compile(" *((?:\\([^()]*(?:\\([^()]*\\)[^()]*)*\\) )+).*\\(([^:]+):([^:]+):.*");
  private static final Pattern LICENCE = Pattern.compile("\\(([^()]*(?:\\([^()]*\\)[^()]*)*)\\) ");

  /** What is installed together: its section of NOTICE, and its folder in the build. */
  enum Place {
    PROGRAM("In every installation", "reports/app/target/app/lib"),
    BENCH("Only where the part bench", "validation/benchmarks/target/part"),
    PARQUET("Only where the part parquet", "reports/parquet/target/part");

    private final String heading;
    private final Path folder;

    Place(String heading, String folder) {
      this.heading = heading;
      this.folder = ROOT.resolve(folder);
    }
  }

  private static List<String> lines(Path file) throws IOException {
    return Files.readAllLines(file);
  }

  /** Licences by the name of the jar, without its version. */
  private static Map<String, String> named(Place place) throws IOException {
    Map<String, String> licences = new TreeMap<>();
    Place section = null;
    for (String line : lines(ROOT.resolve("NOTICE"))) {
      section = line.startsWith("In ") ? null : section;
      for (Place each : Place.values()) {
        section = line.startsWith(each.heading) ? each : section;
      }
      Matcher entry = ENTRY.matcher(line);
      if (section == place && entry.matches()) {
        licences.put(entry.group(1), entry.group(2));
      }
    }
    return licences;
  }

  private static Set<String> installed(Place place) throws IOException {
    Set<String> names = new TreeSet<>();
    try (Stream<Path> jars = Files.list(place.folder)) {
      for (Path jar : jars.toList()) {
        Matcher name = JAR.matcher(jar.getFileName().toString());
        assertTrue(name.matches(), jar + " is no jar with a version");
        if (!name.group(1).startsWith("allocsim-")) {
          names.add(name.group(1));
        }
      }
    }
    return names;
  }

  /** Licences by artifact, as the libraries' POMs state them. */
  private static Map<String, List<String>> stated() throws IOException {
    Map<String, List<String>> licences = new TreeMap<>();
    for (String line : lines(Path.of("target/stated.txt"))) {
      Matcher stated = STATED.matcher(line);
      if (stated.matches()) {
        List<String> of = new ArrayList<>();
        LICENCE.matcher(stated.group(1)).results().forEach(each -> of.add(each.group(1)));
        licences.put(stated.group(3), of);
      }
    }
    return licences;
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void everyInstalledJarIsNamedAndNoOther(Place place) throws IOException {
    assertEquals(installed(place), named(place).keySet());
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void noticeGivesEachLibraryALicenceThatItStates(Place place) throws IOException {
    Map<String, List<String>> stated = stated();
    Map<String, String> named = named(place);
    assertFalse(named.isEmpty());
    named.forEach((jar, licence) ->
        assertTrue(
            stated.getOrDefault(jar, List.of()).contains(licence),
            () -> jar + ": NOTICE says " + licence + ", its POM " + stated.get(jar)));
  }

  @ParameterizedTest
  @EnumSource(Place.class)
  void licencesAreOfTheAllowedOnesAndOnlyTheBenchmarksNeedAnother(Place place) throws IOException {
    Map<String, String> named = named(place);
    if (place == Place.BENCH) {
      assertEquals(JMH_LICENCE, named.remove("jmh-core"));
    }
    named.forEach((jar, licence) -> assertTrue(ALLOWED.contains(licence), jar + ": " + licence));
  }

  /** Apache-2.0 is in LICENSE, 0BSD asks for nothing, the jar of JMH holds its own. */
  @Test
  void textsOfTheLicencesThatAskForItAreShipped() throws IOException {
    Set<String> needed = new TreeSet<>();
    for (Place place : Place.values()) {
      needed.addAll(named(place).values());
    }
    needed.removeAll(Set.of("Apache-2.0", "0BSD", JMH_LICENCE));
    Set<String> texts = new TreeSet<>();
    try (Stream<Path> files = Files.list(Path.of("texts"))) {
      files.forEach(each -> texts.add(each.getFileName().toString().replace(".txt", "")));
    }
    assertTrue(
        texts.contains("LGPL-2.1"), "the text of LGPL-2.1-or-later is that of the version 2.1");
    texts.remove("LGPL-2.1");
    texts.add("LGPL-2.1-or-later");
    assertEquals(needed, texts);
  }
}
