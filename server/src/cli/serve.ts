import { readConfig } from '../config/config.ts'
import { readSecrets } from '../config/secrets.ts'
import { serve } from '../serve.ts'
import { CommandFailure, type Terminal } from './terminal.ts'

/** `gatehouse serve`: runs the server until SIGINT or SIGTERM. */
export async function runServer({ env }: Terminal): Promise<void> {
  const config = readConfig(env)
  try {
    await serve(config, readSecrets(env, config))
  } catch (error) {
    const { code, syscall } = error as { code?: string; syscall?: string }
    if (syscall !== 'listen') throw error
    const reason = code === 'EADDRINUSE' ? 'is in use' : `is not available (${code})`
    throw new CommandFailure(`${config.host}:${config.port} ${reason}: set PORT or HOST to another value`)
  }
}
