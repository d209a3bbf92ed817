import { emptyObject } from '../lib/json-text.js';
import type { Spec } from '../core/index.js';

const common = { source: 'server:-', definition: emptyObject } as const;
/** Checked in place of targets that do not exist. No server can have this name. */
export const absent: { readonly [K in Spec['kind']]: Spec & { readonly kind: K } } = {
  tool: { kind: 'tool', name: '', localName: '-', effect: 'read', hints: {}, ...common },
  prompt: { kind: 'prompt', name: '', localName: '-', ...common },
  resource: { kind: 'resource', uri: '', ...common },
  template: { kind: 'template', uriTemplate: '', ...common },
};
