import type { Session, Spec } from '../kernel/index.js';

/** Decides what of the visible set a session is shown now. */
export interface Surface {
  show<S extends Spec>(session: Session, visible: readonly S[]): readonly S[];
}

/** Shows everything that is visible. */
export function createEagerSurface(): Surface {
  return { show: (_session, visible) => visible };
}
