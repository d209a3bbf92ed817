import { shellWord } from '../../../config/index.js';
import type { StepResult } from '../../../features/workflows/index.js';
import { Failure } from '../../failure.js';

/** Parses `name=value` pairs. The value is everything after the first `=`. */
export function readAssignments(
  words: readonly string[],
  workflow: string | undefined,
): Readonly<Record<string, string>> {
  const pairs = words.map((word) => {
    const at = word.indexOf('=');
    if (at > 0) return [word.slice(0, at), word.slice(at + 1)] as const;
    throw new Failure(
      'usage.bad_value',
      `--input takes name=value, not ${JSON.stringify(word)}.`,
      `tidegate run ${shellWord(workflow ?? 'deploy')} -i ${shellWord(word.replace(/^=.*/, '') || 'name')}=value`,
    );
  });
  return Object.fromEntries(pairs);
}

const mock = /^states\.([^=]+)\.(Output|Stderr|ExitCode|Status|Response|JSON)=([\s\S]*)$/;

/** Parses mock results such as `states.build.Output=ok`. */
export function mocksOf(words: readonly string[]): ReadonlyMap<string, StepResult> {
  const results = new Map<string, StepResult>();
  for (const word of words) {
    const [, name = '', property = '', value = ''] = mock.exec(word) ?? [];
    if (property === '') {
      throw new Failure(
        'usage.bad_value',
        `--mock takes states.<name>.Output=value, not ${JSON.stringify(word)}.`,
        'tidegate run --help',
      );
    }
    results.set(name, { ...(results.get(name) ?? empty), ...mocked(property, value) });
  }
  return results;
}

const empty: StepResult = {
  status: 'completed',
  output: '',
  stderr: '',
  exitCode: 0,
  response: {},
  attempts: 1,
  startedAt: '',
  ms: 0,
};

function mocked(property: string, value: string): Partial<StepResult> {
  if (property === 'Output') return { output: value };
  if (property === 'Stderr') return { stderr: value };
  if (property === 'ExitCode') return { exitCode: Number(value) };
  if (property === 'Status') return { status: value === 'failed' ? 'failed' : 'completed' };
  const read = parsed(value);
  return property === 'JSON' ? { json: read } : { response: read as StepResult['response'] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure('usage.bad_value', `${JSON.stringify(text)} is not valid JSON.`);
  }
}
