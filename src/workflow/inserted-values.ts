// Finds values in commands that a shell would run. In the sandbox this is up to the author; outside it, an agent that
// provides the value would choose the command.
import { isForeign } from './agent-choices.js';
import type { Workflow } from './grammar/workflow.js';
import { parseTemplate } from './template/parse.js';
import { type Reference, TemplateError } from './template/template.js';

/**
 * One sentence per value. `inputs`: those of the workflow that the command belongs to. Escaped values count too: escaping
 * does not help in nested quotes, in a here-document, in a script that is not a shell script, or against a value that is
 * an option.
 */
export function insertedValues(command: string, inputs: Workflow['inputs']): readonly string[] {
  const unsafe = foreignIn(command).filter(({ path }) => !isPlainValue(path, inputs));
  const names = new Set(unsafe.map(({ path }) => path.join('.') || '$'));
  return [...names].map(
    (name) =>
      `${name} is inserted into a command that runs outside the sandbox. Read the input from its environment variable instead`,
  );
}

/** Values that can only be a number or a word that Tidegate sets. */
export function isPlainValue(path: Reference['path'], inputs: Workflow['inputs']): boolean {
  const [head, name, property = ''] = path;
  if (head === 'states')
    return ['ExitCode', 'Status', 'TokensUsed', 'TokensInput', 'TokensOutput'].includes(property);
  // Not a field of the item that happens to have such a name.
  if (head === 'loop') return /^(?:parent\.)*(?:index1?|length|first|last)$/i.test(path.slice(1).join('.'));
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
