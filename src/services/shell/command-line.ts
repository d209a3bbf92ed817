import type { SandboxKind } from '../../ports/shell.js';
import type { FileLimit } from './file-limit.js';

/**
 * The descriptor on which the sandbox program reads its filter. A single digit, because the shell that opens it accepts
 * no more.
 */
export const filterDescriptor = 9;

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Runs the command as the first child of the sandbox. Reports on descriptor 3 that it began and how many processes it
 * left: when this shell ends, the kernel ends them all, and they can no longer be counted.
 */
const counted = `
exec 4>&2 2>/dev/null
# Compares the mounts with $2 parts of text. In a subshell: its variables may have the names of the command's.
(
  parts=$2 expected= found= end='
'
  shift 2
  while [ "$parts" -gt 0 ]; do expected=$expected$1 parts=$((parts - 1)); shift; done
  while read -r id parent device root point rest; do
    found="$found$device $root $point$end"
  done </proc/self/mountinfo
  IFS=$end
  set -f
  for line in $expected; do
    case $found in *"$line$end"*) continue ;; esac
    printf 'A file or folder was replaced while it was mounted: %s\\n' "\${line##* }" >&4
    exit 1
  done
) || exit 125
# Counts threads, in this sandbox alone. Each shell has its own letter, and root has no such limit.
ulimit -u "$1" || ulimit -p "$1"
shift $(($2 + 2))
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

/** A background command runs as long as the jobs that it started with `&`. */
const waiting = `tidegate_command=$1; shift; eval "$tidegate_command"; tidegate_command=$?; wait; exit "$tidegate_command"`;

export function inShell(interpreter: string, command: string, isBackground: boolean): CommandLine {
  const args = isBackground ? ['-c', waiting, interpreter, command] : ['-c', command];
  return { command: interpreter, args };
}

export interface SandboxLine {
  readonly program: string;
  readonly options: readonly string[];
  /** For all processes together. */
  readonly tasks: string;
  /** See `expectedMounts`. */
  readonly expected: readonly string[];
}

/** Linux limits an argument to 128 KiB, and a path to 4 KiB. */
const linesInArgument = 8;

export function inSandbox(
  { program, options, tasks, expected }: SandboxLine,
  inner: CommandLine,
): CommandLine {
  const parts = Array.from({ length: Math.ceil(expected.length / linesInArgument) }, (_, index) =>
    expected.slice(index * linesInArgument, (index + 1) * linesInArgument),
  ).map((lines) => lines.map((line) => `${line}\n`).join(''));
  const given = [tasks, String(parts.length), ...parts];
  const wrapped = ['/bin/sh', '-c', counted, 'sh', ...given, inner.command, ...inner.args];
  return { command: program, args: [...options, '--', ...wrapped] };
}

/** Sets the limits that all descendants inherit, and opens the filter for the sandbox program. */
const limited = `
soft=$1 hard=$2 cpu=$3 filter=$4 groups=$5
shift 5
# A process joins with its id; $$ is this shell's also in the loop, and what it starts is born in the group.
printf '%s' "$groups" | while read -r group; do printf '%s\\n' "$$" >"$group/cgroup.procs"; done 2>/dev/null
{ ulimit -Sn "$soft"; ulimit -Hn "$hard"; ulimit -t "$cpu"; } 2>/dev/null
if [ -n "$filter" ]; then exec "$@" ${String(filterDescriptor)}<"$filter"; fi
exec "$@"
`;

export interface LimitedLine {
  readonly openFiles: FileLimit;
  /** For each process. */
  readonly cpuSeconds: number;
  /** The file with the seccomp program, if any. */
  readonly filterFile: string | undefined;
  /** The folders of the command's cgroup. */
  readonly cgroups: readonly string[];
}

export function withLimits(
  { openFiles, cpuSeconds, filterFile = '', cgroups }: LimitedLine,
  { command, args }: CommandLine,
): CommandLine {
  const words = [openFiles.soft, openFiles.hard, cpuSeconds === 0 ? 'unlimited' : cpuSeconds].map(String);
  const groups = cgroups.map((folder) => `${folder}\n`).join('');
  return { command: '/bin/sh', args: ['-c', limited, 'sh', ...words, filterFile, groups, command, ...args] };
}

/** What the run reported on descriptor 3. Without a sandbox there are no notes. */
export interface Notes {
  readonly hasBegun: boolean;
  /** Undefined without a sandbox, where nothing counts them. */
  readonly left: number | undefined;
}

export function readNotes(sandbox: SandboxKind, text: string): Notes {
  if (sandbox === 'none') return { hasBegun: true, left: undefined };
  const left = /^sl([0-9]{1,7})$/.exec(text)?.[1];
  return { hasBegun: text.startsWith('s'), left: Number(left ?? 0) };
}
