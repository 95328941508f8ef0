import { readConfig } from '../../server/src/platform/config/config.ts'
import { readSecrets } from '../../server/src/platform/config/secrets.ts'
import { type ServeOptions, serve } from '../../server/src/serve.ts'

/** Starts the server as the command `serve` does, with some parts of its context replaced. */
export async function serveWith(overrides: ServeOptions): Promise<void> {
  const config = readConfig(process.env)
  await serve(config, readSecrets(process.env, config), overrides)
}
