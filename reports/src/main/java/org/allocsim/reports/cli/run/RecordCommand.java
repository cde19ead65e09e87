package org.allocsim.reports.cli.run;

import picocli.CommandLine.Command;

/** {@code allocsim record}: the GPU memory of a program while it runs. */
@Command(
    name = "record",
    customSynopsis = "allocsim record [OPTIONS] -- PROGRAM...",
    description = "Records the GPU memory of a PyTorch program, without changing the program.")
public final class RecordCommand extends PythonCommand {}
