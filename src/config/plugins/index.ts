export {
  type LocatedPlugin,
  type LocatedPlugins,
  locatePlugins,
  type PluginPlace,
} from './locate.js';
export { stillTrusted } from './standing.js';
export { openPluginSwitches, type PluginSwitches, switchFile } from './switches.js';
