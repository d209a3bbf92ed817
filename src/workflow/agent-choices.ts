import type { NotedText } from './fields/read.js';
import type { Workflow } from './grammar/workflow.js';
import { parseTemplate } from './template/parse.js';
import { type Reference, TemplateError } from './template/template.js';

/** Agent options that decide which program starts or where a secret is sent. */
const decisive: Readonly<Record<string, string>> = {
  base_url: 'where the API key is sent',
  api_key_env: 'which environment variable is sent as the API key',
  program: 'which program is started',
  native_permissions: 'what the agent may do with its own tools',
  dangerously_skip_permissions: 'what the agent may do with its own tools',
  allowed_tools: 'which of its own tools the agent may use',
};

/** Which security decision this text makes; undefined if none. */
export function decidedBy({ path, text }: Pick<NotedText, 'path' | 'text'>): string | undefined {
  // A list item belongs to the option that holds the list.
  const way = typeof path.at(-1) === 'number' ? path.slice(0, -1) : path;
  const key = way.at(-1);
  if (way.at(-2) !== 'options' || typeof key !== 'string') return undefined;
  // A key may come from an input, but an input must not name the variable that holds it.
  if (key === 'api_key') return takesAnyVariable(text) ? decisive['api_key_env'] : undefined;
  return Object.hasOwn(decisive, key) ? decisive[key] : undefined;
}

/** Whether a template uses the environment as a whole, as in `index .env .inputs.name` or `index $ "env" .inputs.name`. */
function takesAnyVariable(text: string): boolean {
  return referencesIn(text).some(({ path: [head = 'env', name] }) => head === 'env' && name === undefined);
}

/** Only the environment is controlled by the operator; any other value may come from an agent. */
export function isForeign({ path: [head = 'inputs'] }: Pick<Reference, 'path'>): boolean {
  return ['inputs', 'states', 'loop', 'error'].includes(head);
}

/** One sentence per security option set by an input, result or loop. Such a workflow cannot be trusted. */
export function foreignChoices({ texts }: Workflow): readonly string[] {
  return texts.flatMap((text) => {
    const decided = decidedBy(text) ?? folderOfCommands(text);
    if (decided === undefined) return [];
    return referencesIn(text.text)
      .filter(isForeign)
      .map(({ path }) => `${path.join('.') || '$'} determines ${decided} (${text.path.join('.')})`);
  });
}

/** Commands name programs relative to their folder, so choosing the folder means choosing the program. */
function folderOfCommands({ path }: Pick<NotedText, 'path'>): string | undefined {
  return path.at(-1) === 'dir' && path[0] === 'states' ? 'which folder commands run in' : undefined;
}

function referencesIn(text: string): readonly Reference[] {
  try {
    return parseTemplate(text).references;
  } catch (error) {
    // An invalid template also fails its step.
    if (error instanceof TemplateError) return [];
    throw error;
  }
}
