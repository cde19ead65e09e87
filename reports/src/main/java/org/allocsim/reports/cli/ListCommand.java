package org.allocsim.reports.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.Answers;
import org.allocsim.reports.answer.product.PolicyPage;
import org.allocsim.reports.cli.option.PolicyConverter;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySpec;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.profile.ProfileFile;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramProvider;
import org.allocsim.workloads.program.Programs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code allocsim list}: what there is to choose from. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "{policies|formats|programs|devices|schemas}",
    description =
        "Shows what there is: policies, trace formats, programs, devices, schemas of JSON.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim list policies",
      "  allocsim list policies cuda-async",
      "  allocsim list devices",
      "  allocsim list devices h200 > my-gpu.json",
      "  allocsim list schemas allocsim-replay-2 > replay.schema.json"
    })
final class ListCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "what to list is missing: policies, formats, programs, devices or schemas");
  }

  @Command(
      name = "policies",
      mixinStandardHelpOptions = true,
      description = "Shows the allocators that can be simulated, or one of them with its options.")
  int policies(
      @Parameters(
              paramLabel = "ID",
              arity = "0..1",
              description = "Allocator to show with its options.",
              converter = PolicyConverter.class)
          PolicySpec chosen,
      @Option(
              names = "--markdown",
              description = "All allocators and options as a page of documentation.")
          boolean markdown) {
    PrintWriter out = spec.commandLine().getOut();
    if (markdown) {
      PolicyPage.print(out);
      out.flush();
      return ExitCodes.DONE;
    }
    if (chosen != null) {
      return show(chosen, out);
    }
    TextTable table = TextTable.of("id", "allocator", "knows");
    for (PolicyProvider provider : Policies.all()) {
      PolicySpec policy = provider.spec();
      table.row(policy.id(), policy.summary(), PolicyPage.knowledge(policy.kind()));
    }
    return print(table);
  }

  private int show(PolicySpec policy, PrintWriter out) {
    WrappedText.print(out, "", "  ", policy.id() + ": " + policy.summary());
    WrappedText.print(out, "", "  ", "follows " + policy.source());
    if (policy.options().isEmpty()) {
      out.println("no options");
      out.flush();
      return ExitCodes.DONE;
    }
    out.println();
    for (PolicySpec.Option option : policy.options()) {
      WrappedText.print(
          out,
          "",
          "    ",
          option.name()
              + (option.unit().isEmpty() ? "" : " (" + option.unit() + ")")
              + ": "
              + option.meaning()
              + (option.defaultValue().isEmpty()
                  ? ""
                  : " (default: " + option.defaultValue() + ")"));
    }
    out.flush();
    return ExitCodes.DONE;
  }

  @Command(
      name = "formats",
      mixinStandardHelpOptions = true,
      description = {
        "Shows the files that can be read.",
        "All are recognised by content, and may be compressed as .gz, .xz or .zst."
      })
  int formats() {
    TextTable table = TextTable.of("id", "contents", "names end in", "written too");
    for (TraceFormat format : TraceFormats.all()) {
      table.row(
          format.id(),
          format.summary(),
          "." + String.join(", .", format.extensions()),
          format.writer().isPresent() ? "yes" : "");
    }
    return print(table);
  }

  @Command(
      name = "programs",
      mixinStandardHelpOptions = true,
      description = "Shows the programs that make traces, or one of them with its options.")
  int programs(
      @Parameters(
              paramLabel = "ID",
              arity = "0..1",
              description = "Program to show with its options.")
          String chosen) {
    if (chosen != null) {
      ProgramProvider program =
          Programs.find(chosen)
              .orElseThrow(() ->
                  Failure.usage("there is no program " + chosen + "; " + Programs.remedy(chosen)));
      TextTable table = TextTable.of("option", "default", "meaning");
      for (ProgramOption option : program.options()) {
        table.row(option.name(), option.standard(), option.meaning());
      }
      spec.commandLine().getOut().println(program.id() + ": " + program.summary() + "\n");
      return print(table);
    }
    TextTable table = TextTable.of("id", "program");
    for (ProgramProvider program : Programs.all()) {
      table.row(program.id(), program.summary());
    }
    return print(table);
  }

  @Command(
      name = "devices",
      mixinStandardHelpOptions = true,
      description = {
        "Shows the devices that can be simulated, or one of them as a file.",
        "Wherever a command takes --device, a file ending in .json serves as well."
      })
  int devices(
      @Parameters(
              paramLabel = "PROFILE",
              arity = "0..1",
              description =
                  "Device to show as the JSON of a profile's file: a name, or a file of one's own.",
              converter = ProfileConverter.class)
          DeviceProfile chosen) {
    if (chosen != null) {
      return show(chosen);
    }
    TextTable table = TextTable.of("profile", ">memory", ">bytes", "figures");
    for (DeviceProfile profile : ShippedProfiles.all()) {
      table.row(
          profile.name() + (profile.equals(DeviceProfiles.defaultProfile()) ? " (default)" : ""),
          ByteFormat.human(profile.totalBytes()),
          Numbers.count(profile.totalBytes()),
          profile.origin().toString().toLowerCase(Locale.ROOT));
    }
    return print(table);
  }

  private int show(DeviceProfile profile) {
    ByteArrayOutputStream json = new ByteArrayOutputStream();
    JsonText.write(ProfileFile.fields(profile), json);
    PrintWriter out = spec.commandLine().getOut();
    out.print(json.toString(StandardCharsets.UTF_8));
    out.flush();
    return ExitCodes.DONE;
  }

  @Command(
      name = "schemas",
      mixinStandardHelpOptions = true,
      description = {
        "Shows the schemas of the JSON that commands write, or one of them.",
        "They are JSON Schema, draft 2020-12; a document names its schema in its first key."
      })
  int schemas(
      @Parameters(paramLabel = "ID", arity = "0..1", description = "Schema to show.")
          String chosen) {
    if (chosen != null) {
      Answers.Schema schema =
          Answers.find(chosen)
              .orElseThrow(() ->
                  Failure.usage(
                      "there is no schema "
                          + chosen
                          + "; "
                          + SimilarName.remedy(
                              chosen,
                              Answers.schemas().stream().map(Answers.Schema::id).toList(),
                              "'allocsim list schemas' shows what there is")));
      PrintWriter out = spec.commandLine().getOut();
      out.print(schema.text());
      out.flush();
      return ExitCodes.DONE;
    }
    TextTable table = TextTable.of("schema", "written by");
    Answers.schemas().forEach(schema -> table.row(schema.id(), "allocsim " + schema.command()));
    return print(table);
  }

  private int print(TextTable table) {
    PrintWriter out = spec.commandLine().getOut();
    table.print(out, "");
    out.flush();
    return ExitCodes.DONE;
  }
}
