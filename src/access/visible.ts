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
  /**
   * Identifies the rights behind `visible`: as long as a session gets the same value, it gets the same answers. `none`:
   * nothing is visible. Undefined: the answers may change at any time.
   */
  rightsOf(session: Session): symbol | 'none' | undefined;
  /** Called when rights may have changed. */
  onChange(listener: () => void): () => void;
}

const everything: Visibility = Object.freeze({ visible: true, callable: true });
const nothing: Visibility = Object.freeze({ visible: false, callable: false });

/** Creates an Access from a predicate. Without `rights`, the predicate is asked each time. */
export function accessFrom(visible: Access['visible'], rights?: symbol): Access {
  return {
    refresh: () => undefined,
    visible,
    rightsOf: () => rights,
    onChange: () => () => undefined,
  };
}

/** The operator may do everything; all others see nothing. For gateways without grants. */
export function createAccess(isOperator: (principal: Principal) => boolean): Access {
  const visible: Access['visible'] = ({ principal }) => (isOperator(principal) ? everything : nothing);
  return accessFrom(visible, Symbol('operator'));
}

/** An Access that can switch to full access control later. */
export interface LateAccess extends Access {
  /** From now on this Access decides for everyone, including the operator. */
  judgeBy(access: Access): void;
}

/** For a gateway that only the operator uses so far: needs no store. All others see nothing. */
export function createLateAccess(): LateAccess {
  let access = accessFrom(
    (session, spec) => (isOperator(session) && !mustBeNamed(spec) ? everything : nothing),
    Symbol('operator'),
  );
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    refresh: (session) => access.refresh(session),
    visible: (session, spec) => access.visible(session, spec),
    rightsOf: (session) => access.rightsOf(session),
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
  return deciding(access, (session, spec) => accessOf(session).visible(session, spec));
}

function without(access: Access, isOut: (spec: Spec) => boolean): Access {
  return deciding(access, (session, spec) => (isOut(spec) ? nothing : access.visible(session, spec)));
}

/** The same rights, narrowed by another decision. */
function deciding(access: Access, visible: Access['visible']): Access {
  return {
    refresh: (session) => access.refresh(session),
    visible,
    rightsOf: (session) => access.rightsOf(session),
    onChange: (listener) => access.onChange(listener),
  };
}
