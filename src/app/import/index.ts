export { type Applied, applyImport, StateRefused } from './apply-import.js';
export { clientNames, clientsNamed } from './gather.js';
export { type ImportPlan, type ImportWish, planImport, TargetRefused } from './import-plan.js';
export { installCommand, isPassing } from './install-command.js';
export { lookAround, type Workspace } from './look-around.js';
export type { Fate } from './plan-servers.js';
export { projectFolders } from './project-folders.js';
export { ImportRefused } from './refused.js';
export { type Undone, undoImport } from './undo.js';
