package org.allocsim.reports.cli.run;

import picocli.CommandLine.Command;

/** {@code allocsim record}: the GPU memory of a program while it runs. */
@Command(
    name = "record",
    mixinStandardHelpOptions = true,
    customSynopsis = "allocsim record [OPTIONS] -- PROGRAM...",
    description = {
      "Records the GPU memory of a PyTorch program, without changing the program.",
      "This command is part of the Python package (pip install allocsim), which lists its options."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim record -- python train.py",
      "  allocsim record -o runs/a.pickle -- torchrun --nproc-per-node 8 train.py",
      "  allocsim diagnose run.pickle"
    })
public final class RecordCommand extends PythonCommand {}
