import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Files } from '../../ports/files.js';
import type { Session } from '../../core/index.js';
import { noOwnPaths } from '../../ports/own-paths.js';
import { isInside } from './names.js';
import { openFiles } from './open-files.js';

let base: string;
let root: string;
let files: Files;
let close: () => Promise<void>;

function sessionOf(id: string): Session {
  return { id, principal: { kind: 'user', id: 'someone', zone: 'local' }, scope: 'connection' };
}

const at = (name: string): string => join(root, name);
const put = (name: string, content: string | Buffer): void => writeFileSync(at(name), content);
const text = (name: string): string => readFileSync(at(name), 'utf8');

async function failure(
  promise: Promise<unknown>,
): Promise<{ code: unknown; reason: unknown; message: string }> {
  try {
    await promise;
  } catch (error) {
    const { code, facts, message } = error as {
      code: unknown;
      facts?: { reason?: unknown };
      message: string;
    };
    return { code, reason: facts?.reason, message };
  }
  throw new Error('it did not fail');
}

async function linesOf(name: string, window = {}): Promise<readonly string[]> {
  const page = await files.read(name, window);
  if (page.kind !== 'text' && page.kind !== 'notebook') throw new Error(page.kind);
  return page.lines.map(({ text: line }) => line);
}

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-files-')));
  root = join(base, 'workspace');
  mkdirSync(root);
  mkdirSync(join(base, 'state'));
  const service = openFiles({ roots: [root], stateDir: join(base, 'state') });
  files = await service.serve(sessionOf('one'));
  close = () => service.close();
});

afterEach(async () => {
  await close();
  rmSync(base, { recursive: true, force: true });
});

describe('reading', () => {
  it('returns numbered lines, the encoding and line endings, and where to continue', async () => {
    put('a.txt', 'one\r\ntwo\r\nthree\r\n');
    expect(await files.read('a.txt', { limit: 2 })).toEqual({
      kind: 'text',
      path: 'a.txt',
      bytes: 17,
      encoding: 'utf-8',
      hasBom: false,
      lineEnding: 'crlf',
      lines: [
        { number: 1, text: 'one' },
        { number: 2, text: 'two' },
      ],
      totalLines: 3,
      nextOffset: 3,
      notes: [],
    });
  });

  it('accepts absolute paths, and links that stay inside', async () => {
    mkdirSync(at('real'));
    put('real/a.txt', 'here\n');
    symlinkSync('real', at('relative'));
    symlinkSync(at('real'), at('absolute'));
    symlinkSync('../absolute/a.txt', at('real/again'));
    for (const path of [
      at('real/a.txt'),
      'relative/a.txt',
      'absolute/a.txt',
      'relative/again',
      './real/../real/a.txt',
    ]) {
      expect(await linesOf(path)).toEqual(['here']);
    }
  });

  it('gives the same answer for every path outside, whether it exists or not', async () => {
    writeFileSync(join(base, 'secret'), 'secret');
    symlinkSync(base, at('out'));
    symlinkSync('../../../../../../../../etc/passwd', at('passwd'));
    symlinkSync(join(base, 'nothing'), at('dangling'));
    const paths = [
      '../secret',
      '../nothing',
      'out/secret',
      'out/nothing',
      'passwd',
      'dangling',
      join(base, 'secret'),
    ];
    for (const path of [...paths, `${root}-sibling/x`, '/etc/passwd', '/nowhere/at/all']) {
      for (const act of [
        () => files.read(path),
        () => files.stat(path),
        () => files.readBytes(path),
        () => files.write(path, 'x'),
        () => files.edit(path, [{ oldText: '', newText: 'x' }]),
      ]) {
        expect(await failure(act())).toEqual({
          code: 'refused',
          reason: 'outside_workspace',
          message: `${path} is outside the workspace.`,
        });
      }
    }
    expect(readdirSync(base).sort()).toEqual(['secret', 'state', 'workspace']);
  });

  it('recognizes a root under every name', async () => {
    put('a.txt', 'here');
    symlinkSync(root, join(base, 'other-name'));
    expect(await linesOf(join(base, 'other-name', 'a.txt'))).toEqual(['here']);
  });

  it('refuses folders, pipes and link loops, each with its own message', async () => {
    mkdirSync(at('folder'));
    execFileSync('mkfifo', [at('pipe')]);
    symlinkSync('loop', at('loop'));
    put('file', 'x');
    expect(await failure(files.read('folder'))).toMatchObject({ code: 'bad_state', reason: 'is_folder' });
    expect(await failure(files.read('.'))).toMatchObject({ reason: 'is_folder' });
    expect(await failure(files.read('pipe'))).toMatchObject({ reason: 'not_a_regular_file' });
    expect(await failure(files.write('pipe', 'x'))).toMatchObject({ reason: 'not_a_regular_file' });
    expect(await failure(files.read('loop'))).toMatchObject({ reason: 'too_many_links' });
    expect(await failure(files.read('file/inside'))).toMatchObject({ code: 'not_found' });
    expect(await failure(files.read('nothing'))).toMatchObject({ code: 'not_found', reason: 'no_such_file' });
  });

  it('refuses invalid file names', async () => {
    for (const path of ['', 'a\0b', 'a'.repeat(5000), 'x\ud800', 'n'.repeat(300)]) {
      expect(await failure(files.read(path))).toMatchObject({ code: 'refused', reason: 'bad_path' });
    }
  });

  it('does not expand a tilde', async () => {
    expect(await failure(files.read('~/x'))).toMatchObject({ code: 'not_found' });
  });

  it('detects the type of a file by its content', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    put('picture', png);
    put('paper.txt', '%PDF-1.7\nnot shown');
    put('zeros', Buffer.alloc(5000));
    expect(await files.read('picture')).toEqual({
      kind: 'image',
      path: 'picture',
      bytes: png.length,
      mediaType: 'image/png',
      width: 1,
      height: 1,
      data: png.toString('base64'),
    });
    expect(await files.read('paper.txt')).toMatchObject({ kind: 'binary', mediaType: 'application/pdf' });
    expect(await files.read('zeros')).toMatchObject({
      kind: 'binary',
      bytes: 5000,
      firstBytes: '00'.repeat(64),
    });
  });

  it('shows a notebook as cells, or as JSON with raw', async () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Title\n', 'text'] },
      {
        cell_type: 'code',
        id: 'abc',
        source: 'print(1)',
        outputs: [
          { output_type: 'stream', text: ['1\n'] },
          { data: { 'image/png': 'xx', 'text/plain': '<Figure>' } },
        ],
      },
    ];
    put('n.ipynb', JSON.stringify({ cells }));
    expect(await linesOf('n.ipynb')).toEqual([
      '# %% cell 1 [markdown]',
      '# Title',
      'text',
      '# %% cell 2 [code] id=abc',
      'print(1)',
      '# output:',
      '1',
      '# output:',
      '<Figure>',
      '# output not shown: image/png',
    ]);
    expect(await linesOf('n.ipynb', { raw: true })).toEqual([JSON.stringify({ cells })]);
    put('broken.ipynb', '{"cells": [');
    expect(await linesOf('broken.ipynb')).toEqual(['{"cells": [']);
  });

  it('returns bytes, and facts about the file', async () => {
    put('a.bin', Buffer.from([1, 2, 3, 4, 5]));
    expect([...(await files.readBytes('a.bin', { position: 1, length: 3 }))]).toEqual([2, 3, 4]);
    expect(await files.stat('a.bin')).toMatchObject({ path: 'a.bin', kind: 'file', bytes: 5 });
    expect(await files.stat('.')).toMatchObject({ path: '.', kind: 'folder' });
  });
});

describe('writing', () => {
  it('creates a file and its folders, and returns the change', async () => {
    const change = await files.write('deep/er/new.txt', 'a\nb\n');
    expect(change).toMatchObject({
      path: 'deep/er/new.txt',
      isNew: true,
      bytes: 4,
      addedLines: 2,
      removedLines: 0,
    });
    expect(change.diff).toBe('--- /dev/null\n+++ b/deep/er/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b');
    expect(text('deep/er/new.txt')).toBe('a\nb\n');
    expect(readdirSync(at('deep/er'))).toEqual(['new.txt']);
    expect(readdirSync(join(base, 'state', 'drafts'))).toEqual([]);
    expect(readdirSync(join(base, 'state', 'locks'))).toEqual([]);
  });

  it('refuses a file that this session has not read, or that has changed since', async () => {
    put('a.txt', 'mine');
    expect(await failure(files.write('a.txt', 'x'))).toMatchObject({ code: 'bad_state', reason: 'not_read' });
    await files.read('a.txt');
    put('a.txt', 'other');
    const changed = { code: 'conflict', reason: 'changed_since_read' };
    expect(await failure(files.write('a.txt', 'x'))).toMatchObject(changed);
    expect(await failure(files.edit('a.txt', [{ oldText: 'other', newText: 'x' }]))).toMatchObject(changed);
    expect(text('a.txt')).toBe('other');
    await files.read('a.txt');
    await files.write('a.txt', 'x');
    await files.write('a.txt', 'y');
    expect(text('a.txt')).toBe('y');
  });

  it('accepts a file that was only touched, or that was empty', async () => {
    put('a.txt', 'same');
    await files.read('a.txt');
    put('a.txt', 'same');
    await files.write('a.txt', 'x');
    put('empty.txt', '');
    await files.write('empty.txt', 'filled');
    expect([text('a.txt'), text('empty.txt')]).toEqual(['x', 'filled']);
  });

  it('keeps the mode, a link to the file, the encoding and the line endings', async () => {
    put('a.txt', Buffer.from('\ufeffone\r\ntwo\r\n', 'utf16le'));
    chmodSync(at('a.txt'), 0o640);
    symlinkSync('a.txt', at('link'));
    await files.read('link');
    const change = await files.write('link', 'ä\nb\n');
    expect(change).toMatchObject({ path: 'a.txt', encoding: 'utf-16le', hasBom: true, lineEnding: 'crlf' });
    expect(readFileSync(at('a.txt'))).toEqual(Buffer.from('\ufeffä\r\nb\r\n', 'utf16le'));
    expect(statSync(at('a.txt')).mode & 0o7777).toBe(0o640);
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true);
  });

  it('creates the target of a dangling link that points inside', async () => {
    symlinkSync('folder/new.txt', at('link'));
    await files.write('link', 'x');
    expect(text('folder/new.txt')).toBe('x');
  });

  it('never writes files that make programs run, in any spelling', async () => {
    mkdirSync(at('.git/hooks'), { recursive: true });
    mkdirSync(at('sub'));
    put('.git/config', '[core]');
    put('sub/.git', 'gitdir: ../x');
    put('tidegate.yaml', 'servers: {}');
    symlinkSync('.git/hooks', at('innocent'));
    symlinkSync('.git/config', at('readme.md'));
    const paths = [
      '.git/hooks/pre-commit',
      '.GIT/Hooks/pre-commit',
      '.git/config',
      '.git/modules/x/config',
      '.git/worktrees/y/commondir',
      'sub/.git',
      'sub/deep/.git/hooks/x',
      'innocent/pre-commit',
      'readme.md',
      'tidegate.yaml',
      'TideGate.YML',
      'packages/app/tidegate.yaml',
      '.tidegate/tools/x.tool.ts',
      '.tidegate',
      '.mcp.json',
      'packages/app/.mcp.json',
      '.claude/settings.json',
      '.c\u200blaude/settings.json',
      '.Claude/x',
      '.claude./x',
      'opencode.json',
      '.cursor/mcp.json',
      '.vscode/mcp.json',
      '.gemini/settings.json',
      '.codex/config.toml',
      '．mcp.json',
    ];
    for (const path of paths) {
      const refused = { code: 'refused', reason: 'protected_path' };
      expect({ path, ...(await failure(files.write(path, 'x'))) }).toMatchObject({ path, ...refused });
      const edits = [{ oldText: '', newText: 'x' }];
      expect({ path, ...(await failure(files.edit(path, edits))) }).toMatchObject({ path, ...refused });
    }
    expect(text('.git/config')).toBe('[core]');
    expect(existsSync(at('.tidegate'))).toBe(false);
    for (const path of [
      'CLAUDE.md',
      'AGENTS.md',
      '.gitignore',
      '.github/x.yml',
      '.git/info/exclude',
      'config',
      'hooks/x',
    ]) {
      await files.write(path, 'fine');
    }
  });

  it('neither writes nor shows files of Tidegate, under any name', async () => {
    const isOwn = (path: string) => isInside(path, join(base, 'state'));
    const view = noOwnPaths.viewOf(sessionOf('wide'));
    const own = {
      ...view,
      hides: isOwn,
      whyNotWritten: (path: string) => (isOwn(path) ? 'it is ours' : undefined),
    };
    const service = openFiles({ roots: [base], stateDir: join(base, 'state'), own: { viewOf: () => own } });
    const wide = await service.serve(sessionOf('wide'));
    mkdirSync(join(base, 'state'), { recursive: true });
    writeFileSync(join(base, 'state', 'token'), 'the token');
    symlinkSync(join(base, 'state'), join(base, 'led'));
    for (const path of ['state/trust.json', 'state/token', 'led/token', 'led/deep/new'])
      expect(await failure(wide.write(path, '{}'))).toMatchObject({ reason: 'protected_path' });
    for (const path of ['state/token', 'led/token', 'state', 'state/../state/token']) {
      expect(await failure(wide.read(path))).toMatchObject({ reason: 'no_such_file' });
      expect(await failure(wide.stat(path))).toMatchObject({ reason: 'no_such_file' });
    }
    await service.close();
  });

  it('refuses folders, and paths that end with a slash', async () => {
    mkdirSync(at('folder'));
    for (const path of ['folder', '.', 'new/', 'folder/']) {
      expect(await failure(files.write(path, 'x'))).toMatchObject({ reason: 'is_folder' });
    }
    expect(existsSync(at('new'))).toBe(false);
  });

  it('shows names without control characters', async () => {
    const name = 'a\u001b[31m\u202e.txt';
    await files.write(name, 'x');
    const { message } = await failure(files.write(name, '\ud800'));
    expect(message).toContain('a\\u{1b}[31m\\u{202e}.txt');
  });

  it('stops if the caller cancels before anything is written', async () => {
    const signal = AbortSignal.abort();
    expect(await failure(files.write('a.txt', 'x', { signal }))).toMatchObject({ reason: 'cancelled' });
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('editing', () => {
  it('replaces one match, and returns the diff', async () => {
    put('a.txt', 'one\ntwo\nthree\n');
    const change = await files.edit('a.txt', [{ oldText: 'two', newText: '2' }]);
    expect(change.diff).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three');
    expect(change).toMatchObject({ replacements: 1, addedLines: 1, removedLines: 1, isNew: false });
    expect(text('a.txt')).toBe('one\n2\nthree\n');
  });

  it('treats all text literally', async () => {
    put('a.txt', 'a.c (x) $1');
    await files.edit('a.txt', [{ oldText: 'a.c (x) $1', newText: "$& $1 $$ $` $' \\n" }]);
    expect(text('a.txt')).toBe("$& $1 $$ $` $' \\n");
  });

  it('reports the number of matches and their lines', async () => {
    put('a.txt', 'x\ny\nx\nx\n');
    expect(await failure(files.edit('a.txt', [{ oldText: 'x', newText: 'z' }]))).toEqual({
      code: 'bad_state',
      reason: 'many_matches',
      message: 'The old text occurs 3 times in a.txt (lines 1, 3, 4); nothing was changed.',
    });
    expect(await files.edit('a.txt', [{ oldText: 'x', newText: 'z', replaceAll: true }])).toMatchObject({
      replacements: 3,
    });
    expect(text('a.txt')).toBe('z\ny\nz\nz\n');
  });

  it('applies all edits or none', async () => {
    put('a.txt', 'one two');
    const edits = [
      { oldText: 'one', newText: '1' },
      { oldText: 'three', newText: '3' },
    ];
    expect(await failure(files.edit('a.txt', edits))).toMatchObject({
      reason: 'no_match',
      message: 'Edit 2 of 2: The old text was not found in a.txt; nothing was changed.',
    });
    expect(text('a.txt')).toBe('one two');
    await files.edit('a.txt', [
      { oldText: 'one', newText: 'uno' },
      { oldText: 'uno two', newText: 'done' },
    ]);
    expect(text('a.txt')).toBe('done');
  });

  it('refuses edits that change nothing, and an empty old text for a file with content', async () => {
    put('a.txt', 'x');
    expect(await failure(files.edit('a.txt', []))).toMatchObject({ reason: 'no_edits' });
    expect(await failure(files.edit('a.txt', [{ oldText: 'x', newText: 'x' }]))).toMatchObject({
      reason: 'same_text',
    });
    expect(await failure(files.edit('a.txt', [{ oldText: '', newText: 'y' }]))).toMatchObject({
      reason: 'empty_old_text',
    });
    expect(await failure(files.edit('nothing/here.txt', [{ oldText: 'a', newText: 'b' }]))).toMatchObject({
      code: 'not_found',
    });
    expect(existsSync(at('nothing'))).toBe(false);
    await files.edit('new/file.txt', [{ oldText: '', newText: 'y' }]);
    expect(text('new/file.txt')).toBe('y');
  });

  it('refuses files that are not text, and text that the encoding cannot represent', async () => {
    put('a.bin', Buffer.from('abc\0def'));
    put('a.txt', Buffer.from('caf\xe9', 'latin1'));
    expect(await failure(files.edit('a.bin', [{ oldText: 'abc', newText: 'x' }]))).toMatchObject({
      reason: 'not_text',
    });
    expect(await failure(files.edit('a.txt', [{ oldText: 'é', newText: '€' }]))).toMatchObject({
      reason: 'not_encodable',
    });
    await files.edit('a.txt', [{ oldText: 'é', newText: 'è' }]);
    expect(readFileSync(at('a.txt'))).toEqual(Buffer.from('caf\xe8', 'latin1'));
  });

  it('does not lose a concurrent change by another process', async () => {
    put('a.txt', 'one');
    const service = openFiles({ roots: [root], stateDir: join(base, 'state') });
    const other = await service.serve(sessionOf('two'));
    await files.read('a.txt');
    await other.edit('a.txt', [{ oldText: 'one', newText: 'two' }]);
    expect(await failure(files.edit('a.txt', [{ oldText: 'two', newText: 'three' }]))).toMatchObject({
      reason: 'changed_since_read',
    });
    await service.close();
  });
});

it('works again after the root was moved away and back', async () => {
  put('a.txt', 'x');
  renameSync(root, join(base, 'away'));
  expect(await failure(files.read('a.txt'))).toMatchObject({ reason: 'root_gone' });
  renameSync(join(base, 'away'), root);
  expect(await linesOf('a.txt')).toEqual(['x']);
});
