import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const text = readFileSync(join(root, 'docs/start/first-gate.md'), 'utf8');

/** A step of the page, and the output it shows. */
interface Step {
  readonly title: string;
  readonly file?: { readonly path: string; readonly text: string };
  readonly commands: readonly string[];
  readonly seen: readonly string[];
}

const steps = stepsOf(text);
const place = mkdtempSync(join(tmpdir(), 'tidegate-tutorial-'));
const project = join(place, 'hello-gate');
const env = {
  PATH: `${join(place, 'bin')}:${process.env['PATH'] ?? ''}`,
  HOME: join(place, 'home'),
  NO_COLOR: '1',
};

describe('the first ten minutes', () => {
  beforeAll(() => {
    for (const name of ['home', 'bin']) mkdirSync(join(place, name));
    symlinkSync(join(root, 'dist/tidegate.js'), join(place, 'bin/tidegate'));
    // A fake npx that uses the installed package instead of downloading it.
    writeFileSync(join(place, 'bin/npx'), npxFromHere);
    chmodSync(join(place, 'bin/npx'), 0o755);
  });
  afterAll(() => {
    rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  it('contain steps', () => {
    expect(steps.flatMap(({ commands }) => commands).length).toBeGreaterThan(12);
  });

  it.each(steps)('$title', async ({ file, commands, seen }) => {
    if (file !== undefined) {
      mkdirSync(dirname(join(project, file.path)), { recursive: true });
      writeFileSync(join(project, file.path), file.text);
    }
    let said = '';
    for (const command of commands) {
      const ended = await typed(command);
      expect({ command, status: ended.status, said: ended.status === 0 ? '' : ended.said }).toEqual({
        command,
        status: 0,
        said: '',
      });
      said += ended.said;
    }
    for (const line of seen) expect(said).toMatch(patternOf(line));
  });
});

function typed(command: string): Promise<{ status: number | null; said: string }> {
  return new Promise((done, failed) => {
    // The first command creates the folder for the others.
    const cwd = command.startsWith('mkdir hello-gate') ? place : project;
    const child = spawn('sh', ['-c', command], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (said += part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
    child.once('error', failed);
    child.once('close', (status) => {
      clearTimeout(timer);
      done({ status, said });
    });
  });
}

/** Blocks in page order: `sh` is run, `text` is the expected output, a named file is written; `sh not-run` is skipped. */
function stepsOf(page: string): readonly Step[] {
  const blocks = [...page.matchAll(/^```(\S+)( not-run)?\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, kind = '', skipped, body = ''], at): Step[] => {
    if (skipped !== undefined) return [];
    const next = blocks[at + 1];
    const seen = next?.[1] === 'text' ? (next[3] ?? '').trimEnd().split('\n') : [];
    if (kind === 'sh') {
      const commands = body
        .trimEnd()
        .split('\n')
        .map((line) => line.replace(/\s+# .*$/, ''));
      return [{ title: commands[0] ?? '', commands, seen }];
    }
    const path = /^(?:#|\/\/) (\S+)/.exec(body)?.[1];
    return path === undefined
      ? []
      : [{ title: `writes ${path}`, file: { path, text: body }, commands: [], seen: [] }];
  });
}

/** `…` matches anything. */
function patternOf(line: string): RegExp {
  const parts = line.split('…').map((part) =>
    part
      .trim()
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/\s+/g, '\\s+'),
  );
  return new RegExp(parts.join('.*'));
}

const npxFromHere = `#!/bin/sh
[ "$1" = --prefix ] && shift 2
[ "$1" = -y ] && shift
case $1 in
  @modelcontextprotocol/server-filesystem) shift; exec node ${join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')} "$@" ;;
esac
echo "npx: $1 is not here" >&2
exit 1
`;
