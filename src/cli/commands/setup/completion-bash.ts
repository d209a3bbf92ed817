import { below, type Fill, type Line } from './completion-data.js';

/** Works with bash 3.2, the version on macOS. */
export function bashScript(line: Line): string {
  return `# tidegate completion for bash. Add to ~/.bashrc:  eval "$(tidegate completion bash)"
_tidegate() {
  local cur=\${COMP_WORDS[COMP_CWORD]} last=\${COMP_WORDS[COMP_CWORD-1]} key=\${COMP_WORDS[1]} found=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    found='${line.first.map(({ name }) => name).join(' ')} --help --version'
    COMPREPLY=($(compgen -W "$found" -- "$cur"))
    return
  fi
  case $key in
${line.groups.map((group) => groupCase(group, line)).join('\n')}
  esac
  case "$key $last" in
${line.entries.flatMap(({ name, options }) => options.flatMap((option) => (option.value === undefined ? [] : [`    '${name} ${option.name}') ${reply(option.value)}; return ;;`]))).join('\n')}
  esac
  if [ "\${cur:0:1}" = - ]; then
    case $key in
${line.entries.map(({ name, options }) => `      '${name}') found='${options.map((option) => option.name).join(' ')}' ;;`).join('\n')}
    esac
    COMPREPLY=($(compgen -W "$found" -- "$cur"))
    return
  fi
  case $key in
${line.entries.flatMap(({ name, argument }) => (argument.kind === 'none' ? [] : [`    '${name}') ${reply(argument)} ;;`])).join('\n')}
  esac
}
complete -F _tidegate tidegate
`;
}

function groupCase(group: string, line: Line): string {
  const names = below(group, line).map(({ name }) => name);
  const isAlso = line.entries.some(({ name }) => name === group);
  // If no subcommand follows, the group itself is the command.
  const which = isAlso
    ? `case "\${COMP_WORDS[2]}" in ${names.join('|')}) key="${group} \${COMP_WORDS[2]}" ;; esac`
    : `key="${group} \${COMP_WORDS[2]}"`;
  const guard = isAlso ? ' && [ "${cur:0:1}" != - ]' : '';
  return `    ${group})
      if [ "$COMP_CWORD" -eq 2 ]${guard}; then COMPREPLY=($(compgen -W '${names.join(' ')}' -- "$cur")); return; fi
      ${which} ;;`;
}

function reply(fill: Fill): string {
  if (fill.kind === 'words') return `COMPREPLY=($(compgen -W '${fill.words.join(' ')}' -- "$cur"))`;
  return fill.kind === 'files' ? 'COMPREPLY=($(compgen -f -- "$cur"))' : ':';
}
