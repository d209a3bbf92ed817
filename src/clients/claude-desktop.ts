import type { Client, TidegateStart, JsonObject } from './client.js';
import { readerOf, startOf } from './entry.js';
import { jsonDocument } from './json-document.js';
import { literal } from './notation.js';
import { settingsFolder, userFile } from './paths.js';

/** Claude Desktop starts servers without a shell and takes all text literally. */
export const claudeDesktop: Client = {
  name: 'claude-desktop',
  title: 'Claude Desktop',
  format: jsonDocument,
  files: (place) => [userFile(place, settingsFolder(place), 'Claude', 'claude_desktop_config.json')],
  sections: () => [{ path: ['mcpServers'] }],
  read(entry, section, place) {
    const reader = readerOf(entry, literal, { place, section });
    return { start: startOf(entry, reader), isEnabled: entry['disabled'] !== true, notes: [] };
  },
  tidegateEntry: plainEntry,
};

export function plainEntry({ command, args, env }: TidegateStart): JsonObject {
  return { command, args, ...(Object.keys(env).length > 0 && { env }) };
}
