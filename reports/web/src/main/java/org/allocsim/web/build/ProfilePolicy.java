package org.allocsim.web.build;

import java.lang.reflect.RecordComponent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.allocsim.simulator.device.DeviceProfile;
import org.teavm.extension.spi.reflection.SimpleReflectionPolicy;

/** Device profiles are records that are made from the names of their components. */
public final class ProfilePolicy extends SimpleReflectionPolicy {
  /** A policy; the compiler makes it. */
  public ProfilePolicy() {}

  @Override
  protected void setup() {
    Set<Class<?>> seen = new HashSet<>();
    Deque<Class<?>> open = new ArrayDeque<>(Set.of(DeviceProfile.class));
    while (!open.isEmpty()) {
      Class<?> type = open.remove();
      if (type.isRecord() && seen.add(type)) {
        selectClass(type.getName()).reflectableMembers(_ -> true);
        for (RecordComponent component : type.getRecordComponents()) {
          open.add(component.getType());
        }
      }
    }
  }
}
