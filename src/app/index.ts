export { redactText } from '../concerns/log/index.js';
export { readToken, tokenFile } from './bearer-token.js';
export { callTool, listTools } from './call-tool.js';
export { type Located, locateConfig, openState, type State } from './locate-config.js';
export { AccessRefused } from './open-access.js';
export { ConfigRefused } from './config-refused.js';
export { openTidegate, type Tidegate, type TidegateOptions } from './open-tidegate.js';
export { type HttpServing, runningFile } from './serving.js';
export { scanWorkspace, type ToolFile } from '../providers/local/index.js';
