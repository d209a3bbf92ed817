import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { endProcess, openPlace, type Place, spawnStdioGate } from '../support/gate.js';
import { type LineClient, openLineClient } from '../support/line-client.js';
import { createRandom } from '../support/random.js';
import { readCommandStrings, readNaughtyStrings } from '../support/test-data.js';

interface Listed {
  readonly name: string;
  readonly inputSchema: {
    readonly properties: Readonly<Record<string, { readonly type?: string; readonly enum?: unknown }>>;
  };
}

/** Where a command is wanted; everything else is data. */
const meant = new Set(['Bash command']);
const random = createRandom();

/** Each makes the canary, if anything ever hands it to a shell. */
function canaryStrings(canary: string): readonly string[] {
  const command = `touch ${canary}`;
  const around = [
    '$(X)',
    '`X`',
    ';X',
    ';X;',
    '|X',
    '||X',
    '&X',
    '&&X',
    '\nX\n',
    "';X;'",
    '";X;"',
    '$(X)x',
    '<(X)',
  ];
  const options = [
    '--pre=X',
    '--pre-glob=X',
    '-oX',
    '--exec=X',
    '--checkpoint-action=exec=X',
    '-f X',
    '-- X',
  ];
  return [...around, ...options, 'a$(X).txt', '{$(X),b}', '[$(X)]', '!$(X)', '**/$(X)'].map((text) =>
    text.replaceAll('X', command),
  );
}

describe('a string that is not a command', () => {
  let place: Place;
  let workspace = '';
  let canary = '';
  let gate: ReturnType<typeof spawnStdioGate>;
  let client: LineClient;
  let fields: readonly (readonly [tool: string, field: string])[] = [];

  beforeAll(async () => {
    place = openPlace({ builtins: ['*'], log: { level: 'error' } });
    workspace = join(place.directory, 'workspace');
    canary = join(place.directory, 'canary');
    writeFileSync(join(workspace, 'notes.txt'), 'first\nsecond\n');
    gate = spawnStdioGate(place);
    client = openLineClient(gate);
    await client.initialize();
    const { result } = (await client.request('tools/list')).message;
    fields = (result as unknown as { readonly tools: readonly Listed[] }).tools.flatMap(
      ({ name, inputSchema }) =>
        Object.entries(inputSchema.properties)
          .filter(
            ([field, { type, enum: values }]) =>
              type === 'string' && values === undefined && !meant.has(`${name} ${field}`),
          )
          .map(([field]) => [name, field] as const),
    );
  });
  afterAll(async () => {
    await endProcess(gate);
    place.close();
  });

  /** Sound arguments for each tool, of which one is then exchanged. */
  const sound: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    Bash: { command: 'true' },
    BashOutput: { bash_id: 'none' },
    KillBash: { shell_id: 'none' },
    Read: { file_path: 'notes.txt' },
    Write: { file_path: 'made/new.txt', content: 'x' },
    Edit: { file_path: 'notes.txt', old_string: 'none', new_string: 'none2' },
    Glob: { pattern: '*' },
    Grep: { pattern: 'first' },
    execute_workflow: { workflow: 'none' },
  };

  async function send(tool: string, field: string, text: string): Promise<void> {
    const args = { ...sound[tool], [field]: text };
    const { message } = await client.request('tools/call', { name: tool, arguments: args }, 60_000);
    expect(message.error, `${tool} ${field} ${JSON.stringify(text)}`).toBeUndefined();
  }

  it('is tested in every tool', () => {
    expect(new Set(fields.map(([tool]) => tool))).toEqual(new Set(Object.keys(sound)));
    expect(fields.length).toBeGreaterThan(12);
  });

  it('never reaches a shell, whatever it contains', async () => {
    const { found: commands = [] } = readCommandStrings();
    const { found: naughty = [] } = readNaughtyStrings();
    const corpus = [...commands, ...naughty];
    const perField = Math.min(corpus.length, count(corpus.length));
    let sent = 0;
    for (const [tool, field] of fields) {
      const chosen = Array.from({ length: perField }, () => corpus[random.below(corpus.length)] ?? '');
      for (const text of [...canaryStrings(canary), ...chosen]) {
        await send(tool, field, text);
        sent += 1;
      }
      expect(existsSync(canary), `${tool} ${field}`).toBe(false);
      // Files with such names were made on purpose; they must not pile up.
      rmSync(join(workspace, 'made'), { recursive: true, force: true });
    }
    console.log(
      `strings that are no commands: n=${String(sent)} in ${String(fields.length)} fields, corpus ${String(corpus.length)}, seed ${String(random.seed)}`,
    );
    expect(readdirSync(place.directory).sort()).toEqual(['home', 'workspace']);
  });

  it('control: as a command, the same strings do', async () => {
    mkdirSync(join(workspace, 'out'), { recursive: true });
    const inside = join(workspace, 'out', 'canary');
    for (const text of ['$(touch X)', '`touch X`', 'true;touch X']) {
      await client.request('tools/call', {
        name: 'Bash',
        arguments: { command: text.replace('X', inside) },
      });
      expect(existsSync(inside), text).toBe(true);
      rmSync(inside);
    }
  });
});
