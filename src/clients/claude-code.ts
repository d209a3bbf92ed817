import type { Client, ClientServer, TidegateStart, JsonObject, Section } from './client.js';
import { notesOn, readerOf, startOf } from './entry.js';
import { jsonDocument } from './json-document.js';
import { objectAt, valueAt } from './json-value.js';
import { shellLike } from './notation.js';
import { userFile } from './paths.js';

/** Claude Code's user file: servers of the user and of single projects. */
export const claudeCode: Client = {
  name: 'claude',
  title: 'Claude Code',
  format: jsonDocument,
  files: (place) => [userFile(place, place.env['CLAUDE_CONFIG_DIR'] || place.home, '.claude.json')],
  sections(root, _, { folders }) {
    const projects = folders.map((folder) => {
      const off = valueAt(root, ['projects', folder, 'disabledMcpServers']);
      const path = ['projects', folder, 'mcpServers'];
      return { path, folder, isOff: (name: string) => Array.isArray(off) && off.includes(name) };
    });
    const here = projects.filter(({ path }) => Object.keys(objectAt(root, path)).length > 0);
    const isOff = projects[0]?.isOff;
    return [{ path: ['mcpServers'], ...(isOff && { isOff }) }, ...here];
  },
  read: readClaudeServer,
  tidegateEntry: stdioEntry,
};

const unused = {
  headersHelper: 'its headers come from a program, which Tidegate does not run',
  oauth: 'its login is not imported',
};

/** Also used for `.mcp.json`. */
export function readClaudeServer(
  entry: JsonObject,
  section: Section,
  place: Parameters<Client['read']>[2],
): ClientServer {
  const reader = readerOf(entry, shellLike, { place, section });
  return {
    start: startOf(entry, reader),
    isEnabled: entry['disabled'] !== true,
    notes: notesOn(entry, unused),
  };
}

export function stdioEntry({ command, args, env }: TidegateStart): JsonObject {
  return { type: 'stdio', command, args, ...(Object.keys(env).length > 0 && { env }) };
}
