import type { Access } from '../access/index.js';
import {
  atMost,
  createFault,
  emptyObject,
  type Fault,
  type JsonText,
  type PromptSpec,
  type Provider,
  type ProviderStatus,
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
import { type Catalog, type Collision, mergeCatalogs, type Offered, templateFor } from './catalog.js';

interface Lists {
  readonly tools: readonly ToolSpec[];
  readonly prompts: readonly PromptSpec[];
  readonly resources: readonly ResourceSpec[];
  readonly templates: readonly TemplateSpec[];
}

export type ListKind = keyof Lists;
export type ListOf<K extends ListKind> = Lists[K];
const listKinds = ['tools', 'prompts', 'resources', 'templates'] as const satisfies readonly ListKind[];

export interface ProviderReport extends ProviderStatus {
  readonly id: string;
  readonly source: Source;
  readonly tools: number;
}

/** How long the first list waits for servers that were never listed before. */
const firstListMs = 2000;
/** How long a call for something unknown waits beyond that, while servers have not listed yet. */
const holdMs = 10_000;

/** What exists, for whom: the merged lists of all providers behind the one `visible` question. */
export interface Directory {
  find(session: Session, wanted: Wanted): Found | undefined;
  list<K extends ListKind>(session: Session, kind: K): ListOf<K>;
  describe(session: Session, name: string): ToolSpec | undefined;
  settle(): Promise<void>;
  listed(): Promise<void>;
  /** Resolves when every provider has listed because somebody wanted lists. */
  readonly firstListed: Promise<void>;
  /** Like settle, but only where the wanted thing is not known yet. */
  settleFor(wanted: Wanted): Promise<void> | undefined;
  instructions(session: Session): string | undefined;
  watch(session: Session, uri: string, listener: (params: JsonText) => void): Promise<(() => void) | Fault>;
  onChange(listener: (changed: readonly ListKind[]) => void): () => void;
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
  let settled: Promise<void> | undefined;
  let isListed = false;
  let tellListed = (): void => undefined;
  const firstListed = new Promise<void>((resolve) => {
    tellListed = resolve;
  });
  const listeners = new Set<(changed: readonly ListKind[]) => void>();
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
    const changed = listKinds.filter((kind) => lists[kind] !== before[kind]);
    if (changed.length > 0) for (const listener of listeners) listener(changed);
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
  async function hold(wanted: Wanted): Promise<void> {
    await settle();
    if (!isListed && !isKnown(catalog, wanted)) await atMost(holdMs, allLists(providers));
  }

  function isVisible(session: Session, spec: Spec): boolean {
    return access.visible(session, spec).visible;
  }

  function findIn<S extends Spec>(session: Session, offered: Offered<S> | undefined): Offered<S> | undefined {
    return offered && access.visible(session, offered.spec).callable ? offered : undefined;
  }

  function findResource(session: Session, uri: string): Found | undefined {
    const known = catalog.resources.get(uri) ?? templateFor(catalog, uri) ?? unlisted(catalog.providers, uri);
    const found = findIn<ResourceSpec | TemplateSpec>(session, known);
    return found && { target: { kind: 'resource', uri, spec: found.spec }, provider: found.provider };
  }

  function find(session: Session, wanted: Wanted): Found | undefined {
    if (wanted.kind === 'tool') {
      const found = findIn(session, catalog.tools.get(wanted.name));
      return found && { target: { kind: 'tool', spec: found.spec }, provider: found.provider };
    }
    if (wanted.kind === 'resource') return findResource(session, wanted.uri);
    if (wanted.kind === 'completion') {
      const found = findIn<PromptSpec | TemplateSpec>(
        session,
        wanted.of.kind === 'prompt'
          ? catalog.prompts.get(wanted.of.name)
          : (catalog.templates.get(wanted.of.uriTemplate) ?? templateFor(catalog, wanted.of.uriTemplate)),
      );
      return found && { target: { kind: 'completion', spec: found.spec }, provider: found.provider };
    }
    const found = findIn(session, catalog.prompts.get(wanted.name));
    return found && { target: { kind: 'prompt', spec: found.spec }, provider: found.provider };
  }

  return {
    find,
    list<K extends ListKind>(session: Session, kind: K): ListOf<K> {
      const all: readonly Spec[] = lists[kind];
      const visible = all.every((spec) => isVisible(session, spec))
        ? all
        : all.filter((spec) => isVisible(session, spec));
      return surface.show(session, visible) as ListOf<K>;
    },
    describe(session, name) {
      const spec = catalog.tools.get(name)?.spec;
      return spec && isVisible(session, spec) ? spec : undefined;
    },
    settle,
    listed: () => allLists(providers),
    firstListed,
    settleFor: (wanted) => (isListed || isKnown(catalog, wanted) ? undefined : hold(wanted)),
    instructions(session) {
      const specs = listKinds.flatMap((kind): readonly Spec[] => lists[kind]);
      const visible = new Set(specs.filter((spec) => isVisible(session, spec)).map((spec) => spec.source));
      const parts = catalog.instructions.filter(({ provider }) => visible.has(provider.source));
      if (parts.length === 0) return undefined;
      return parts.map(({ provider, text }) => `# ${provider.id}\n${text}`).join('\n\n');
    },
    async watch(session, uri, listener) {
      const found = findResource(session, uri);
      if (!found) return createFault('resource.not_found', `Resource not found: ${uri}`, { data: { uri } });
      return found.provider.watch(uri, listener);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    rootsChanged() {
      for (const provider of providers) provider.rootsChanged();
    },
    status: () =>
      providers.map((provider) => ({
        id: provider.id,
        source: provider.source,
        tools: provider.list().tools.length,
        ...provider.status(),
        ...collisionStatus(catalog, provider),
      })),
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
      listeners.clear();
      const closings = await Promise.allSettled(providers.map(async (provider) => provider.close()));
      for (const closing of closings) if (closing.status === 'rejected') throw closing.reason;
    },
  };
}

function collisionStatus(
  catalog: Catalog,
  provider: Provider,
): { state: 'failed'; detail: string } | undefined {
  const clash = catalog.collisions.find(({ second }) => second === provider.id);
  return (
    clash && {
      state: 'failed',
      detail: `${clash.first} and ${clash.second} both offer "${clash.name}": give one of them another prefix`,
    }
  );
}

async function allLists(providers: readonly Provider[]): Promise<void> {
  await Promise.allSettled(providers.map(async (provider) => provider.ready()));
}

function isKnown(catalog: Catalog, wanted: Wanted): boolean {
  if (wanted.kind === 'tool') return catalog.tools.has(wanted.name);
  if (wanted.kind === 'prompt') return catalog.prompts.has(wanted.name);
  if (wanted.kind === 'resource') return catalog.resources.has(wanted.uri);
  return wanted.of.kind === 'prompt'
    ? catalog.prompts.has(wanted.of.name)
    : catalog.templates.has(wanted.of.uriTemplate);
}

/** An address that nobody listed goes to a provider only if exactly one says that it may know it. */
function unlisted(providers: readonly Provider[], uri: string): Offered<ResourceSpec> | undefined {
  const able = providers.filter((provider) => provider.mayHave(uri));
  const provider = able.length === 1 ? able[0] : undefined;
  return (
    provider && {
      provider,
      spec: { kind: 'resource', uri, source: provider.source, definition: emptyObject },
    }
  );
}

function listsOf(catalog: Catalog): Lists {
  const specs = <S extends Spec>(map: ReadonlyMap<string, Offered<S>>): readonly S[] =>
    Object.freeze([...map.values()].map(({ spec }) => spec));
  return {
    tools: specs(catalog.tools),
    prompts: specs(catalog.prompts),
    resources: specs(catalog.resources),
    templates: specs(catalog.templates),
  };
}

/** Lists that did not change keep their identity, so that nobody is told of a change that is none. */
function keepEqual(before: Lists, after: Lists): Lists {
  const pick = <S extends Spec>(a: readonly S[], b: readonly S[]): readonly S[] =>
    a.length === b.length && a.every((spec, i) => isSame(spec, b[i])) ? a : b;
  return {
    tools: pick(before.tools, after.tools),
    prompts: pick(before.prompts, after.prompts),
    resources: pick(before.resources, after.resources),
    templates: pick(before.templates, after.templates),
  };
}

function isSame(a: Spec, b: Spec | undefined): boolean {
  return a.source === b?.source && a.definition.text === b.definition.text;
}
