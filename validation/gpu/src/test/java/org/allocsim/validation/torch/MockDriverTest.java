package org.allocsim.validation.torch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The library that takes the place of a GPU; left out where there is no compiler for it. */
@SuppressWarnings("restricted")
class MockDriverTest {
  private static final long PAGE = 2L << 20;
  private static final long DEVICE_BYTES = 80L << 30;

  @TempDir private Path folder;

  private static String path() {
    return System.getenv().getOrDefault("PATH", "");
  }

  private MockDriver build() throws Exception {
    assumeTrue(
        System.getProperty("os.name").equals("Linux")
            && Stream.of(path().split(File.pathSeparator))
                .anyMatch(each -> Files.isExecutable(Path.of(each, "cc"))),
        "left out: no C compiler on Linux to build the stand-in with");
    return MockDriver.build(folder, path());
  }

  @Test
  void withoutACompilerOneSentenceSaysWhatToDo() {
    TorchException missing =
        assertThrows(TorchException.class, () -> MockDriver.build(folder, folder.toString()));
    assertEquals(
        "this machine has no GPU and no C compiler (cc, gcc, clang) to build the mock CUDA driver;"
            + " install a compiler, or use a machine with a GPU",
        missing.getMessage());
  }

  @Test
  void aCompilerThatFailsIsQuoted() throws Exception {
    Path compiler =
        Files.writeString(folder.resolve("cc"), "#!/bin/sh\necho no such machine\nexit 1\n");
    Files.setPosixFilePermissions(compiler, PosixFilePermissions.fromString("rwx------"));
    TorchException failed =
        assertThrows(
            TorchException.class,
            () -> MockDriver.build(folder, folder + File.pathSeparator + path()));
    assertTrue(failed.getMessage().endsWith(": no such machine"), failed.getMessage());
  }

  @Test
  void processesFindItBeforeOtherLibraries() {
    Map<String, String> environment = new HashMap<>(Map.of("LD_LIBRARY_PATH", "/other"));
    new MockDriver(Path.of("/here")).addTo(environment);
    assertEquals(
        Map.of("LD_LIBRARY_PATH", "/here:/other", "LD_PRELOAD", "/here/libcuda.so.1"), environment);
  }

  /** The library against the device that the simulation uses in its place. */
  @Test
  void itPlacesAndRefusesAsItsModelInJava() throws Exception {
    MockDriver mockDriver = build();
    try (Arena arena = Arena.ofConfined()) {
      SymbolLookup library =
          SymbolLookup.libraryLookup(mockDriver.folder().resolve("libcuda.so.1"), arena);
      var allocate =
          Linker.nativeLinker()
              .downcallHandle(
                  library.findOrThrow("cudaMalloc"),
                  FunctionDescriptor.of(
                      ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
      var free =
          Linker.nativeLinker()
              .downcallHandle(
                  library.findOrThrow("cudaFree"),
                  FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
      var memory =
          Linker.nativeLinker()
              .downcallHandle(
                  library.findOrThrow("cudaMemGetInfo"),
                  FunctionDescriptor.of(
                      ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
      MemorySegment answer = arena.allocate(ValueLayout.JAVA_LONG);
      MemorySegment total = arena.allocate(ValueLayout.JAVA_LONG);
      MockDevice model = new MockDevice(DEVICE_BYTES, 0);
      TreeMap<Long, Long> live = new TreeMap<>();
      SplittableRandom random = new SplittableRandom(5);
      for (int i = 0; i < 20_000; i++) {
        if (random.nextInt(5) < 3) {
          long bytes = 1 + random.nextLong(random.nextBoolean() ? 3 * PAGE : 900 * PAGE);
          long expected = model.allocate(bytes);
          int code = (int) allocate.invokeExact(answer, bytes);
          assertEquals(expected < 0 ? 2 : 0, code);
          if (expected >= 0) {
            assertEquals(expected, answer.get(ValueLayout.JAVA_LONG, 0));
            live.put(expected, bytes);
          }
        } else if (!live.isEmpty()) {
          List<Long> all = List.copyOf(live.keySet());
          long address = all.get(random.nextInt(all.size()));
          model.free(address, live.remove(address));
          assertEquals(0, (int) free.invokeExact(address));
        }
        int code = (int) memory.invokeExact(answer, total);
        assertEquals(0, code);
        assertEquals(model.freeBytes(), answer.get(ValueLayout.JAVA_LONG, 0));
      }
      assertEquals(DEVICE_BYTES, total.get(ValueLayout.JAVA_LONG, 0));
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
