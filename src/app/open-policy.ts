import { createPolicy, type Policy } from '../access/authority/index.js';
import type { CompiledModel } from '../access/engine/index.js';
import { shippedModel } from '../access/model.generated.js';
import { type Profiles, resolveProfiles } from '../access/profiles/index.js';
import type { Config } from '../config/index.js';
import { builtinTools } from './builtin-tools.generated.js';

/** The profiles and the model that hold here, and the ones that come after them. */
export interface OpenPolicy {
  readonly model: CompiledModel;
  profiles(): Profiles;
  current(): Policy;
  /** Told when the file changed and may be used. */
  onChange(listener: (policy: Policy) => void): () => void;
  close(): void;
}

export interface PolicyParts {
  readonly access: Config['access'];
  /** What the gate was started with: it is also what principals without a profile have here. */
  readonly profile?: string;
}

export function openPolicy({ access, profile }: PolicyParts): OpenPolicy {
  const profiles = resolveProfiles([], {
    isBuiltin,
    ...(access.defaultProfile !== undefined && { defaultProfile: access.defaultProfile }),
  });
  const policy = createPolicy(profiles, profile);
  return {
    model: shippedModel,
    profiles: () => profiles,
    current: () => policy,
    onChange: () => () => undefined,
    close: () => undefined,
  };
}

function isBuiltin(name: string): boolean {
  return builtinTools.some(({ card }) => card.name === name);
}
