package org.allocsim.reports.document;

/** A part of a section. */
public sealed interface Block permits Facts, Notes, Table, Verbatim {}
