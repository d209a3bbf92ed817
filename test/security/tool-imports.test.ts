import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openPlace, type Place } from '../support/gate.js';
import { openStdioAgent, type StdioAgent } from '../support/stdio-agent.js';

/** A tool that loads something when it is loaded, or when it is called. */
const tool = (top: string, inRun = ''): string => `
import { defineTool, z } from 'tidegate/tool';
${top}
export default defineTool({
  name: 'greet', title: 'Greet', description: 'Greets.', effect: 'read',
  input: z.object({}),
  run: async () => { ${inRun}; return 'hi'; },
});
`;
const toolFile = '.tidegate/tools/greet.tool.mjs';
const mark = `process.getBuiltinModule('node:fs').writeFileSync('canary', 'x');\n`;
const dep = { 'node_modules/dep/package.json': '{"name":"dep"}', 'node_modules/dep/index.js': '' };

interface Case {
  readonly files: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly attack: readonly [file: string, text: string];
}

const cases: Readonly<Record<string, Case>> = {
  'a package': {
    files: { [toolFile]: tool(`import 'dep';`), ...dep },
    attack: ['node_modules/dep/index.js', mark],
  },
  'the exports of a package': {
    files: { [toolFile]: tool(`import 'dep';`), ...dep, 'node_modules/dep/other.js': mark },
    attack: ['node_modules/dep/package.json', '{"name":"dep","exports":"./other.js"}'],
  },
  'a package that a package imports': {
    files: {
      [toolFile]: tool(`import 'dep';`),
      ...dep,
      'node_modules/dep/index.js': `require('deeper');`,
      'node_modules/deeper/index.js': '',
    },
    attack: ['node_modules/deeper/index.js', mark],
  },
  'a package that is imported during a call': {
    files: { [toolFile]: tool('', `await import('dep')`), ...dep },
    attack: ['node_modules/dep/index.js', mark],
  },
  'a package of createRequire': {
    files: {
      [toolFile]: tool(
        `import { createRequire } from 'node:module';\nconst load = createRequire(import.meta.url);\nload('dep');`,
      ),
      ...dep,
    },
    attack: ['node_modules/dep/index.js', mark],
  },
  'a package that a file beside the tool imports': {
    files: {
      [toolFile]: tool(`import './lib/a.mjs';`),
      '.tidegate/tools/lib/a.mjs': `import 'dep';`,
      ...dep,
    },
    attack: ['node_modules/dep/index.js', mark],
  },
  'a nearer package of the same name': {
    files: { [toolFile]: tool(`import 'dep';`), ...dep },
    attack: ['.tidegate/node_modules/dep/index.js', mark],
  },
  'a package that is linked from the workspace': {
    files: {
      [toolFile]: tool(`import 'dep';`),
      'packages/dep/package.json': '{"name":"dep","main":"lib/main.js"}',
      'packages/dep/lib/main.js': `require('./part.js');`,
      'packages/dep/lib/part.js': '',
    },
    links: { 'node_modules/dep': '../packages/dep' },
    attack: ['packages/dep/lib/part.js', mark],
  },
  'a package behind a link of its store': {
    files: { [toolFile]: tool(`import 'dep';`), 'node_modules/.pnpm/dep@1/node_modules/dep/index.js': '' },
    links: { 'node_modules/dep': '.pnpm/dep@1/node_modules/dep' },
    attack: ['node_modules/.pnpm/dep@1/node_modules/dep/index.js', mark],
  },
  'a file outside of the folder': {
    files: { [toolFile]: tool(`import '../../src/a';`), 'src/a.ts': `import './b.js';`, 'src/b.ts': '' },
    attack: ['src/b.ts', mark],
  },
  'the project by its own name': {
    files: {
      [toolFile]: tool(`import 'project/a';`),
      'package.json': '{"name":"project","exports":{"./a":"./src/a.js"}}',
      'src/a.js': '',
    },
    attack: ['src/a.js', mark],
  },
  'another tool': {
    files: {
      [toolFile]: tool(`import './other.tool.mjs';`),
      '.tidegate/tools/other.tool.mjs': tool('').replace(`'greet'`, `'other'`),
    },
    attack: ['.tidegate/tools/other.tool.mjs', mark + tool('').replace(`'greet'`, `'other'`)],
  },
};

describe('[15.3] code that a trusted workspace tool imports', () => {
  let place: Place;
  let agent: StdioAgent | undefined;
  let root: string;
  const file = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  /** Without the lock, so that agents can change the files: then their hashes have to catch it. */
  const prepare = ({ files, links = {} }: Pick<Case, 'files' | 'links'>, isLocked = false): void => {
    const workspace = { lock_trusted: isLocked };
    place = openPlace({ builtins: ['Read', 'Write'], workspace }, { trusted: false });
    root = join(place.directory, 'workspace');
    for (const [path, text] of Object.entries(files)) file(path, text);
    for (const [path, target] of Object.entries(links)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      symlinkSync(target, join(root, path));
    }
    trust();
  };
  const trust = (): string => {
    const { status, stdout, stderr } = place.run('trust', '--yes');
    expect(stderr).toBe('');
    expect(status).toBe(0);
    return stdout;
  };
  const start = async (): Promise<StdioAgent> => {
    await agent?.close();
    return (agent = await openStdioAgent(place));
  };
  const write = async (by: StdioAgent, [path, text]: Case['attack']): Promise<void> => {
    // Agents may not write there, but a checkout may bring it.
    if (path.startsWith('.tidegate/')) return file(path, text);
    if (existsSync(join(root, path))) await by.call('Read', { file_path: path });
    expect((await by.call('Write', { file_path: path, content: text })).isError).toBe(false);
  };
  const isHit = (): boolean => existsSync(join(root, 'canary'));
  const said = (by: StdioAgent): Promise<string> =>
    by.call('greet').then(
      ({ text }) => text,
      (error: unknown) => String(error),
    );
  afterEach(async () => {
    await agent?.close();
    agent = undefined;
    place.close();
  });

  it.each(Object.entries(cases))(
    'does not run after a restart if an agent changed it: %s',
    async (_name, one) => {
      prepare(one);
      const first = await start();
      expect(await said(first)).toContain('hi');
      await write(first, one.attack);
      const second = await start();
      expect(await second.tools()).not.toContain('greet');
      expect(await said(second)).not.toContain('hi');
      expect(second.said()).toContain('tidegate trust');
      expect(isHit()).toBe(false);
      // Control: once the operator trusts the change, the same change does run.
      trust();
      const third = await start();
      expect(await said(third)).toContain('hi');
      expect(isHit()).toBe(true);
    },
  );

  it('cannot be changed by agents: a package', async () => {
    const one = cases['a package'];
    if (one === undefined) throw new Error('no such case');
    prepare(one, true);
    const by = await start();
    const [path, content] = one.attack;
    if (existsSync(join(root, path))) await by.call('Read', { file_path: path });
    const { isError, text } = await by.call('Write', { file_path: path, content });
    expect([isError, text]).toEqual([true, expect.stringContaining('work.refused')]);
    expect(await said(by)).toContain('hi');
    // The control: what no tool imports can be written.
    expect((await by.call('Write', { file_path: 'other.js', content })).isError).toBe(false);
  });

  it.each([
    'a package',
    'a package that is imported during a call',
    'a package that is linked from the workspace',
  ])('does not run in the same process before the tool is loaded: %s', async (name) => {
    const one = cases[name];
    if (one === undefined) throw new Error('no such case');
    prepare(one);
    // The first start learns what the tool looks like, so that the second need not load it.
    expect(await (await start()).tools()).toContain('greet');
    const second = await start();
    expect(await second.tools()).toContain('greet');
    await write(second, one.attack);
    const answer = await said(second);
    expect(answer).toContain('has changed since it was trusted');
    expect(answer).toContain(
      name === 'a package that is linked from the workspace' ? 'part.js' : 'node_modules/dep',
    );
    expect(isHit()).toBe(false);
  });

  it('does not run if a call imports it after the tool was loaded', async () => {
    const one: Case = {
      files: { [toolFile]: tool('let calls = 0;', `if (calls++ > 0) await import('dep')`), ...dep },
      attack: ['node_modules/dep/index.js', mark],
    };
    prepare(one);
    const by = await start();
    expect(await said(by)).toContain('hi');
    await write(by, one.attack);
    expect(await said(by)).toContain('has changed since it was trusted');
    expect(isHit()).toBe(false);
  });

  it('does not run through a link that was redirected to another folder outside', async () => {
    prepare({
      files: { [toolFile]: tool(`import 'dep';`) },
      links: { 'node_modules/dep': '../../outside/dep' },
    });
    const outside = (name: string, text: string): void => {
      mkdirSync(join(place.directory, 'outside', name), { recursive: true });
      writeFileSync(join(place.directory, 'outside', name, 'index.js'), text);
    };
    outside('dep', '');
    outside('evil', mark);
    trust();
    expect(await said(await start())).toContain('hi');
    // What lies outside of the roots is the operator's: it may change.
    outside('dep', '// changed');
    expect(await said(await start())).toContain('hi');
    rmSync(join(root, 'node_modules/dep'));
    symlinkSync('../../outside/evil', join(root, 'node_modules/dep'));
    expect(await said(await start())).not.toContain('hi');
    expect(isHit()).toBe(false);
    trust();
    expect(await said(await start())).toContain('hi');
    expect(isHit()).toBe(true);
  });

  it('is listed by trust, doctor and the log, with imports that cannot be followed', async () => {
    prepare({ files: { [toolFile]: tool(`import 'dep';`), ...dep } });
    file('node_modules/dep/index.js', 'module.exports = (name) => require(name);');
    const by = await start();
    expect(by.said()).toContain('its imports have changed');
    expect(by.said()).toContain('node_modules/dep');
    expect(place.run('doctor', '--only', 'trust', '--json').stdout).toContain('changed since it was trusted');
    const shown = trust();
    expect(shown).toContain(
      'which they import. If one changes, the tools must be trusted again:\n  node_modules/dep',
    );
    expect(shown).toContain(
      'import names at run time, and those imports are not checked:\n  node_modules/dep',
    );
  });

  it('does not include other workspace files, which do not stop a tool', async () => {
    prepare({
      files: { [toolFile]: tool(`import './lib/a.mjs';`), '.tidegate/tools/lib/a.mjs': '', ...dep },
    });
    const by = await start();
    expect(await said(by)).toContain('hi');
    await write(by, ['node_modules/dep/index.js', mark]);
    await write(by, ['node_modules/zod/index.js', mark]);
    expect(await said(by)).toContain('hi');
    expect(await said(await start())).toContain('hi');
    expect(isHit()).toBe(false);
  });
});
