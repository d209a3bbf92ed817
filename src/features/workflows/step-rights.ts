import { formatPrincipal } from '../../access/index.js';
import { createToolFilter, type Session, type ToolSpec } from '../../core/index.js';
import { emptyObject } from '../../lib/json-text.js';
import type { OpenedAccess } from '../../workspace/access/open-access.js';
import type { Tidegate } from '../../workspace/tidegate.js';

/** Whether the caller may use a step type of a plugin. */
type StepRights = (plugin: string, stepType: string) => Promise<boolean>;

/**
 * Step types of plugins don't pass through the gateway. For a run that an agent started, they need the same access as a tool
 * named `<plugin>_<step type>`, and are recorded like one.
 */
export function createStepRights(
  { access: opened, newRequestId }: Pick<Tidegate, 'access' | 'newRequestId'>,
  session: Session,
  toolPatterns: readonly string[] | undefined,
): StepRights {
  const isOffered = toolPatterns === undefined ? () => true : createToolFilter(toolPatterns);
  return async (plugin, stepType) => {
    const spec = specOf(plugin, stepType);
    await opened.access.refresh(session);
    const isAllowed = isOffered(spec.name) && opened.access.visible(session, spec).callable;
    opened.record(recordOf(session, spec.name, isAllowed, newRequestId()));
    return isAllowed;
  };
}

function specOf(plugin: string, stepType: string): ToolSpec {
  return {
    kind: 'tool',
    name: `${plugin}_${stepType}`,
    localName: stepType,
    source: `plugin:${plugin}`,
    effect: 'execute',
    hints: {},
    definition: emptyObject,
  };
}

function recordOf(
  { id, principal, chain = [] }: Session,
  target: string,
  isAllowed: boolean,
  requestId: string,
): Parameters<OpenedAccess['record']>[0] {
  const tokenId = chain.at(-1)?.tokenId;
  return {
    at: Date.now(),
    zone: principal.zone,
    action: 'call',
    decision: isAllowed ? 'allow' : 'deny',
    principal: formatPrincipal(principal),
    ...(chain.length > 1 && { chain: chain.map((link) => formatPrincipal(link.principal)) }),
    ...(tokenId !== undefined && { tokenId }),
    target,
    reason: isAllowed ? 'granted' : 'no_grant',
    requestId,
    sessionId: id,
  };
}
