package org.allocsim.reports.cli.option;

import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a PyTorch release, as {@code 2.11} or as PyTorch prints it ({@code 2.11.0+cu130}). */
public final class TorchVersionConverter implements ITypeConverter<PyTorchVersion> {
  @Override
  public PyTorchVersion convert(String text) {
    try {
      return PyTorchVersion.of(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
