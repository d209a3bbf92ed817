import { below, type Entry, type Fill, type Line, type Option } from './completion-data.js';

export function fishScript(line: Line): string {
  return `# tidegate completion for fish. Save as ~/.config/fish/completions/tidegate.fish:
#   tidegate completion fish > ~/.config/fish/completions/tidegate.fish
function __tidegate_at
  set -l words (commandline -opc)
  set -e words[1]
  string match -q -- "$argv[1] *" "$words "
end
function __tidegate_only
  set -l words (commandline -opc)
  set -e words[1]
  test "$words" = "$argv[1]"
end
complete -c tidegate -f
${line.first.map(({ name, about }) => `complete -c tidegate -n __fish_use_subcommand -a ${quoted(name)} -d ${quoted(about)}`).join('\n')}
${line.groups
  .flatMap((group) =>
    below(group, line).map(
      ({ name, about }) =>
        `complete -c tidegate -n ${quoted(`__tidegate_only ${group}`)} -a ${quoted(name)} -d ${quoted(about)}`,
    ),
  )
  .join('\n')}
${line.entries.flatMap((entry) => entryLines(entry, line)).join('\n')}
`;
}

function entryLines({ name, options, argument }: Entry, line: Line): readonly string[] {
  const others = below(name, line).map(
    (under) => `; and not __tidegate_at ${quoted(`${name} ${under.name}`)}`,
  );
  const at = `complete -c tidegate -n ${quoted(`__tidegate_at ${quoted(name)}${others.join('')}`)}`;
  const own = argument.kind === 'none' ? [] : [`${at} ${filled(argument)}`];
  return [...own, ...options.map((option) => `${at} ${optionArguments(option)}`)];
}

function optionArguments({ name, about, value }: Option): string {
  const taken = value === undefined ? '' : ` -x ${filled(value)}`.trimEnd();
  return `-l ${name.slice(2)}${value?.kind === 'files' ? ' -r -F' : taken} -d ${quoted(about)}`;
}

function filled(fill: Fill): string {
  if (fill.kind === 'words') return `-a ${quoted(fill.words.join(' '))}`;
  return fill.kind === 'files' ? '-F' : '';
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
