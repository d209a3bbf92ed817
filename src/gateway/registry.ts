import type { Access } from '../access/index.js';
import { atMost } from '../lib/at-most.js';
import {
  type Client,
  createFault,
  type Fault,
  type PromptSpec,
  type Provider,
  type ResourceSpec,
  type Session,
  type Source,
  type Spec,
  type TemplateSpec,
  type ToolSpec,
  type Wanted,
} from '../core/index.js';
import type { JsonText } from '../lib/json-text.js';
import type { Exposure } from '../exposure/index.js';
import type { Found } from './admit.js';
import { type ProviderReport, reportsOf } from './provider-reports.js';
import { absent } from './absent.js';
import { createGathering } from './gathering.js';
import { type Usable, unlisted } from './unlisted.js';
import { couldReach } from './reach.js';
import { createNameClaims, type NameClaims, type NamedKind } from './name-claims.js';
import { claimNames, createContestedNames, isOpenTo } from './contested-names.js';
import {
  createFirsts,
  keepEqual,
  keptIfEqual,
  type ListKind,
  listKinds,
  type ListOf,
  listsOf,
} from './lists.js';
import { type Collision, laterFor, mergeCatalogs, templateFor } from './catalog.js';
import type { Offered } from './offered.js';

type Completion = Extract<Wanted, { kind: 'completion' }>;
const anyone: Usable = (offered) => offered;

/** How long the first list waits for servers that have not listed yet. */
const firstListMs = 2000;
/** How much longer a call for an unknown name waits while servers have not listed yet. */
const holdMs = 10_000;

/** The merged lists of all providers, filtered by `visible` for each session. */
export interface Registry {
  /** The list for this client; without a client, everything the session can see. */
  list<K extends ListKind>(session: Session, kind: K, client?: Client): ListOf<K>;
  /** Every tool that the session can see, active or not. */
  visibleTools(session: Session): readonly ToolSpec[];
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

/** The registry as the gateway itself uses it. */
export interface OpenRegistry extends Registry {
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

export function openRegistry({
  providers: first,
  access,
  exposure,
  claims = createNameClaims(),
  onCollisions,
}: RegistryParts): OpenRegistry {
  let providers = first;
  let catalog = mergeCatalogs(providers, claims);
  let contested = createContestedNames(catalog, access);
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
  const stopExposure = exposure.onChange((id) => {
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
    const [before, dropped] = [lists, catalog.collisions];
    catalog = mergeCatalogs(providers, claims);
    contested = createContestedNames(catalog, access);
    lists = keepEqual(before, listsOf(catalog));
    if (isListed) claimNames(catalog, claims);
    const isOther = JSON.stringify(dropped) !== JSON.stringify(catalog.collisions);
    if (isOther) onCollisions?.();
    if (isOther || listKinds.some((kind) => lists[kind] !== before[kind]))
      for (const look of watchers.keys()) look();
  }

  function visible<K extends ListKind>(session: Session, kind: K): ListOf<K> {
    const all: readonly Spec[] = lists[kind];
    const seen = access.list(session, all);
    const left =
      kind === 'tools' || kind === 'prompts' ? contested.leaveDropped(session, kind, seen) : firsts(seen);
    return left as ListOf<K>;
  }

  function shown<K extends ListKind>(session: Session, kind: K, client?: Client): ListOf<K> {
    const all: readonly Spec[] = visible(session, kind);
    return exposure.show(session, all, client) as ListOf<K>;
  }

  /** If the access check fails, nothing is shown; list callers get the failure. */
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
        // The providers may have been replaced in the meantime.
        if (awaited !== providers) return;
        isListed = true;
        claimNames(catalog, claims);
        tellListed();
      }),
    );
    return settled;
  }

  /** A call waits longer than a list, because its target may belong to a server that is still starting. */
  async function hold(session: Session, wanted: Wanted): Promise<void> {
    const isFound = (): boolean => find(session, wanted) !== undefined;
    await access.refresh(session);
    if (isFound()) return;
    await settle();
    if (!isListed && !isFound()) await atMost(holdMs, allLists(providers));
  }

  /** Absent targets are checked too, as the same kind, so that timing does not tell hidden from absent. */
  function visibility(
    session: Session,
    spec: Spec | undefined,
    kind: Spec['kind'],
  ): ReturnType<Access['visible']> {
    return access.visible(session, spec ?? absent[kind]);
  }

  const reports = (): readonly ProviderReport[] => reportsOf(providers, catalog);

  /** A hidden target does not shadow others: the caller gets what would be there without it. */
  function usableBy(session: Session): Usable {
    return (offered, kind) => (visibility(session, offered?.spec, kind).callable ? offered : undefined);
  }

  function resourceAt(uri: string, usable: Usable): Offered<ResourceSpec | TemplateSpec> | undefined {
    // A hidden resource must fail each of these steps, like an absent one.
    return (
      usable(catalog.resources.get(uri), 'resource') ??
      laterFor(catalog, uri, usable) ??
      templateFor(catalog, uri, usable) ??
      unlisted(catalog.providers, uri, usable)
    );
  }

  function completed(of: Completion['of'], usable: Usable): Offered<PromptSpec | TemplateSpec> | undefined {
    if (of.kind === 'prompt') return usable(catalog.prompts.get(of.name), 'prompt');
    // Always run both lookups: hidden and absent must take equally long.
    const other = templateFor(catalog, of.uriTemplate, usable);
    return usable(catalog.templates.get(of.uriTemplate), 'template') ?? other;
  }

  function lookup(wanted: Wanted): Spec | undefined {
    if (wanted.kind === 'tool') return catalog.tools.get(wanted.name)?.spec;
    if (wanted.kind === 'prompt') return catalog.prompts.get(wanted.name)?.spec;
    if (wanted.kind === 'completion') return completed(wanted.of, anyone)?.spec;
    // Always run all three lookups: present and absent must take equally long.
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
      const found =
        usable(catalog.tools.get(wanted.name), 'tool') ?? usableNext(session, 'tools', wanted.name);
      return found?.spec.kind === 'tool'
        ? { target: { kind: 'tool', spec: found.spec }, provider: found.provider }
        : undefined;
    }
    if (wanted.kind === 'resource') return findResource(session, wanted.uri);
    if (wanted.kind === 'completion') {
      const found = completed(wanted.of, usable);
      return found && { target: { kind: 'completion', spec: found.spec }, provider: found.provider };
    }
    const found =
      usable(catalog.prompts.get(wanted.name), 'prompt') ?? usableNext(session, 'prompts', wanted.name);
    return found?.spec.kind === 'prompt'
      ? { target: { kind: 'prompt', spec: found.spec }, provider: found.provider }
      : undefined;
  }

  function usableNext(
    session: Session,
    kind: NamedKind,
    name: string,
  ): Offered<ToolSpec | PromptSpec> | undefined {
    const next = contested.nextOf(session, kind, name);
    return next === undefined ? undefined : usableBy(session)(next, next.spec.kind);
  }

  function describe(session: Session, name: string): ToolSpec | undefined {
    const spec = catalog.tools.get(name)?.spec;
    if (visibility(session, spec, 'tool').visible) return spec;
    const next = contested.nextOf(session, 'tools', name)?.spec;
    return next?.kind === 'tool' ? next : undefined;
  }

  return {
    find(session, wanted) {
      const isSeen = wanted.kind === 'tool' && describe(session, wanted.name) !== undefined;
      return find(session, wanted) ?? (isSeen ? 'not_permitted' : undefined);
    },
    list(session, kind, client) {
      const list = shown(session, kind, client);
      if (kind === 'tools' && client !== undefined) exposure.listed(session);
      return list;
    },
    visibleTools: (session) => visible(session, 'tools'),
    everyTool: () => lists.tools,
    statusFor(session) {
      const sources = new Set(visible(session, 'tools').map(({ source }) => source));
      return reports().filter(
        ({ source }) =>
          sources.has(source) || (couldReach(session, source) && isOpenTo(access, session, source)),
      );
    },
    lookup,
    describe,
    async settle(session) {
      await settle();
      if (session !== undefined) await access.refresh(session);
    },
    listed: (sources) =>
      allLists(
        sources === undefined ? providers : providers.filter(({ source }) => sources.includes(source)),
      ),
    firstListed: () => firstListed,
    prepare: (session, wanted) =>
      isListed || find(session, wanted) !== undefined
        ? access.refresh(session)
        : hold(session, wanted).then(() => access.refresh(session)),
    refresh: (session) => access.refresh(session),
    instructions(session, client) {
      const specs = listKinds.flatMap((kind): readonly Spec[] =>
        access.list(session, lists[kind] as readonly Spec[]),
      );
      const sources = new Set(specs.map((spec) => spec.source));
      const parts = catalog.instructions.filter(({ provider }) => sources.has(provider.source));
      const tools = visible(session, 'tools');
      const own = client && exposure.instructions(session, tools, client);
      // Instructions about tools that are not active are sent when a search finds the tools.
      const told =
        client === undefined || own === undefined
          ? parts
          : parts.filter(({ provider }) => !exposure.defers(session, provider.source, tools, client));
      const texts = told.map(({ provider, text }) => `# ${provider.id}\n${text}`);
      return [...(own === undefined ? [] : [own]), ...texts].join('\n\n') || undefined;
    },
    instructionsOf: (source) => catalog.instructions.find(({ provider }) => provider.source === source)?.text,
    async watch(session, uri, listener) {
      await access.refresh(session);
      const found = findResource(session, uri);
      if (!found) return createFault('resource.not_found', `Resource not found: ${uri}`, { data: { uri } });
      // Stop sending updates once the session loses the right to read the resource.
      return found.provider.watch(uri, (params) => {
        if (findResource(session, uri) !== undefined) listener(params);
      });
    },
    onChange: watchLists,
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
      stopExposure();
      watchers.clear();
      const closings = await Promise.allSettled(providers.map(async (provider) => provider.close()));
      for (const closing of closings) if (closing.status === 'rejected') throw closing.reason;
    },
  };
}

async function allLists(providers: readonly Provider[]): Promise<void> {
  await Promise.allSettled(providers.map(async (provider) => provider.ready()));
}
