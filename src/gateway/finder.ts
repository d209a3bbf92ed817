import type { Access } from '../access/index.js';
import type {
  PromptSpec,
  ResourceSpec,
  Session,
  Spec,
  TemplateSpec,
  ToolSpec,
  Wanted,
} from '../core/index.js';
import { absent } from './absent.js';
import type { Found } from './admit.js';
import { laterFor, templateFor } from './catalog.js';
import type { LiveCatalog } from './live-catalog.js';
import type { Offered } from './offered.js';
import { type Usable, unlisted } from './unlisted.js';

type Completion = Extract<Wanted, { kind: 'completion' }>;
const anyone: Usable = (offered) => offered;

/** Finds prompts and resources for sessions. Hidden and absent ones give the same answer in the same time. */
export interface Finder {
  /** The target and its provider, if the session may use it. */
  find(session: Session, wanted: Exclude<Wanted, { kind: 'tool' }>): Found | undefined;
  /** Regardless of access. */
  lookup(wanted: Wanted): Spec | undefined;
}

export function createFinder(live: LiveCatalog, access: Access): Finder {
  /** Absent targets are checked too, as the same kind, so that timing does not tell hidden from absent. */
  function visibility(
    session: Session,
    spec: Spec | undefined,
    kind: Spec['kind'],
  ): ReturnType<Access['visible']> {
    return access.visible(session, spec ?? absent[kind]);
  }

  /** A hidden target does not shadow others: the caller gets what would be there without it. */
  function usableBy(session: Session): Usable {
    return (offered, kind) => (visibility(session, offered?.spec, kind).callable ? offered : undefined);
  }

  function resourceAt(uri: string, usable: Usable): Offered<ResourceSpec | TemplateSpec> | undefined {
    // A hidden resource must fail each of these steps, like an absent one.
    return (
      usable(live.catalog.resources.get(uri), 'resource') ??
      laterFor(live.catalog, uri, usable) ??
      templateFor(live.catalog, uri, usable) ??
      unlisted(live.catalog.providers, uri, usable)
    );
  }

  function completed(of: Completion['of'], usable: Usable): Offered<PromptSpec | TemplateSpec> | undefined {
    if (of.kind === 'prompt') return usable(live.catalog.prompts.get(of.name), 'prompt');
    // Always run both lookups: hidden and absent must take equally long.
    const other = templateFor(live.catalog, of.uriTemplate, usable);
    return usable(live.catalog.templates.get(of.uriTemplate), 'template') ?? other;
  }

  function lookup(wanted: Wanted): Spec | undefined {
    if (wanted.kind === 'tool') return live.catalog.tools.get(wanted.name)?.spec;
    if (wanted.kind === 'prompt') return live.catalog.prompts.get(wanted.name)?.spec;
    if (wanted.kind === 'completion') return completed(wanted.of, anyone)?.spec;
    // Always run all three lookups: present and absent must take equally long.
    const template = templateFor(live.catalog, wanted.uri, anyone);
    const other = unlisted(live.catalog.providers, wanted.uri, anyone);
    return (live.catalog.resources.get(wanted.uri) ?? template ?? other)?.spec;
  }

  function findResource(session: Session, uri: string): Found | undefined {
    const found = resourceAt(uri, usableBy(session));
    return found && { target: { kind: 'resource', uri, spec: found.spec }, provider: found.provider };
  }

  function find(session: Session, wanted: Exclude<Wanted, { kind: 'tool' }>): Found | undefined {
    const usable = usableBy(session);
    if (wanted.kind === 'resource') return findResource(session, wanted.uri);
    if (wanted.kind === 'completion') {
      const found = completed(wanted.of, usable);
      return found && { target: { kind: 'completion', spec: found.spec }, provider: found.provider };
    }
    const found = usable(live.catalog.prompts.get(wanted.name), 'prompt') ?? usableNext(session, wanted.name);
    return found?.spec.kind === 'prompt'
      ? { target: { kind: 'prompt', spec: found.spec }, provider: found.provider }
      : undefined;
  }

  function usableNext(session: Session, name: string): Offered<ToolSpec | PromptSpec> | undefined {
    const next = live.contested.nextOf(session, 'prompts', name);
    return next === undefined ? undefined : usableBy(session)(next, next.spec.kind);
  }

  return { find, lookup };
}
