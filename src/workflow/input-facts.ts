import type { Workflow } from './grammar/workflow.js';
import { parseTemplate } from './template/parse.js';
import { TemplateError } from './template/template.js';

/** Lists each input with its value and the commands it is inserted into: even a default becomes part of a command. */
export function inputFacts(workflow: Workflow, given: Readonly<Record<string, unknown>>): readonly string[] {
  const commands = commandsByInput(workflow);
  return workflow.inputs.map(({ name, default: usual, required }) => {
    const isGiven = Object.hasOwn(given, name) && given[name] !== usual;
    const value = isGiven ? given[name] : usual;
    const entered = commands.get(name) ?? [];
    const shown = value === undefined || value === null ? '' : ` = ${JSON.stringify(value)}`;
    const kind = isGiven
      ? ''
      : shown !== ''
        ? ' (default)'
        : required === true
          ? ' (required)'
          : ' (optional)';
    return `${name}${shown}${kind}${entered.length === 0 ? '' : `, inserted into the command of ${entered.join(', ')}`}`;
  });
}

/** For each input, the states whose commands use it. */
function commandsByInput({ texts, inputs }: Workflow): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const all = inputs.map(({ name }) => name);
  for (const { holds, text, path } of texts) {
    if (holds !== 'command') continue;
    const place = path[0] === 'states' ? String(path[1]) : path.slice(0, 2).join('.');
    for (const [head, name] of referencesIn(text)) {
      // The whole mapping is used: any input may be meant.
      const names = head === undefined || (head === 'inputs' && name === undefined) ? all : [];
      for (const one of head === 'inputs' && name !== undefined ? [name] : names)
        found.set(one, [...new Set([...(found.get(one) ?? []), place])]);
    }
  }
  return found;
}

function referencesIn(text: string): readonly (readonly string[])[] {
  try {
    return parseTemplate(text).references.map(({ path }) => path);
  } catch (error) {
    // An invalid template also fails its step.
    if (error instanceof TemplateError) return [];
    throw error;
  }
}
