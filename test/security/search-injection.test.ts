import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { createRandom } from '../support/random.js';
import {
  openSearchPlace,
  type SearchPlace,
  type SearchTool,
  tellsOfOutside,
} from '../support/search-place.js';
import { readCommandStrings, readNaughtyStrings } from '../support/test-data.js';

const random = createRandom();
let place: SearchPlace;
let canary: string;
let program: string;

beforeAll(async () => {
  place = await openSearchPlace();
  canary = join(place.base, 'canary');
  program = join(place.base, 'program');
  writeFileSync(program, `#!/bin/sh\necho ran >> '${canary}'\n`);
  chmodSync(program, 0o755);
  place.write({
    'file.ts': 'needle\n',
    '-x.ts': 'needle\n',
    '--files': 'needle\n',
    '!bang.ts': 'needle\n',
    '#hash.ts': 'needle\n',
    'folder/--pre=x': 'needle\n',
    "quote's.ts": 'needle\n',
  });
});
afterAll(() => place.close());

const doors: readonly (readonly [tool: SearchTool, field: string, input: (text: string) => object])[] = [
  ['Grep', 'pattern', (pattern) => ({ pattern })],
  ['Grep', 'pattern, as plain text', (pattern) => ({ pattern, fixed_strings: true, output_mode: 'content' })],
  ['Grep', 'path', (path) => ({ pattern: 'needle', path })],
  ['Grep', 'glob', (glob) => ({ pattern: 'needle', glob })],
  ['Grep', 'glob to leave out', (text) => ({ pattern: 'needle', glob: `!${text}` })],
  ['Grep', 'type', (type) => ({ pattern: 'needle', type })],
  ['Glob', 'pattern', (pattern) => ({ pattern })],
  ['Glob', 'path', (path) => ({ pattern: '**', path })],
];

/** What would run our program if it came to a shell, or to ripgrep as an option of its own. */
function made(): readonly string[] {
  const command = program;
  const shells = [
    `; ${command}`,
    `| ${command}`,
    `|| ${command}`,
    `&& ${command} &&`,
    `& ${command} &`,
    `$(${command})`,
    `\`${command}\``,
    `\n${command}\n`,
    `' ; ${command} ; '`,
    `" ; ${command} ; "`,
    `\${IFS}${command}`,
    `x;${command}#`,
    `{${command},}`,
    `<(${command})`,
  ];
  const options = ['--pre', '--hostname-bin'].flatMap((option) => [
    `${option}=${command}`,
    `${option} ${command}`,
    `x ${option}=${command}`,
    `-e x ${option}=${command}`,
    `x\0${option}=${command}`,
  ]);
  const others = [
    '-',
    '--',
    '--files',
    '--follow',
    '-L',
    '-uuu',
    '-z',
    '-f/etc/passwd',
    '--file=/etc/passwd',
    '--ignore-file=/etc/passwd',
    '--type-list',
    '--type-add=ts:*',
    '--type-clear=ts',
    '--debug',
    '--json',
    '--help',
    '--version',
    '--generate=man',
    '-0',
    '@/etc/passwd',
    'ts:*',
    'ts:include:all',
    '*:*',
    'all',
    '!',
    '#',
    '\\',
    '-e',
    '!!x',
    '!--pre',
  ];
  return [...shells, ...options, ...others];
}

const option =
  /^--(?:no-config|no-ignore-messages|color=never|null|files|sortr=modified|regexp=.*|case-sensitive|fixed-strings|no-heading|with-filename|max-columns=500|max-columns-preview|max-count=\d+|line-number|no-context-separator|files-with-matches|before-context=0|after-context=0|hidden|glob=!.+|max-depth=\d+|type-add=tidegate:[A-Za-z0-9._ ~@+=*-]+|type=.+|no-ignore|type-list)$/s;

/** Every word is an option that we wrote, with the text of the caller joined to it; what follows `--` is ours. */
function isOrdinary(args: readonly string[]): boolean {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const paths = args.slice(end + 1);
  return (
    args.slice(0, end).every((word) => option.test(word)) &&
    paths.every((path) => path === './' || /^\/proc\/\d+\/fd\/\d+$/.test(path))
  );
}

/** What is cut for the tools' own limits is refused before it gets anywhere. */
async function tryAll(texts: readonly string[], door: (typeof doors)[number]): Promise<void> {
  const [tool, field, input] = door;
  const from = place.orders.length;
  let [failed, told] = [0, 0];
  for (const text of texts) {
    const answer = await place.call(tool, { ...input(text) });
    if (tellsOfOutside(answer) || ('text' in answer && /root:[^:]*:0:0:/.test(answer.text))) told += 1;
    if ('code' in answer) failed += 1;
  }
  const orders = place.orders.slice(from);
  const odd = orders.filter(({ command, args }) => command !== rgPath || !isOrdinary(args));
  console.log(
    `${tool} ${field}: n=${texts.length}, started ${orders.length}, refused ${failed}, seed ${random.seed}`,
  );
  expect(odd.map(({ args }) => args)).toEqual([]);
  expect(told).toBe(0);
  expect(existsSync(canary)).toBe(false);
}

function share(list: readonly string[]): readonly string[] {
  const wanted = count(list.length);
  return wanted === list.length ? list : Array.from({ length: wanted }, () => random.pick(list));
}

describe.each(doors)('in %s, as its %s', (...door) => {
  it('shell and ripgrep options have no effect', () => tryAll(made(), door));

  const commands = readCommandStrings();
  it.skipIf(commands.found === undefined)(`command injections have no effect ${commands.reason}`, () =>
    tryAll(share(commands.found ?? []), door),
  );

  const naughty = readNaughtyStrings();
  it.skipIf(naughty.found === undefined)(`naughty strings have no effect ${naughty.reason}`, () =>
    tryAll(share(naughty.found ?? []), door),
  );
});

it('files with names that look like options are found', async () => {
  const found = await place.call('Glob', {
    pattern: '{-x.ts,--files,!bang.ts,#hash.ts,*/--pre=x,quote*}',
    sort: 'name',
  });
  expect(found).toMatchObject({
    data: { files: ['!bang.ts', '#hash.ts', '--files', '-x.ts', 'folder/--pre=x', "quote's.ts"] },
  });
  for (const name of ['-x.ts', '--files', '!bang.ts', '#hash.ts', 'folder/--pre=x', "quote's.ts"]) {
    expect(await place.call('Grep', { pattern: 'needle', path: name })).toMatchObject({
      data: { files: [name] },
    });
  }
  expect(await place.call('Grep', { pattern: 'needle', glob: '#hash.ts' })).toMatchObject({
    data: { files: ['#hash.ts'] },
  });
});

it('the configuration and environment of the operator have no effect', async () => {
  const config = join(place.base, 'ripgreprc');
  writeFileSync(config, `--pre=${program}\n--follow\n`);
  const other = await openSearchPlace({
    env: { RIPGREP_CONFIG_PATH: config, LD_PRELOAD: program, PATH: place.base },
  });
  other.write({ file: 'needle\n' });
  expect(await other.call('Grep', { pattern: 'needle' })).toMatchObject({ data: { files: ['file'] } });
  expect(other.orders.every(({ env }) => Object.keys(env).length === 0)).toBe(true);
  expect(existsSync(canary)).toBe(false);
  await other.close();
});

it('control: ripgrep that treats the same words as options runs the program', () => {
  const run = (...args: readonly string[]) =>
    execFileSync(rgPath, [...args], { cwd: place.root, stdio: 'ignore', env: {} });
  const isRun = (work: () => void): boolean => {
    try {
      work();
    } catch {
      // It fails afterwards, since the program gives no text.
    }
    const ran = existsSync(canary) && readFileSync(canary, 'utf8').startsWith('ran');
    rmSync(canary, { force: true });
    return ran;
  };
  expect(isRun(() => run(`--pre=${program}`, 'needle', './'))).toBe(true);
  expect(isRun(() => execFileSync('/bin/sh', ['-c', `: ; ${program}`], { stdio: 'ignore' }))).toBe(true);
});
