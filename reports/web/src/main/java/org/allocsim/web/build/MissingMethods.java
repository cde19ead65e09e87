package org.allocsim.web.build;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.web.standin.Instead;
import org.allocsim.web.standin.StandIns;
import org.apache.commons.math3.exception.util.LocalizedFormats;
import org.teavm.model.BasicBlock;
import org.teavm.model.ClassHolder;
import org.teavm.model.ClassHolderTransformer;
import org.teavm.model.ClassHolderTransformerContext;
import org.teavm.model.Instruction;
import org.teavm.model.MethodDescriptor;
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
    for (Method method : StandIns.class.getDeclaredMethods()) {
      Instead instead = method.getAnnotation(Instead.class);
      if (instead != null) {
        standIns.put(instead.in() + instead.value(), MethodReference.parse(method));
      }
    }
  }

  @Override
  public void transformClass(ClassHolder type, ClassHolderTransformerContext context) {
    if (type.getName().equals(StandIns.class.getName())) {
      return;
    }
    if (type.getName().equals(LocalizedFormats.class.getName())) {
      // Nobody sees what formulas say, so that no message is kept.
      type.removeMethod(type.getMethod(new MethodDescriptor("<clinit>", void.class)));
    }
    for (MethodHolder method : type.getMethods()) {
      if (method.getProgram() == null) {
        continue;
      }
      for (BasicBlock block : method.getProgram().getBasicBlocks()) {
        for (Instruction instruction : block) {
          if (instruction instanceof InvokeInstruction call) {
            redirect(call, type.getName());
          }
        }
      }
    }
  }

  private void redirect(InvokeInstruction call, String in) {
    String method = call.getMethod().toString();
    MethodReference standIn = standIns.getOrDefault(in + method, standIns.get(method));
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
