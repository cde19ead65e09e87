package org.allocsim.reports.cli.gpu;

import java.util.List;
import org.allocsim.reports.answer.gpu.CachesAnswer;
import org.allocsim.reports.answer.gpu.CalibrateAnswer;
import org.allocsim.reports.answer.gpu.TogetherAnswer;
import org.allocsim.reports.answer.gpu.TorchAnswer;
import org.allocsim.reports.answer.gpu.ValidateAnswer;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.wing.CommandProvider;

/** What the wing adds to the program. */
public final class GpuCommands implements CommandProvider {
  @Override
  public List<Class<?>> commands() {
    return List.of(ValidateCommand.class, CalibrateCommand.class);
  }

  @Override
  public List<Kind<?>> kinds() {
    return List.of(
        ValidateAnswer.KIND,
        TorchAnswer.KIND,
        TogetherAnswer.KIND,
        CachesAnswer.KIND,
        CalibrateAnswer.KIND);
  }
}
