package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.allocsim.analysis.oom.OomVerdict;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.FailureReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Command;

class MainTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "simulate",
        "--nonsense",
        "replay",
        "replay a b",
        "replay t --nonsense",
        "replay t --policy",
        "replay t --policy magic",
        "replay t --memory-fraction 2",
        "replay t --memory-fraction 0.5 --memory-limit 1GiB",
        "replay t --memory-limit 16GB",
        "replay t --device h100-80gb --capacity 16GiB",
        "replay t --device abacus",
        "replay t --capacity 0",
        "replay t --addresses guessed",
        "replay t --device-index x",
        "replay t --torch-version 1.9",
        "replay t --conf a --conf b",
        "replay t --json",
        "verify",
        "verify t --addresses recorded",
        "tune",
        "tune t --top -1",
        "tune t --os amiga",
        "replay t --after-oom perhaps",
        "min-capacity",
        "colocate",
        "fit",
        "lint-conf",
        "lint-conf a --env B=c",
        "fit a8 a16",
        "serve t",
        "inspect",
        "inspect a b",
        "leaks",
        "leaks a b",
        "leaks t --warm-up x",
        "leaks t --iterations",
        "list everything",
        "list policies now",
        "explain-oom a b",
        "explain-oom a --show x",
        "explain-oom a --json",
      })
  void wrongUsageIsOneSentenceAndTwo(String line) {
    CommandRun run = CommandRun.of((Object[]) (line.isEmpty() ? new String[0] : line.split(" ")));
    assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
    assertEquals("", run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().startsWith("allocsim: "), run.err());
    assertTrue(run.err().contains("--help'"), run.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "replay",
        "verify",
        "tune",
        "min-capacity",
        "colocate",
        "fit",
        "serve",
        "lint-conf",
        "leaks",
        "explain-oom",
        "inspect",
        "list",
        "list devices"
      })
  void everyCommandHasHelp(String command) {
    CommandRun run = CommandRun.of((Object[]) (command + " --help").strip().split(" "));
    assertEquals(ExitCodes.DONE, run.exitCode());
    assertEquals("", run.err());
    assertTrue(run.out().startsWith(("Usage: allocsim " + command).strip()), run.out());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "replay",
        "verify",
        "tune",
        "min-capacity",
        "colocate",
        "fit",
        "serve",
        "lint-conf",
        "leaks",
        "explain-oom",
        "inspect",
        "list"
      })
  void helpHasExamples(String command) {
    CommandRun run = CommandRun.of((Object[]) (command + " --help").strip().split(" "));
    assertTrue(run.out().contains("\nExamples:\n  allocsim "), run.out());
  }

  @ParameterizedTest
  @CsvSource({
    "pins program:gpt --at peak, blockers program:gpt --at peak",
    "share program:gpt program:mlp, colocate program:gpt program:mlp",
    "share --help, colocate --help",
    "help pins, help blockers",
    "pins, blockers"
  })
  void formerNamesOfCommandsGoOnWorkingUnlisted(String former, String now) {
    CommandRun expected = CommandRun.of((Object[]) now.split(" "));
    CommandRun run = CommandRun.of((Object[]) former.split(" "));
    assertEquals(expected.exitCode(), run.exitCode());
    assertEquals(seconds(expected.out()), seconds(run.out()));
    assertEquals(expected.err(), run.err());
    String name = former.replaceAll("help |--help| .*", "").strip();
    assertFalse(commandList().contains("\n  " + name + " "), commandList());
  }

  private static String seconds(String text) {
    return text.replaceAll("[0-9.]+ m?s\\b", "SECONDS");
  }

  @Test
  void listAloneSaysWhatThereIsToList() {
    CommandRun run = CommandRun.of("list");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    List<String> lines = run.out().lines().toList();
    assertEquals(5, lines.size(), run.out());
    assertTrue(lines.getFirst().startsWith("allocsim list devices "), run.out());
  }

  @ParameterizedTest
  @CsvSource({
    "xyz t, unknown command 'xyz'; choose from estimate",
    "list everything, unknown command 'everything'; choose from",
    "replay t u, 'u' is an unexpected argument",
    "replay t --capcity 1GiB, unknown option '--capcity'; did you mean '--capacity'?",
    "replay t --addresses x, 'x' is not one of recorded, modelled",
    "replay t --device-index x, 'x' is not an index",
    "replay t --device t4 --capacity 1GiB, allocsim: --device=PROFILE"
  })
  void wrongUsageIsReportedInTermsOfTheCommandLine(String line, String note) {
    String message = CommandRun.of((Object[]) line.split(" ")).err();
    assertTrue(message.contains(note), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tunee t|unknown command 'tunee'|tune",
        "list device|unknown command 'device'|devices",
        "list gpus|unknown command 'gpus'|devices",
        "replay t --device h1000|unknown device 'h1000'|h100-80gb",
        "replai --help|unknown command 'replai'|replay",
        "--help replai|unknown command 'replai'|replay",
        "list device --help|unknown command 'device'|devices",
        "list policies pytorh|'pytorh' is not a policy|pytorch",
        "list programs rezsnet|unknown program: rezsnet|resnet",
        "list schemas allocsim-tun-2|unknown schema: allocsim-tun-2|allocsim-tune-3",
        "list devices rtx4091|unknown device 'rtx4091'|rtx-4090",
        "replay program:gtp|unknown program: gtp|gpt",
        "replay program:gpt(iteration=1)|program gpt has no option iteration|iterations",
        "generate gpt --option iterations=1 --to jsnol|--to jsnol cannot be written|jsonl",
        "replay program:gpt --conf"
            + " expandable_segment:True|'expandable_segment'|expandable_segments",
        "replay program:gpt --conf expandable_segments:true|but got 'true'|True",
        "replay program:gpt --conf backend:cudamallocasync|Unknown allocator"
            + " backend|cudaMallocAsync",
        "replay t --addresses modeled|'modeled' is not one of recorded, modelled|modelled",
        "tune t --os linus|'linus' is not one of linux, windows, wsl|linux",
        "compare program:mlp --policies rmm-pol|'rmm-pol' is not a policy|rmm-pool",
        "compare program:mlp --policies rmm-pool(initail=1GiB)|policy rmm-pool has no option"
            + " 'initail'|initial",
        "blockers t --at pek|'pek' is not a moment|peak",
        "suite inference-mod|'inference-mod' is not a scenario|",
        "diagnos t|unknown command 'diagnos'|diagnose",
        "explian-oom t|unknown command 'explian-oom'|explain-oom",
        "min-capcity t|unknown command 'min-capcity'|min-capacity",
        "list polices|unknown command 'polices'|policies",
        "replay t --policy pytorh|'pytorh' is not a policy|pytorch",
        "compare program:mlp --policies bcf|'bcf' is not a policy|bfc",
        "replay program:mlp --conf max_split_size:64|'max_split_size'|max_split_size_mb",
        "replay program:mlp --conf"
            + " roundup_power2_division:4|'roundup_power2_division'|roundup_power2_divisions",
        "replay t --device rtx-4900|unknown device 'rtx-4900'|rtx-4090",
        "generate lama_generate -o t|unknown program: lama_generate|llama-generate",
        "tune t --grid fien|'fien' is not one of coarsest, coarse, usual, fine|fine",
        "replay t --after-oom contine|'contine' is not one of stop, continue|continue",
        "replay t --insert empty_cach@every:3|'empty_cach@every:3' is not one"
            + " of|empty_cache@every:N",
        "diff --by categry t u|'categry' is not one of stack, size, phase, category|category",
        "check t --max-reservd 2GiB|unknown option '--max-reservd'|--max-reserved",
        "convert program:mlp -o t.jsnol|t.jsnol: the name has no known extension|jsonl",
        "serve t --model llama-3.1-8|llama-3.1-8|llama-3.1-8b",
        "serve t --model yi-6b --cache jengo|unknown cache 'jengo'|jenga",
        "bench --only reply|--only reply is not a part|replay"
      })
  void aMistypedNameIsAnsweredWithTheSimilarOne(String line, String what, String meant) {
    CommandRun run = CommandRun.of((Object[]) line.split(" "));
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains(what), run.err());
    assertTrue(meant == null || run.err().contains("; did you mean '" + meant + "'?\n"), run.err());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "blockers|--at|1 048",
        "replay|--insert|empty_cache@request:1 048",
        "replay|--capacity|1,073,741,824"
      })
  void numbersArePastedAsTheyArePrinted(String command, String option, String number) {
    String program = "program:gpt(iterations=4;width=1 024)";
    String digits = number.replaceAll("(?<=[0-9])[ ,_]", "");
    CommandRun plain = CommandRun.of(command, program, option, digits);
    CommandRun pasted = CommandRun.of(command, program, option, number);
    assertEquals(ExitCodes.DONE, plain.exitCode(), plain.err());
    assertEquals(plain.out(), pasted.out());
  }

  @Test
  void commandsAreListedWithWholeSentences() {
    List<String> lines = commandList().lines().filter(line -> line.startsWith(" ")).toList();
    assertTrue(lines.size() > 20, lines.toString());
    assertTrue(lines.stream().allMatch(line -> line.matches("  [a-z-]+ +[A-Z].*\\.")), "" + lines);
  }

  @Test
  void helpGroupsCommandsByWhatTheyAreFor() {
    LinkedHashMap<String, List<String>> groups = new LinkedHashMap<>();
    for (String line : commandList().lines().filter(each -> !each.isEmpty()).toList()) {
      if (line.startsWith(" ")) {
        groups.lastEntry().getValue().add(line.strip().split(" ")[0]);
      } else {
        groups.put(line, new ArrayList<>());
      }
    }
    assertEquals(
        List.of(
            "Run a PyTorch program:",
            "Diagnose a run:",
            "Choose settings, allocator and GPU:",
            "Look:",
            "Convert and generate traces:",
            "Validate results:"),
        List.copyOf(groups.keySet()));
    assertEquals(List.of("estimate", "advise", "record"), groups.get("Run a PyTorch program:"));
    assertEquals("diagnose", groups.get("Diagnose a run:").getFirst());
    assertEquals(List.of("view", "inspect", "list"), groups.get("Look:"));
    assertEquals(
        List.of("convert", "generate", "transform"), groups.get("Convert and generate traces:"));
  }

  @Test
  void everyCommandIsInOneGroup() {
    List<String> listed =
        Commands.installed().values().stream().map(Class::getSimpleName).sorted().toList();
    Set<String> below =
        Commands.installed().values().stream()
            .flatMap(each -> Stream.of(each.getAnnotation(Command.class).subcommands()))
            .map(Class::getName)
            .collect(Collectors.toSet());
    List<String> commands =
        new ClassFileImporter()
            .importPackagesOf(Main.class).stream()
                .filter(each -> each.isAnnotatedWith(Command.class) && each.isTopLevelClass())
                .filter(each -> !below.contains(each.getName()))
                .map(JavaClass::getSimpleName)
                .filter(name -> !name.equals("Main"))
                .sorted()
                .toList();
    assertEquals(commands, listed);
  }

  @Test
  void everyCommandIsInstalledUnderItsName() {
    assertEquals(CommandGroup.names().toList(), List.copyOf(Commands.installed().keySet()));
    Commands.installed().forEach((name, command) -> assertEquals(name, Commands.nameOf(command)));
  }

  @Test
  void commandsOfPythonAreKnownAndSayWhereTheyAre() {
    for (String name : List.of("advise", "estimate", "record")) {
      String help = CommandRun.of(name, "--help").out();
      assertTrue(help.contains("-- python train.py"), help);
      CommandRun run = CommandRun.of(name, "--steps", "3", "--", "python", "train.py", "--lr=1");
      assertEquals(ExitCodes.FAILED, run.exitCode());
      assertTrue(run.err().contains(name + " needs the Python package"), run.err());
      assertTrue(run.err().contains("pip install allocsim"), run.err());
      assertEquals(1, run.err().lines().count(), run.err());
    }
    assertTrue(CommandRun.of("estimat").err().contains("did you mean 'estimate'?"));
    assertTrue(CommandRun.of("rekord").err().contains("did you mean 'record'?"));
  }

  @Test
  void helpWithACommandIsTheHelpOfTheCommand() {
    for (String name : List.of("record", "estimate", "replay")) {
      CommandRun run = CommandRun.of("help", name);
      assertEquals(ExitCodes.DONE, run.exitCode());
      assertEquals(CommandRun.of(name, "--help").out(), run.out());
    }
    assertEquals(CommandRun.of("--help").out(), CommandRun.of("help").out());
    assertTrue(CommandRun.of("help", "replai").err().contains("did you mean 'replay'?"));
  }

  private static String commandList() {
    String help = CommandRun.of("--help").out();
    return help.substring(help.indexOf("Run a PyTorch program:"), help.indexOf("\nExit codes:"));
  }

  @Test
  void helpListsTheExitCodes() {
    String help = CommandRun.of("--help").out();
    assertTrue(help.contains("3       a check failed"), help);
    IntSummaryStatistics verdicts =
        IntStream.concat(
                Arrays.stream(OomVerdict.values()).mapToInt(ExitCodes::of),
                IntStream.of(ExitCodes.NO_NUMBERS))
            .summaryStatistics();
    assertTrue(help.contains(verdicts.getMin() + "-" + verdicts.getMax() + "   verdicts"), help);
  }

  @Test
  void theVersionIsReported() {
    CommandRun run = CommandRun.of("--version");
    assertEquals(ExitCodes.DONE, run.exitCode());
    assertTrue(run.out().startsWith("allocsim "), run.out());
  }

  @Test
  void sizesAreRefusedWithARemedy() {
    String message = CommandRun.of("replay", "t", "--capacity", "16GB").err();
    assertTrue(message.contains("--capacity"), message);
    assertTrue(message.contains("write 16GiB for multiples of 1024"), message);
  }

  @Test
  void unknownDevicesAreAnsweredWithTheKnownOnes() {
    String message = CommandRun.of("replay", "t", "--device", "abacus").err();
    assertTrue(message.contains("h100-80gb"), message);
  }

  @Test
  void anUnexpectedExceptionIsADefectInOneLine() {
    String report = report(new IllegalStateException("the block\nis gone"), false, 1);
    assertEquals(1, report.lines().count(), report);
    assertTrue(report.contains("IllegalStateException (the block is gone)"), report);
    assertTrue(report.contains("this is a bug"), report);
    assertTrue(report.contains("ALLOCSIM_DEBUG=1"), report);
  }

  @Test
  void debuggingShowsTheTrace() {
    String report = report(new IllegalStateException("x"), true, 1);
    assertTrue(report.contains("at org.allocsim.reports.cli.MainTest"), report);
  }

  @Test
  void aHeapThatIsTooSmallIsNoDefect() {
    String report = report(new OutOfMemoryError("Java heap space"), false, 1);
    assertFalse(report.contains("defect"), report);
    assertTrue(report.contains("ALLOCSIM_HEAP="), report);
  }

  @Test
  void failuresOfFilesNameTheFileAndTheCause() {
    assertTrue(report(new NoSuchFileException("f"), false, 1).contains("f: no such file"));
    assertTrue(report(new AccessDeniedException("f"), false, 1).contains("f: permission denied"));
    assertTrue(
        report(new FileSystemException("f", null, "No space left on device"), false, 1)
            .contains("f: no space left on device"));
    assertTrue(
        report(new UncheckedIOException(new IOException("it broke")), false, 1)
            .contains("it broke"));
  }

  private static String report(Throwable failure, boolean debug, int exitCode) {
    StringWriter text = new StringWriter();
    assertEquals(exitCode, FailureReport.print(failure, new PrintWriter(text), debug));
    return text.toString();
  }
}
