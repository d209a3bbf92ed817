import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPlace, type Place } from './gate.js';

const peer = fileURLToPath(new URL('../fixtures/plugins/peer.mjs', import.meta.url));

/** A plugin that was written without our code, and how it misbehaves. */
export interface PeerSpec {
  readonly behaviours?: readonly string[];
  /** More operations, each of which says its own name. */
  readonly extra?: readonly string[];
  /** Lines that its program runs first. */
  readonly before?: string;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

export interface PluginPlace extends Place {
  readonly workspace: string;
  addPeer(name: string, spec?: PeerSpec, folder?: string): string;
  writeList(plugins: Readonly<Record<string, unknown>>): void;
  /** Writes a file of the workspace. */
  writeWorkspace(name: string, text: string): void;
  trustPlugins(...names: readonly string[]): void;
}

const everything = ['operations', 'step_types', 'validators', 'events'];

export function openPluginPlace(
  peers: Readonly<Record<string, PeerSpec>> = {},
  config: object = { log: { level: 'error' } },
  more: Parameters<typeof openPlace>[1] = {},
): PluginPlace {
  const place = openPlace(config, more);
  const workspace = join(place.directory, 'workspace');
  const addPeer = (
    name: string,
    spec: PeerSpec = {},
    folder = join(workspace, '.tidegate', 'plugins'),
  ): string => {
    const own = join(folder, `awf-plugin-${name}`);
    mkdirSync(own, { recursive: true });
    const manifest = {
      name,
      version: '1.0.0',
      awf_version: '>=0.4.0',
      capabilities: everything,
      events: { subscribe: ['workflow.*', 'peer.*'], emit: ['peer.*'] },
      ...spec.manifest,
    };
    writeFileSync(join(own, 'plugin.yaml'), JSON.stringify(manifest));
    const options = JSON.stringify({ name, behaviours: spec.behaviours ?? [], extra: spec.extra ?? [] });
    const program = `#!${process.execPath}\n${spec.before ?? ''}\nimport(${JSON.stringify(peer)}).then(({ serve }) => serve(${options}));\n`;
    writeFileSync(join(own, `awf-plugin-${name}`), program);
    chmodSync(join(own, `awf-plugin-${name}`), 0o755);
    return own;
  };
  for (const [name, spec] of Object.entries(peers)) addPeer(name, spec);
  return {
    ...place,
    workspace,
    addPeer,
    writeList(plugins) {
      mkdirSync(join(workspace, '.tidegate'), { recursive: true });
      writeFileSync(join(workspace, '.tidegate', 'plugins.yaml'), JSON.stringify({ plugins }));
    },
    writeWorkspace(name, text) {
      mkdirSync(dirname(join(workspace, name)), { recursive: true });
      writeFileSync(join(workspace, name), text);
    },
    trustPlugins(...names) {
      const { status, stderr } = place.run('plugin', 'trust', ...names, '--yes');
      if (status !== 0) throw new Error(stderr);
    },
  };
}

/** Folders for sockets that a gate of this place has left. */
export function socketsOf(place: Place): readonly string[] {
  try {
    return readdirSync(join(place.env['TIDEGATE_HOME'] ?? '', 'sockets'));
  } catch {
    return [];
  }
}
