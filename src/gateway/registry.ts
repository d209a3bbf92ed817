import type { Access } from '../access/index.js';
import { atMost } from '../lib/at-most.js';
import {
  type Client,
  createFault,
  type Fault,
  type Provider,
  type Session,
  type Source,
  type Spec,
  type ToolSpec,
  type VisibleTools,
  type Wanted,
} from '../core/index.js';
import type { JsonText } from '../lib/json-text.js';
import type { Exposure } from '../exposure/index.js';
import type { Found } from './admit.js';
import type { Collision } from './catalog.js';
import { isOpenTo } from './contested-names.js';
import { createFinder, type Finder } from './finder.js';
import { type ListKind, listKinds, type ListOf } from './lists.js';
import { type LiveCatalog, openLiveCatalog } from './live-catalog.js';
import { createNameClaims, type NameClaims } from './name-claims.js';
import { type ProviderReport, reportsOf } from './provider-reports.js';
import { couldReach } from './reach.js';
import { createWatchRoom, type WatchRoom } from './watch-room.js';
import { openSessionLists, type SessionLists } from './session-lists.js';
import { createVisible, type Visible } from './visible.js';

/** How much longer a call for an unknown name waits while servers have not listed yet. */
const holdMs = 10_000;

/** The merged lists of all providers, filtered by `visible` for each session. */
export interface Registry {
  /** The list for this client; without a client, everything the session can see. */
  list<K extends ListKind>(session: Session, kind: K, client?: Client): ListOf<K>;
  /** Every tool that the session can see, active or not. */
  visibleTools(session: Session): VisibleTools;
  /** Every tool regardless of access. For building the search index only, never for answers. */
  everyTool(): readonly ToolSpec[];
  /** Status of the providers of which the session can see, or could see, something. */
  statusFor(session: Session): readonly ProviderReport[];
  /** Looks up a target regardless of access. For operators and records only, never for answers. */
  lookup(wanted: Wanted): Spec | undefined;
  /** One tool as this session sees it, or undefined. Always agrees with list and call. */
  describe(session: Session, name: string): ToolSpec | undefined;
  /**
   * Waits for the first lists (once, at most two seconds) and refreshes the session's rights. Await it before you show a
   * list to the session.
   */
  settle(session?: Session): Promise<void>;
  /** Resolves when these providers, or all, have listed or failed to. For callers that can wait. */
  listed(sources?: readonly Source[]): Promise<void>;
  /** Resolves when every provider has listed. Starts nothing. */
  firstListed(): Promise<void>;
  /** Refreshes the session's rights, which `list` and `describe` use. Undefined: they are up to date. */
  refresh(session: Session): Promise<void> | undefined;
  instructions(session: Session, client?: Client): string | undefined;
  /** The instructions of one provider. Check first that the session can see its tools. */
  instructionsOf(source: Source): string | undefined;
  watch(session: Session, uri: string, listener: (params: JsonText) => void): Promise<(() => void) | Fault>;
  /** Called with the lists of this session that changed, because servers or its rights changed. */
  onChange(session: Session, listener: (changed: readonly ListKind[]) => void): () => void;
  status(): readonly ProviderReport[];
  collisions(): readonly Collision[];
  /** Replaces all providers; sessions stay. The caller closes the old ones. */
  replace(providers: readonly Provider[]): void;
}

/** The registry, and what only the gateway may use: the way to providers. */
export interface OpenRegistry {
  readonly registry: Registry;
  /** The target and its provider. `not_permitted`: the session can see the tool, but may not call it. */
  find(session: Session, wanted: Wanted): Found | 'not_permitted' | undefined;
  /**
   * Refreshes the session's rights; if the target is unknown, also waits for servers that have not listed yet. Hidden
   * targets wait like absent ones, so timing reveals nothing.
   */
  prepare(session: Session, wanted: Wanted): Promise<void> | undefined;
  close(): Promise<void>;
}

export interface RegistryParts {
  readonly providers: readonly Provider[];
  readonly access: Access;
  readonly exposure: Exposure;
  readonly claims?: NameClaims;
  /** Called when the set of dropped names changes. */
  readonly onCollisions?: () => void;
}

interface Inside {
  readonly live: LiveCatalog;
  readonly visible: Visible;
  readonly lists: SessionLists;
  readonly finder: Finder;
  readonly access: Access;
  readonly exposure: Exposure;
  readonly watchRoom: WatchRoom;
}

export function openRegistry(parts: RegistryParts): OpenRegistry {
  const { access, exposure, claims = createNameClaims() } = parts;
  const visible = createVisible(() => live, access);
  const lists = openSessionLists(visible, access, exposure);
  const live: LiveCatalog = openLiveCatalog({ ...parts, claims, onChange: () => lists.lookAll() });
  const finder = createFinder(live, access);

  function find(session: Session, wanted: Wanted): Found | 'not_permitted' | undefined {
    if (wanted.kind !== 'tool') return finder.find(session, wanted);
    const tool = visible.tools(session).reach(wanted.name);
    if (tool === undefined) return undefined;
    if (!tool.isCallable) return 'not_permitted';
    return { target: { kind: 'tool', spec: tool.spec }, provider: tool.provider };
  }

  /** A call waits longer than a list, because its target may belong to a server that is still starting. */
  async function hold(session: Session, wanted: Wanted): Promise<void> {
    const isFound = (): boolean => find(session, wanted) !== undefined;
    await access.refresh(session);
    if (isFound()) return;
    await live.settle();
    if (!live.isListed && !isFound()) await atMost(holdMs, live.listed());
    await access.refresh(session);
  }

  return {
    registry: createRegistry({
      live,
      visible,
      lists,
      finder,
      access,
      exposure,
      watchRoom: createWatchRoom(),
    }),
    find,
    prepare: (session, wanted) =>
      live.isListed || find(session, wanted) !== undefined ? access.refresh(session) : hold(session, wanted),
    async close() {
      lists.close();
      await live.close();
    },
  };
}

function createRegistry(inside: Inside): Registry {
  const { live, visible, lists, finder, access, exposure } = inside;
  return {
    list(session, kind, client) {
      const list = lists.shown(session, kind, client);
      if (kind === 'tools' && client !== undefined) exposure.listed(session);
      return list;
    },
    visibleTools: (session) => visible.tools(session),
    everyTool: () => live.lists.tools,
    statusFor: (session) => statusFor(inside, session),
    lookup: (wanted) => finder.lookup(wanted),
    describe: (session, name) => visible.tools(session).get(name),
    async settle(session) {
      await live.settle();
      if (session !== undefined) await access.refresh(session);
    },
    listed: (sources) => live.listed(sources),
    firstListed: () => live.firstListed,
    refresh: (session) => access.refresh(session),
    instructions: (session, client) => instructionsFor(inside, session, client),
    instructionsOf: (source) =>
      live.catalog.instructions.find(({ provider }) => provider.source === source)?.text,
    watch: (session, uri, listener) => watchResource(inside, session, uri, listener),
    onChange: (session, listener) => lists.onChange(session, listener),
    status: () => reportsOf(live.providers, live.catalog),
    collisions: () => live.catalog.collisions,
    replace: (providers) => live.replace(providers),
  };
}

function statusFor({ live, visible, access }: Inside, session: Session): readonly ProviderReport[] {
  const sources = new Set(visible.tools(session).list.map(({ source }) => source));
  return reportsOf(live.providers, live.catalog).filter(
    ({ source }) => sources.has(source) || (couldReach(session, source) && isOpenTo(access, session, source)),
  );
}

function instructionsFor(
  { live, visible, exposure }: Inside,
  session: Session,
  client: Client | undefined,
): string | undefined {
  const specs = listKinds.flatMap((kind): readonly Spec[] => visible.list(session, kind));
  const sources = new Set(specs.map((spec) => spec.source));
  const parts = live.catalog.instructions.filter(({ provider }) => sources.has(provider.source));
  const tools = visible.tools(session);
  const own = client && exposure.instructions(session, tools, client);
  // Instructions about tools that are not active are sent when a search finds the tools.
  const told =
    client === undefined || own === undefined
      ? parts
      : parts.filter(({ provider }) => !exposure.defers(session, provider.source, tools, client));
  const texts = told.map(({ provider, text }) => `# ${provider.id}\n${text}`);
  return [...(own === undefined ? [] : [own]), ...texts].join('\n\n') || undefined;
}

async function watchResource(
  { finder, access, watchRoom }: Inside,
  session: Session,
  uri: string,
  listener: (params: JsonText) => void,
): Promise<(() => void) | Fault> {
  const find = (): Found | undefined => finder.find(session, { kind: 'resource', uri });
  await access.refresh(session);
  const found = find();
  if (!found) return createFault('resource.not_found', `Resource not found: ${uri}`, { data: { uri } });
  // Stop sending updates once the session loses the right to read the resource.
  const tell = (params: JsonText): void => {
    if (find() !== undefined) listener(params);
  };
  return watchRoom.open(session, uri, () => found.provider.watch(uri, tell));
}
