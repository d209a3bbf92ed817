import type { Config } from '../config/index.js';
import type { Stage } from '../core/index.js';

/** The stages that the configuration asks for. The pipeline puts them in order. This version has none. */
export function openStages(_config: Config): readonly Stage[] {
  return [];
}
