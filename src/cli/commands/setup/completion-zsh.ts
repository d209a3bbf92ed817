import { below, type Fill, type Line } from './completion-data.js';

export function zshScript(line: Line): string {
  return `#compdef tidegate
# tidegate completion for zsh. Add to ~/.zshrc, after compinit:  eval "$(tidegate completion zsh)"
_tidegate() {
  local -a found
  local key=\${words[2]} cur=\${words[CURRENT]}
  if (( CURRENT == 2 )); then
    found=(${described(line.first)})
    _describe -t commands command found
    return
  fi
  case $key in
${line.groups.map((group) => groupCase(group, line)).join('\n')}
  esac
  case "$key \${words[CURRENT-1]}" in
${line.entries.flatMap(({ name, options }) => options.flatMap((option) => (option.value === undefined ? [] : [`    '${name} ${option.name}') ${reply(option.value)}; return ;;`]))).join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case $key in
${line.entries.map(({ name, options }) => `      '${name}') found=(${described(options)}) ;;`).join('\n')}
    esac
    _describe -t options option found
    return
  fi
  case $key in
${line.entries.flatMap(({ name, argument }) => (argument.kind === 'none' ? [] : [`    '${name}') ${reply(argument)} ;;`])).join('\n')}
  esac
}
compdef _tidegate tidegate
`;
}

function groupCase(group: string, line: Line): string {
  const names = below(group, line);
  const isAlso = line.entries.some(({ name }) => name === group);
  const which = isAlso
    ? `case \${words[3]} in ${names.map(({ name }) => name).join('|')}) key="${group} \${words[3]}" ;; esac`
    : `key="${group} \${words[3]}"`;
  return `    ${group})
      if (( CURRENT == 3 ))${isAlso ? ' && [[ $cur != -* ]]' : ''}; then found=(${described(names)}); _describe -t commands command found; return; fi
      ${which} ;;`;
}

function reply(fill: Fill): string {
  if (fill.kind === 'words') return `compadd -- ${fill.words.map(quoted).join(' ')}`;
  return fill.kind === 'files' ? '_files' : ':';
}

function described(rows: readonly { readonly name: string; readonly about: string }[]): string {
  return rows.map(({ name, about }) => quoted(`${name}:${about.replaceAll(':', '\\:')}`)).join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
