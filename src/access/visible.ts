import { createToolFilter, isOperator, type Principal, type Session, type Spec } from '../core/index.js';

export interface Visibility {
  readonly visible: boolean;
  readonly callable: boolean;
}

/** Decides what exists for a session and whether it may be called. */
export interface Access {
  /**
   * Makes the next answers at least as fresh as any confirmed change, for a session including its credentials. Await it
   * before checking a call or showing a list. Undefined if there is nothing to wait for.
   */
  refresh(session?: Session): Promise<void> | undefined;
  visible(session: Session, spec: Spec): Visibility;
  /** The visible definitions, in order. Returns the same array while nothing has changed. */
  list<S extends Spec>(session: Session, specs: readonly S[]): readonly S[];
  /** Called when rights may have changed. */
  onChange(listener: () => void): () => void;
}

const everything: Visibility = Object.freeze({ visible: true, callable: true });
const nothing: Visibility = Object.freeze({ visible: false, callable: false });

/** Creates an Access from a synchronous predicate that never changes. */
export function accessFrom(visible: Access['visible']): Access {
  return {
    refresh: () => undefined,
    visible,
    list: (session, specs) => filterVisible(specs, (spec) => visible(session, spec).visible),
    onChange: () => () => undefined,
  };
}

/** The operator may do everything; all others see nothing. For gateways without grants. */
export function createAccess(isOperator: (principal: Principal) => boolean): Access {
  return accessFrom((session) => (isOperator(session.principal) ? everything : nothing));
}

/** An Access that can switch to full access control later. */
export interface LateAccess extends Access {
  /** From now on this Access decides for everyone, including the operator. */
  judgeBy(access: Access): void;
}

/** For a gateway that only the operator uses so far: needs no store. All others see nothing. */
export function createLateAccess(): LateAccess {
  let access = accessFrom((session, spec) =>
    isOperator(session) && !mustBeNamed(spec) ? everything : nothing,
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

/** Without profiles, tools with reach `named` are not available. */
function mustBeNamed(spec: Spec): boolean {
  return spec.kind === 'tool' && spec.reach === 'named';
}

/** Limits an Access to some tool names. Other tools do not exist for list, call and describe. */
export function withToolFilter(access: Access, patterns: readonly string[]): Access {
  const isOffered = createToolFilter(patterns);
  return without(access, (spec) => spec.kind === 'tool' && !isOffered(spec.name));
}

/** Tools with reach `workflow` exist only for operation calls, within the rights of the session. */
export function withoutOperations(access: Access): Access {
  const others = without(access, (spec) => spec.kind === 'tool' && spec.reach === 'workflow');
  const accessOf = (session: Session): Access => (session.isOperation === true ? access : others);
  return {
    ...access,
    visible: (session, spec) => accessOf(session).visible(session, spec),
    list: (session, specs) => accessOf(session).list(session, specs),
  };
}

function without(access: Access, isOut: (spec: Spec) => boolean): Access {
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
