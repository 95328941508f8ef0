/** The environment variables of the process. Only main.ts reads `process.env`; all other code gets them as an argument. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The environment or configuration file is invalid. The message says what to change. */
export class ConfigError extends Error {}
