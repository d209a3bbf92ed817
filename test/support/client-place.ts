import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { Place } from './gate.js';
import { type Ran, runGate, type RunMore } from './run-program.js';

const fixtures = fileURLToPath(new URL('../fixtures/clients/', import.meta.url));

/** Where the file of each client stands on Linux, and its fixture. */
export const clientFiles = {
  claude: { fixture: 'claude/.claude.json', path: 'home/.claude.json' },
  'mcp-json': { fixture: 'mcp-json/.mcp.json', path: 'workspace/.mcp.json' },
  'claude-desktop': {
    fixture: 'claude-desktop/claude_desktop_config.json',
    path: 'home/.config/Claude/claude_desktop_config.json',
  },
  gemini: { fixture: 'gemini/settings.json', path: 'home/.gemini/settings.json' },
  codex: { fixture: 'codex/config.toml', path: 'home/.codex/config.toml' },
  opencode: { fixture: 'opencode/opencode.jsonc', path: 'home/.config/opencode/opencode.jsonc' },
  cursor: { fixture: 'cursor/mcp.json', path: 'home/.cursor/mcp.json' },
  vscode: { fixture: 'vscode/mcp.json', path: 'workspace/.vscode/mcp.json' },
} as const;
export type ClientName = keyof typeof clientFiles;
export const clientNames = Object.keys(clientFiles) as readonly ClientName[];

/** Every secret that stands in a fixture. */
export const fixtureSecrets = [
  'ghp_madeUpForTests0000000000000000000001',
  'hunter2hunter2',
  'ghp_madeUpForTests0000000000000000000002',
  'AIzaMadeUpForTests00000000000000000003',
  'correct-horse',
  'swordfish-battery',
  'madeUpKey0000000000000004',
  'madeUpToken00000000005',
  'ghp_madeUpForTests0000000000000000000006',
] as const;

/** A home and a folder with files of clients in them, and nothing of the user. */
export interface ClientPlaceOf extends Pick<Place, 'directory' | 'env'> {
  readonly home: string;
  readonly workspace: string;
  readonly state: string;
  fileOf(client: ClientName): string;
  import(...args: readonly string[]): Promise<Ran>;
  run(args: readonly string[], more?: RunMore): Promise<Ran>;
  /** Every file below home and workspace but those of the state, with its bytes and rights. */
  files(): Readonly<Record<string, string>>;
  close(): void;
}

/** One for the test that asks for it: gone with the test. */
export function clientPlaceOfTest(clients?: readonly ClientName[]): ClientPlaceOf {
  const place = openClientPlace(clients);
  onTestFinished(() => place.close());
  return place;
}

export function openClientPlace(clients: readonly ClientName[] = clientNames): ClientPlaceOf {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-clients-')));
  const [home, workspace] = [join(directory, 'home'), join(directory, 'workspace')];
  const state = join(directory, 'state');
  for (const folder of [home, workspace]) mkdirSync(folder, { mode: 0o700 });
  const fileOf = (client: ClientName): string => join(directory, clientFiles[client].path);
  for (const client of clients) {
    mkdirSync(dirname(fileOf(client)), { recursive: true });
    cpSync(join(fixtures, clientFiles[client].fixture), fileOf(client));
    const text = readFileSync(fileOf(client), 'utf8');
    writeFileSync(fileOf(client), text.replaceAll('/home/ana/project', workspace));
  }
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TIDEGATE_HOME: state };
  const run = (args: readonly string[], more: RunMore = {}): Promise<Ran> =>
    runGate({ directory, env }, args, { cwd: workspace, ...more });
  return {
    ...{ directory, env, home, workspace, state, fileOf, run },
    import: (...args) => run(['import', ...args]),
    files: () => Object.fromEntries([...filesBelow(home), ...filesBelow(workspace)]),
    close: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

function* filesBelow(folder: string): Generator<readonly [string, string]> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile()) continue;
    yield [path, `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, 'latin1')}`];
  }
}
