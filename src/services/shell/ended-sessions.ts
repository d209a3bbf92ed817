const maxKnown = 1000;

/** The sessions that ended last. A call of theirs may still be on its way here, for moments; ids never come again. */
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
