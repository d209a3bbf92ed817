import type { Principal, Session, Spec } from '../kernel/index.js';

/** The one answer to "what exists for this session, and may it be called?". */
export interface Access {
  visible(session: Session, spec: Spec): { readonly visible: boolean; readonly callable: boolean };
}

const everything = Object.freeze({ visible: true, callable: true });
const nothing = Object.freeze({ visible: false, callable: false });

/** Operators see and call everything; anyone else sees nothing until grants say otherwise. */
export function createAccess(isOperator: (principal: Principal) => boolean): Access {
  return {
    visible: (session) => (isOperator(session.principal) ? everything : nothing),
  };
}

/** Narrows an access to tools of these names. What is filtered out does not exist, for list, call and describe alike. */
export function withToolFilter(access: Access, isOffered: (name: string) => boolean): Access {
  return {
    visible: (session, spec) =>
      spec.kind === 'tool' && !isOffered(spec.name) ? nothing : access.visible(session, spec),
  };
}
