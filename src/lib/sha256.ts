import { createHash } from 'node:crypto';

/** The SHA-256 of a text (as UTF-8) or of bytes. */
export function sha256Of(
  content: string | Uint8Array,
  encoding: 'hex' | 'base64' | 'base64url' = 'hex',
): string {
  return createHash('sha256').update(content).digest(encoding);
}
