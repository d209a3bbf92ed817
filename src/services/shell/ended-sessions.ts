const maxKnown = 1000;

/**
 * The sessions that ended most recently. One of their calls may still arrive for a moment; session ids are never
 * reused.
 */
export function createEndedSessions() {
  const ids = new Set<string>();
  return {
    has: (id: string): boolean => ids.has(id),
    add(id: string): void {
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > maxKnown && oldest !== undefined) ids.delete(oldest);
    },
  };
}
