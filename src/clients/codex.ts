import type { Client, ClientServer, JsonObject } from './client.js';
import { approvalNotes, isScalar, listOf, notesOn, readerOf, startOf, textOf, toolsOf } from './entry.js';
import { isJsonObject, type Json } from './json-value.js';
import { literal, reference } from './notation.js';
import { plainEntry } from './claude-desktop.js';
import { projectFiles, userFile } from './paths.js';
import { tomlDocument } from './toml-document.js';

export const codex: Client = {
  name: 'codex',
  title: 'Codex',
  format: tomlDocument,
  files(place) {
    const own = place.env['CODEX_HOME'];
    const user = own
      ? userFile(place, own, 'config.toml')
      : userFile(place, place.home, '.codex', 'config.toml');
    return [user, ...projectFiles(place, '.codex', 'config.toml')];
  },
  sections: (_, { folder }) => [{ path: ['mcp_servers'], ...(folder !== undefined && { folder }) }],
  read(entry, section, place) {
    const reader = readerOf(entry, literal, { place, section });
    const start = startOf({ ...entry, type: undefined }, reader);
    const seconds = entry['tool_timeout_sec'];
    return {
      start:
        start.kind === 'stdio'
          ? withForwarded(start, entry)
          : withHeaders(start, entry, reader.record('http_headers')),
      isEnabled: entry['enabled'] !== false,
      notes: [
        ...notesOn(entry, { auth: 'its login is not imported', scopes: 'its login is not imported' }),
        ...approvalNotes(entry, 'default_tools_approval_mode', 'approve'),
      ],
      ...toolsOf(entry, 'enabled_tools', 'disabled_tools'),
      ...(typeof seconds === 'number' && seconds > 0 && { timeoutMs: Math.round(seconds * 1000) }),
    };
  },
  tidegateEntry: plainEntry,
  keeps: { default_tools_approval_mode: 'prompt' },
};

type Start<K> = Extract<ClientServer['start'], { readonly kind: K }>;

/** Variables that Codex passes on. */
function withForwarded(start: Start<'stdio'>, entry: JsonObject): Start<'stdio'> {
  const names = listOf(entry['env_vars']).map((one: Json) => textOf(isJsonObject(one) ? one['name'] : one));
  return {
    ...start,
    env: { ...Object.fromEntries(names.map((name) => [name, reference(name)])), ...start.env },
  };
}

/** Headers that Codex reads from variables. */
function withHeaders(
  start: Start<'http'>,
  entry: JsonObject,
  plain: Readonly<Record<string, string>>,
): Start<'http'> {
  const named = isJsonObject(entry['env_http_headers']) ? Object.entries(entry['env_http_headers']) : [];
  const bearer = entry['bearer_token_env_var'];
  return {
    ...start,
    headers: {
      ...plain,
      ...Object.fromEntries(named.map(([header, name]) => [header, reference(textOf(name))])),
      ...(isScalar(bearer) && { Authorization: `Bearer ${reference(String(bearer))}` }),
    },
  };
}
