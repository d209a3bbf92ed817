export type Severity = 'error' | 'warning';

interface CodeEntry {
  readonly meaning: string;
  /** The default, for findings without a more specific remedy. */
  readonly remedy: string;
}

/** Every problem that configuration, trust and the state directory can report. Codes are stable. */
export const problemCodes = {
  'config.unreadable': {
    meaning: 'The file cannot be read.',
    remedy: 'Check that the path is a regular file and that you can read it.',
  },
  'config.too_large': {
    meaning: 'The file, or the values that its aliases expand to, exceeds the size limit.',
    remedy: 'Make the file smaller, or use fewer aliases.',
  },
  'config.too_deep': {
    meaning: 'The file is nested too deeply.',
    remedy: 'Reduce the nesting.',
  },
  'config.not_utf8': { meaning: 'The file is not UTF-8 text.', remedy: 'Save the file as UTF-8.' },
  'config.syntax': {
    meaning: 'The file is not valid YAML or JSON.',
    remedy: 'Fix the syntax at this position.',
  },
  'config.duplicate_key': {
    meaning: 'A mapping has a duplicate key.',
    remedy: 'Remove one of the two keys.',
  },
  'config.unknown_key': {
    meaning: 'The key is unknown.',
    remedy: 'Remove it, or check the spelling.',
  },
  'config.wrong_type': {
    meaning: 'The value has the wrong type.',
    remedy: 'Use a value of the type that the message names.',
  },
  'config.bad_value': {
    meaning: 'The value has the right type but is invalid.',
    remedy: 'Use a value that the message allows.',
  },
  'config.bad_name': {
    meaning: 'A name (of a server, variable or header) has characters that are not allowed.',
    remedy: 'Choose another name.',
  },
  'config.missing': { meaning: 'A required key is missing.', remedy: 'Add the key.' },
  'config.exclusive': {
    meaning: 'Two keys cannot be used together.',
    remedy: 'Remove one of them.',
  },
  'config.env_missing': {
    meaning: 'The file refers to an environment variable that is not set.',
    remedy:
      'Set the variable, store its value with `tidegate secrets set NAME`, or give a default: ${NAME:-default}.',
  },
  'config.env_syntax': {
    meaning: 'A `${` does not start a valid reference to an environment variable.',
    remedy: 'Write ${NAME} or ${NAME:-default}. To write a literal ${, use $${.',
  },
  'config.unsupported': {
    meaning: 'Tidegate does not support this value.',
    remedy: 'Use the alternative that the message names.',
  },
  'config.auth_none_not_loopback': {
    meaning: '`http.auth: none` is set for a host that other machines can reach.',
    remedy: 'Use `auth: token`, or listen on 127.0.0.1.',
  },
  'config.collision': { meaning: 'Two servers have the same name.', remedy: 'Rename one of them.' },
  'config.overlapping_prefixes': {
    meaning: 'Tool names of one server can collide with tool names of another.',
    remedy:
      'Give one of them a different `prefix`. Until then, a name belongs to the server with the longest matching prefix, and the other server’s tool is not offered.',
  },
  'config.too_many_problems': {
    meaning: 'The file has more problems than the report shows.',
    remedy: 'Fix the problems above first.',
  },
  'config.relative_home': {
    meaning: 'TIDEGATE_HOME is a relative path, so it depends on the directory you run the command in.',
    remedy: 'Set TIDEGATE_HOME to an absolute path.',
  },
  'config.passed_over': {
    meaning: 'A closer configuration file exists, but is not trusted, so another one is in use.',
    remedy: 'Review it, run `tidegate trust` and restart Tidegate; or delete it.',
  },
  'config.changed': {
    meaning:
      'The configuration file was changed or deleted after it was trusted. Its last trusted content still sets permissions and limits, but its servers do not start.',
    remedy: 'Review it, then run `tidegate trust`. If you deleted it, run `tidegate trust --forget <file>`.',
  },
  'config.root_in_state': {
    meaning: 'A workspace root is inside the state directory, so agents could access Tidegate’s files.',
    remedy:
      'Start in another directory, change `workspace.roots`, or set TIDEGATE_HOME to another directory.',
  },
  'config.link_in_root': {
    meaning:
      'The path of the state directory or the store goes through a symbolic link inside a workspace root. An agent could point the link to its own files.',
    remedy:
      'Replace the link with the folder or file it points to, use the real path (`store.file`, TIDEGATE_HOME), or choose `workspace.roots` that do not contain the link.',
  },
  'state.unsafe': {
    meaning: 'Other users of this machine can change the state directory.',
    remedy: 'Fix its owner and permissions, or set TIDEGATE_HOME to a directory that only you can change.',
  },
  'state.unwritable': {
    meaning: 'The state directory cannot be created or is not writable.',
    remedy: 'Make it writable, or set TIDEGATE_HOME to another directory.',
  },
  'log.unsafe': {
    meaning: 'The path of the log file is a link, or is not a regular file that only you can access.',
    remedy: 'Check what it is, then delete it or set `log.file` to another file.',
  },
  'log.unwritable': {
    meaning: 'The log file cannot be created or opened.',
    remedy: 'Fix `log.file` or the permissions of its directory.',
  },
  'trust.unsafe': {
    meaning: 'Another user could have changed the record of trusted files, so nothing is trusted.',
    remedy: 'Check who changed it, delete it, and run `tidegate trust` again.',
  },
  'trust.corrupt': {
    meaning: 'The record of trusted files is corrupt, so nothing is trusted.',
    remedy: 'Delete it, and run `tidegate trust` again.',
  },
  'trust.unwritable': {
    meaning: 'The record of trusted files could not be written.',
    remedy: 'Check that the state directory is writable, then try again.',
  },
  'secrets.unsafe': {
    meaning: 'Another user could have read or changed the secrets file, so it is ignored.',
    remedy: 'Run chmod 600 on it, and rotate the secrets if other users may have read them.',
  },
  'secrets.corrupt': {
    meaning: 'The secrets file is corrupt, so it is ignored.',
    remedy: 'Delete it, and store the values again with `tidegate secrets set <name>`.',
  },
  'secrets.unwritable': {
    meaning: 'The secrets file could not be written.',
    remedy: 'Check that the state directory is writable, then try again.',
  },
  'profiles.ambiguous': {
    meaning: 'There is more than one profiles file.',
    remedy: 'Keep one of them, or choose one with `access.profiles` in tidegate.yaml.',
  },
  'profiles.untrusted': {
    meaning: 'The profiles file or the model is not trusted. The built-in version is used instead.',
    remedy: 'Review it, then run `tidegate trust`.',
  },
  'profiles.changed': {
    meaning:
      'The profiles file or the model was changed or deleted after it was trusted, so permissions are unknown.',
    remedy: 'Review it, then run `tidegate trust`; or withdraw trust with `tidegate trust --forget`.',
  },
  'profiles.cycle': {
    meaning: 'Profiles extend each other in a cycle.',
    remedy: 'Remove one of the `extends`.',
  },
  'profiles.unknown_parent': {
    meaning: 'A profile extends an unknown profile.',
    remedy: 'Correct the name, or add the profile.',
  },
  'profiles.duplicate': {
    meaning: 'A profile or principal is defined twice.',
    remedy: 'Remove one of the two.',
  },
  'profiles.unknown_default': {
    meaning: 'The default profile is unknown.',
    remedy: 'Use an existing profile, or `none`.',
  },
  'profiles.unknown_profile': {
    meaning: 'A principal has an unknown profile.',
    remedy: 'Correct the name, or add the profile.',
  },
  'profiles.bad_name': {
    meaning: 'The profile name is invalid.',
    remedy: 'Use up to 64 letters, digits, `_`, `.` and `-`. `none` is reserved.',
  },
  'profiles.bad_entry': {
    meaning: 'The entry is not a valid tool or group of tools.',
    remedy:
      'Use a name (`Read`), a pattern (`find_*`), `server:<name>`, `server:<name>/<tool>`, `plugin:<name>` or `tier:<1 to 5>`. Put `!` in front to block.',
  },
  'profiles.bad_principal': {
    meaning: 'The text is not a valid principal.',
    remedy: 'Use a principal such as agent:alice, user:ana or service:ci.',
  },
  'profiles.too_many': {
    meaning: 'The file has too many profiles, principals, entries or patterns.',
    remedy:
      'Use patterns and groups instead of long lists, and grants instead of rules for individual principals.',
  },
  'profiles.unknown_tool': {
    meaning: 'The entry matches no current tool.',
    remedy: 'Correct the name, or keep it if the tool will be added later.',
  },
  'access.bad_model': {
    meaning: 'The file that extends the authorization model is invalid.',
    remedy: 'Fix the model at this position.',
  },
  'plugins.bad_manifest': {
    meaning: 'A plugin manifest is invalid.',
    remedy: 'Fix `plugin.yaml` at this position.',
  },
  'plugins.bad_entry': {
    meaning: 'An entry in `plugins.yaml` is invalid.',
    remedy: 'Fix the entry at this position.',
  },
  'plugins.unusable': {
    meaning: 'A plugin cannot be used because of its program, folder, checksum or settings.',
    remedy: 'Fix the problem, then check with `tidegate plugin list`.',
  },
  'tools.name_clash': {
    meaning: 'Two local tools have the same name.',
    remedy: 'Rename one of them.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export type ProblemCode = keyof typeof problemCodes;
