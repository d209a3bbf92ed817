import type { Command, Given } from './command.js';

/**
 * Parses a simple command line without commander, so that `mcp` starts fast. Returns undefined for anything else (help,
 * mistakes), which commander then handles.
 */
export function parsePlain(command: Command, words: readonly string[]): Given | undefined {
  const options: Record<string, string | true> = {};
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] ?? '';
    const [flag = '', ...rest] = word.split('=');
    const known = command.options?.find(({ name }) => flag === `--${name}`);
    if (known === undefined) return undefined;
    if (known.value === undefined) {
      if (rest.length > 0) return undefined;
      options[known.name] = true;
      continue;
    }
    const value = rest.length > 0 ? rest.join('=') : words[(i += 1)];
    if (value === undefined || value === '' || value.startsWith('-')) return undefined;
    options[known.name] = value;
  }
  return { arguments: [], options };
}
