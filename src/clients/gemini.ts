import { plainEntry } from './claude-desktop.js';
import { CannotRead, type Client, type JsonObject } from './client.js';
import { approvalNotes, checkedUrl, listOf, notesOn, readerOf, startOf, toolsOf } from './entry.js';
import { jsonDocument } from './json-document.js';
import { valueAt } from './json-value.js';
import { dollar } from './notation.js';
import { projectFiles, userFile } from './paths.js';

export const gemini: Client = {
  name: 'gemini',
  title: 'Gemini CLI',
  format: jsonDocument,
  files: (place) => [
    userFile(place, place.env['GEMINI_CLI_HOME'] || place.home, '.gemini', 'settings.json'),
    ...projectFiles(place, '.gemini', 'settings.json'),
  ],
  sections: (root, { folder }) => [
    { path: ['mcpServers'], isOff: switchedOff(root), ...(folder !== undefined && { folder }) },
  ],
  read(entry, section, place) {
    const reader = readerOf(entry, dollar, { place, section });
    if (entry['tcp'] !== undefined) throw new CannotRead('uses a WebSocket, which Tidegate does not support');
    const http = reader.text('httpUrl');
    const { timeout } = entry;
    const start =
      http === undefined
        ? startOf(entry, reader)
        : ({ kind: 'http', url: checkedUrl(http, 'http'), headers: reader.record('headers') } as const);
    return {
      start,
      isEnabled: true,
      notes: [
        ...notesOn(entry, {
          oauth: 'its login is not imported',
          authProviderType: 'its login is not imported',
        }),
        ...approvalNotes(entry, 'trust', true),
      ],
      ...toolsOf(entry, 'includeTools', 'excludeTools'),
      ...(typeof timeout === 'number' && timeout > 0 && { timeoutMs: timeout }),
    };
  },
  tidegateEntry: plainEntry,
  keeps: { trust: false },
};

/** `mcp.allowed` and `mcp.excluded` in the same file. */
function switchedOff(root: JsonObject): (name: string) => boolean {
  const allowed = valueAt(root, ['mcp', 'allowed']);
  const excluded = listOf(valueAt(root, ['mcp', 'excluded']));
  return (name) => excluded.includes(name) || (Array.isArray(allowed) && !allowed.includes(name));
}
