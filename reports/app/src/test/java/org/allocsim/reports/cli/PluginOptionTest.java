package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.reports.cli.option.PluginOption;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Policies, formats and programs of jars are known to every command, and bad jars to none. */
class PluginOptionTest {
  private static final String POLICIES = "org.allocsim.simulator.policy.PolicyProvider";
  private static final String FORMATS = "org.allocsim.workloads.format.TraceFormat";
  private static final String PROGRAMS = "org.allocsim.workloads.program.ProgramProvider";
  private static final Path SAMPLE = Path.of("samples/gpt_oom.pickle.xz");

  private static final String TINY_FORMAT =
      """
      package example;
      import java.nio.file.Path;
      import java.util.List;
      import org.allocsim.simulator.trace.*;
      import org.allocsim.workloads.format.*;
      public final class TinyFormat implements TraceFormat {
        public String id() { return "tiny"; }
        public String summary() { return "a file with one request"; }
        public List<String> extensions() { return List.of("tiny"); }
        public boolean recognises(FileStart start) { return start.text().startsWith("TINY"); }
        public TraceFile read(Path file, Progress progress) {
          AllocationTrace.Builder trace = new AllocationTrace.Builder();
          trace.at(0, 0, 0);
          trace.allocate(4 << 20, 0, PoolId.DEFAULT);
          return new TraceFile(
              file.toString(), "0".repeat(64), "tiny",
              trace.build(new StackTable.Builder().build()), List.of());
        }
      }
      """;

  private static final String TINY_PROGRAM =
      """
      package example;
      import java.util.List;
      import org.allocsim.simulator.trace.*;
      import org.allocsim.workloads.program.*;
      public final class TinyProgram implements ProgramProvider {
        public String id() { return "tiny-program"; }
        public String summary() { return "one request"; }
        public List<ProgramOption> options() { return List.of(); }
        public AllocationTrace generate(ProgramValues values, long seed) {
          AllocationTrace.Builder trace = new AllocationTrace.Builder();
          trace.at(0, 0, 0);
          trace.allocate(4 << 20, 0, PoolId.DEFAULT);
          return trace.build(new StackTable.Builder().build());
        }
      }
      """;

  @TempDir private Path work;
  private Path plugins;

  @BeforeEach
  void makeTheFolder() throws IOException {
    plugins = Files.createDirectory(work.resolve("plugins"));
  }

  private static String provider(String members, String id) {
    return """
    package example;
    import java.util.List;
    import org.allocsim.simulator.device.DeviceMemory;
    import org.allocsim.simulator.effect.EffectListener;
    import org.allocsim.simulator.policy.*;
    public final class Provider implements PolicyProvider {
      %s
      public PolicySpec spec() {
        return new PolicySpec("%s", "a policy", "none", List.of());
      }
      public AllocatorPolicy create(
          PolicySettings settings, FutureRequests f, DeviceMemory device, EffectListener listener) {
        throw new UnsupportedOperationException();
      }
    }
    """
        .formatted(members, id);
  }

  private PluginJar policy(String members, String id) throws IOException {
    return new PluginJar(work)
        .source("example.Provider", provider(members, id))
        .service(POLICIES, "example.Provider # the only one\n");
  }

  private CommandRun withPlugins(Object... arguments) {
    Object[] all = new Object[arguments.length + 2];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    all[arguments.length] = "--plugins";
    all[arguments.length + 1] = plugins;
    return CommandRun.of(all);
  }

  private void assertRefused(String cause) {
    CommandRun run = withPlugins("list", "policies");
    assertEquals(ExitCodes.FAILED, run.exitCode(), run.out());
    assertEquals("", run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().startsWith("allocsim: --plugins: " + plugins), run.err());
    assertTrue(run.err().contains(cause), run.err());
  }

  @Test
  void theTemplatePolicyIsListedDescribedAndOnThePage() throws IOException {
    PluginJar.ofTemplate(work, plugins.resolve("template.jar"));
    String summary = "cache of blocks that are reused for exactly their size";
    assertTrue(withPlugins("list", "policies").out().contains("exact-cache"));
    assertTrue(withPlugins("list", "policies", "exact-cache").out().contains("bytes"));
    assertTrue(withPlugins("list", "policies", "--markdown").out().contains(summary));
  }

  @Test
  void theTemplatePolicyReplaysAndIsCompared() throws IOException {
    PluginJar.ofTemplate(work, plugins.resolve("template.jar"));
    CommandRun replay = withPlugins("replay", SAMPLE, "--policy", "exact-cache(unit=2MiB)");
    assertEquals(ExitCodes.DONE, replay.exitCode(), replay.err());
    assertTrue(replay.out().contains("policy  exact-cache"), replay.out());
    CommandRun compared = withPlugins("compare", SAMPLE, "--policies", "direct,exact-cache");
    assertEquals(ExitCodes.DONE, compared.exitCode(), compared.err());
    assertTrue(compared.out().contains("\nexact-cache "), compared.out());
  }

  @Test
  void aSweepRunsPoliciesOfPluginsInAllItsThreads() throws IOException {
    PluginJar.ofTemplate(work, plugins.resolve("template.jar"));
    Path swept = work.resolve("swept");
    CommandRun run =
        withPlugins(
            "sweep", SAMPLE, "--policies", "direct,exact-cache", "--threads", 2, "-o", swept);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(Files.readString(swept.resolve("rows.csv")).contains(",exact-cache,"));
    assertTrue(Files.readString(swept.resolve("sweep.json")).contains("+plugins-"));
  }

  @Test
  void formatsAndProgramsOfPluginsAreReadAndGenerated() throws IOException {
    new PluginJar(work)
        .source("example.TinyFormat", TINY_FORMAT)
        .source("example.TinyProgram", TINY_PROGRAM)
        .service(FORMATS, "example.TinyFormat")
        .service(PROGRAMS, "example.TinyProgram")
        .writeTo(plugins.resolve("tiny.jar"));
    Path file = Files.writeString(work.resolve("one.tiny"), "TINY");
    CommandRun replay = withPlugins("replay", file);
    assertEquals(ExitCodes.DONE, replay.exitCode(), replay.err());
    assertTrue(withPlugins("list", "formats").out().contains("a file with one request"));
    assertTrue(withPlugins("list", "programs").out().contains("tiny-program"));
    CommandRun generated =
        withPlugins("generate", "tiny-program", "-o", work.resolve("generated.jsonl"));
    assertEquals(ExitCodes.DONE, generated.exitCode(), generated.err());
  }

  @Test
  void withoutTheOptionNothingIsKnownOfPlugins() throws IOException {
    PluginJar.ofTemplate(work, plugins.resolve("template.jar"));
    withPlugins("list", "policies");
    assertFalse(CommandRun.of("list", "policies").out().contains("exact-cache"));
  }

  @Test
  void theOptionMayStandBeforeTheCommandAndTheEnvironmentNamesTheFolderOtherwise() {
    Map<String, String> environment = Map.of(PluginOption.VARIABLE, "named");
    assertEquals(
        Optional.of("given"),
        PluginOption.folder(new String[] {"--plugins=given", "list"}, environment));
    assertEquals(
        Optional.of("given"),
        PluginOption.folder(new String[] {"list", "--plugins", "given"}, environment));
    assertEquals(
        Optional.of("named"),
        PluginOption.folder(new String[] {"list", "--", "--plugins"}, environment));
    assertEquals(
        Optional.empty(),
        PluginOption.folder(new String[] {"list"}, Map.of(PluginOption.VARIABLE, " ")));
  }

  @Test
  void aFolderThatIsNotThereOrHoldsNoPluginIsRefused() throws IOException {
    assertRefused("the plugin folder contains no .jar file");
    new PluginJar(work)
        .source("example.Library", "package example; public class Library {}")
        .writeTo(plugins.resolve("library.jar"));
    assertRefused("none of its jars (library.jar) is a plugin");
    plugins = work.resolve("missing");
    assertRefused("no such plugin folder");
    plugins = Files.writeString(work.resolve("file"), "");
    assertRefused("this is a file, not a folder of jars; name its folder");
  }

  @Test
  void anIdThatIsBuiltInIsRefused() throws IOException {
    policy("", "direct").writeTo(plugins.resolve("clash.jar"));
    assertRefused("clash.jar: its policy 'direct' has the id of one that is built in");
  }

  @Test
  void anIdThatTwoJarsHaveIsRefused() throws IOException {
    policy("", "mine").writeTo(plugins.resolve("a.jar"));
    policy("", "mine").writeTo(plugins.resolve("b.jar"));
    assertRefused("b.jar: its policy 'mine' has the id of one in " + plugins.resolve("a.jar"));
  }

  @Test
  void anIdThatCannotBeWrittenOnACommandLineIsRefused() throws IOException {
    policy("", "a(b)").writeTo(plugins.resolve("odd.jar"));
    assertRefused("has the id 'a(b)'; use letters");
  }

  @Test
  void aFileThatIsNoJarIsRefused() throws IOException {
    Files.writeString(plugins.resolve("text.jar"), "no archive");
    assertRefused("text.jar: it cannot be read as a jar");
  }

  @Test
  void aJarThatIsEmptyOrCutIsRefused() throws IOException {
    Path jar = plugins.resolve("damaged.jar");
    Files.write(jar, new byte[0]);
    assertRefused("damaged.jar: it cannot be read as a jar");
    policy("", "mine").writeTo(jar);
    byte[] whole = Files.readAllBytes(jar);
    for (int kept : new int[] {1, 4, whole.length / 2, whole.length - 1}) {
      Files.write(jar, Arrays.copyOf(whole, kept));
      assertRefused("damaged.jar: it cannot be read as a jar");
    }
  }

  /** The list of what a jar has is whole, and what it has is not. */
  @Test
  void aJarWhoseContentIsDamagedIsRefused() throws IOException {
    Path jar = plugins.resolve("damaged.jar");
    policy("", "mine").writeTo(jar);
    byte[] whole = Files.readAllBytes(jar);
    int refused = 0;
    for (int place = 0; place < whole.length; place += 7) {
      byte[] damaged = whole.clone();
      damaged[place] ^= 0x55;
      Files.write(jar, damaged);
      CommandRun run = withPlugins("list", "policies");
      if (run.exitCode() != ExitCodes.DONE) {
        refused++;
        assertEquals(ExitCodes.FAILED, run.exitCode(), run.err());
        assertEquals(1, run.err().lines().count(), run.err());
        assertTrue(run.err().startsWith("allocsim: --plugins: " + plugins), run.err());
        assertTrue(run.err().contains("damaged.jar"), run.err());
      }
    }
    assertTrue(refused > 10, refused + " damages were noticed");
  }

  @Test
  void aServiceFileThatNamesNoClassIsRefused() throws IOException {
    for (String nonsense :
        List.of("not a class", "example/Provider", "\u0000\u0007", "[I", "a..b")) {
      policy("", "mine").service(POLICIES, nonsense).writeTo(plugins.resolve("odd.jar"));
      assertRefused("odd.jar: ");
    }
    policy("", "mine").service(POLICIES, "\n# nothing\n").writeTo(plugins.resolve("odd.jar"));
    assertRefused("none of its jars (odd.jar) is a plugin");
  }

  @Test
  void aClassThatOverflowsTheStackIsRefused() throws IOException {
    policy("static String of(int i) { return of(i + 1); }", "mine\" + of(0) + \"")
        .writeTo(plugins.resolve("deep.jar"));
    assertRefused("deep.jar: class example.Provider fails when instantiated or described");
  }

  @Test
  void aNamedClassThatIsNotInTheJarIsRefused() throws IOException {
    policy("", "mine").without("example.Provider").writeTo(plugins.resolve("hollow.jar"));
    assertRefused("lists class example.Provider, which is not in the jar");
  }

  @Test
  void aClassThatLacksALibraryIsRefused() throws IOException {
    new PluginJar(work)
        .classes(
            Map.of(
                "example/Provider.java",
                provider("private final Library library = new Library();", "mine"),
                "example/Library.java",
                "package example; class Library {}"))
        .without("example.Library")
        .service(POLICIES, "example.Provider")
        .writeTo(plugins.resolve("lacking.jar"));
    assertRefused("class example.Provider needs class example.Library");
  }

  @Test
  void aClassForANewerJavaIsRefused() throws IOException {
    policy("", "mine")
        .classVersion("example.Provider", 44 + Runtime.version().feature() + 1)
        .writeTo(plugins.resolve("newer.jar"));
    assertRefused("is compiled for a newer Java than the current one");
  }

  @Test
  void aClassThatFailsWhenItIsMadeIsRefused() throws IOException {
    policy("{ if (true) throw new IllegalStateException(\"no key\"); }", "mine")
        .writeTo(plugins.resolve("failing.jar"));
    assertRefused("fails when instantiated or described (IllegalStateException: no key)");
  }

  @Test
  void aClassWhoseInitialiserReportsAFailureWithoutACauseIsRefused() throws IOException {
    policy("static { if (true) throw new ExceptionInInitializerError(\"no key\"); }", "mine")
        .writeTo(plugins.resolve("failing.jar"));
    assertRefused("fails when instantiated or described (ExceptionInInitializerError: no key)");
  }

  @Test
  void aClassThatIsPrivateOrOfAnotherKindIsRefused() throws IOException {
    policy("private Provider() {}", "mine").writeTo(plugins.resolve("shy.jar"));
    assertRefused("class example.Provider cannot be instantiated");
    Files.delete(plugins.resolve("shy.jar"));
    policy("", "mine").service(FORMATS, "example.Provider").writeTo(plugins.resolve("other.jar"));
    assertRefused("example.Provider does not implement TraceFormat");
  }

  @Test
  void aJarThatNamesClassesOfAllocsimIsRefused() throws IOException {
    new PluginJar(work)
        .service(POLICIES, "org.allocsim.simulator.policy.direct.DirectProvider")
        .writeTo(plugins.resolve("shaded.jar"));
    assertRefused("DirectProvider, which is part of allocsim");
  }

  @Test
  void everyCommandTakesTheOption() {
    List<String> names = List.copyOf(Commands.installed().keySet());
    assertTrue(names.size() > 20, names.toString());
    for (String name : names) {
      assertTrue(CommandRun.of(name, "--help").out().contains("--plugins=DIR"), name);
    }
  }
}
