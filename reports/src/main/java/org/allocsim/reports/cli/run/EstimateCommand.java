package org.allocsim.reports.cli.run;

import picocli.CommandLine.Command;

/** {@code allocsim estimate}: how much GPU memory does this program need? */
@Command(
    name = "estimate",
    customSynopsis = "allocsim estimate [OPTIONS] -- PROGRAM...",
    description = "Tells you, without a GPU, how much GPU memory a PyTorch program needs.")
public final class EstimateCommand extends PythonCommand {}
