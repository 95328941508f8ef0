/** The process's environment, handed in: only main.ts touches the real one. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Thrown at start when the environment contradicts itself; the message says what to change. */
export class ConfigError extends Error {}
