import { randomBytes } from 'node:crypto';
import type { Session } from '../../kernel/index.js';
import { type ActiveTools, leadingNames } from '../../surface/index.js';
import type { Tickets } from '../../workflow/index.js';
import type { SubSession } from '../sub-sessions.js';

/** A step that was given a ticket and never used it holds no more than this many of them. */
const mostOpen = 10_000;

/** Sessions for the agents of a run: each can do no more than whoever started the run, and only what its step was given. */
export function openTickets(
  parent: Session,
  subSession: SubSession,
  surface: Pick<ActiveTools, 'prefer'>,
): Tickets {
  const open = new Map<string, Session>();
  return {
    async issue({ run, step, tools, profile, lazy, inheritActive }) {
      const session = await subSession(parent, {
        as: `agent:${plainName(run)}/${plainName(step)}`,
        // What leads to deferred tools leads to none but these.
        tools: lazy === 'off' || tools.length === 0 ? tools : [...tools, ...leadingNames],
        ...(profile !== undefined && { profile }),
        ...(inheritActive !== undefined && { inheritActive }),
      });
      if (lazy !== undefined) surface.prefer(session, { lazy });
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

/** Names of principals have fewer characters than names of steps. */
function plainName(text: string): string {
  const plain = text.replaceAll(/[^\w.@-]/g, '_').slice(0, longest);
  return /^\.*$/.test(plain) ? '_' : plain;
}
