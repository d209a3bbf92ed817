import { createToolFilter, type Link, type Principal, type Session, type Spec } from '../kernel/index.js';

export interface Visibility {
  readonly visible: boolean;
  readonly callable: boolean;
}

/** The one answer to "what exists for this session, and may it be called?". */
export interface Access {
  /**
   * Makes the next answers at least as fresh as what was ever acknowledged to anybody. To be awaited before a call is
   * judged or a list is shown; undefined when there is nothing to wait for. For a session, its credentials too.
   */
  refresh(session?: Session): Promise<void> | undefined;
  visible(session: Session, spec: Spec): Visibility;
  /** Those of the definitions that are visible, in their order; the very same list as long as nothing changed. */
  list<S extends Spec>(session: Session, specs: readonly S[]): readonly S[];
  /** Told when somebody's rights may have changed. */
  onChange(listener: () => void): () => void;
}

const everything: Visibility = Object.freeze({ visible: true, callable: true });
const nothing: Visibility = Object.freeze({ visible: false, callable: false });

/** Rights that follow from a question which is answered at once and never changes its mind. */
export function accessFrom(visible: Access['visible']): Access {
  return {
    refresh: () => undefined,
    visible,
    list: (session, specs) => filterVisible(specs, (spec) => visible(session, spec).visible),
    onChange: () => () => undefined,
  };
}

/** Operators see and call everything; anyone else sees nothing. For gates that keep no grants. */
export function createAccess(isOperator: (principal: Principal) => boolean): Access {
  return accessFrom((session) => (isOperator(session.principal) ? everything : nothing));
}

/** An access that learns later who else there is. */
export interface LateAccess extends Access {
  /** From now on this one judges everybody, the operator too. */
  judgeBy(access: Access): void;
}

/**
 * For a gate whose only caller, so far, is its operator: no store is asked, because none could say anything else.
 * Whoever else there is sees nothing.
 */
export function createLateAccess(): LateAccess {
  let access = accessFrom(({ chain = [] }, spec) =>
    chain.length > 0 && chain.every(isUnbound) && !mustBeNamed(spec) ? everything : nothing,
  );
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    refresh: (session) => access.refresh(session),
    visible: (session, spec) => access.visible(session, spec),
    list: (session, specs) => access.list(session, specs),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    judgeBy(next) {
      access = next;
      next.onChange(tell);
      tell();
    },
  };
}

/** Nothing was named where there are no profiles yet. */
function mustBeNamed(spec: Spec): boolean {
  return spec.kind === 'tool' && spec.reach === 'named';
}

function isUnbound({ rights, profile, tools, tokenId }: Link): boolean {
  return rights === 'all' && profile === undefined && tools === undefined && tokenId === undefined;
}

/** Narrows an access to tools of these names. What is filtered out does not exist, for list, call and describe alike. */
export function withToolFilter(access: Access, patterns: readonly string[]): Access {
  const isOffered = createToolFilter(patterns);
  const isOut = (spec: Spec): boolean => spec.kind === 'tool' && !isOffered(spec.name);
  const narrowed = new WeakMap<readonly Spec[], readonly Spec[]>();
  return {
    ...access,
    visible: (session, spec) => (isOut(spec) ? nothing : access.visible(session, spec)),
    list<S extends Spec>(session: Session, specs: readonly S[]): readonly S[] {
      let left = narrowed.get(specs) as readonly S[] | undefined;
      if (left === undefined) narrowed.set(specs, (left = filterVisible(specs, (spec) => !isOut(spec))));
      return access.list(session, left);
    },
  };
}

function filterVisible<S extends Spec>(specs: readonly S[], isVisible: (spec: S) => boolean): readonly S[] {
  return specs.every(isVisible) ? specs : specs.filter(isVisible);
}
