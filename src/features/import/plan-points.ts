import {
  CannotEdit,
  type Change,
  type Client,
  type ClientPlace,
  edit,
  type FoundServer,
  type JsonObject,
  objectAt,
  type Section,
} from '../../clients/index.js';
import {
  type GateForm,
  gateForm,
  type GatewayOptions,
  gateStart,
} from '../../workspace/client-files/gateway-start.js';
import { isRenewable } from '../../workspace/client-files/gateway-trouble.js';
import type { Source } from '../../workspace/client-files/gather.js';
import { masked } from './mask.js';
import type { PlannedServer } from './plan-servers.js';

/** The planned change to a client file. */
export interface Point {
  readonly source: Source;
  readonly changes: readonly Change[];
  readonly before: string;
  /** Undefined if the file cannot be changed safely; `byHand` then says what to write. */
  readonly after: string | undefined;
  readonly why?: string;
  /** How the client starts the gateway; undefined if the entry already exists. */
  readonly form?: GateForm;
  /** Diff lines with possible secrets masked. */
  readonly diff: readonly string[];
  readonly byHand: readonly string[];
  /** Settings that are lost with the replaced servers, as sentences. */
  readonly lost: readonly string[];
}

export interface PointsOptions extends GatewayOptions {
  readonly sources: readonly Source[];
  readonly planned: readonly PlannedServer[];
  readonly place: ClientPlace;
  /** Clients that get the gateway even if none of their servers are imported. */
  readonly named: readonly string[];
  /** Values that must not be shown. */
  readonly secrets: readonly string[];
}

/** Replaces every server that moves to tidegate.yaml with one gateway entry. */
export function planPoints(options: PointsOptions): readonly Point[] {
  return options.sources.flatMap((source) => {
    const changes = changesOf(source, options);
    return changes.length === 0 ? [] : [pointOf(source, changes, options)];
  });
}

function changesOf(source: Source, options: PointsOptions): readonly Change[] {
  const { client, file, content } = source;
  const root = client.format.parse(content?.text ?? '');
  const sections = client.sections(root, file, options.place);
  const taken = takenFrom(source, options);
  const changes = sections.flatMap((section) => {
    const own = taken.filter(({ found }) => samePath(found.section, section));
    const isIdle = own.length === 0 && staleEntries(section, source, options).length === 0;
    return isIdle ? [] : [changeOf(section, own, source, options)];
  });
  const [home] = sections;
  if (changes.length > 0 || home === undefined || !needsTidegate(source, options)) return changes;
  return [changeOf(home, [], source, options)];
}

/** The servers of this file that are in tidegate.yaml after the import. */
function takenFrom(source: Source, { planned }: PointsOptions): readonly PlannedServer[] {
  return planned.filter((one) => one.source === source && ['import', 'same', 'present'].includes(one.fate));
}

/** A client named by the user gets the gateway in its first file, unless one of its files already has it. */
function needsTidegate({ client, file }: Source, { named, sources, planned }: PointsOptions): boolean {
  const own = sources.filter((source) => source.client === client);
  const isHome = own.find((source) => source.content !== undefined) ?? own[0];
  const isTaken = planned.some(
    ({ source, fate }) => source.client === client && fate !== 'disabled' && fate !== 'unsupported',
  );
  return named.includes(client.name) && file.scope === 'user' && isHome?.file === file && !isTaken;
}

function samePath(a: Section, b: Section): boolean {
  return a.path.join('\0') === b.path.join('\0');
}

function changeOf(
  section: Section,
  own: readonly PlannedServer[],
  source: Source,
  options: PointsOptions,
): Change {
  const { client, file, content } = source;
  const gates = tidegateEntries(section, source);
  const stale = staleEntries(section, source, options);
  const remove = [...own.map(({ found }) => found.name), ...stale.map(({ name }) => name)];
  if (gates.length > stale.length) return { section: section.path, remove };
  const there = Object.keys(objectAt(client.format.parse(content?.text ?? ''), section.path));
  const isFree = (name: string): boolean => !there.includes(name) || remove.includes(name);
  const name = ['tidegate', 'tidegate-gate'].find(isFree) ?? `tidegate-${String(there.length)}`;
  const kept = stale[0] === undefined ? {} : withoutStart(stale[0]);
  const entry = { ...kept, ...client.tidegateEntry(gateStart(file, options)), ...keptKeys(client, own) };
  return { section: section.path, remove, add: { name, entry } };
}

function tidegateEntries(section: Section, { servers }: Source): readonly FoundServer[] {
  return servers.filter((one) => one.isTidegate && samePath(one.section, section));
}

/** Gateway entries whose program or configuration is missing; a working one replaces them. */
function staleEntries(section: Section, source: Source, { env }: PointsOptions): readonly FoundServer[] {
  return tidegateEntries(section, source).filter((found) => isRenewable({ file: source.file, found }, env));
}

/** The client's own settings of the gateway entry, without the start command. */
function withoutStart({ entry }: Pick<FoundServer, 'entry'>): JsonObject {
  const start = ['command', 'args', 'env', 'environment', 'cwd'];
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !start.includes(key)));
}

/** Keeps settings that make the client ask before a call. Settings that allow calls are never carried over. */
function keptKeys({ keeps = {} }: Client, own: readonly PlannedServer[]): JsonObject {
  const strict = Object.entries(keeps).filter(([key, value]) =>
    own.some(({ found }) => found.entry[key] === value),
  );
  return Object.fromEntries(strict);
}

function pointOf(source: Source, changes: readonly Change[], options: PointsOptions): Point {
  const { client, content, file } = source;
  const { secrets } = options;
  const before = content?.text ?? '';
  const diff = changes.flatMap((change) => diffOf(client, before, change, secrets));
  const byHand = changes.flatMap((change) => byHandOf(client, change));
  const hasNew = changes.some(({ add }) => add !== undefined);
  const lost = takenFrom(source, options).flatMap(lostLine);
  const common = {
    source,
    changes,
    before,
    diff,
    byHand,
    lost,
    ...(hasNew && { form: gateForm(file, options) }),
  };
  try {
    const after = changes.reduce((text, change) => edit(client.format, text, change), before);
    return { ...common, after };
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error;
    return { ...common, after: undefined, why: error.message };
  }
}

/** The file may lose a working token, and its replacement may have no value. */
function lostLine({ source, found, as, lost = [] }: PlannedServer): readonly string[] {
  const words = { headers: 'headers', tools: 'tool list' } as const;
  if (lost.length === 0) return [];
  const what = lost.map((key) => words[key]).join(' and ');
  return [
    `${source.client.title} no longer uses its own ${what} for ${found.name}: Tidegate uses those of ${as ?? found.name} in tidegate.yaml`,
  ];
}

/** Shows only the changed entries, nothing else from the file. */
function diffOf(
  client: Client,
  text: string,
  { section, remove, add }: Change,
  secrets: readonly string[],
): string[] {
  const gone = client.format.entryTexts(text, section, remove);
  const come = add === undefined ? [] : [client.format.write(section, add.name, add.entry)];
  const lines = (sign: string, part: string): string[] =>
    part.split(/\r?\n/).map((line) => `${sign} ${line}`);
  return [
    `  ${section.join('.')}`,
    ...gone.flatMap((part) => lines('-', outdented(masked(part, secrets)))),
    ...come.flatMap((part) => lines('+', part)),
  ];
}

/** Entries are cut out of their line, so the following lines are shifted left. */
function outdented(text: string): string {
  const [first = '', ...rest] = text.replaceAll('\t', '  ').split(/\r?\n/);
  const depths = rest
    .filter((line) => line.trim() !== '')
    .map((line) => line.length - line.trimStart().length);
  const depth = depths.reduce((least, own) => Math.min(least, own), Number.MAX_SAFE_INTEGER);
  return [first, ...rest.map((line) => line.slice(depth))].join('\n');
}

function byHandOf(client: Client, { section, remove, add }: Change): readonly string[] {
  return [
    ...(remove.length === 0 ? [] : [`Remove from ${section.join('.')}: ${remove.join(', ')}`]),
    ...(add === undefined ? [] : ['Add:', ...client.format.write(section, add.name, add.entry).split('\n')]),
  ];
}
