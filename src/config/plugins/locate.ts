import { dirname } from 'node:path';
import type { PluginCapability } from '../../ports/plugins.js';
import { emptyMap } from '../../lib/tree.js';
import { childEnvironment } from '../environment.js';
import { hasErrors, type Problem } from '../problem.js';
import type { Environment } from '../substitute.js';
import type { Trust } from '../trust.js';
import { type WrittenKey, writtenKeys } from '../written-keys.js';
import { awfStateFile, type AwfRecord, readAwfState } from './awf-state.js';
import { type PluginFolder, pluginDirectories, pluginFoldersIn, pluginLists } from './directories.js';
import { closingProblems, type LoadedEntries, loadEntries, problemsOfEntry } from './entries.js';
import { digestOfEntry } from './entry-digest.js';
import { loadManifest, type PluginManifest, pluginProblem } from './manifest.js';
import { type PluginEntry, pluginTable } from './plugins-schema.js';
import {
  checksumProblems,
  folderDigests,
  namedDigests,
  type PluginFile,
  type PluginStart,
  programOf,
} from './program.js';
import { looseSettings, settingsOf } from './settings.js';
import { type PluginRecord, recordOf, type Standing, standingOf } from './standing.js';
import type { PluginSwitches } from './switches.js';

export interface PluginPlace {
  /** The folder that contains `.tidegate/` and `.awf/`. */
  readonly workspace: string;
  readonly environment: Environment;
  readonly version: string;
  readonly trust: Trust;
  readonly switches: PluginSwitches;
  /**
   * Which programs to hash: only those that were trusted before, or all. A checkout can contain a gigabyte, which a starting
   * gateway must not read just to learn that it is not trusted.
   */
  readonly hashes: 'trusted' | 'all';
}

/** A plugin that was found or declared, and whether it may run. */
export interface LocatedPlugin {
  readonly name: string;
  readonly type: 'grpc' | 'mcp';
  /** Its folder, or its entry in the file that declares it. Identifies the plugin for trust and for switching it off. */
  readonly place: string;
  readonly start?: PluginStart;
  readonly version?: string;
  readonly description?: string;
  readonly capabilities: readonly PluginCapability[];
  readonly events: PluginManifest['events'];
  readonly config: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  /** Every key of its entry in `plugins.yaml`, as written. */
  readonly keys: readonly WrittenKey[];
  readonly expose: readonly string[];
  readonly timeout: number;
  readonly hasTls: boolean;
  readonly isEnabled: boolean;
  /** The file that disables it, unless that is our own record. */
  readonly offBy?: string;
  /** Everything that has to be trusted. Empty if the plugin is broken. */
  readonly files: readonly PluginFile[];
  /** The trust record to write; absent if there is nothing to trust. */
  readonly record?: PluginRecord;
  readonly standing: Standing;
  /** Problems of the plugin. If any of them is an error, it is not started. */
  readonly problems: readonly Problem[];
}

export interface LocatedPlugins {
  /** Sorted by name. */
  readonly plugins: readonly LocatedPlugin[];
  /** Found, but overridden by another plugin with the same name. */
  readonly shadowed: readonly { readonly name: string; readonly place: string; readonly by: string }[];
  /** Problems of the files that declare plugins. */
  readonly problems: readonly Problem[];
}

/** Finds and checks every plugin of a place. Runs nothing. */
export async function locatePlugins(place: PluginPlace): Promise<LocatedPlugins> {
  const lists: LoadedEntries[] = [];
  for (const file of pluginLists(place.workspace)) {
    const list = await loadEntries(file, place.environment);
    if (list !== undefined) lists.push(list);
  }
  const declared = await Promise.all(
    lists.flatMap((list) =>
      [...list.entries].map(([name, entry]) => declaredPlugin(name, entry, list, place)),
    ),
  );
  const directories = pluginDirectories(place.workspace, place.environment);
  const kept = directories.some(({ isOfAwf }) => isOfAwf) ? readAwfState(place.environment) : nothingKept;
  const found = await Promise.all(
    directories.flatMap(({ path, isOfAwf }) =>
      pluginFoldersIn(path).map((folder) => foundPlugin(folder, place, isOfAwf ? kept : nothingKept)),
    ),
  );
  const closing = lists.flatMap(closingProblems);
  const all = [...declared, ...found].map((plugin) => closedBy(plugin, closing));
  return { ...firstOfEachName(all), problems: lists.flatMap((list) => list.problems) };
}

function closedBy(plugin: LocatedPlugin, closing: readonly Problem[]): LocatedPlugin {
  if (closing.length === 0) return plugin;
  const { record: _none, ...rest } = plugin;
  return { ...rest, files: [], standing: 'broken', problems: [...closing, ...plugin.problems] };
}

function firstOfEachName(all: readonly LocatedPlugin[]): Omit<LocatedPlugins, 'problems'> {
  const first = new Map<string, LocatedPlugin>();
  const shadowed: { name: string; place: string; by: string }[] = [];
  for (const plugin of all) {
    const other = first.get(plugin.name);
    if (other === undefined) first.set(plugin.name, plugin);
    else shadowed.push({ name: plugin.name, place: plugin.place, by: other.place });
  }
  const plugins = [...first.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { plugins, shadowed };
}

const noEvents = { subscribe: [], emit: [] } as const;
const usualTimeout = 60_000;
const nothingKept: ReadonlyMap<string, AwfRecord> = new Map();

async function foundPlugin(
  folder: PluginFolder,
  place: PluginPlace,
  kept: ReadonlyMap<string, AwfRecord>,
): Promise<LocatedPlugin> {
  const { manifest, problems } = await loadManifest(folder.manifestFile, place.version);
  const name = hasErrors(problems) && !/^[a-zA-Z][\w-]*$/.test(manifest.name) ? folder.folder : manifest.name;
  const start = { kind: 'program', command: folder.program, args: [], cwd: place.workspace } as const;
  const hashes = isHashed(folder.folder, place);
  const digests = await folderDigests(folder, hashes);
  const loaded = await namedDigests(start, { env: new Map() }, hashes);
  const { isOff, config: given } = kept.get(name) ?? { isOff: false, config: new Map<string, string>() };
  const config = settingsOf(manifest, given, folder.manifestFile);
  return checked(
    {
      name,
      type: 'grpc',
      place: folder.folder,
      start,
      ...aboutOf(manifest),
      config: config.values,
      env: {},
      keys: [],
      expose: ['*'],
      timeout: usualTimeout,
      hasTls: true,
      isEnabled: !isOff,
      ...(isOff && { offBy: awfStateFile(place.environment) }),
    },
    [...problems, ...config.problems, ...digests.problems, ...loaded.problems],
    [...digests.files, ...loaded.files],
    place,
  );
}

/** Whether to hash the files of a place. */
function isHashed(at: string, { hashes, trust }: PluginPlace): boolean {
  return hashes === 'all' || trust.list().some(({ file }) => file === at);
}

function aboutOf(
  manifest: PluginManifest | undefined,
): Pick<LocatedPlugin, 'version' | 'description' | 'capabilities' | 'events'> {
  if (manifest === undefined) return { capabilities: [], events: noEvents };
  const { version, description, capabilities, events } = manifest;
  return { version, ...(description !== undefined && { description }), capabilities, events };
}

async function declaredPlugin(
  name: string,
  entry: PluginEntry,
  list: LoadedEntries,
  place: PluginPlace,
): Promise<LocatedPlugin> {
  const own = problemsOfEntry(list, name);
  const base = {
    name,
    type: entry.type,
    place: `${list.file}#${name}`,
    env: Object.fromEntries(entry.env),
    keys: writtenKeys(pluginTable, list.said(name) ?? emptyMap),
    expose: entry.expose,
    timeout: entry.timeout,
    hasTls: entry.mtls,
    isEnabled: entry.enabled,
    ...(!entry.enabled && { offBy: list.file }),
  } as const;
  if (hasErrors(own)) return checked({ ...base, ...aboutOf(undefined), config: {} }, own, [], place);
  const { version, workspace } = place;
  const program = await programOf(entry, {
    directory: dirname(list.file),
    workspace,
    version,
    isHashed: isHashed(base.place, place),
    searched: childEnvironment(place.environment, base.env)['PATH'],
  });
  const { manifest } = program;
  const listed = {
    file: base.place,
    sha256: digestOfEntry(list.said(name), program.start),
    what: 'its entry',
  } as const;
  const settings = manifest
    ? settingsOf(manifest, entry.config, list.file)
    : { values: looseSettings(entry.config), problems: [] };
  const other =
    manifest === undefined || manifest.name === name
      ? []
      : [
          pluginProblem(
            list.file,
            `The manifest of the plugin at ${program.place} has the name ${manifest.name}, not ${name}.`,
          ),
        ];
  return checked(
    {
      ...base,
      ...aboutOf(manifest),
      ...(program.start && { start: program.start }),
      config: settings.values,
    },
    [
      ...own,
      ...program.problems,
      ...settings.problems,
      ...other,
      ...checksumProblems(entry, program.files, list.file),
    ],
    [listed, ...program.files],
    place,
  );
}

function checked(
  plugin: Omit<LocatedPlugin, 'files' | 'record' | 'standing' | 'problems'>,
  problems: readonly Problem[],
  files: readonly PluginFile[],
  { trust, switches }: PluginPlace,
): LocatedPlugin {
  const isBroken = hasErrors(problems);
  const record = isBroken ? undefined : recordOf(plugin, files);
  const standing = isBroken ? 'broken' : standingOf(record, trust);
  const isEnabled = plugin.isEnabled && !switches.isOff(plugin.place);
  return {
    ...plugin,
    isEnabled,
    files: isBroken ? [] : files,
    ...(record && { record }),
    standing,
    problems,
  };
}
