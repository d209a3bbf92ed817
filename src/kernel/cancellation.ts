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
  return new Source();
}

/** A class, because an object literal with getters is made anew, getters and all, for every call. */
class Source implements CancellationSource {
  isCancelled = false;
  #listeners: Set<() => void> | undefined;
  #controller: AbortController | undefined;

  onCancel(listener: () => void): () => void {
    if (this.isCancelled) {
      listener();
      return nothing;
    }
    this.#listeners ??= new Set();
    const listeners = this.#listeners.add(listener);
    return () => listeners.delete(listener);
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.isCancelled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  cancel(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.#controller?.abort();
    const told = [...(this.#listeners ?? [])];
    this.#listeners?.clear();
    for (const listener of told) listener();
  }
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
