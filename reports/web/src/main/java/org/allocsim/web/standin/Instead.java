package org.allocsim.web.standin;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The method that is called instead of another one. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Instead {
  /** The other method: its class, a dot, its name and its descriptor. */
  String value();

  /** The class whose calls are meant; empty for all. */
  String in() default "";
}
