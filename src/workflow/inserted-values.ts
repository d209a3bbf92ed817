// Finds values in commands that a shell would run. In the sandbox this is up to the author; outside it, an agent that
// provides the value would choose the command.
import { isForeign } from './agent-choices.js';
import type { Workflow } from './grammar/workflow.js';
import { withoutPlaceholders } from './placeholders.js';
import { parseTemplate } from './template/parse.js';
import { type Reference, TemplateError } from './template/template.js';

/** One sentence per value. `inputs`: those of the workflow that the command belongs to. */
export function insertedValues(command: string, inputs: Workflow['inputs']): readonly string[] {
  const unsafe = foreignIn(command).filter(({ path, isEscaped, offset }) => {
    if (isPlainValue(path, inputs)) return false;
    return !isEscaped || isQuoted(command.slice(0, Math.max(0, command.lastIndexOf('{{', offset))));
  });
  const names = new Set(unsafe.map(({ path }) => path.join('.') || '$'));
  return [...names].map(
    (name) =>
      `${name} is inserted into a command that runs outside the sandbox. Read its environment variable, or use {{escape .${name}}} outside quotes`,
  );
}

/** Values that can only be a number or a word that Tidegate sets. */
export function isPlainValue(path: Reference['path'], inputs: Workflow['inputs']): boolean {
  const [head, name, property = ''] = path;
  if (head === 'states')
    return ['ExitCode', 'Status', 'TokensUsed', 'TokensInput', 'TokensOutput'].includes(property);
  if (head === 'loop') return /^(?:index1?|length|first|last)$/i.test(path.at(-1) ?? '');
  const type = inputs.find((input) => input.name === name)?.type;
  return head === 'inputs' && (type === 'integer' || type === 'number' || type === 'boolean');
}

function foreignIn(command: string): readonly Reference[] {
  try {
    return parseTemplate(command).references.filter(isForeign);
  } catch (error) {
    // An invalid template also fails its step.
    if (error instanceof TemplateError) return [];
    throw error;
  }
}

/** Whether a quote is open after this text: there, the quotes of an escaped value would close it. */
function isQuoted(before: string): boolean {
  const text = withoutPlaceholders(before);
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '\\' && quote !== "'") at += 1;
    else if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === "'" || sign === '"' || sign === '`') quote = sign;
    else if (sign === '#' && /^\s?$/.test(text.charAt(at - 1))) {
      const end = text.indexOf('\n', at);
      at = end === -1 ? text.length : end;
    }
  }
  return quote !== '';
}
