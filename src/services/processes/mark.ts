/** The environment variable by which a child and all its descendants are known, wherever they hide. */
export const markName = 'TIDEGATE_KEEPER';
/** Set in a reaper's own environment: an outer gate leaves it alone, so that it can finish its work. */
export const reaperName = 'TIDEGATE_KEEPS';

const idPattern = /^[0-9a-f]{32}$/;

/**
 * One id per gate. It has to be unique, not secret: who knows it can only get processes of his own ended.
 * Hence no `node:crypto`, which would cost milliseconds at the first child.
 */
export function createGateId(): string {
  const word = () => Math.floor(Math.random() * 0x1_0000_0000);
  return [word(), word(), word(), word()].map((part) => part.toString(16).padStart(8, '0')).join('');
}

/** False for anything that a foreign lease file could use to match more than the children of one gate. */
export function isGateId(text: unknown): text is string {
  return typeof text === 'string' && idPattern.test(text);
}

export function childMark(gateId: string, ordinal: number): string {
  return `${gateId}.${ordinal}`;
}

/** Text that stands in the environment of one child and its descendants. */
export function needleOfChild(mark: string): string {
  return `${markName}=${mark}\0`;
}

/** Text that stands in the environment of every child of one gate. */
export function needleOfGate(gateId: string): string {
  return `${markName}=${gateId}.`;
}
