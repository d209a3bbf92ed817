export interface DesktopNote {
  readonly title: string;
  readonly message: string;
  readonly priority: 'low' | 'default' | 'high';
}

/** Shows desktop notifications to the operator. */
export interface Desktop {
  /** Returns what the notification program printed, or a confirmation. Throws a ToolFailure. */
  show(note: DesktopNote, signal: AbortSignal): Promise<string>;
}
