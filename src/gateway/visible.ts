import type { Access } from '../access/index.js';
import { principalKey, type Session, type Spec, type ToolSpec, type VisibleTools } from '../core/index.js';
import type { Catalog } from './catalog.js';
import { firstsOf, isSame, type ListKind, listKinds, type ListOf } from './lists.js';
import type { LiveCatalog } from './live-catalog.js';
import type { Offered } from './offered.js';

/** A tool that a session can see, with its provider. */
export interface VisibleTool extends Offered<ToolSpec> {
  readonly isCallable: boolean;
}

/** The visible tools of a session, with the provider of each. */
export interface ReachableTools extends VisibleTools {
  reach(name: string): VisibleTool | undefined;
}

/** What each session can see. List, call, search and describe all use these values. */
export interface Visible {
  tools(session: Session): ReachableTools;
  list<K extends ListKind>(session: Session, kind: K): ListOf<K>;
}

/** Everything visible at one revision, filled in as it is needed. */
interface View {
  readonly rights: symbol | undefined;
  readonly catalog: Catalog | undefined;
  tools?: ReachableTools;
  readonly lists: Map<ListKind, readonly Spec[]>;
}

/** Cache limit. Sessions with equal delegations share a view. */
const maxViews = 1000;
/** How many lists of a kind are compared with a new one, so that equal lists are kept only once. */
const maxShared = 16;

export function createVisible(live: () => LiveCatalog, access: Access): Visible {
  const none = { rights: undefined, catalog: undefined, tools: new Tools(0, []), lists: noLists };
  const bySession = new WeakMap<Session, View>();
  const byDelegation = new Map<string, View>();
  let shared: readonly Tools[] = [];
  const sharedLists = new Map<ListKind, readonly (readonly Spec[])[]>();
  let revision = 0;

  function viewOf(session: Session): View {
    const rights = access.rightsOf(session);
    if (rights === 'none') return none;
    const { catalog } = live();
    const known = bySession.get(session);
    if (known !== undefined && isCurrent(known, rights, catalog)) return known;
    if (rights === undefined) return { rights, catalog, lists: new Map() };
    const view = keptView(delegationKey(session), rights, catalog);
    bySession.set(session, view);
    return view;
  }

  function keptView(key: string, rights: symbol, catalog: Catalog): View {
    const known = byDelegation.get(key);
    const view =
      known !== undefined && isCurrent(known, rights, catalog)
        ? known
        : { rights, catalog, lists: new Map() };
    // Least recently used first, so the first is evicted.
    byDelegation.delete(key);
    if (byDelegation.size >= maxViews)
      for (const first of [...byDelegation.keys()].slice(0, 1)) byDelegation.delete(first);
    byDelegation.set(key, view);
    return view;
  }

  function toolsFor(session: Session): ReachableTools {
    const found = visibleTools(session, live(), access);
    const same = shared.find((one) => one.equals(found));
    if (same !== undefined) return same;
    revision += 1;
    const tools = new Tools(revision, found);
    shared = [tools, ...shared].slice(0, maxShared);
    return tools;
  }

  function listFor(session: Session, kind: ListKind): readonly Spec[] {
    const { lists, contested } = live();
    const all: readonly Spec[] = lists[kind];
    const seen = all.filter((spec) => access.visible(session, spec).visible);
    const list = kind === 'prompts' ? contested.leaveDropped(session, kind, seen) : firstsOf(seen);
    const known = sharedLists.get(kind) ?? [];
    const same = known.find(
      (one) => one.length === list.length && one.every((spec, at) => isSame(spec, list[at])),
    );
    if (same !== undefined) return same;
    sharedLists.set(kind, [Object.freeze(list), ...known].slice(0, maxShared));
    return list;
  }

  function tools(session: Session): ReachableTools {
    const view = viewOf(session);
    return (view.tools ??= toolsFor(session));
  }

  return {
    tools,
    list<K extends ListKind>(session: Session, kind: K): ListOf<K> {
      if (kind === 'tools') return tools(session).list as ListOf<K>;
      const { lists } = viewOf(session);
      const known = lists.get(kind) ?? listFor(session, kind);
      lists.set(kind, known);
      return known as ListOf<K>;
    },
  };
}

const noLists: View['lists'] = new Map(listKinds.map((kind) => [kind, Object.freeze([])]));

function isCurrent(view: View, rights: symbol | undefined, catalog: Catalog): boolean {
  return rights !== undefined && view.rights === rights && view.catalog === catalog;
}

/** Sessions with the same key have the same rights, as long as their credentials are valid. */
function delegationKey({ principal, chain, isOperation }: Session): string {
  const links = chain?.map(({ tokenId, ...delegation }) => ({
    ...delegation,
    hasToken: tokenId !== undefined,
  }));
  return JSON.stringify([principalKey(principal), links, isOperation]);
}

/** A caller that cannot see the owner of a contested name gets the next offer of it. */
function visibleTools(
  session: Session,
  { lists, catalog, contested }: LiveCatalog,
  access: Access,
): readonly VisibleTool[] {
  const found = new Map<string, VisibleTool>();
  for (const spec of lists.tools) {
    const { name, source } = spec;
    const { visible, callable } = access.visible(session, spec);
    if (!visible || found.has(name)) continue;
    const owner = catalog.tools.get(name);
    const offered = owner?.spec.source === source ? owner : contested.nextOf(session, 'tools', name);
    if (offered?.spec.kind !== 'tool' || offered.spec.source !== source) continue;
    found.set(name, { spec: offered.spec, provider: offered.provider, isCallable: callable });
  }
  return [...found.values()];
}

class Tools implements ReachableTools {
  readonly revision: number;
  readonly list: readonly ToolSpec[];
  readonly #byName: ReadonlyMap<string, VisibleTool>;

  constructor(revision: number, found: readonly VisibleTool[]) {
    this.revision = revision;
    this.list = Object.freeze(found.map(({ spec }) => spec));
    this.#byName = new Map(found.map((tool) => [tool.spec.name, tool]));
  }

  get(name: string): ToolSpec | undefined {
    return this.#byName.get(name)?.spec;
  }

  reach(name: string): VisibleTool | undefined {
    return this.#byName.get(name);
  }

  equals(found: readonly VisibleTool[]): boolean {
    if (found.length !== this.list.length) return false;
    return found.every(({ spec, provider, isCallable }, at) => {
      const mine = this.#byName.get(spec.name);
      const isEqual = isSame(spec, this.list[at]) && mine?.spec.localName === spec.localName;
      return isEqual && mine.provider === provider && mine.isCallable === isCallable;
    });
  }
}
