import type { Provider, Spec } from '../core/index.js';

/** A tool, prompt, resource or template with its provider. */
export interface Offered<S extends Spec> {
  readonly spec: S;
  readonly provider: Provider;
}
