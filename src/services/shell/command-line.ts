import type { SandboxKind } from '../../kernel/shell-port.js';

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Runs the command as first child of the sandbox and tells on descriptor 3 that it began, and how many processes
 * it left: when this shell ends, the kernel ends them all and nobody could count them any more.
 */
const counted = `
exec 4>&2 2>/dev/null
printf s >&3
"$@" 2>&4 3>&- 4>&-
code=$? left=0
for stat in /proc/[0-9]*/stat; do
  read -r line <"$stat" || continue
  case $line in "1 "* | "$$ "*) continue ;; esac
  case \${line##*) } in Z* | X*) ;; *) left=$((left + 1)) ;; esac
done
printf 'l%s' "$left" >&3
exit "$code"
`;

/** In the background a command goes on as long as the jobs that it started with \`&\`. */
const waiting = `tidegate_command=$1; shift; eval "$tidegate_command"; tidegate_command=$?; wait; exit "$tidegate_command"`;

export function inShell(interpreter: string, command: string, isBackground: boolean): CommandLine {
  const args = isBackground ? ['-c', waiting, interpreter, command] : ['-c', command];
  return { command: interpreter, args };
}

export function inSandbox(program: string, options: readonly string[], inner: CommandLine): CommandLine {
  const wrapped = ['/bin/sh', '-c', counted, 'sh', inner.command, ...inner.args];
  return { command: program, args: [...options, '--', ...wrapped] };
}

/** What the notes of a run say. Without sandbox there are none. */
export interface Notes {
  readonly hasBegun: boolean;
  /** Undefined where nobody counted. */
  readonly left: number | undefined;
}

export function readNotes(sandbox: SandboxKind, text: string): Notes {
  if (sandbox === 'none') return { hasBegun: true, left: undefined };
  const left = /^sl([0-9]{1,7})$/.exec(text)?.[1];
  return { hasBegun: text.startsWith('s'), left: Number(left ?? 0) };
}
