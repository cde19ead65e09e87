package org.allocsim.reports.cli.run;

import picocli.CommandLine.Command;

/** {@code allocsim estimate}: how much GPU memory does this program need? */
@Command(
    name = "estimate",
    mixinStandardHelpOptions = true,
    customSynopsis = "allocsim estimate [OPTIONS] -- PROGRAM...",
    description = {
      "Tells you, without a GPU, how much GPU memory a PyTorch program needs.",
      "The program runs unchanged on a mock CUDA driver that computes nothing. This command is part"
          + " of",
      "the Python package (pip install allocsim), which lists its options."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim estimate -- python train.py",
      "  allocsim estimate --device l40s -- python train.py",
      "  allocsim estimate -- torchrun --nproc-per-node 8 train.py"
    })
public final class EstimateCommand extends PythonCommand {}
