package org.allocsim.validation.torch;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A library that takes the place of a GPU, its driver and what PyTorch's allocator asks of the CUDA
 * runtime: memory, streams, events, captures and virtual memory. It computes nothing. Its source in
 * C travels with these classes; the system's compiler makes the library when it is needed.
 *
 * @param folder where the library lies
 */
record MockDriver(Path folder) {
  private static final String SOURCE = "standin.c";
  private static final String LIBRARY = "libcuda.so.1";

  /** PyTorch looks for these functions under another name, and finds the same library. */
  private static final String MANAGEMENT_LIBRARY = "libnvidia-ml.so.1";

  private static final List<String> COMPILERS = List.of("cc", "gcc", "clang");
  private static final long SECONDS_TO_COMPILE = 120;

  /**
   * Builds the library.
   *
   * @param folder where to put it; it exists
   * @param path folders with programs, as the environment has them
   * @throws TorchException where there is no compiler, or it refuses the source
   * @throws IOException where files cannot be written
   */
  static MockDriver build(Path folder, String path) throws TorchException, IOException {
    Path source = folder.resolve(SOURCE);
    try (InputStream resource = MockDriver.class.getResourceAsStream(SOURCE)) {
      Files.write(source, resource.readAllBytes());
    }
    compile(compiler(path), source, folder.resolve(LIBRARY));
    Path management = folder.resolve(MANAGEMENT_LIBRARY);
    Files.deleteIfExists(management);
    Files.createSymbolicLink(management, Path.of(LIBRARY));
    return new MockDriver(folder);
  }

  private static String compiler(String path) throws TorchException {
    return COMPILERS.stream()
        .flatMap(name -> Stream.of(path.split(File.pathSeparator)).map(each -> Path.of(each, name)))
        .filter(Files::isExecutable)
        .findFirst()
        .map(Path::toString)
        .orElseThrow(() ->
            new TorchException(
                ("this machine has no GPU and no C compiler (%s) to build the mock CUDA"
                            + " driver; install a")
                        .formatted(String.join(", ", COMPILERS))
                    + " compiler, or use a machine with a GPU"));
  }

  private static void compile(String compiler, Path source, Path library)
      throws TorchException, IOException {
    Path messages = library.resolveSibling("compiler.txt");
    Process process =
        new ProcessBuilder(
                compiler,
                "-std=gnu11",
                "-O2",
                "-shared",
                "-fPIC",
                "-fvisibility=hidden",
                "-pthread",
                "-Wl,-soname," + LIBRARY,
                source.toString(),
                "-o",
                library.toString())
            .redirectErrorStream(true)
            .redirectOutput(messages.toFile())
            .start();
    try {
      if (!process.waitFor(SECONDS_TO_COMPILE, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        List<String> lines = Files.readAllLines(messages);
        throw new TorchException(
            compiler
                + " cannot build the mock CUDA driver, which needs Linux on a 64-bit processor"
                + (lines.isEmpty() ? "" : ": " + lines.getFirst().strip()));
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new TorchException("the compiler was interrupted", e);
    }
  }

  /** Makes a process that starts with this environment find the library before all others. */
  void addTo(Map<String, String> environment) {
    String library = folder.resolve(LIBRARY).toString();
    environment.merge("LD_PRELOAD", library, (others, own) -> own + ":" + others);
    environment.merge("LD_LIBRARY_PATH", folder.toString(), (others, own) -> own + ":" + others);
  }
}
