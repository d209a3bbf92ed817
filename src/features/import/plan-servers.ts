import { canonical, type FoundServer, type Json, without } from '../../clients/index.js';
import type { NewServer } from '../../config/index.js';
import type { GateInFile } from '../../workspace/client-files/gateway-trouble.js';
import type { Source } from '../../workspace/client-files/gather.js';
import { type Hiding, referencesIn } from './hide-secrets.js';
import { type Claim, createOwnership } from './own-names.js';
import { type Hide, withoutSecrets } from './secrets-of.js';
import { entryOf, type ServerEntry } from './server-entry.js';

/** What happens to a server that was found. */
export type Fate =
  /** Added to tidegate.yaml. */
  | 'import'
  /** Same as another server that is added. */
  | 'same'
  /** Already in tidegate.yaml. */
  | 'present'
  | 'gate'
  | 'disabled'
  | 'unsupported';

export interface PlannedServer {
  readonly source: Source;
  readonly found: FoundServer;
  readonly fate: Fate;
  /** Its name in tidegate.yaml. */
  readonly as?: string;
  readonly entry?: ServerEntry;
  readonly why?: string;
  /** Keys whose values differ in tidegate.yaml; they are lost when the client uses the gateway. */
  readonly lost?: readonly ('headers' | 'tools')[];
  readonly notes: readonly string[];
}

export interface ServersOptions {
  readonly sources: readonly Source[];
  /** The servers of tidegate.yaml, by name. */
  readonly known: Readonly<Record<string, unknown>>;
  readonly folder: string;
  readonly hiding: Hiding;
  /** Variables used elsewhere in tidegate.yaml. */
  readonly elsewhere: readonly string[];
  readonly takesDisabled: boolean;
  /** Whether the user has saved a secret under this name. */
  readonly isKept: (name: string) => boolean;
  /** Describes an existing gateway entry. */
  readonly gateWords: (gate: GateInFile) => string;
  /** Why the entry is not valid in tidegate.yaml; undefined if it is. */
  readonly flawOf: (entry: ServerEntry) => Promise<string | undefined>;
}

/** Decides what to do with each server, in file order. */
export async function planServers(options: ServersOptions): Promise<readonly PlannedServer[]> {
  const planned: PlannedServer[] = [];
  const isOwn = ownershipIn(options);
  for (const source of options.sources)
    for (const found of source.servers)
      planned.push(await planOne(source, found, planned, { ...options, isOwn }));
  return planned;
}

interface OneServerOptions extends ServersOptions {
  readonly isOwn: (claim: Claim) => boolean;
}

function ownershipIn(options: ServersOptions): OneServerOptions['isOwn'] {
  const found = options.sources.flatMap(({ servers }) => servers);
  const claims = found.flatMap((one) =>
    options.hiding.guesses.flatMap((guess) => claimsOf(one, guess, options)),
  );
  const isOwn = createOwnership({ known: options.known, elsewhere: options.elsewhere, found }, claims);
  // If the name already has this value, sharing it reveals nothing new.
  return (claim) => options.hiding.gives(claim.name, claim.value) || isOwn(claim);
}

/** The secrets of a server that tidegate.yaml already has under these names. */
function claimsOf(found: FoundServer, guess: Hide, options: ServersOptions): readonly Claim[] {
  const secrets: Pick<Claim, 'name' | 'value'>[] = [];
  const entry = entryWith(found, options, (secret) => {
    const reference = guess(secret);
    secrets.push({ name: reference.slice(2, -1), value: secret.value });
    return reference;
  });
  const as = entry === undefined ? undefined : earlierOf(entry, options)?.as;
  return as === undefined ? [] : secrets.map((secret) => ({ as, found, ...secret }));
}

/** Secret names derive from the final server name, so that is computed first. */
function entryWith(
  { name, server, section }: FoundServer,
  { folder }: ServersOptions,
  hide: Hide,
): ServerEntry | undefined {
  if (server === undefined) return undefined;
  const start = withoutSecrets(validName(name), server.start, hide);
  return entryOf(server, start, { from: section.folder, to: folder });
}

async function planOne(
  source: Source,
  found: FoundServer,
  before: readonly PlannedServer[],
  options: OneServerOptions,
): Promise<PlannedServer> {
  const base = {
    source,
    found,
    notes: [...(found.server?.notes ?? []), ...keptNotes(source, found, options)],
  };
  const { server } = found;
  if (found.isTidegate)
    return { ...base, fate: 'gate', why: options.gateWords({ file: source.file, found }) };
  if (server === undefined) return { ...base, fate: 'unsupported', why: `it ${String(found.why)}` };
  if (!server.isEnabled && !options.takesDisabled) return { ...base, fate: 'disabled', why: 'disabled' };
  const wanted = validName(found.name);
  const key = `${source.file.path}\0${found.section.path.join('\0')}\0${found.name}`;
  for (const guess of options.hiding.guesses) {
    const earlier = earlierOf(entryWith(found, options, guess) ?? {}, options);
    if (earlier === undefined || !claimsOf(found, guess, options).every(options.isOwn)) continue;
    // Its secrets may exist nowhere else in plain text.
    entryWith(found, options, options.hiding.adoptFor(key, guess));
    return { ...base, ...earlier };
  }
  const entry = entryWith(found, options, options.hiding.hideFor(key)) ?? {};
  const flaw = await options.flawOf(entry);
  const twin = twinOf(entry, before, options.known);
  if (flaw !== undefined || twin !== undefined) options.hiding.drop(key);
  if (flaw !== undefined) return { ...base, fate: 'unsupported', why: flaw };
  if (twin !== undefined) return { ...base, ...twin, entry };
  const as = freeName(wanted, source.client.name, namesTaken(before, options.known));
  const notes = as === found.name ? base.notes : [renamed(found.name, as, wanted), ...base.notes];
  return { ...base, fate: 'import', as, entry, notes };
}

/** A checkout may contain a server that asks for a saved secret; the user must see that before confirming. */
function keptNotes({ file }: Source, { server }: FoundServer, { isKept }: ServersOptions): readonly string[] {
  if (file.scope !== 'project' || server === undefined) return [];
  const names = new Set(referencesIn(JSON.stringify(server.start)).filter(isKept));
  return [...names].map((name) => `it receives your saved secret ${name}`);
}

function renamed(name: string, as: string, wanted: string): string {
  const why =
    wanted === as
      ? 'names in tidegate.yaml may contain only letters, digits, _ . and -'
      : 'the name is taken';
  return `${name} is renamed to ${as}: ${why}`;
}

type Twin = Pick<PlannedServer, 'fate' | 'as' | 'why' | 'lost'>;

function twinOf(
  entry: ServerEntry,
  before: readonly PlannedServer[],
  known: ServersOptions['known'],
): Twin | undefined {
  for (const [name, other] of Object.entries(known)) {
    const likeness = likenessOf(entry, other);
    if (likeness !== undefined)
      return { ...likeness, fate: 'present', as: name, why: `${name} in tidegate.yaml ${likeness.why}` };
  }
  for (const { fate, as, entry: other } of before) {
    const likeness = fate === 'import' && as !== undefined ? likenessOf(entry, other) : undefined;
    if (as !== undefined && likeness !== undefined)
      return { ...likeness, fate: 'same', as, why: `${as} ${likeness.why}` };
  }
  return undefined;
}

/** The matching server in tidegate.yaml with identical headers: their references are this server's secrets. */
function earlierOf(entry: ServerEntry, { known }: ServersOptions): Twin | undefined {
  const alike = Object.entries(known).filter(([, other]) => hasSameHeaders(entry, other));
  return twinOf(entry, [], Object.fromEntries(alike));
}

function hasSameHeaders(entry: ServerEntry, other: unknown): boolean {
  return (
    typeof other === 'object' && other !== null && same(entry['headers'], (other as ServerEntry)['headers'])
  );
}

/** How two entries match, and what only the first one sets; undefined if they are different servers. */
function likenessOf(
  entry: ServerEntry,
  other: unknown,
): Required<Pick<PlannedServer, 'why' | 'lost'>> | undefined {
  if (typeof other !== 'object' || other === null) return undefined;
  const its = other as ServerEntry;
  const keys = entry['url'] === undefined ? ['command', 'args', 'env', 'cwd'] : ['url'];
  if (!keys.every((key) => same(entry[key], its[key]))) return undefined;
  const differing = (['headers', 'tools'] as const).filter((key) => !same(entry[key], its[key]));
  const lost = differing.filter((key) => full(entry[key]) !== undefined);
  if (differing.includes('headers')) return { why: 'has the same URL but different headers', lost };
  return { why: lost.length === 0 ? 'is the same' : 'is the same but with a different tool list', lost };
}

function same(a: unknown, b: unknown): boolean {
  return canonical(full(a)) === canonical(full(b));
}

/** Missing, empty object and empty list are equal. */
function full(value: unknown): Json {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return isEmpty ? undefined : (value as Json);
}

/** The closest name that is valid in tidegate.yaml. */
function validName(name: string): string {
  const plain = without(name.normalize('NFKD').replace(/[^A-Za-z0-9_.-]+/g, '-'), '-').slice(0, 48);
  return /^(?:\.{0,2}|__proto__)$/.test(plain) ? 'server' : plain;
}

function freeName(wanted: string, client: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted;
  const own = `${wanted}-${client}`.slice(0, 60);
  if (!taken.has(own)) return own;
  for (let number = 2; ; number += 1) {
    const name = `${own}-${String(number)}`;
    if (!taken.has(name)) return name;
  }
}

function namesTaken(before: readonly PlannedServer[], known: ServersOptions['known']): ReadonlySet<string> {
  return new Set([...Object.keys(known), ...before.flatMap(({ as }) => as ?? [])]);
}

/** The servers to add, with a comment on their origin. */
export function newServers(planned: readonly PlannedServer[]): readonly NewServer[] {
  return planned.flatMap(({ fate, as, entry, source }) => {
    if (fate !== 'import' || as === undefined || entry === undefined) return [];
    return [{ name: as, entry, comment: `from ${source.client.title}` }];
  });
}
