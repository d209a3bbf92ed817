import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planProtection } from './protection.js';

describe('the plan of what commands cannot change', () => {
  let root: string;
  let held: readonly string[] = [];
  const plan = (...paths: readonly string[]) => {
    const {
      paths: found,
      missing,
      absent,
    } = planProtection(root, paths, new Set(held.map((path) => join(root, path))));
    const short = (path: string) => path.slice(root.length + 1);
    return {
      paths: Object.fromEntries(
        [...found].filter(([path]) => path !== root).map(([path, how]) => [short(path), how]),
      ),
      missing: missing.map(short),
      absent: absent.map(short),
    };
  };

  beforeEach(() => {
    held = [];
    root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-protection-')));
    mkdirSync(join(root, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(root, '.git', 'config'), '');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('fixes what exists, and mounts every folder on the way so that it cannot be renamed', () => {
    expect(plan('.git/hooks', '.git/config', join(root, '.git', 'hooks'))).toEqual({
      paths: { '.git': 'writable', '.git/hooks': 'fixed', '.git/config': 'fixed' },
      missing: [],
      absent: [],
    });
  });

  it('wants placeholders for missing folders with those on the way, and none for files', () => {
    rmSync(join(root, '.git', 'hooks'), { recursive: true });
    expect(plan('tidegate.yaml', '.tidegate', '.vscode/mcp.json', '.git/hooks', '.a/.b')).toEqual({
      paths: {
        '.tidegate': 'fixed',
        '.a': 'writable',
        '.a/.b': 'fixed',
        '.git': 'writable',
        '.git/hooks': 'fixed',
      },
      missing: ['.a', '.a/.b', '.tidegate', '.git/hooks'],
      absent: ['tidegate.yaml', '.vscode/mcp.json'],
    });
  });

  it('takes what another command holds for missing, so that it is held by this one too', () => {
    mkdirSync(join(root, '.claude'));
    held = ['.claude'];
    expect(plan('.claude')).toEqual({ paths: { '.claude': 'fixed' }, missing: ['.claude'], absent: [] });
  });

  it('does not forbid git init', () => {
    rmSync(join(root, '.git'), { recursive: true });
    expect(plan('.git/hooks', '.git/config')).toEqual({ paths: {}, missing: [], absent: [] });
  });

  it('fixes the .git file of a worktree', () => {
    rmSync(join(root, '.git'), { recursive: true });
    writeFileSync(join(root, '.git'), 'gitdir: /elsewhere');
    expect(plan('.git/hooks').paths).toEqual({ '.git': 'fixed' });
  });

  it('says nothing of what lies in a fixed folder, in whatever order', () => {
    expect(plan('.git/hooks/pre-commit', '.git/hooks').paths).toEqual({
      '.git': 'writable',
      '.git/hooks': 'fixed',
    });
    expect(plan('.git', '.git/hooks').paths).toEqual({ '.git': 'fixed' });
  });

  it('fixes what a link leads to within the root, and follows no second one', () => {
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, '.claude'));
    symlinkSync('/etc', join(root, '.codex'));
    symlinkSync('nowhere', join(root, '.gemini'));
    expect(plan('.claude', '.codex', '.gemini').paths).toEqual({ real: 'fixed' });
  });

  it('leaves alone what is not in the root', () => {
    expect(plan('..', '/etc', '.', '../x').paths).toEqual({});
  });
});
