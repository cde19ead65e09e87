package org.allocsim.licences;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** An installation works wherever it lies, and says in one sentence what it lacks. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
final class AnywhereIT {
  private static final Map<String, String> BARE = Map.of();

  @TempDir private static Path packed;

  @TempDir private Path folder;

  @BeforeAll
  static void pack() throws Exception {
    Ran.bundle(packed);
  }

  @BeforeEach
  void install() throws Exception {
    Ran.of(folder, BARE, "tar", "-xzf", packed.resolve("allocsim.tgz")).made();
    Files.copy(Ran.SAMPLE, folder.resolve("a.pickle.xz"));
  }

  private Map<String, String> home() throws Exception {
    Path home = folder.resolve("home");
    Files.createDirectories(home);
    return Map.of("HOME", home.toString());
  }

  @Test
  void namesBeyondAsciiInTheLocaleC() throws Exception {
    Ran ran =
        Ran.script(
            folder,
            Map.of("LC_ALL", "C"),
            """
            name=$(printf 'caf\\303\\251 \\346\\226\\207')
            mkdir "$name"
            mv allocsim "$name/"
            mv a.pickle.xz "$name.pickle.xz"
            "$name/allocsim/allocsim" inspect "$name.pickle.xz"
            "$name/allocsim/allocsim" replay "$name.pickle.xz" --json "$name.json" >/dev/null
            test -s "$name.json"
            """);
    assertTrue(ran.made().output().contains("caf\u00e9 \u6587.pickle.xz"), ran.output());
  }

  @Test
  void numbersAndOptionsInTurkish() throws Exception {
    String script = "allocsim/allocsim tune a.pickle.xz --grid coarse --os linux --json - ";
    String timed = "\"wall_seconds\" *: *[0-9.eE-]+";
    Ran english = Ran.script(folder, BARE, script);
    Ran turkish =
        Ran.script(
            folder, Map.of("ALLOCSIM_JAVA_OPTS", "-Duser.language=tr -Duser.country=TR"), script);
    // No setting helps this program.
    assertEquals(3, english.exitCode(), english.output());
    assertEquals(3, turkish.exitCode(), turkish.output());
    assertEquals(english.output().replaceAll(timed, ""), turkish.output().replaceAll(timed, ""));
  }

  @Test
  void withoutAHome() throws Exception {
    Ran.script(folder, BARE, "allocsim/allocsim replay a.pickle.xz --chart a.png").made();
    assertTrue(Files.size(folder.resolve("a.png")) > 5_000);
  }

  @Test
  void whereNeitherHomeNorInstallationCanBeWritten() throws Exception {
    Ran ran =
        Ran.mounting(
            folder,
            home(),
            """
            mkdir out
            for each in home allocsim; do
              mount --bind $each $each
              mount -o remount,ro,bind $each
            done
            ! touch home/a 2>/dev/null
            allocsim/allocsim replay a.pickle.xz --chart out/a.png
            """);
    ran.made();
    assertTrue(Files.size(folder.resolve("out/a.png")) > 5_000, ran.output());
  }

  /** Java keeps a list of fonts in the home, which is wrong once the fonts are gone. */
  @Test
  void withoutFonts() throws Exception {
    String hide =
        """
        for each in /usr/share/fonts /usr/local/share/fonts /usr/share/X11/fonts; do
          if [ -d $each ]; then mount -t tmpfs none $each; fi
        done
        """;
    String draw = "allocsim/allocsim replay a.pickle.xz --chart a.png";
    for (boolean hadFonts : new boolean[] {false, true}) {
      if (hadFonts) {
        Ran.script(folder, home(), draw);
      }
      Files.deleteIfExists(folder.resolve("a.png"));
      Ran.mounting(folder, home(), hide + draw).assertRefused("this system has no fonts");
      String report = "allocsim/allocsim replay a.pickle.xz --report report";
      Ran said = Ran.mounting(folder, home(), hide + report).made();
      assertTrue(said.output().contains("No charts were drawn"), said.output());
      assertTrue(Files.size(folder.resolve("report/replay.html")) > 5_000);
    }
  }

  @Test
  void onAFullDisk() throws Exception {
    for (String each :
        List.of(
            "replay a.pickle.xz --report disk/of/report",
            "replay a.pickle.xz --events disk/events.jsonl",
            "convert a.pickle.xz -o disk/a.jsonl")) {
      Ran.mounting(
              folder,
              home(),
              """
              mkdir -p disk
              mount -t tmpfs -o size=16k none disk
              code=0
              allocsim/allocsim %s || code=$?
              left=$(ls -A disk)
              test -z "$left" || { echo "$left"; exit 9; }
              exit $code
              """
                  .formatted(each))
          .assertRefused("disk");
    }
  }

  /** What was finished stays, for the next sweep. */
  @Test
  void sweepsOnADiskThatFillsUp() throws Exception {
    for (int kibibytes = 4; kibibytes <= 12; kibibytes += 4) {
      Ran ran =
          Ran.mounting(
              folder,
              home(),
              """
              mkdir -p disk
              mount -t tmpfs -o size=%dk none disk
              code=0
              allocsim/allocsim sweep a.pickle.xz -o disk/swept || code=$?
              find disk -name '.allocsim-*'
              exit $code
              """
                  .formatted(kibibytes));
      ran.assertRefused("-o disk/swept: cannot be written (");
    }
  }
}
