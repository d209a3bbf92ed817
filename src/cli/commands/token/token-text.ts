import type { OpenTokenAdmin } from '../../../features/admin/index.js';
import { printable } from '../../../config/index.js';
import type { Context } from '../../command.js';
import type { Colour } from '../../terminal/output.js';

type AdminService = OpenTokenAdmin['service'];
export type Made = Awaited<ReturnType<AdminService['create']>>;
export type Token = Made['token'];

export const colourOfState: Readonly<Record<Token['state'], Colour>> = {
  active: 'green',
  expired: 'yellow',
  revoked: 'dim',
  parent_void: 'dim',
  unreadable: 'red',
};

/** `2026-01-31 12:00`, always in UTC. */
export function timeText(time: number | undefined): string {
  return time === undefined ? '-' : new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}

export const factWidth = 11;

/** Prints all facts about a token, one per line. */
export function tokenLines(token: Token, { output }: Context): void {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['ID', token.id],
    ['For', token.principal],
    ['State', output.paint(colourOfState[token.state], token.state)],
    ['Label', token.label],
    ['Profile', token.profile],
    ['Tools', token.tools?.join(', ')],
    ['Workspace', token.workspace],
    ['Parent', token.parent],
    [
      'Activated',
      token.inheritsActive === false ? 'starts without the active tools of its parent' : undefined,
    ],
    ['Created', `${timeText(token.createdAt)} by ${token.createdBy}`],
    ['Expires', token.expiresAt === undefined ? 'never' : timeText(token.expiresAt)],
    ['Revoked', token.revokedAt === undefined ? undefined : timeText(token.revokedAt)],
    ['Last used', token.lastUsedAt === undefined ? 'not yet' : timeText(token.lastUsedAt)],
  ];
  for (const [name, value] of facts) {
    if (value !== undefined)
      output.line(`${name.padEnd(factWidth)}${name === 'State' ? value : printable(value)}`);
  }
}
