import { randomBytes } from 'node:crypto';
import type { Session } from '../../core/index.js';
import { type ActiveTools, leadingNames } from '../../exposure/index.js';
import type { Tickets } from '../../workflow/index.js';
import type { SubSession } from '../access/sub-sessions.js';

/** Limit on unused tickets. */
const mostOpen = 10_000;

/**
 * Sessions for the agents of a run, limited to the rights of the principal that started the run and to the tools of the
 * step.
 */
export function openTickets(
  parent: Session,
  subSession: SubSession,
  exposure: Pick<ActiveTools, 'prefer'>,
): Tickets {
  const open = new Map<string, Session>();
  return {
    async issue({ run, step, tools, profile, lazy, inheritActive }) {
      const session = await subSession(parent, {
        as: `agent:${plainName(run)}/${plainName(step)}`,
        // Tool search and `call_tool` reach only these tools.
        tools: lazy === 'off' || tools.length === 0 ? tools : [...tools, ...leadingNames],
        ...(profile !== undefined && { profile }),
        ...(inheritActive !== undefined && { inheritActive }),
      });
      if (lazy !== undefined) exposure.prefer(session, { lazy });
      const ticket = randomBytes(32).toString('base64url');
      if (open.size >= mostOpen) open.clear();
      open.set(ticket, session);
      return ticket;
    },
    redeem(ticket) {
      const session = open.get(ticket);
      open.delete(ticket);
      return session;
    },
  };
}

const longest = 60;

/** Principal names allow fewer characters than step names. */
function plainName(text: string): string {
  const plain = text.replaceAll(/[^\w.@-]/g, '_').slice(0, longest);
  return /^\.*$/.test(plain) ? '_' : plain;
}
