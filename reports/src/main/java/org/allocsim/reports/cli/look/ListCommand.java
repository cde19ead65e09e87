package org.allocsim.reports.cli.look;

import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.reports.answer.Answers;
import org.allocsim.reports.answer.product.ListAnswer;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.profile.ProfileFile;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.allocsim.workloads.program.Programs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim list}: what there is to choose from. */
@Command(
    name = "list",
    synopsisSubcommandLabel = "{policies|formats|programs|devices|schemas}",
    description = "Lists policies, trace formats, programs, devices and JSON schemas.")
public final class ListCommand implements Runnable {
  @Spec private CommandSpec spec;

  /** Says what there is to list. */
  @Override
  public void run() {
    int width = spec.subcommands().keySet().stream().mapToInt(String::length).max().orElse(0);
    spec.subcommands()
        .forEach((name, sort) -> {
          if (!name.equals("help")) {
            WrappedText.printField(
                spec.commandLine().getOut(),
                "allocsim list " + name + " ".repeat(width - name.length() + 2),
                String.join(" ", sort.getCommandSpec().usageMessage().description()));
          }
        });
  }

  @Command(
      name = "policies",
      mixinStandardHelpOptions = true,
      description = "Lists the allocators that can be simulated, or shows the options of one.")
  int policies(
      @Parameters(paramLabel = "ID", arity = "0..1", converter = PolicyConverter.class)
          PolicySpec chosen,
      @Mixin OutputOptions outputs) {
    if (chosen != null) {
      return write(outputs, ListAnswer.policies(List.of(chosen)));
    }
    List<PolicySpec> all = Policies.all().stream().map(PolicyProvider::spec).toList();
    return write(
        outputs, outputs.isMarkdown() ? ListAnswer.policies(all) : ListAnswer.allPolicies(all));
  }

  @Command(
      name = "formats",
      mixinStandardHelpOptions = true,
      description = "Lists the file formats that can be read.")
  int formats(@Mixin OutputOptions outputs) {
    return write(outputs, ListAnswer.FORMATS.table(TraceFormats.all()));
  }

  @Command(
      name = "programs",
      mixinStandardHelpOptions = true,
      description = "Lists the programs that generate traces, or shows the options of one.")
  int programs(
      @Parameters(paramLabel = "ID", arity = "0..1") String chosen, @Mixin OutputOptions outputs) {
    if (chosen == null) {
      return write(outputs, ListAnswer.PROGRAMS.table(Programs.all()));
    }
    return write(
        outputs,
        ListAnswer.program(
            Programs.find(chosen)
                .orElseThrow(() ->
                    Failure.usage("unknown program: " + chosen + "; " + Programs.remedy(chosen)))));
  }

  @Command(
      name = "devices",
      mixinStandardHelpOptions = true,
      description = "Lists the devices that can be simulated, or prints the profile of one.")
  int devices(
      @Parameters(paramLabel = "PROFILE", arity = "0..1", converter = ProfileConverter.class)
          DeviceProfile chosen,
      @Mixin OutputOptions outputs) {
    if (chosen == null) {
      return write(
          outputs,
          ListAnswer.DEVICES.table(
              Stream.concat(ShippedProfiles.all().stream(), ShippedProfiles.others().stream())
                  .toList()));
    }
    return print(JsonText.text(ProfileFile.fields(chosen)), outputs);
  }

  @Command(
      name = "schemas",
      mixinStandardHelpOptions = true,
      description = "Lists the schemas of the JSON output, or prints one.")
  int schemas(
      @Parameters(paramLabel = "ID", arity = "0..1") String chosen, @Mixin OutputOptions outputs) {
    if (chosen == null) {
      return write(outputs, ListAnswer.SCHEMAS.table(Answers.schemas()));
    }
    return Answers.find(chosen)
        .map(schema -> print(schema.text(), outputs))
        .orElseThrow(() -> Failure.usage("unknown schema: " + chosen + "; " + remedy(chosen)));
  }

  private static String remedy(String schema) {
    List<String> ids = Answers.schemas().stream().map(ListAnswer.Schema::id).toList();
    return SimilarName.remedy(schema, ids, "'allocsim list schemas' lists them");
  }

  private static int write(OutputOptions options, Document<?> document) {
    try (DocumentOutputs outputs = options.open(document.kind().name(), null)) {
      outputs.write(document);
    }
    return ExitCodes.DONE;
  }

  private int print(String file, OutputOptions options) {
    if (options.isGiven()) {
      throw Failure.usage("a single file is printed as is; omit the other outputs");
    }
    PrintWriter out = spec.commandLine().getOut();
    out.print(file);
    out.flush();
    return ExitCodes.DONE;
  }
}
