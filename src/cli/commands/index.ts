import type { Command } from '../command.js';
import { accessExport } from './access-export.js';
import { accessImport } from './access-import.js';
import { accessTest } from './access-test.js';
import { audit } from './audit.js';
import { auditPrune } from './audit-prune.js';
import { check } from './check.js';
import { completionOf } from './completion.js';
import { configCheck } from './config-check.js';
import { configPath } from './config-path.js';
import { configSchema } from './config-schema.js';
import { doctor } from './doctor.js';
import { exec } from './exec.js';
import { explain } from './explain.js';
import { grant } from './grant.js';
import { importCommand } from './import.js';
import { init } from './init.js';
import { login } from './login.js';
import { logout } from './logout.js';
import { mcp } from './mcp.js';
import { pluginCall } from './plugin-call.js';
import { pluginList } from './plugin-list.js';
import { pluginNew } from './plugin-new.js';
import { pluginShow } from './plugin-show.js';
import { pluginDisable, pluginEnable } from './plugin-switch.js';
import { pluginTrust } from './plugin-trust.js';
import { profileAssign } from './profile-assign.js';
import { profileInspect } from './profile-inspect.js';
import { profileList } from './profile-list.js';
import { profileShow } from './profile-show.js';
import { revoke } from './revoke.js';
import { run } from './run.js';
import { runsList } from './runs-list.js';
import { runsShow } from './runs-show.js';
import { secretsForget, secretsList, secretsSet } from './secrets.js';
import { serve } from './serve.js';
import { servers } from './servers.js';
import { surface } from './surface.js';
import { tokenAttenuate } from './token-attenuate.js';
import { tokenCreate } from './token-create.js';
import { tokenList } from './token-list.js';
import { tokenRevoke } from './token-revoke.js';
import { tokenRotate } from './token-rotate.js';
import { tokenShow } from './token-show.js';
import { toolsCall } from './tools-call.js';
import { toolsCost } from './tools-cost.js';
import { toolsList } from './tools-list.js';
import { toolsNew } from './tools-new.js';
import { toolsSearch } from './tools-search.js';
import { toolsShow } from './tools-show.js';
import { trust } from './trust.js';
import { validate } from './validate.js';

/** Every command. Help, parsing and the reference page are made from this list; there is no other. */
export const commands: readonly Command[] = [
  init,
  importCommand,
  serve,
  mcp,
  toolsList,
  toolsShow,
  toolsSearch,
  toolsCall,
  toolsCost,
  toolsNew,
  servers,
  login,
  logout,
  surface,
  doctor,
  exec,
  pluginList,
  pluginShow,
  pluginCall,
  pluginTrust,
  pluginEnable,
  pluginDisable,
  pluginNew,
  profileList,
  profileShow,
  profileAssign,
  profileInspect,
  grant,
  revoke,
  check,
  explain,
  accessExport,
  accessImport,
  accessTest,
  audit,
  auditPrune,
  tokenCreate,
  tokenList,
  tokenShow,
  tokenRotate,
  tokenRevoke,
  tokenAttenuate,
  trust,
  secretsSet,
  secretsList,
  secretsForget,
  run,
  runsList,
  runsShow,
  validate,
  configCheck,
  configSchema,
  configPath,
  completionOf(() => commands),
];
