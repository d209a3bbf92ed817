export { awfStateFile } from './awf-state.js';
export { pluginLists, pluginPlaces } from './directories.js';
export { coveredFiles } from './covered-files.js';
export { decidesWhatLoads } from '../started/loader-variables.js';
export {
  type LocatedPlugin,
  type LocatedPlugins,
  locatePlugins,
} from './locate.js';
export { lockOfPlugin } from './lock.js';
export { stillTrusted } from './standing.js';
export { openPluginSwitches, switchFile } from './switches.js';
