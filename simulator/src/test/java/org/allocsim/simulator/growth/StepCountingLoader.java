package org.allocsim.simulator.growth;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;

/** Loads classes of the project anew, with code in them that counts their {@link Steps}. */
public final class StepCountingLoader extends ClassLoader {
  private static final ClassDesc STEPS = ClassDesc.of(Steps.class.getName());
  private static final MethodTypeDesc STEP = MethodTypeDesc.of(ConstantDescs.CD_void);
  private static final MethodTypeDesc MADE =
      MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_Object);

  private final String counted;

  /**
   * A loader beside the one of the tests.
   *
   * @param counted how the names of the classes begin whose steps are counted
   */
  public StepCountingLoader(String counted) {
    super(StepCountingLoader.class.getClassLoader());
    this.counted = counted;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(counted) || name.startsWith(Steps.class.getName())) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> known = findLoadedClass(name);
      return known != null ? known : define(name);
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (file == null) {
        throw new ClassNotFoundException(name);
      }
      ClassFile classFile = ClassFile.of();
      byte[] counting =
          classFile.transformClass(
              classFile.parse(file.readAllBytes()),
              ClassTransform.transformingMethodBodies(StepCountingLoader::count));
      return defineClass(name, counting, 0, counting.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void count(CodeBuilder code, CodeElement element) {
    switch (element) {
      case InvokeInstruction call
          when call.owner().asInternalName().equals("java/lang/System")
              && call.name().equalsString("arraycopy") ->
          code.invokestatic(STEPS, "arraycopy", call.typeSymbol());
      case InvokeInstruction call -> {
        code.invokestatic(STEPS, "step", STEP).with(call);
        if (call.owner().asInternalName().equals("java/util/Arrays")
            && call.name().stringValue().startsWith("copyOf")) {
          made(code);
        }
      }
      case BranchInstruction branch -> code.invokestatic(STEPS, "step", STEP).with(branch);
      case NewPrimitiveArrayInstruction array -> made(code.with(array));
      case NewReferenceArrayInstruction array -> made(code.with(array));
      default -> code.with(element);
    }
  }

  private static void made(CodeBuilder code) {
    code.dup().invokestatic(STEPS, "made", MADE);
  }
}
