import { readConfig } from '../config/config.ts'
import { readSecrets } from '../config/secrets.ts'
import { serve } from '../serve.ts'
import { CommandProblem, type Terminal } from './command.ts'

/** `gatehouse serve`: until it is told to stop (SIGINT, SIGTERM). */
export async function runServer({ env }: Terminal): Promise<void> {
  const config = readConfig(env)
  try {
    await serve(config, readSecrets(env, config))
  } catch (error) {
    const { code, syscall } = error as { code?: string; syscall?: string }
    if (syscall !== 'listen') throw error
    const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be had (${code})`
    throw new CommandProblem(`${config.host}:${config.port} ${why}: set PORT or HOST to another one`)
  }
}
