/** Combines all changes of rights within one turn of the event loop into one notification. */
export function createGathering(look: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      look();
    });
  };
}
