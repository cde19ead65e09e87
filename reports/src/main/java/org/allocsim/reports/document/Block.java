package org.allocsim.reports.document;

/** A part of a section. */
public sealed interface Block permits Facts, Figure, Notes, Table, Verbatim {}
