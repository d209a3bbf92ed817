import { CannotRead, type Client, type ClientPlace, type TidegateStart, type JsonObject } from './client.js';
import { listOf, notesOn, readerOf, startOf, textOf } from './entry.js';
import { jsonDocument } from './json-document.js';
import { isJsonObject, type Json, valueAt } from './json-value.js';
import { braces, translate } from './notation.js';
import { configFolder, pathsOf, projectFiles, userFile } from './paths.js';

const names = ['opencode.json', 'opencode.jsonc'] as const;

export const opencode: Client = {
  name: 'opencode',
  title: 'OpenCode',
  format: jsonDocument,
  files: (place) => [
    ...[...names, 'config.json'].map((name) => userFile(place, configFolder(place), 'opencode', name)),
    ...namedFiles(place),
    ...names.flatMap((name) => [...projectFiles(place, name), ...projectFiles(place, '.opencode', name)]),
  ],
  sections: (root, { folder }) => [
    { path: sectionPath(valueAt(root, ['mcp'])), ...(folder !== undefined && { folder }) },
  ],
  read(entry, section, place) {
    const around = { place, section };
    const reader = readerOf(entry, braces, around);
    const [command, ...args] = listOf(entry['command']).map((word) =>
      translate(textOf(word), braces, around),
    );
    const env = reader.record('environment');
    const cwd = reader.text('cwd');
    if (entry['type'] === undefined && entry['command'] === undefined && entry['url'] === undefined)
      throw new CannotRead('only enables or disables a server from another file');
    return {
      start:
        command === undefined
          ? startOf(entry, reader)
          : { kind: 'stdio', command, args, env, ...(cwd !== undefined && { cwd }) },
      isEnabled: entry['enabled'] !== false,
      notes: notesOn(entry, { oauth: 'its login is not imported' }),
    };
  },
  tidegateEntry: ({ command, args, env }: TidegateStart): JsonObject => ({
    type: 'local',
    command: [command, ...args],
    ...(Object.keys(env).length > 0 && { environment: env }),
    enabled: true,
  }),
};

/** Files named by environment variables. */
function namedFiles(place: ClientPlace) {
  const { OPENCODE_CONFIG: file, OPENCODE_CONFIG_DIR: folder } = place.env;
  const paths = pathsOf(place);
  return [
    ...(file && paths.isAbsolute(file) ? [userFile(place, file)] : []),
    ...(folder && paths.isAbsolute(folder) ? names.map((name) => userFile(place, folder, name)) : []),
  ];
}

/** Since 2.0 servers are in `mcp.servers`; before, directly in `mcp`, where a server may itself be named `servers`. */
function sectionPath(mcp: Json): readonly string[] {
  const servers = valueAt(mcp, ['servers']);
  const isServer =
    isJsonObject(servers) && ['type', 'command', 'url', 'enabled'].some((key) => isPlain(servers[key]));
  return isJsonObject(servers) && !isServer ? ['mcp', 'servers'] : ['mcp'];
}

function isPlain(value: Json): boolean {
  return value !== undefined && !isJsonObject(value);
}
