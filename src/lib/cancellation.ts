/** Whether a caller has cancelled. Cheap to create and observe; an AbortSignal is created only on demand. */
export interface Cancellation {
  readonly isCancelled: boolean;
  /** Calls the listener once, immediately if already cancelled. The returned function stops listening. */
  onCancel(listener: () => void): () => void;
  readonly signal: AbortSignal;
}

export interface CancellationSource extends Cancellation {
  cancel(): void;
}

const nothing = (): void => {};

/** Every call has one and few are cancelled, so an AbortController each would cost more than the call. */
export function createCancellation(): CancellationSource {
  return new Source();
}

/** A class, because an object literal would create its getters again for every call. */
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

/** A Cancellation that follows an existing AbortSignal. */
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
