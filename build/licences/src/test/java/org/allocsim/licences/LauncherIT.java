package org.allocsim.licences;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./allocsim} of a checkout that has not been built; what builds it only copies here. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
final class LauncherIT {
  private static final String OPTIONS =
      "simulator/src/main/resources/org/allocsim/simulator/jvm.options";

  @TempDir private Path folder;
  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void checkout() throws Exception {
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    Path checkout = Files.createDirectory(folder.resolve("checkout"));
    Files.copy(Ran.ROOT.resolve("allocsim"), checkout.resolve("allocsim"));
    Files.createDirectories(checkout.resolve(OPTIONS).getParent());
    Files.copy(Ran.ROOT.resolve(OPTIONS), checkout.resolve(OPTIONS));
    Files.writeString(checkout.resolve("pom.xml"), "");
    Files.copy(Ran.SAMPLE, folder.resolve("a.pickle.xz"));
    mvnw(
        "mkdir -p reports/app/target/quick/app && cp -r '%s/.' reports/app/target/quick/app"
            .formatted(Ran.ROOT.resolve("reports/app/target/app")));
  }

  private void mvnw(String builds) throws Exception {
    Path mvnw = folder.resolve("checkout/mvnw");
    Files.writeString(mvnw, "#!/bin/sh\nset -e\nsleep 1\n" + builds + "\necho >>builds\n");
    assertTrue(mvnw.toFile().setExecutable(true));
  }

  private long builds() throws Exception {
    return Files.readAllLines(folder.resolve("checkout/builds")).size();
  }

  @Test
  void startsAtOnceBuildOnce() throws Exception {
    Ran ran =
        Ran.script(
            folder,
            environment,
            """
            for each in 1 2 3; do
              checkout/allocsim inspect a.pickle.xz >said.$each 2>&1 &
              jobs="${jobs:-} $!"
            done
            for each in $jobs; do wait $each; done
            grep -h "^sha256" said.1 said.2 said.3
            """);
    assertEquals(3, ran.made().output().lines().count(), ran.output());
    assertEquals(1, builds());
  }

  @Test
  void refusesAHeapInWhichTheJvmWouldNotStart() throws Exception {
    Ran ran =
        Ran.script(
            folder,
            environment,
            """
            for heap in 63m 65535k 4 m 0g 1t; do
              ALLOCSIM_HEAP=$heap checkout/allocsim inspect a.pickle.xz 2>&1 >nothing | tail -n 1
            done
            for heap in 256m 262144K 1g; do
              ALLOCSIM_HEAP=$heap checkout/allocsim inspect a.pickle.xz | grep "^sha256"
            done
            """);
    List<String> lines = ran.made().output().lines().toList();
    assertEquals(9, lines.size(), ran.output());
    for (String refused : lines.subList(0, 6)) {
      assertTrue(refused.startsWith("allocsim: ALLOCSIM_HEAP is "), refused);
      assertTrue(refused.endsWith("at least 64m."), refused);
    }
  }

  @Test
  void aLockOfAProcessThatIsGoneHoldsNobodyUp() throws Exception {
    Path lock = folder.resolve("checkout/target/quick/lock");
    Files.createDirectories(lock);
    Process gone = new ProcessBuilder("true").start();
    gone.waitFor();
    Files.writeString(lock.resolve("pid"), gone.pid() + "\n");
    Ran.script(folder, environment, "checkout/allocsim inspect a.pickle.xz").made();
    assertEquals(1, builds());
  }

  @Test
  void namesBeyondAsciiInTheLocaleC() throws Exception {
    environment.put("LC_ALL", "C");
    Ran ran =
        Ran.script(
            folder,
            environment,
            """
            name=$(printf 'caf\\303\\251 \\346\\226\\207')
            mv checkout "$name"
            mv a.pickle.xz "$name.pickle.xz"
            "$name/allocsim" inspect "$name.pickle.xz"
            """);
    assertTrue(ran.made().output().contains("caf\u00e9 \u6587.pickle.xz"), ran.output());
  }

  @Test
  void aBuildThatFailsNamesItsLog() throws Exception {
    mvnw("echo broken; exit 1");
    Ran ran = Ran.script(folder, environment, "checkout/allocsim inspect a.pickle.xz");
    assertEquals(1, ran.exitCode());
    Path log = folder.resolve("checkout/target/quick/build.log");
    assertTrue(
        ran.output().endsWith("allocsim: the build failed; " + log.toRealPath() + " says why.\n"),
        ran.output());
    assertEquals("broken\n", Files.readString(log));
  }

  @Test
  void whereNothingCanBeWritten() throws Exception {
    String readOnly =
        """
        mkdir -p home
        for each in home checkout; do
          mount --bind $each $each
          mount -o remount,ro,bind $each
        done
        checkout/allocsim inspect a.pickle.xz
        """;
    environment.put("HOME", folder.resolve("home").toString());
    Ran.mounting(folder, environment, readOnly).assertRefused("cannot build, because ");
    Ran.script(folder, environment, "checkout/allocsim inspect a.pickle.xz").made();
    Ran.mounting(folder, environment, readOnly).made();
  }

  @Test
  void commandsOfPythonStartWithoutJava() throws Exception {
    Path python = folder.resolve("python");
    Files.writeString(
        python, "#!/bin/sh\ncase $1 in -c) ;; *) echo \"$PYTHONPATH|$ALLOCSIM|$*\" ;; esac\n");
    assertTrue(python.toFile().setExecutable(true));
    environment.put("ALLOCSIM_PYTHON", python.toString());
    environment.put("ALLOCSIM_JAVA", folder.resolve("nothing").toString());
    Ran ran =
        Ran.script(
            folder,
            environment,
            """
            checkout/allocsim estimate --device l40s -- python 'a b.py'
            checkout/allocsim help record
            PYTHONPATH=mine checkout/allocsim record -- python
            checkout/allocsim advise -- python a.json
            """);
    String checkout = folder.toRealPath().resolve("checkout").toString();
    assertEquals(
        List.of(
            checkout
                + "/workloads/python|"
                + checkout
                + "/allocsim|-m allocsim estimate --device l40s -- python a b.py",
            checkout + "/workloads/python|" + checkout + "/allocsim|-m allocsim record --help",
            checkout
                + "/workloads/python:mine|"
                + checkout
                + "/allocsim|-m allocsim record -- python",
            checkout
                + "/workloads/python|"
                + checkout
                + "/allocsim|-m allocsim advise -- python a.json"),
        ran.made().output().lines().toList());
  }

  @Test
  void commandsOfPythonWithoutPython() throws Exception {
    environment.put("ALLOCSIM_PYTHON", folder.resolve("nothing").toString());
    Ran.script(folder, environment, "checkout/allocsim estimate -- python train.py")
        .assertRefused("estimate needs Python 3.10 or newer and found no ");
    environment.put("ALLOCSIM_PYTHON", "false");
    Ran.script(folder, environment, "checkout/allocsim record -- python train.py")
        .assertRefused("record needs Python 3.10 or newer, which false is not;");
  }

  @Test
  void withoutAHome() throws Exception {
    Ran.script(folder, environment, "unset HOME; checkout/allocsim inspect a.pickle.xz").made();
  }

  @Test
  void withoutJava25() throws Exception {
    Path old = Files.createDirectories(folder.resolve("old/bin")).getParent();
    Files.writeString(old.resolve("release"), "JAVA_VERSION=\"21.0.1\"\n");
    Files.copy(Path.of("/bin/true"), old.resolve("bin/java"));
    environment.put("ALLOCSIM_JAVA", old.toString());
    Ran.script(folder, environment, "checkout/allocsim --version")
        .assertRefused("ALLOCSIM_JAVA names " + old + ", which is not Java 25 or newer.");
    environment.remove("ALLOCSIM_JAVA");
    environment.put("JAVA_HOME", old.toString());
    environment.put("HOME", folder.toString());
    String hidden =
        """
        for each in /usr/lib/jvm /usr/lib64/jvm /usr/java /usr/local/openjdk-* /opt; do
          if [ -d $each ]; then mount -t tmpfs none $each; fi
        done
        checkout/allocsim --version
        """;
    Ran.mounting(folder, environment, hidden)
        .assertRefused(
            "needs Java 25 or newer and found none; install a JDK 25, for example from"
                + " https://adoptium.net, or set ALLOCSIM_JAVA to its bin/java.");
  }
}
