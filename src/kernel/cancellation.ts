/** Whether a caller still waits. Cheap to make and to listen to; an AbortSignal comes only where one is asked for. */
export interface Cancellation {
  readonly isCancelled: boolean;
  /** Calls the listener once, at once if it is too late already. The returned function stops listening. */
  onCancel(listener: () => void): () => void;
  readonly signal: AbortSignal;
}

export interface CancellationSource extends Cancellation {
  cancel(): void;
}

const nothing = (): void => {};

/** Every call has one, and almost none is ever cancelled: an AbortController for each would cost more than the call. */
export function createCancellation(): CancellationSource {
  const listeners = new Set<() => void>();
  let isCancelled = false;
  let controller: AbortController | undefined;
  return {
    get isCancelled() {
      return isCancelled;
    },
    onCancel(listener) {
      if (isCancelled) {
        listener();
        return nothing;
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get signal() {
      if (controller === undefined) {
        controller = new AbortController();
        if (isCancelled) controller.abort();
      }
      return controller.signal;
    },
    cancel() {
      if (isCancelled) return;
      isCancelled = true;
      controller?.abort();
      const told = [...listeners];
      listeners.clear();
      for (const listener of told) listener();
    },
  };
}

/** The same for a caller that comes with an AbortSignal of its own. */
export function cancellationOf(signal: AbortSignal): Cancellation {
  return {
    get isCancelled() {
      return signal.aborted;
    },
    onCancel(listener) {
      if (signal.aborted) {
        listener();
        return nothing;
      }
      signal.addEventListener('abort', listener, { once: true });
      return () => signal.removeEventListener('abort', listener);
    },
    signal,
  };
}
