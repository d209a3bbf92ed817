import { describe, expect, it } from 'vitest';
import { isProtected, protectedPaths } from './protected.js';

const check = (path: string): boolean => isProtected('/ws', `/ws/${path}`);

describe('protected paths', () => {
  it('are protected in every folder, with everything in them', () => {
    for (const path of protectedPaths) {
      expect([path, check(path)]).toEqual([path, true]);
      expect(check(`${path}/deep/er`)).toBe(true);
      expect(check(`packages/app/${path}`)).toBe(true);
      expect(check(path.toUpperCase())).toBe(true);
    }
  });

  // By name and not from the table: an entry that is lost there is lost to the loop above too.
  it.each([
    '.tidegate/tools/x.tool.ts',
    'tidegate.yaml',
    'tidegate.yml',
    '.awf/workflows/deploy.yaml',
    '.git/hooks/pre-commit',
    '.git/config',
    '.mcp.json',
    '.claude/settings.json',
    '.gemini/settings.json',
    '.codex/config.toml',
    'opencode.json',
    '.opencode/agent/build.md',
    '.cursor/mcp.json',
    '.vscode/mcp.json',
  ])('include %s', (path) => {
    expect(check(path)).toBe(true);
  });

  it.each([
    '.git',
    'sub/.git',
    '.git/modules/lib/hooks/post-checkout',
    '.git/modules/lib/config',
    '.git/worktrees/w/gitdir',
    '.git/commondir',
    '.git/index',
    '.git/modules/lib/index',
    '.git/sharedindex.0123',
    '.git/objects/info/alternates',
    '.git/modules/libs/lib/objects/info/alternates',
    '.git/worktrees/w/commondir',
    '.git /hooks/x',
    '.git./config',
    '.git::$INDEX_ALLOCATION/config',
    '.g\u200cit/config',
    '.mcp.json.',
    '.MCP.JſON',
    'tidegate.yaml ',
  ])('are protected in other spellings and places: %s', (path) => {
    expect(check(path)).toBe(true);
  });

  it.each([
    'CLAUDE.md',
    'AGENTS.md',
    'GEMINI.md',
    '.gitignore',
    '.gitattributes',
    '.github/workflows/ci.yml',
    '.git/info/exclude',
    '.git/COMMIT_EDITMSG',
    'config',
    'src/config/index.ts',
    'hooks/use-thing.ts',
    'mcp.json',
    'tidegate.yaml.bak',
    '.claude-notes',
    '.vscode/extensions.json',
    '.idea/modules.xml',
    '.env',
    'x.claude/settings.json',
    '日本語.txt',
    '...',
  ])('do not include similar names: %s', (path) => {
    expect(check(path)).toBe(false);
  });

  it('include everything outside the root', () => {
    expect(isProtected('/ws', '/wsx/a')).toBe(true);
    expect(isProtected('/ws', '/ws/../a')).toBe(false);
  });
});
