import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CannotEdit, type Change, edit } from './document.js';
import { jsonDocument } from './json-document.js';
import { objectAt } from './json-value.js';
import { tomlDocument } from './toml-document.js';

const entry = { command: 'tidegate', args: ['mcp'] };
const add = { name: 'tidegate', entry };

function fixture(name: string): string {
  return readFileSync(new URL(`../../test/fixtures/clients/${name}`, import.meta.url), 'utf8');
}

describe('changing JSON', () => {
  const change = (remove: readonly string[], more: Partial<Change> = {}): Change => ({
    section: ['servers'],
    remove,
    add,
    ...more,
  });

  it('puts the entry in place of the first one, and keeps comments, commas and indentation', () => {
    const text = `{
\t// before
\t"servers": {
\t\t// about a
\t\t"a": { "command": "x" }, // behind a
\t\t/* about b */
\t\t"b": {
\t\t\t"command": "y",
\t\t},
\t\t"c": {}, // stays
\t},
}
`;
    expect(edit(jsonDocument, text, change(['a', 'b']))).toBe(`{
\t// before
\t"servers": {
\t\t// about a
\t\t"tidegate": {
\t\t\t"command": "tidegate",
\t\t\t"args": [
\t\t\t\t"mcp"
\t\t\t]
\t\t}, // behind a
\t\t/* about b */
\t\t"c": {}, // stays
\t},
}
`);
  });

  it('removes a dangling comma', () => {
    const text = '{\n  "servers": {\n    "a": 1,\n    "b": 2,\n    "c": 3\n  }\n}\n';
    expect(edit(jsonDocument, text, { section: ['servers'], remove: ['b', 'c'] })).toBe(
      '{\n  "servers": {\n    "a": 1\n  }\n}\n',
    );
    expect(edit(jsonDocument, text, { section: ['servers'], remove: ['a', 'b', 'c'] })).toBe(
      '{\n  "servers": {\n  }\n}\n',
    );
  });

  it.each([
    ['an empty file', ''],
    ['an empty object', '{}'],
    ['an object without the section', '{\n    "x": [1, 2] // two\n}\n'],
    ['an empty section', '{"servers": {}}'],
    ['a section with others', '{"servers": {"z": {"command": "z"}}, "x": 1}'],
    ['a section with a comma at the end', '{\n\t"servers": {\n\t\t"z": {"command": "z"},\n\t},\n}'],
    ['a byte order mark', '\ufeff{\r\n  "servers": {\r\n    "z": {}\r\n  }\r\n}\r\n'],
    ['one line', '{"servers":{"z":{},"a":{"env":{"K":"v"}},"b":{}}}'],
  ])('adds to %s', (_, text) => {
    const next = edit(jsonDocument, text, change(['a']));
    expect(objectAt(jsonDocument.parse(next), ['servers'])['tidegate']).toEqual(entry);
    if (text.startsWith('\ufeff')) expect(next.replace(/^\ufeff/, '')).not.toMatch(/[^\r]\n/);
  });

  it('refuses duplicate keys, because parsers disagree on which one counts', () => {
    const text = '{"servers": {"a": {"command": "x"}, "a": {"command": "y"}}}';
    expect(() => edit(jsonDocument, text, change(['a']))).toThrow(CannotEdit);
    const twice = '{"servers": {"a": {}}, "servers": {"b": {}}}';
    expect(() => edit(jsonDocument, twice, change(['b']))).toThrow(CannotEdit);
  });

  it('refuses a section that is not an object', () => {
    expect(() => edit(jsonDocument, '{"servers": [1]}', change([]))).toThrow(CannotEdit);
  });

  it('reports the line of a syntax error without quoting the text', () => {
    expect(() => jsonDocument.parse('{\n "secret": hunter2\n}')).toThrow(
      /^line 2: invalid token: strings need double quotes$/,
    );
    expect(() => jsonDocument.parse('[]')).toThrow(SyntaxError);
  });

  it('treats __proto__ as an ordinary key', () => {
    const root = jsonDocument.parse('{"servers": {"__proto__": {"command": "x"}}}');
    expect(Object.keys(objectAt(root, ['servers']))).toEqual(['__proto__']);
    expect(objectAt(root, ['servers'])['command']).toBeUndefined();
  });

  it.each([
    ['claude/.claude.json', ['mcpServers']],
    ['claude/.claude.json', ['projects', '/home/ana/project', 'mcpServers']],
    ['mcp-json/.mcp.json', ['mcpServers']],
    ['claude-desktop/claude_desktop_config.json', ['mcpServers']],
    ['gemini/settings.json', ['mcpServers']],
    ['opencode/opencode.jsonc', ['mcp']],
    ['cursor/mcp.json', ['mcpServers']],
    ['vscode/mcp.json', ['servers']],
  ])('removes any subset of the servers of %s', (name, section) => {
    const text = fixture(name);
    const names = Object.keys(objectAt(jsonDocument.parse(text), section));
    const comments =
      text.match(/\/\/ .*|\/\*.*?\*\//g)?.filter((comment) => !comment.includes('example')) ?? [];
    for (let choice = 0; choice < 2 ** names.length; choice += 1) {
      const remove = names.filter((_, at) => (choice >> at) % 2 === 1);
      for (const more of [{}, { add }]) {
        // `edit` verifies itself: it throws if anything else changed.
        const next = edit(jsonDocument, text, { section, remove, ...more });
        for (const comment of comments) expect(next).toContain(comment);
      }
    }
  });
});

describe('changing TOML', () => {
  const section = ['mcp_servers'];

  it('replaces whole tables, and keeps all other bytes', () => {
    const text = fixture('codex/config.toml');
    const next = edit(tomlDocument, text, { section, remove: ['context7', 'linear', 'db tools'], add });
    expect(next).toBe(`# My settings.
model = "gpt-6.1-sol"
approval_policy = "on-request"

[mcp_servers.tidegate]
command = "tidegate"
args = [ "mcp" ]

# The team's tracker.
[mcp_servers.off]
command = "off-server"
enabled = false

[profiles.work]
model = "gpt-6.1"

[projects."/home/ana/project"]
trust_level = "trusted"
`);
  });

  it('removes any subset of servers', () => {
    const text = fixture('codex/config.toml');
    const names = Object.keys(objectAt(tomlDocument.parse(text), section));
    for (let choice = 0; choice < 2 ** names.length; choice += 1) {
      const remove = names.filter((_, at) => (choice >> at) % 2 === 1);
      for (const more of [{}, { add }])
        expect(edit(tomlDocument, text, { section, remove, ...more })).toContain("# The team's tracker.");
    }
  });

  it.each([
    ['an empty file', ''],
    ['a file without tables', 'model = "x"'],
    ['a file that ends in a table', '[a]\nb = 1\n'],
    ['Windows line endings', 'model = "x"\r\n[mcp_servers.a]\r\ncommand = "y"\r\n'],
    [
      'a file with other tables',
      '[mcp_servers]\n[mcp_servers.a]\ncommand = "y"\n[mcp_servers.a.env]\nK = "v"\n',
    ],
  ])('adds to %s', (_, text) => {
    const next = edit(tomlDocument, text, { section, remove: ['a'], add });
    expect(objectAt(tomlDocument.parse(next), section)).toEqual({ tidegate: entry });
    if (text.includes('\r')) expect(next).not.toMatch(/[^\r]\n/);
  });

  it('writes nested tables', () => {
    const own = { name: 'x y', entry: { ...entry, env: { TIDEGATE_HOME: '/a "b"' } } };
    const next = edit(tomlDocument, '', { section, remove: [], add: own });
    expect(objectAt(tomlDocument.parse(next), [...section, 'x y'])).toEqual(own.entry);
  });

  it.each([
    ['inline tables', 'mcp_servers = { a = { command = "x" } }\n'],
    ['dotted keys', 'mcp_servers.a.command = "x"\n'],
    ['a key in the section', '[mcp_servers]\na = { command = "x" }\n'],
    ['a table that is split', '[mcp_servers.a]\ncommand = "x"\n[mcp_servers]\nb.command = "y"\n'],
  ])('refuses %s rather than guess', (_, text) => {
    expect(() => edit(tomlDocument, text, { section, remove: ['a', 'b'], add })).toThrow(CannotEdit);
  });
});
