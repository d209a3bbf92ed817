import { stdioEntry } from './claude-code.js';
import type { Client, ClientPlace } from './client.js';
import { notesOn, readerOf, startOf } from './entry.js';
import { jsonDocument } from './json-document.js';
import { editor } from './notation.js';
import { projectFiles, settingsFolder, userFile } from './paths.js';

export const vscode: Client = {
  name: 'vscode',
  title: 'VS Code',
  format: jsonDocument,
  files: (place) => [...userFiles(place), ...projectFiles(place, '.vscode', 'mcp.json')],
  sections: (_, { folder }) => [{ path: ['servers'], ...(folder !== undefined && { folder }) }],
  read(entry, section, place) {
    const reader = readerOf(entry, editor, { place, section });
    const notes = notesOn(entry, {
      envFile: 'its envFile is not read: set the variables in its env',
      sandbox: 'its sandbox setting is not imported',
    });
    return { start: startOf(entry, reader), isEnabled: true, notes };
  },
  tidegateEntry: stdioEntry,
};

function userFiles(place: ClientPlace) {
  const portable = place.env['VSCODE_PORTABLE'];
  if (portable) return [userFile(place, portable, 'user-data', 'User', 'mcp.json')];
  return ['Code', 'Code - Insiders'].map((name) =>
    userFile(place, settingsFolder(place), name, 'User', 'mcp.json'),
  );
}
