package org.allocsim.web.build;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.web.standin.Instead;
import org.allocsim.web.standin.StandIns;
import org.allocsim.web.standin.java.lang.reflect.RecordComponent;
import org.teavm.model.BasicBlock;
import org.teavm.model.ClassHolder;
import org.teavm.model.ClassHolderTransformer;
import org.teavm.model.ClassHolderTransformerContext;
import org.teavm.model.Instruction;
import org.teavm.model.MethodHolder;
import org.teavm.model.MethodReference;
import org.teavm.model.Variable;
import org.teavm.model.instructions.InvocationType;
import org.teavm.model.instructions.InvokeInstruction;

/**
 * Calls of methods that a browser's class library lacks, or that would need threads, go to the
 * static methods of {@link StandIns} that say what they stand for.
 */
final class MissingMethods implements ClassHolderTransformer {
  private final Map<String, MethodReference> standIns = new HashMap<>();

  MissingMethods() {
    for (Class<?> type : List.of(StandIns.class, RecordComponent.class)) {
      for (Method method : type.getDeclaredMethods()) {
        Instead instead = method.getAnnotation(Instead.class);
        if (instead != null) {
          standIns.put(instead.value(), compiled(MethodReference.parse(method)));
        }
      }
    }
  }

  /** A class that stands in for another one is compiled under that one's name. */
  private static MethodReference compiled(MethodReference method) {
    return method.getClassName().equals(StandIns.class.getName())
        ? method
        : MethodReference.parse(
            method
                .toString()
                .replace(StandInPolicy.PACKAGE, "")
                .replace(StandInPolicy.PACKAGE.replace('.', '/'), ""));
  }

  @Override
  public void transformClass(ClassHolder type, ClassHolderTransformerContext context) {
    if (type.getName().equals(StandIns.class.getName())) {
      return;
    }
    for (MethodHolder method : type.getMethods()) {
      if (method.getProgram() == null) {
        continue;
      }
      for (BasicBlock block : method.getProgram().getBasicBlocks()) {
        for (Instruction instruction : block) {
          if (instruction instanceof InvokeInstruction call) {
            redirect(call);
          }
        }
      }
    }
  }

  private void redirect(InvokeInstruction call) {
    MethodReference standIn = standIns.get(call.getMethod().toString());
    if (standIn == null) {
      return;
    }
    List<Variable> arguments = new ArrayList<>();
    if (call.getInstance() != null) {
      arguments.add(call.getInstance());
    }
    arguments.addAll(call.getArguments());
    call.setType(InvocationType.SPECIAL);
    call.setInstance(null);
    call.setMethod(standIn);
    call.setArguments(arguments.toArray(Variable[]::new));
  }
}
