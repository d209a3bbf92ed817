import type { Access } from '../access/index.js';
import {
  atMost,
  type Client,
  createFault,
  emptyObject,
  type Fault,
  type JsonText,
  type PromptSpec,
  type Provider,
  type ResourceSpec,
  type Session,
  type Source,
  type Spec,
  type TemplateSpec,
  type ToolSpec,
  type Wanted,
} from '../kernel/index.js';
import type { Surface } from '../surface/index.js';
import type { Found } from './admit.js';
import { type ProviderReport, reportsOf } from './provider-reports.js';
import { couldReach } from './reach.js';
import {
  createFirsts,
  keepEqual,
  keptIfEqual,
  type ListKind,
  listKinds,
  type ListOf,
  listsOf,
} from './lists.js';
import { type Collision, laterFor, mergeCatalogs, type Offered, templateFor } from './catalog.js';

type Completion = Extract<Wanted, { kind: 'completion' }>;
/** Gives back what was offered to those who may use it. */
type Usable = <S extends Spec>(offered: Offered<S> | undefined) => Offered<S> | undefined;
const anyone: Usable = (offered) => offered;

/** How long the first list waits for servers that were never listed before. */
const firstListMs = 2000;
/** How long a call for something unknown waits beyond that, while servers have not listed yet. */
const holdMs = 10_000;

/** What exists, for whom: the merged lists of all providers behind the one `visible` question. */
export interface Directory {
  find(session: Session, wanted: Wanted): Found | undefined;
  /** As this client is shown it; without a client, everything that the session can see. */
  list<K extends ListKind>(session: Session, kind: K, client?: Client): ListOf<K>;
  /** Every tool that the session can see, shown or not. */
  visibleTools(session: Session): readonly ToolSpec[];
  everyTool(): readonly ToolSpec[];
  /** Only providers of which the session can see something, or could if they had it. */
  statusFor(session: Session): readonly ProviderReport[];
  lookup(wanted: Wanted): Spec | undefined;
  describe(session: Session, name: string): ToolSpec | undefined;
  settle(): Promise<void>;
  listed(): Promise<void>;
  /** Resolves when every provider has listed because somebody wanted lists. */
  readonly firstListed: Promise<void>;
  /** Like settle, but only where the wanted thing is not known yet. What is hidden is waited for like what is not. */
  settleFor(session: Session, wanted: Wanted): Promise<void> | undefined;
  /** Rights as they are now. To be awaited before anything is found or listed for somebody. */
  refresh(session: Session): Promise<void> | undefined;
  instructions(session: Session, client?: Client): string | undefined;
  /** What one provider says about itself. */
  wordsOf(source: Source): string | undefined;
  watch(session: Session, uri: string, listener: (params: JsonText) => void): Promise<(() => void) | Fault>;
  /** Told which lists of this session changed, by whatever cause. */
  onChange(session: Session, listener: (changed: readonly ListKind[]) => void): () => void;
  rootsChanged(): void;
  status(): readonly ProviderReport[];
  collisions(): readonly Collision[];
  replace(providers: readonly Provider[]): void;
  close(): Promise<void>;
}

export function openDirectory(first: readonly Provider[], access: Access, surface: Surface): Directory {
  let providers = first;
  let catalog = mergeCatalogs(providers);
  let lists = listsOf(catalog);
  const firsts = createFirsts();
  let settled: Promise<void> | undefined;
  let isListed = false;
  let tellListed = (): void => undefined;
  const firstListed = new Promise<void>((resolve) => {
    tellListed = resolve;
  });
  const watchers = new Map<() => void, string>();
  const told = createGathering(() => {
    for (const look of watchers.keys()) look();
  });
  const stopRights = access.onChange(told);
  const stopSurface = surface.onChange((id) => {
    for (const [look, session] of watchers) if (session === id) look();
  });
  let unsubscribe = subscribe();

  function subscribe(): () => void {
    const stops = providers.map((provider) => provider.onChange(refresh));
    return () => {
      for (const stop of stops) stop();
    };
  }

  function refresh(): void {
    const before = lists;
    catalog = mergeCatalogs(providers);
    lists = keepEqual(before, listsOf(catalog));
    if (listKinds.some((kind) => lists[kind] !== before[kind])) for (const look of watchers.keys()) look();
  }

  function visible<K extends ListKind>(session: Session, kind: K): ListOf<K> {
    const all: readonly Spec[] = lists[kind];
    return firsts(access.list(session, all)) as ListOf<K>;
  }

  function shown<K extends ListKind>(session: Session, kind: K, client?: Client): ListOf<K> {
    const all: readonly Spec[] = visible(session, kind);
    return surface.show(session, all, client) as ListOf<K>;
  }

  /** A rule that fails shows nothing; whoever lists is told of the failure itself. */
  function shownOrNone(session: Session, kind: ListKind): readonly Spec[] {
    try {
      return shown(session, kind);
    } catch {
      return [];
    }
  }

  function watchLists(session: Session, listener: (changed: readonly ListKind[]) => void): () => void {
    let known = listKinds.map((kind) => shownOrNone(session, kind));
    const look = (): void => {
      const now = listKinds.map((kind, at) => keptIfEqual(known[at], shownOrNone(session, kind)));
      const changed = listKinds.filter((_, at) => now[at] !== known[at]);
      known = now;
      if (changed.length > 0) listener(changed);
    };
    watchers.set(look, session.id);
    return () => watchers.delete(look);
  }

  function settle(): Promise<void> {
    const awaited = providers;
    settled ??= atMost(
      firstListMs,
      allLists(awaited).then(() => {
        // Lists of providers that were replaced meanwhile say nothing about the present ones.
        if (awaited !== providers) return;
        isListed = true;
        tellListed();
      }),
    );
    return settled;
  }

  /** A call has more time than a list: what it wants may be behind a server that is still starting. */
  async function hold(session: Session, wanted: Wanted): Promise<void> {
    const isFound = (): boolean => find(session, wanted) !== undefined;
    await access.refresh(session);
    if (isFound()) return;
    await settle();
    if (!isListed && !isFound()) await atMost(holdMs, allLists(providers));
  }

  /** What does not exist is asked about as well: how long an answer takes must not tell the one from the other. */
  function visibility(session: Session, spec: Spec | undefined): ReturnType<Access['visible']> {
    return access.visible(session, spec ?? nobodysTool);
  }

  /** Whether what the provider has as a whole is there for the session. */
  function isOpenTo(session: Session, source: Source): boolean {
    return access.visible(session, { kind: 'resource', uri: '', source, definition: emptyObject }).visible;
  }

  const reports = (): readonly ProviderReport[] => reportsOf(providers, catalog);

  /** What is hidden takes no place: whoever may not use it finds what would be there without it. */
  function usableBy(session: Session): Usable {
    return (offered) => (visibility(session, offered?.spec).callable ? offered : undefined);
  }

  function resourceAt(uri: string, usable: Usable): Offered<ResourceSpec | TemplateSpec> | undefined {
    return (
      usable(catalog.resources.get(uri)) ??
      laterFor(catalog, uri, usable) ??
      templateFor(catalog, uri, usable) ??
      unlisted(catalog.providers, uri, usable)
    );
  }

  function completed(of: Completion['of'], usable: Usable): Offered<PromptSpec | TemplateSpec> | undefined {
    if (of.kind === 'prompt') return usable(catalog.prompts.get(of.name));
    return usable(catalog.templates.get(of.uriTemplate)) ?? templateFor(catalog, of.uriTemplate, usable);
  }

  function lookup(wanted: Wanted): Spec | undefined {
    if (wanted.kind === 'tool') return catalog.tools.get(wanted.name)?.spec;
    if (wanted.kind === 'prompt') return catalog.prompts.get(wanted.name)?.spec;
    if (wanted.kind === 'completion') return completed(wanted.of, anyone)?.spec;
    // All three, whatever the first says: also this must take as long for what is there as for what is not.
    const template = templateFor(catalog, wanted.uri, anyone);
    const other = unlisted(catalog.providers, wanted.uri, anyone);
    return (catalog.resources.get(wanted.uri) ?? template ?? other)?.spec;
  }

  function findResource(session: Session, uri: string): Found | undefined {
    const found = resourceAt(uri, usableBy(session));
    return found && { target: { kind: 'resource', uri, spec: found.spec }, provider: found.provider };
  }

  function find(session: Session, wanted: Wanted): Found | undefined {
    const usable = usableBy(session);
    if (wanted.kind === 'tool') {
      const found = usable(catalog.tools.get(wanted.name));
      return found && { target: { kind: 'tool', spec: found.spec }, provider: found.provider };
    }
    if (wanted.kind === 'resource') return findResource(session, wanted.uri);
    if (wanted.kind === 'completion') {
      const found = completed(wanted.of, usable);
      return found && { target: { kind: 'completion', spec: found.spec }, provider: found.provider };
    }
    const found = usable(catalog.prompts.get(wanted.name));
    return found && { target: { kind: 'prompt', spec: found.spec }, provider: found.provider };
  }

  return {
    find,
    list: shown,
    visibleTools: (session) => visible(session, 'tools'),
    everyTool: () => lists.tools,
    statusFor(session) {
      const sources = new Set(visible(session, 'tools').map(({ source }) => source));
      return reports().filter(
        ({ source }) => sources.has(source) || (couldReach(session, source) && isOpenTo(session, source)),
      );
    },
    lookup,
    describe(session, name) {
      const spec = catalog.tools.get(name)?.spec;
      return visibility(session, spec).visible ? spec : undefined;
    },
    settle,
    listed: () => allLists(providers),
    firstListed,
    settleFor: (session, wanted) =>
      isListed || find(session, wanted) !== undefined ? undefined : hold(session, wanted),
    refresh: (session) => access.refresh(session),
    instructions(session, client) {
      const specs = listKinds.flatMap((kind): readonly Spec[] =>
        access.list(session, lists[kind] as readonly Spec[]),
      );
      const sources = new Set(specs.map((spec) => spec.source));
      const parts = catalog.instructions.filter(({ provider }) => sources.has(provider.source));
      const own = client && surface.instructions(session, visible(session, 'tools'), client);
      // What a server says of tools that are not shown is said when they are found.
      const told =
        own === undefined ? parts : parts.filter(({ provider }) => !surface.defers(provider.source));
      const texts = told.map(({ provider, text }) => `# ${provider.id}\n${text}`);
      return [...(own === undefined ? [] : [own]), ...texts].join('\n\n') || undefined;
    },
    wordsOf: (source) => catalog.instructions.find(({ provider }) => provider.source === source)?.text,
    async watch(session, uri, listener) {
      await access.refresh(session);
      const found = findResource(session, uri);
      if (!found) return createFault('resource.not_found', `Resource not found: ${uri}`, { data: { uri } });
      // Whoever loses the right to read it learns no more of it either.
      return found.provider.watch(uri, (params) => {
        if (findResource(session, uri) !== undefined) listener(params);
      });
    },
    onChange: watchLists,
    rootsChanged() {
      for (const provider of providers) provider.rootsChanged();
    },
    status: reports,
    collisions: () => catalog.collisions,
    replace(next) {
      unsubscribe();
      providers = next;
      unsubscribe = subscribe();
      settled = undefined;
      isListed = false;
      refresh();
    },
    async close() {
      unsubscribe();
      stopRights();
      stopSurface();
      watchers.clear();
      const closings = await Promise.allSettled(providers.map(async (provider) => provider.close()));
      for (const closing of closings) if (closing.status === 'rejected') throw closing.reason;
    },
  };
}

async function allLists(providers: readonly Provider[]): Promise<void> {
  await Promise.allSettled(providers.map(async (provider) => provider.ready()));
}

/** An address that nobody listed goes to a provider only if exactly one of those that are there may know it. */
function unlisted(
  providers: readonly Provider[],
  uri: string,
  usable: Usable,
): Offered<ResourceSpec> | undefined {
  const able = providers
    .filter((provider) => provider.mayHave(uri))
    .flatMap((provider): readonly Offered<ResourceSpec>[] => {
      const spec = { kind: 'resource', uri, source: provider.source, definition: emptyObject } as const;
      const offered = usable({ provider, spec });
      return offered === undefined ? [] : [offered];
    });
  return able.length === 1 ? able[0] : undefined;
}

/** Many changes of rights in one turn of the event loop are one for whoever watches. */
function createGathering(look: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      look();
    });
  };
}

const nobodysTool: ToolSpec = {
  kind: 'tool',
  name: '',
  localName: '-',
  source: 'builtin',
  effect: 'read',
  hints: {},
  definition: emptyObject,
};
