"""Completions for bash, zsh and fish, and man pages, from the help of the program itself, which lists the commands of Python too."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from allocsim.advise.command import options_parser as advise_parser  # noqa: E402
from allocsim.estimate.command import options_parser as estimate_parser  # noqa: E402
from allocsim.recorder.command import options_parser as record_parser  # noqa: E402

_OPTION = re.compile(r"^ {1,6}(?:(-\w), )?(--[\w-]+)(?:=(\S+))?(?:\s{2,}(.*))?$")
_COMMAND = re.compile(r"^  ([a-z][a-z-]+) {2,}(.+)$")
_WIDTH = 100
_CHOICES = re.compile(r"^[\w-]+(\|[\w-]+)+$")

#: Commands that Python answers, whose options are those of their parsers.
PYTHON_COMMANDS = {"advise": advise_parser, "estimate": estimate_parser, "record": record_parser}


@dataclass
class Option:
    """An option: what it is called, what it takes, what it is for."""

    name: str
    value: str
    text: str

    @property
    def choices(self) -> list[str]:
        """The values that it takes, where they are few."""
        return self.value.split("|") if _CHOICES.match(self.value) else []


@dataclass
class Command:
    """A command with its help."""

    name: str
    summary: str
    help: str
    options: list[Option] = field(default_factory=list)


def shell_files(program: str) -> dict[str, str]:
    """The files by their place below ``share``."""
    top = _run(program)
    commands = _commands(program, top)
    names = " ".join(each.name for each in commands)
    files = {
        "bash-completion/completions/allocsim": _bash(commands, names),
        "zsh/site-functions/_allocsim": _zsh(commands),
        "fish/vendor_completions.d/allocsim.fish": _fish(commands),
        "man/man1/allocsim.1": _man("allocsim", "simulates GPU memory allocators on recorded programs", top),
    }
    for each in commands:
        files[f"man/man1/allocsim-{each.name}.1"] = _man(f"allocsim-{each.name}", each.summary, each.help)
    return files


def _run(program: str, *arguments: str) -> str:
    return subprocess.run(
        [program, *arguments, "--help"], capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    ).stdout


def _commands(program: str, top: str) -> list[Command]:
    listed = top.split("Exit codes:")[0]
    commands = []
    for line in listed.splitlines():
        match = _COMMAND.match(line)
        if match is None:
            continue
        name, summary = match.groups()
        if name in PYTHON_COMMANDS:
            commands.append(_python_command(name, summary, PYTHON_COMMANDS[name]()))
            continue
        text = _run(program, name)
        options = [
            Option(match[2], match[3] or "", (match[4] or "").strip())
            for line in text.splitlines()
            if (match := _OPTION.match(line))
        ]
        commands.append(Command(name, summary, text, options))
    return commands


def _python_command(name: str, summary: str, parser: argparse.ArgumentParser) -> Command:
    options = []
    for action in parser._actions:
        value = "|".join(action.choices) if action.choices else action.metavar if action.nargs != 0 else ""
        # A formatter fills in what the help says of defaults.
        text = (action.help or "") % {**vars(action), "prog": parser.prog}
        options.append(Option(action.option_strings[-1], value or "", text))
    # The page is as wide everywhere, and plain.
    with mock.patch.dict(os.environ, {"COLUMNS": str(_WIDTH), "NO_COLOR": "1"}):
        return Command(name, summary, parser.format_help(), options)


def _bash(commands: list[Command], names: str) -> str:
    lines = [
        "# bash completion of allocsim",
        "_allocsim() {",
        '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options="" values=""',
        "  COMPREPLY=()",
        '  [ "$before" = = ] && before=${COMP_WORDS[COMP_CWORD-2]}',
        '  [ "$word" = = ] && { before=${COMP_WORDS[COMP_CWORD-1]}; word=""; }',
        "  if [ $COMP_CWORD -eq 1 ]; then",
        f'    COMPREPLY=($(compgen -W "{names} --help --version" -- "$word"))',
        "    return",
        "  fi",
        "  case ${COMP_WORDS[1]} in",
    ]
    for command in commands:
        options = " ".join(each.name for each in command.options)
        lines.append(f'    {command.name}) options="{options}"')
        choices = [each for each in command.options if each.choices]
        if choices:
            lines.append("      case $before in")
            for each in choices:
                lines.append(f'        {each.name}) values="{" ".join(each.choices)}" ;;')
            lines.append("      esac")
        lines.append("      ;;")
    lines += [
        "  esac",
        '  if [ -n "$values" ]; then',
        '    COMPREPLY=($(compgen -W "$values" -- "$word"))',
        "  elif [[ $word == -* ]]; then",
        '    COMPREPLY=($(compgen -W "$options" -- "$word"))',
        "  else",
        '    COMPREPLY=($(compgen -f -- "$word"))',
        "  fi",
        "}",
        "complete -o filenames -F _allocsim allocsim",
        "",
    ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    return text.replace("'", "’").replace("[", "(").replace("]", ")").replace(":", "\\:")


def _zsh(commands: list[Command]) -> str:
    lines = ["#compdef allocsim", "local -a commands", "commands=("]
    lines += [f"  '{each.name}:{_quoted(each.summary)}'" for each in commands]
    lines += [")", "if (( CURRENT == 2 )); then", "  _describe command commands", "  return", "fi", "case $words[2] in"]
    for command in commands:
        lines.append(f"  {command.name})")
        lines.append("    _arguments \\")
        for each in command.options:
            action = ""
            if each.choices:
                action = f":value:({' '.join(each.choices)})"
            elif each.value:
                action = ":value:_files"
            sign = "=" if each.value else ""
            lines.append(f"      '{each.name}{sign}[{_quoted(each.text)}]{action}' \\")
        lines.append("      '*:file:_files'")
        lines.append("    ;;")
    return "\n".join([*lines, "esac", ""])


def _fish(commands: list[Command]) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = []
    for command in commands:
        lines.append(f"complete -c allocsim -n __fish_use_subcommand -f -a {command.name} -d {quoted(command.summary)}")
        for each in command.options:
            takes = ""
            if each.choices:
                takes = f" -x -a {quoted(' '.join(each.choices))}"
            elif each.value:
                takes = " -r"
            lines.append(
                f"complete -c allocsim -n '__fish_seen_subcommand_from {command.name}' -l {each.name[2:]}{takes}"
                f" -d {quoted(each.text)}"
            )
    return "\n".join([*lines, ""])


def _man(name: str, summary: str, text: str) -> str:
    def escaped(line: str) -> str:
        line = line.replace("\\", "\\e").replace("-", "\\-")
        return "\\&" + line if line.startswith((".", "'")) else line

    lines = [f'.TH {name.upper()} 1 "" "allocsim" "allocsim"', ".SH NAME", f"{escaped(name)} \\- {escaped(summary)}"]
    lines += [".SH SYNOPSIS AND OPTIONS", ".nf"]
    return "\n".join([*lines, *map(escaped, text.rstrip().splitlines()), ".fi", ""])
