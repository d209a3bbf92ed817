import type { Step } from '../../grammar/workflow.js';
import type { Frame, Place } from '../frame.js';
import type { Done } from '../result.js';
import { requireTrusted } from '../still-trusted.js';
import { runAgent } from './agent.js';
import { runCall } from './call.js';
import { runCommand } from './command.js';
import { runLoop } from './loop.js';
import { runOperation } from './operation.js';
import { runParallel } from './parallel.js';
import { runPluginStep } from './plugin.js';

/** Runs the part that is specific to the kind of step. */
export async function runKind(step: Step, frame: Frame, place: Place): Promise<Done> {
  await requireTrusted(frame);
  switch (step.kind) {
    case 'command':
      return runCommand(step, frame, place);
    case 'agent':
      return runAgent(step, frame, place);
    case 'parallel':
      return runParallel(step, frame, place);
    case 'for_each':
    case 'while':
      return runLoop(step, frame, place);
    case 'operation':
      return runOperation(step, frame, place);
    case 'call_workflow':
      return runCall(step, frame, place);
    case 'plugin':
      return runPluginStep(step, frame, place);
    case 'terminal':
      return {};
  }
}
