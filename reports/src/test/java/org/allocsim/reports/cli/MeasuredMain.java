package org.allocsim.reports.cli;

/** The program, which says on its last line of standard error how much processor time it took. */
final class MeasuredMain {
  /** What the line begins with; milliseconds follow. */
  static final String CPU = "processor time in ms: ";

  private MeasuredMain() {}

  public static void main(String[] arguments) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() ->
                System.err.println(
                    CPU
                        + ProcessHandle.current()
                            .info()
                            .totalCpuDuration()
                            .orElseThrow()
                            .toMillis())));
    Main.main(arguments);
  }
}
