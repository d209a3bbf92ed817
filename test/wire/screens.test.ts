import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runGate } from '../support/run-program.js';
import { emptyExamples, type Example, goodExamples, wrongExamples } from '../support/screen-examples.js';
import { allowedPaints, escapesIn, strangePaints, tooWide } from '../support/screen-check.js';
import { afterWork, openScreenPlace, type ScreenPlace } from '../support/screen-place.js';
import { hasTerminals, openTerminal } from '../support/terminal.js';

/** `node scripts/screens.mjs --walk FOLDER`: saves all examples, in every kind of terminal, for review. */
const folder = process.env['TIDEGATE_SCREENS'];
const atOnce = 4;

let place: ScreenPlace;
beforeAll(() => {
  place = openScreenPlace();
});
afterAll(() => place.close());

type Kind = 'terminal' | 'no colours' | 'pipe';

async function written(example: Example, kind: Kind, columns = 80): Promise<string> {
  const [cwd, env] = example.at === 'empty' ? [place.empty, place.emptyEnv] : [place.workspace, place.env];
  if (kind === 'pipe') {
    const { stdout, stderr } = await runGate(place, example.words, { cwd, env });
    return `${stdout}${stderr}`;
  }
  const colours = kind === 'no colours' ? { NO_COLOR: '1' } : {};
  const terminal = openTerminal({ args: example.words, cwd, env: { ...env, ...colours }, columns });
  if (example.types !== undefined) {
    await terminal.sees(example.types.after);
    terminal.type(example.types.text);
  }
  await terminal.ended;
  return terminal.raw();
}

async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const lane = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** The subcommands of a command, from its help. */
function namesIn(help: string): readonly string[] {
  const [, below = ''] = /\nCommands:\r?\n([^]*?)\r?\n\r?\n/.exec(help) ?? [];
  return [...below.matchAll(/^ {2}(\S+)/gm)].map(([, name = '']) => name);
}

async function helps(words: readonly string[], found: Map<string, string>): Promise<void> {
  const help = await written({ words: [...words, '--help'] }, 'terminal');
  found.set(words.join(' '), help);
  await each(namesIn(help), (name) => helps([...words, name], found));
}

/** One of each kind of output: tables, trees, charts, sentences, findings, pictures, questions, errors. */
const main = [
  'tools list',
  'tools show names_long',
  'tools search create an invoice',
  'tools cost',
  'context',
  'doctor --only machine,servers --config troubled.yaml',
  'servers --config troubled.yaml',
  'plugin list',
  'plugin show peer',
  'profile list',
  'explain agent:carol Bash',
  'audit',
  'token list',
  'trust --list',
  'runs list',
  'validate broken',
  'config check broken-config.yaml',
  'import clade',
  'grant agent:alice',
  'run fails',
].map((line): Example => ({ words: line.split(' ') }));

describe.skipIf(!hasTerminals)('the output of commands', () => {
  it('fits into 80 columns and has an example, in the help of every command', async () => {
    const found = new Map<string, string>();
    await helps([], found);
    expect(found.size).toBeGreaterThan(60);
    for (const [name, help] of found) {
      expect([name, tooWide(help, 80), strangePaints(help)]).toEqual([name, [], []]);
      expect(help, name).toMatch(/\nExamples?:\r?\n {2}\S/);
    }
    // The control: the same check on a narrower terminal fails.
    expect(tooWide(found.get('') ?? '', 79 - 40)).not.toEqual([]);
  });

  it('fits into 80 columns, in colors that are readable on dark and light backgrounds', async () => {
    const seen: string[] = [];
    await each(main, async (example) => {
      const raw = await written(example, 'terminal');
      seen.push(raw);
      const name = example.words.join(' ');
      expect([name, tooWide(raw, 80), strangePaints(raw)]).toEqual([name, [], []]);
    });
    // The controls: one allowed color less, one used color more, and a wider terminal.
    const all = seen.join('\n');
    for (const code of allowedPaints)
      expect(
        strangePaints(
          all,
          allowedPaints.filter((one) => one !== code),
        ),
      ).toEqual([code]);
    expect(strangePaints(`${all}\u001b[93mbright\u001b[0m`)).toEqual(['93']);
    expect(tooWide(await written({ words: ['tools', 'list'] }, 'terminal', 200), 80)).not.toEqual([]);
  });

  it('has no colors with NO_COLOR, and does not move the cursor in a pipe', async () => {
    const some = main.filter((_, at) => at % 3 === 1);
    await each(some, async (example) => {
      const name = example.words.join(' ');
      expect([name, escapesIn(await written(example, 'no colours'), 'no colours')]).toEqual([name, []]);
      expect([name, escapesIn(await written(example, 'pipe'), 'pipe')]).toEqual([name, []]);
    });
    // The control: the output on a terminal.
    const raw = await written({ words: ['import', 'clade'] }, 'terminal');
    for (const kind of ['no colours', 'pipe'] as const) expect(escapesIn(raw, kind)).not.toEqual([]);
  });
});

if (folder !== undefined && hasTerminals) walk(folder);

function walk(into: string): void {
  const kinds = [
    ['80', 'terminal', 80],
    ['200', 'terminal', 200],
    ['80-no-colours', 'no colours', 80],
    ['pipe', 'pipe', 80],
  ] as const;

  it.each(kinds)('is saved for review: %s', { timeout: 900_000 }, async (name, kind, columns) => {
    // The examples change it.
    place.close();
    place = openScreenPlace();
    const own = join(into, name);
    mkdirSync(own, { recursive: true });
    const all = [...emptyExamples, ...wrongExamples, ...goodExamples(afterWork(place))];
    for (const [at, example] of all.entries()) {
      if (kind === 'pipe' && example.types !== undefined) continue;
      const text = await written(example, kind, columns);
      const file = `${String(at).padStart(3, '0')}-${example.at ?? 'full'}-${example.words.join('-').replaceAll(/[^\w.-]/g, '')}`;
      writeFileSync(
        join(own, file.slice(0, 80)),
        `$ tidegate ${example.words.join(' ')}\n${text.replaceAll('\r\n', '\n')}`,
      );
      // A shell script is not meant for people.
      if (kind === 'terminal' && example.words[0] !== 'completion')
        expect.soft([example.words, tooWide(text, columns)]).toEqual([example.words, []]);
    }
  });
}
