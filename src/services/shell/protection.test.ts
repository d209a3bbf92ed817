import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planProtection } from './protection.js';

describe('the plan of what commands cannot change', () => {
  let root: string;
  let held: readonly string[] = [];
  const plan = (...paths: readonly string[]) => {
    const all = new Set(held.map((path) => join(root, path)));
    const { paths: found, missing } = planProtection(root, paths, all);
    const short = (path: string) => path.slice(root.length + 1);
    return {
      paths: Object.fromEntries(
        [...found].filter(([path]) => path !== root).map(([path, how]) => [short(path), how]),
      ),
      missing: missing.map(short),
    };
  };

  beforeEach(() => {
    held = [];
    root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-protection-')));
    mkdirSync(join(root, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(root, '.git', 'config'), '');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('locks existing paths, and mounts every parent folder so that it cannot be renamed', () => {
    expect(plan('.git/hooks', '.git/config', join(root, '.git', 'hooks'))).toEqual({
      paths: { '.git': 'writable', '.git/hooks': 'fixed', '.git/config': 'fixed' },
      missing: [],
    });
  });

  it('needs placeholders for folders that must not be created, with their parents, and none for other paths', () => {
    rmSync(join(root, '.git', 'hooks'), { recursive: true });
    expect(
      plan('tidegate.yaml', '.tidegate/', '.vscode/mcp.json', '.git/hooks/', '.a/.b/', '.husky'),
    ).toEqual({
      paths: {
        '.tidegate': 'fixed',
        '.a': 'writable',
        '.a/.b': 'fixed',
        '.git': 'writable',
        '.git/hooks': 'fixed',
      },
      missing: ['.a', '.a/.b', '.tidegate', '.git/hooks'],
    });
  });

  it('treats the placeholder of another command as missing, so that this command locks it too', () => {
    mkdirSync(join(root, '.claude'));
    held = ['.claude'];
    expect(plan('.claude/')).toEqual({ paths: { '.claude': 'fixed' }, missing: ['.claude'] });
  });

  it('allows git init', () => {
    rmSync(join(root, '.git'), { recursive: true });
    expect(plan('.git/hooks/', '.git/config')).toEqual({ paths: {}, missing: [] });
  });

  it('locks the .git file of a worktree', () => {
    rmSync(join(root, '.git'), { recursive: true });
    writeFileSync(join(root, '.git'), 'gitdir: /elsewhere');
    expect(plan('.git/hooks').paths).toEqual({ '.git': 'fixed' });
  });

  it('omits paths inside a locked folder, in any order', () => {
    expect(plan('.git/hooks/pre-commit', '.git/hooks').paths).toEqual({
      '.git': 'writable',
      '.git/hooks': 'fixed',
    });
    expect(plan('.git', '.git/hooks').paths).toEqual({ '.git': 'fixed' });
  });

  it('locks the target of a link within the root, but follows no second link', () => {
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, '.claude'));
    symlinkSync('/etc', join(root, '.codex'));
    symlinkSync('nowhere', join(root, '.gemini'));
    expect(plan('.claude', '.codex', '.gemini').paths).toEqual({ real: 'fixed' });
  });

  it('ignores paths outside the root', () => {
    expect(plan('..', '/etc', '.', '../x').paths).toEqual({});
  });
});
