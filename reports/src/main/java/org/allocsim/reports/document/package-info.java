/**
 * An answer, described once: a {@link org.allocsim.reports.document.Document} is a verdict,
 * sections with facts, tables and notes, and content; a {@link org.allocsim.reports.document.Shape}
 * says of a subject what its quantities are, in which unit, what they mean and how they are found.
 * The renderers of {@link org.allocsim.reports.document.render} and the page of HTML know
 * documents, and no subject.
 *
 * <p>To describe an answer:
 *
 * <ol>
 *   <li>Make a package {@code org.allocsim.reports.answer.SUBJECT} with a class that takes what the
 *       analysis found and has a method {@code document()}. It neither prints nor knows options.
 *   <li>Describe each subject in a {@code Shape}, a line for each quantity: key, label,
 *       explanation, and the method that finds it. A quantity without a label is for programs only.
 *       The method's name is the unit, and the key must end as the unit asks. Say with {@code
 *       missing} where it is null, with {@code rank} how soon a narrow terminal leaves it out (the
 *       highest first; 0 never), with {@code worded} what people read instead of the value, with
 *       {@code optional} that people need no empty column. What a program reads as a part of its
 *       own is {@code one}, {@code many} or {@code named}.
 *   <li>Make a {@code Kind} of the shape, name it in {@link org.allocsim.reports.answer.Answers},
 *       or in the wing's {@link org.allocsim.reports.wing.CommandProvider}. The schema is
 *       generated.
 *   <li>Return a {@code Document}: {@code Sentence.of("it holds {} at its peak",
 *       Quantity.bytes(n))} for sentences, {@code Facts} for the lines at the top, {@code Table.of}
 *       for rows, {@code Notes} for the rest.
 *   <li>In the command, {@code @Mixin OutputOptions} takes the place of its own options for
 *       outputs: {@code open} before the long work, {@code write} after it.
 *   <li>Make {@code reports/docs/json.md} anew, as CONTRIBUTING.md says.
 * </ol>
 */
@NullMarked
package org.allocsim.reports.document;

import org.jspecify.annotations.NullMarked;
