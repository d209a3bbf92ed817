import {
  createFault,
  emptyCatalogue,
  type Fault,
  faulted,
  type Provider,
  type Source,
} from '../../core/index.js';
import type { McpProviderOptions } from './options.js';

/** A server that must not run. It offers nothing, and every call returns the reason. */
export function closedProvider(
  options: McpProviderOptions,
  state: 'untrusted' | 'disabled' | 'failed',
): Provider {
  const { closed } = options;
  const fault = closedFault(options, state);
  return {
    id: idOf(options),
    source: sourceOf(options),
    status: () => ({ state, restarts: 0, ...(closed && { detail: closed.why }) }),
    list: () => emptyCatalogue,
    ready: () => Promise.resolve(),
    parse: () => ({ ok: false, fault }),
    call: () => Promise.resolve(faulted(fault)),
    mayHave: () => false,
    watch: () => Promise.resolve(() => undefined),
    onChange: () => () => undefined,
    close: () => Promise.resolve(),
  };
}

const closedCodes = {
  untrusted: 'provider.untrusted',
  disabled: 'provider.disabled',
  failed: 'provider.unavailable',
} as const;

function closedFault({ name, closed }: McpProviderOptions, state: keyof typeof closedCodes): Fault {
  if (closed !== undefined) {
    return createFault(closedCodes[state], `The plugin ${name} is not used: ${closed.why}.`);
  }
  return state === 'untrusted'
    ? createFault('provider.untrusted', `The server ${name} is not trusted. Run \`tidegate trust\`.`)
    : createFault('provider.disabled', `The server ${name} is disabled in the configuration.`);
}

export function sourceOf({ kind = 'server', name }: McpProviderOptions): Source {
  return `${kind}:${name}`;
}

/** A server and a plugin may have the same name. */
export function idOf({ kind, name }: McpProviderOptions): string {
  return kind === 'plugin' ? `plugin:${name}` : name;
}
