package org.allocsim.web.standin.java.lang.reflect;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import org.allocsim.web.standin.Instead;

/** A component of a record, known by its field. */
public final class RecordComponent {
  private final Field field;

  private RecordComponent(Field field) {
    this.field = field;
  }

  /** The components of a record, which are its fields. */
  @Instead("java.lang.Class.getRecordComponents()[Ljava/lang/reflect/RecordComponent;")
  static RecordComponent[] of(Class<?> type) {
    return Arrays.stream(type.getDeclaredFields())
        .filter(field -> !Modifier.isStatic(field.getModifiers()))
        .map(RecordComponent::new)
        .toArray(RecordComponent[]::new);
  }

  /** The component's name. */
  public String getName() {
    return field.getName();
  }

  /** The component's type. */
  public Class<?> getType() {
    return field.getType();
  }
}
