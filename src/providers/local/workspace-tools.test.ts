import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openCardMemory } from './card-memory.js';
import type { LocalTool } from './local-provider.js';
import { type FindImports, scanWorkspace } from './scan-workspace.js';
import { openWorkspaceTools, type WorkspaceReport, type WorkspaceToolsParts } from './workspace-tools.js';

let workspace = '';
let folder = '';
let ran = '';

beforeEach(() => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-tools-')));
  folder = join(workspace, '.tidegate', 'tools');
  ran = join(workspace, 'ran');
  mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const noImports: FindImports = () => Promise.resolve({ files: [], computed: [] });

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const source = (name: string, more = ''): string => `
import { appendFileSync } from 'node:fs';
import { defineTool, z } from 'tidegate/tool';
appendFileSync(${JSON.stringify(ran)}, 'x');
${more}
const words: string = 'typed';
export default defineTool({
  name: '${name}', title: 'T', description: 'D.', effect: 'read',
  input: z.object({ text: z.string().describe('A text.') }),
  run: ({ text }) => words + ' ' + text,
});
`;

const plain = (name: string, more: string): string => source(name, more).replace(': string', '');

interface Seen {
  readonly tools: LocalTool[];
  reports: readonly WorkspaceReport[];
  remembered: readonly string[];
}

function open(more: Partial<WorkspaceToolsParts> = {}) {
  const seen: Seen = { tools: [], reports: [], remembered: [] };
  const opened = openWorkspaceTools({
    workspace,
    trusted: () => () => true,
    recordedImports: () => ({}),
    findImports: noImports,
    findHold: () => Promise.resolve(undefined),
    trustFile: join(workspace, 'trust.json'),
    memory: openCardMemory(join(workspace, 'cards', 'a.json'), '1'),
    authoring: () => Promise.resolve({ 'tidegate/tool': { defineTool: (tool: object) => tool, z } }),
    reserved: ['Read'],
    onChange({ tools, reports, remembered }) {
      seen.tools.splice(0, seen.tools.length, ...tools);
      seen.reports = reports;
      seen.remembered = [...remembered];
    },
    ...more,
  });
  return { ...opened, seen };
}

describe('the tools of a workspace', () => {
  it('are found, run and called, in TypeScript too', async () => {
    const file = write('greet.tool.ts', source('greet'));
    const { refresh, seen } = open();
    expect(await refresh()).toEqual([{ file, state: 'ready', tool: 'greet' }]);
    const [tool] = seen.tools;
    const module = await tool?.load();
    expect(await module?.run({ text: 'x' } as never, {} as never)).toBe('typed x');
  });

  it('can be JavaScript, and use a file next to them', async () => {
    mkdirSync(join(folder, 'lib'));
    writeFileSync(join(folder, 'lib', 'word.ts'), 'export const word: string = "beside";');
    write('a.tool.mjs', plain('a', "import { word } from './lib/word.ts'; globalThis.word = word;"));
    expect(await open().refresh()).toMatchObject([{ state: 'ready', tool: 'a' }]);
  });

  it('that are not trusted are not run', async () => {
    const file = write('greet.tool.ts', source('greet'));
    const { refresh, seen } = open({ trusted: () => () => false });
    expect(await refresh()).toMatchObject([{ file, state: 'untrusted' }]);
    expect(seen.tools).toEqual([]);
    expect(hasRun()).toBe(false);
    // The control: the same file runs when it is trusted.
    await open().refresh();
    expect(hasRun()).toBe(true);
  });

  it('are trusted together with the files next to them', async () => {
    write('greet.tool.ts', source('greet'));
    const [before] = (await scanWorkspace(workspace, noImports)).files;
    write('beside.ts', 'export {};');
    const [after] = (await scanWorkspace(workspace, noImports)).files;
    expect(after?.sha256).not.toBe(before?.sha256);
    write('other.tool.ts', source('other'));
    expect((await scanWorkspace(workspace, noImports)).files[0]?.sha256).toBe(after?.sha256);
  });

  it('are not run again at the next start, only when called', async () => {
    const file = write('greet.tool.ts', source('greet'));
    const first = open();
    await first.refresh();
    expect(first.seen.remembered).toEqual([]);
    rmSync(ran);
    const { refresh, seen } = open();
    expect(await refresh()).toMatchObject([{ state: 'ready', tool: 'greet' }]);
    expect(seen.remembered).toEqual([file]);
    expect(hasRun()).toBe(false);
    await seen.tools[0]?.load();
    expect(hasRun()).toBe(true);
  });

  it.each([
    ['the file itself', 'greet.tool.ts'],
    ['a file beside it', 'word.ts'],
  ])('are not run if %s has changed since', async (_name, changed) => {
    write('word.ts', 'export const word = 1;');
    write('greet.tool.ts', source('greet', "import { word } from './word.ts'; globalThis.word = word;"));
    const { refresh, seen } = open();
    await refresh();
    const [tool] = seen.tools;
    write(changed, 'export const word = 2;');
    await expect(tool?.load()).rejects.toMatchObject({ facts: { reason: 'changed_since_trusted' } });
  });

  it.each<[string, () => void]>([
    ['a link', () => symlinkSync('/etc/hostname', join(folder, 'link.ts'))],
    ['a link to a folder', () => symlinkSync('/etc', join(folder, 'etc'))],
    ['node_modules', () => mkdirSync(join(folder, 'node_modules', 'x'), { recursive: true })],
    [
      'a file that is too large',
      () => writeFileSync(join(folder, 'large.ts'), Buffer.alloc(1024 * 1024 + 1)),
    ],
    [
      'folders that are nested too deeply',
      () => mkdirSync(join(folder, 'a/b/c/d/e/f/g/h/i/j'), { recursive: true }),
    ],
  ])('are not offered next to %s, which they could import unnoticed', async (_name, put) => {
    write('greet.tool.ts', source('greet'));
    put();
    const { refresh, seen } = open();
    expect(await refresh()).toMatchObject([{ state: 'broken' }]);
    expect(seen.tools).toEqual([]);
    expect(hasRun()).toBe(false);
  });

  it('are distinguished by every byte in their folder', async () => {
    write('greet.tool.ts', source('greet'));
    const shaWith = async (bytes: number[]): Promise<string | undefined> => {
      writeFileSync(join(folder, 'x.wasm'), Buffer.from(bytes));
      return (await scanWorkspace(workspace, noImports)).files[0]?.sha256;
    };
    expect(await shaWith([0xff, 0x81])).not.toBe(await shaWith([0xfe, 0x82]));
  });

  it.each([
    ['does not parse', 'export default nope(;', /greet\.tool\.ts:1:/],
    ['throws', '\n\nthrow new Error("boom");', /greet\.tool\.ts:3:\d+: boom/],
    ['exports something else', 'export default 5;', /not a tool/],
    ['exports nothing', 'export const a = 1;', /not a tool/],
    [
      'describes no field',
      `import { z } from 'tidegate/tool'; export default { name: 'a', title: 'A', description: 'A.', effect: 'read',
         input: z.object({ x: z.string() }), run: () => '' };`,
      /input\.x has no description/,
    ],
    ['imports a missing file', "import 'no-such-package-anywhere';", /greet\.tool\.ts/],
  ])('are reported with a position if one %s, and the others work', async (_name, text, words) => {
    write('greet.tool.ts', text);
    write('fine.tool.ts', source('fine'));
    const { refresh, seen } = open();
    const reports = await refresh();
    expect(reports).toMatchObject([{ state: 'ready', tool: 'fine' }, { state: 'broken' }]);
    expect(reports[1]?.problem).toMatch(words);
    expect(seen.tools.map(({ card }) => card.name)).toEqual(['fine']);
  });

  it('cannot use a name that exists', async () => {
    write('a.tool.ts', source('same'));
    write('b.tool.ts', source('same'));
    write('c.tool.ts', source('Read'));
    const reports = await open().refresh();
    expect(reports.map(({ state }) => state)).toEqual(['ready', 'clash', 'clash']);
    expect(reports[1]?.problem).toContain('a.tool.ts');
    expect(reports[2]?.problem).toContain('a built-in tool');
  });

  it('are not read through links', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'tidegate-outside-'));
    writeFileSync(join(outside, 'x.ts'), source('x'));
    symlinkSync(join(outside, 'x.ts'), join(folder, 'x.tool.ts'));
    expect(await open().refresh()).toMatchObject([
      { state: 'broken', problem: /* says why */ expect.stringContaining('link') as string },
    ]);
    rmSync(folder, { recursive: true });
    symlinkSync(outside, folder);
    expect(await open().refresh()).toMatchObject([{ state: 'broken' }]);
    expect(hasRun()).toBe(false);
    rmSync(outside, { recursive: true });
  });

  it('can be added and removed while the gateway runs', async () => {
    const { refresh, follow, close, seen } = open();
    await refresh();
    follow();
    write('late.tool.ts', source('late'));
    await expect.poll(() => seen.reports.map(({ tool }) => tool), { timeout: 10_000 }).toEqual(['late']);
    rmSync(join(folder, 'late.tool.ts'));
    await expect.poll(() => seen.reports, { timeout: 10_000 }).toEqual([]);
    close();
  });

  it('need no folder', async () => {
    rmSync(join(workspace, '.tidegate'), { recursive: true });
    expect(await open().refresh()).toEqual([]);
  });
});

function hasRun(): boolean {
  try {
    return realpathSync(ran) !== '';
  } catch {
    return false;
  }
}
