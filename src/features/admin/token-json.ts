import type { TokenView } from '../../access/tokens/index.js';

/** A token as JSON, with ISO timestamps. */
export function tokenJson(token: TokenView): Readonly<Record<string, unknown>> {
  const { createdAt, expiresAt, revokedAt, lastUsedAt, ...rest } = token;
  return {
    ...rest,
    createdAt: written(createdAt),
    ...(expiresAt !== undefined && { expiresAt: written(expiresAt) }),
    ...(revokedAt !== undefined && { revokedAt: written(revokedAt) }),
    ...(lastUsedAt !== undefined && { lastUsedAt: written(lastUsedAt) }),
  };
}

function written(time: number): string {
  return new Date(time).toISOString();
}
