/** What one command and all its processes may use. 0 means no limit. */
export interface ShellLimits {
  /** MiB of memory for all processes together. */
  readonly memory: number;
  readonly processes: number;
  /** Per process. */
  readonly openFiles: number;
  /** Seconds of CPU time for all processes together. */
  readonly cpuSeconds: number;
}

export const usualLimits: ShellLimits = { memory: 4096, processes: 1024, openFiles: 4096, cpuSeconds: 3600 };

/** The kernel counts threads, and a process has several. */
export function threadsOf(processes: number): number {
  return processes * 8;
}

/** Tells the caller which limit a command exceeded, and which setting raises it. */
export function describeBreach(name: 'memory' | 'processes' | 'cpu_seconds', limits: ShellLimits): string {
  const allowed = {
    memory: `${String(limits.memory)} MiB of memory`,
    processes: `${String(limits.processes)} processes or ${String(threadsOf(limits.processes))} threads`,
    cpu_seconds: `${String(limits.cpuSeconds)} seconds of CPU time`,
  }[name];
  return `The command used more than ${allowed}, so it and all its processes were stopped. The operator can raise shell.limits.${name} in tidegate.yaml.`;
}
