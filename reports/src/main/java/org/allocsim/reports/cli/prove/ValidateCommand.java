package org.allocsim.reports.cli.prove;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code allocsim validate}: the simulation against what really allocates. */
@Command(
    name = ValidateCommand.NAME,
    mixinStandardHelpOptions = true,
    sortOptions = false,
    synopsisSubcommandLabel = "{gpu|pytorch|together|cache}",
    subcommands = {
      ValidateGpuCommand.class,
      ValidatePyTorchCommand.class,
      ValidateTogetherCommand.class,
      ValidateCacheCommand.class
    },
    description = {
      "Runs allocators on a real NVIDIA GPU and on the simulated one, and compares them.",
      "",
      "Without one of the commands, --pytorch, --together and --cache say what is compared, and",
      "else it is a trace on a GPU: 'validate TRACE' is 'validate gpu TRACE'."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim validate gpu snapshot.pickle --near-limits",
      "  allocsim validate pytorch --random 100 --jobs 8",
      "  allocsim validate together a.jsonl b.jsonl,policy=cuda-async --capacity 4GiB",
      "  allocsim validate cache requests.csv --cache paged --model llama-3.1-8b"
    })
public final class ValidateCommand implements Runnable {
  static final String NAME = "validate";

  private static final String GPU = "gpu";

  /** What is compared, apart from traces on a GPU. */
  private static final List<String> OTHERS = List.of("pytorch", "together", "cache");

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "what to validate is missing: gpu, pytorch, together or cache");
  }

  /**
   * The words of a command line, where an option alone may say what is compared, with a command.
   */
  public static String[] withSubject(String[] words) {
    List<String> all = new ArrayList<>(Arrays.asList(words));
    int first = all.indexOf(NAME) + 1;
    boolean isAsked = first == 1 || first > 1 && words[0].startsWith("--plugins") && first <= 3;
    if (!isAsked || first == all.size() || all.get(first).matches("-h|--help|-V|--version|gpu")) {
      return words;
    }
    if (OTHERS.contains(all.get(first))) {
      return words;
    }
    Optional<String> other =
        OTHERS.stream()
            .filter(each -> all.stream().anyMatch(word -> word.split("=")[0].equals("--" + each)))
            .findFirst();
    all.add(first, other.orElse(GPU));
    // That of caches has a value, and is still an option.
    all.removeAll(List.of("--pytorch", "--together"));
    return all.toArray(String[]::new);
  }
}
