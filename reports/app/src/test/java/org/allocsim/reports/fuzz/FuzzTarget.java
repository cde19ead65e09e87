package org.allocsim.reports.fuzz;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.allocsim.analysis.account.SmiFormatException;
import org.allocsim.analysis.account.SmiSamples;
import org.allocsim.analysis.fleet.Family;
import org.allocsim.analysis.fleet.FleetAnalysis;
import org.allocsim.analysis.fleet.sweep.SweepException;
import org.allocsim.analysis.idle.IdleAnalysis;
import org.allocsim.analysis.idle.memory.AllocatorModel;
import org.allocsim.analysis.idle.replay.WhatIf;
import org.allocsim.analysis.oom.OomMessageParser;
import org.allocsim.analysis.program.ProgramException;
import org.allocsim.analysis.serving.traffic.TrafficFiles;
import org.allocsim.reports.cli.diagnose.PolicyChoiceConverter;
import org.allocsim.reports.cli.option.ShareOrSize;
import org.allocsim.reports.cli.option.TorchVersionConverter;
import org.allocsim.simulator.policy.pytorch.ConfigException;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.model.ModelConfig;
import org.allocsim.workloads.profile.ProfileException;
import org.allocsim.workloads.profile.ProfileFile;
import org.allocsim.workloads.source.OpenedTrace;
import org.allocsim.workloads.source.SourceUsageException;
import org.allocsim.workloads.source.TraceSource;
import picocli.CommandLine.TypeConversionException;

/**
 * What reads text or files from outside. Each accepts any bytes: it reads them, or refuses them by
 * the exception that its users turn into one sentence. Whatever else it throws is a defect.
 */
enum FuzzTarget {
  /** A trace of any format, chosen by its first bytes. */
  TRACE(input -> trace(input, null)),
  PYTORCH_SNAPSHOT(input -> trace(input, "pytorch-snapshot")),
  /** The same reader where the file is JSON. */
  PYTORCH_HISTORY(input -> trace(input, "pytorch-snapshot")),
  KINETO(input -> trace(input, "kineto")),
  /** The time of the same files. */
  KINETO_TIME(input -> file(input, FuzzTarget::idle)),
  JSONL(input -> trace(input, "jsonl")),
  MINIMALLOC(input -> trace(input, "minimalloc")),
  NSYS_SQLITE(input -> trace(input, "nsys-sqlite")),
  RMM_CSV(input -> trace(input, "rmm-csv")),
  STALLOC(input -> trace(input, "stalloc")),
  UMPIRE_REPLAY(input -> trace(input, "umpire-replay")),
  BFC_LOG(input -> trace(input, "bfc-log")),
  OOM_MESSAGE(input -> OomMessageParser.parse(text(input))),
  DEVICE_PROFILE(FuzzTarget::profile),
  NVIDIA_SMI(FuzzTarget::smi),
  FLEET_ROWS(FuzzTarget::fleet),
  SERVED_REQUESTS(input -> file(input, file -> TrafficFiles.read(file, Progress.NONE))),
  MODEL_CONFIG(input -> file(input, file -> ModelConfig.read(file, "model"))),
  CONF(input -> conf(input, PyTorchVersion.DEFAULT)),
  /** The reader of settings up to 2.9. */
  STRICT_CONF(input -> conf(input, PyTorchVersion.V2_9)),
  POLICY(input -> new PolicyChoiceConverter().convert(text(input))),
  SIZE(input -> new ShareOrSize.Converter().convert(text(input))),
  TORCH_VERSION(input -> new TorchVersionConverter().convert(text(input))),
  PROGRAM(FuzzTarget::program),
  /** What the bytes choose of some structures. */
  STRUCTURE(FuzzStructure::read);

  /** Reads an input, or refuses it. */
  @FunctionalInterface
  private interface Reader {
    void read(byte[] input) throws Exception;
  }

  private final Reader reader;

  FuzzTarget(Reader reader) {
    this.reader = reader;
  }

  /**
   * The target of an id.
   *
   * @throws IllegalArgumentException where there is none
   */
  static FuzzTarget of(String id) {
    return Arrays.stream(values())
        .filter(target -> target.id().equals(id))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "no target is called "
                    + id
                    + "; there are "
                    + Arrays.stream(values()).map(FuzzTarget::id).toList()));
  }

  /** Name on command lines, and of the folder with inputs. */
  String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Gives an input to the reader.
   *
   * @throws AssertionError where the reader neither accepts nor refuses it
   */
  void accept(byte[] input) {
    try {
      reader.read(input);
    } catch (TraceFormatException
        | SourceUsageException
        | ProfileException
        | SmiFormatException
        | SweepException
        | ConfigException
        | TypeConversionException e) {
      if (e.getMessage() == null || e.getMessage().isBlank()) {
        throw new AssertionError(id() + " refuses without a reason", e);
      }
    } catch (Exception e) {
      throw new AssertionError(id() + " neither reads the input nor refuses it: " + e, e);
    }
  }

  private static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8);
  }

  /** Reads a file. */
  @FunctionalInterface
  private interface FileReader {
    void read(Path file) throws Exception;
  }

  private static void file(byte[] input, FileReader reader) throws Exception {
    Path file = Files.createTempFile(FuzzFolder.get(), "fuzz", ".trace");
    try {
      reader.read(Files.write(file, input));
    } finally {
      Files.delete(file);
    }
  }

  private static void idle(Path file) throws Exception {
    IdleAnalysis analysis = IdleAnalysis.read(file, Progress.NONE);
    AllocatorModel model = null;
    if (analysis.result().memory() != null) {
      try {
        model =
            AllocatorModel.read(
                file,
                analysis.result().device(),
                analysis.timeline().profile().originNanos(),
                analysis.waits().clearedNanos(),
                Progress.NONE);
      } catch (ProgramException _) {
        // A GPU without requests has no model, as in the answer.
      }
    }
    new WhatIf(analysis, 1, model);
  }

  private static void trace(byte[] input, String formatId) throws Exception {
    file(
        input,
        file -> {
          TraceSource source = TraceSource.open(file.toString(), formatId, Progress.NONE);
          OpenedTrace opened = source.read(source.defaultOptions());
          opened.addressHistory(opened.device(null));
        });
  }

  private static void profile(byte[] input) throws Exception {
    ProfileFile.read(new ByteArrayInputStream(input));
  }

  private static void smi(byte[] input) throws IOException {
    new SmiSamples().read("smi.csv", new BufferedReader(new StringReader(text(input))));
  }

  private static void fleet(byte[] input) {
    try {
      FleetAnalysis.read(new ByteArrayInputStream(input), Family.of("size"));
    } catch (IOException e) {
      if (e.getMessage() == null) {
        throw new AssertionError("the rows are refused without a reason", e);
      }
    }
  }

  private static void conf(byte[] input, PyTorchVersion version) throws ConfigException {
    ConfigParser.parse(text(input), version);
  }

  /** Names and options only: what programs ask for is as large as their options say. */
  private static void program(byte[] input) throws Exception {
    String text = text(input);
    if (text.codePoints().noneMatch(Character::isDigit)) {
      TraceSource.open("program:" + text, null, Progress.NONE);
    }
  }
}
