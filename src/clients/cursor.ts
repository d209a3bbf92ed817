import { plainEntry } from './claude-desktop.js';
import type { Client } from './client.js';
import { notesOn, readerOf, startOf } from './entry.js';
import { jsonDocument } from './json-document.js';
import { editor } from './notation.js';
import { projectFiles, userFile } from './paths.js';

export const cursor: Client = {
  name: 'cursor',
  title: 'Cursor',
  format: jsonDocument,
  files: (place) => [
    userFile(place, place.home, '.cursor', 'mcp.json'),
    ...projectFiles(place, '.cursor', 'mcp.json'),
  ],
  sections: (_, { folder }) => [{ path: ['mcpServers'], ...(folder !== undefined && { folder }) }],
  read(entry, section, place) {
    const reader = readerOf(entry, editor, { place, section });
    const notes = notesOn(entry, {
      envFile: 'its envFile is not read: set the variables in its env',
      auth: 'its login is not imported',
    });
    return { start: startOf(entry, reader), isEnabled: entry['disabled'] !== true, notes };
  },
  tidegateEntry: plainEntry,
};
