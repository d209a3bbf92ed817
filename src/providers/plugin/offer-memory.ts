import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../../lib/sha256.js';
import { isRecord } from '../../lib/is-record.js';
import type { OperationSchema, StepTypeInfo } from '../../plugin-protocol/index.js';

/** The operations and step types that a plugin listed, unprocessed. */
export interface RawOffer {
  readonly operations: readonly OperationSchema[];
  readonly stepTypes: readonly StepTypeInfo[];
}

/** Caches what plugins listed last time, so that listing tools need not start them. */
export interface OfferMemory {
  read(identity: string): RawOffer | undefined;
  write(identity: string, offer: RawOffer): void;
}

const format = 1;

/** Stores one small file per plugin and content. Fails open: if it is unreadable, the plugin is asked again. */
export function openOfferMemory(stateDirectory: string): OfferMemory {
  const folder = join(stateDirectory, 'plugins');
  const fileOf = (identity: string): string => join(folder, `${sha256Of(`${format}\n${identity}`)}.json`);
  return {
    read(identity) {
      try {
        return readOffer(JSON.parse(readFileSync(fileOf(identity), 'utf8')));
      } catch {
        // Missing or damaged: the plugin is asked.
        return undefined;
      }
    },
    write(identity, offer) {
      const draft = join(folder, `.${randomUUID()}`);
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(draft, JSON.stringify({ format, ...offer }), { mode: 0o600 });
        renameSync(draft, fileOf(identity));
      } catch {
        // Without the file, the next start asks again.
        rmSync(draft, { force: true });
      }
    },
  };
}

function readOffer(value: unknown): RawOffer | undefined {
  if (!isRecord(value) || value['format'] !== format) return undefined;
  const { operations, stepTypes } = value;
  if (!Array.isArray(operations) || !Array.isArray(stepTypes)) return undefined;
  if (!operations.every(isOperation) || !stepTypes.every(isStepType)) return undefined;
  return { operations, stepTypes };
}

function isOperation(value: unknown): value is OperationSchema {
  if (!isRecord(value) || !hasTexts(value, ['name', 'description'])) return false;
  const { inputs, outputs } = value;
  const areInputs =
    Array.isArray(inputs) &&
    inputs.every(
      (input) =>
        isRecord(input) &&
        typeof input['required'] === 'boolean' &&
        hasTexts(input, ['name', 'type', 'default', 'description', 'validation']),
    );
  const areOutputs =
    Array.isArray(outputs) &&
    outputs.every((output) => isRecord(output) && hasTexts(output, ['name', 'type', 'description']));
  return areInputs && areOutputs;
}

function isStepType(value: unknown): value is StepTypeInfo {
  return isRecord(value) && hasTexts(value, ['name', 'description']);
}

function hasTexts(value: Readonly<Record<string, unknown>>, keys: readonly string[]): boolean {
  return keys.every((key) => typeof value[key] === 'string');
}
