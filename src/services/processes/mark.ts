/** The environment variable that identifies a child and all its descendants. */
export const markName = 'TIDEGATE_KEEPER';
/** Set in a reaper's own environment: an outer gateway leaves it alone, so that it can finish. */
export const reaperName = 'TIDEGATE_KEEPS';

const idPattern = /^[0-9a-f]{32}$/;

/**
 * One id per gateway. Unique but not secret: knowing it only lets a user end its own processes. No
 * `node:crypto`, which would cost milliseconds at the first child.
 */
export function createGateId(): string {
  const word = () => Math.floor(Math.random() * 0x1_0000_0000);
  return [word(), word(), word(), word()].map((part) => part.toString(16).padStart(8, '0')).join('');
}

/** False for anything in a forged lease file that could match more than the children of one gateway. */
export function isGateId(text: unknown): text is string {
  return typeof text === 'string' && idPattern.test(text);
}

export function childMark(gateId: string, ordinal: number): string {
  return `${gateId}.${ordinal}`;
}

/** Text in the environment of one child and its descendants. */
export function needleOfChild(mark: string): string {
  return `${markName}=${mark}\0`;
}

/** Text in the environment of every child of one gateway. */
export function needleOfGate(gateId: string): string {
  return `${markName}=${gateId}.`;
}
