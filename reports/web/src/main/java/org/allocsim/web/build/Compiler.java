package org.allocsim.web.build;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.allocsim.web.Engine;
import org.teavm.backend.javascript.JSModuleType;
import org.teavm.diagnostics.DefaultProblemTextConsumer;
import org.teavm.diagnostics.Problem;
import org.teavm.tooling.TeaVMTargetType;
import org.teavm.tooling.TeaVMTool;
import org.teavm.tooling.TeaVMToolException;
import org.teavm.vm.TeaVMOptimizationLevel;

/**
 * Compiles the engine and all that it calls, from this program's own class path. TeaVM's Maven
 * plugin would do it in Maven's Java, which may be too old for these classes.
 */
final class Compiler {
  private final Path folder;

  Compiler(Path folder) {
    this.folder = folder;
  }

  void toWebAssembly(String file) throws TeaVMToolException {
    compile(TeaVMTargetType.WEBASSEMBLY_GC, file);
  }

  void toJavaScript(String file) throws TeaVMToolException {
    compile(TeaVMTargetType.JAVASCRIPT, file);
  }

  private void compile(TeaVMTargetType target, String file) throws TeaVMToolException {
    TeaVMTool tool = new TeaVMTool();
    tool.setClassLoader(Compiler.class.getClassLoader());
    tool.setClassPath(
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(File::new)
            .toList());
    tool.setMainClass(Engine.class.getName());
    tool.setTargetType(target);
    tool.setJsModuleType(JSModuleType.ES2015);
    tool.setTargetDirectory(folder.toFile());
    tool.setTargetFileName(file);
    tool.setObfuscated(true);
    tool.setOptimizationLevel(TeaVMOptimizationLevel.ADVANCED);
    tool.generate();
    List<Problem> problems = tool.getProblemProvider().getSevereProblems();
    if (!problems.isEmpty()) {
      StringBuilder text = new StringBuilder("the engine cannot be compiled:");
      for (Problem problem : problems) {
        DefaultProblemTextConsumer line = new DefaultProblemTextConsumer();
        problem.render(line);
        text.append('\n').append(line.getText()).append(" at ").append(problem.getLocation());
      }
      throw new IllegalStateException(text.toString());
    }
  }
}
