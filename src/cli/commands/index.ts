import type { Command } from '../command.js';
import { configCheck } from './config-check.js';
import { configPath } from './config-path.js';
import { configSchema } from './config-schema.js';
import { mcp } from './mcp.js';
import { serve } from './serve.js';
import { servers } from './servers.js';
import { toolsCall } from './tools-call.js';
import { toolsList } from './tools-list.js';
import { toolsNew } from './tools-new.js';
import { toolsShow } from './tools-show.js';
import { trust } from './trust.js';

/** Every command. Help, parsing and the reference page are made from this list; there is no other. */
export const commands: readonly Command[] = [
  serve,
  mcp,
  toolsList,
  toolsShow,
  toolsCall,
  toolsNew,
  servers,
  trust,
  configCheck,
  configSchema,
  configPath,
];
