import cluster from 'node:cluster'
import { type Config, readConfig, shareOfProcess } from '../../platform/config/config.ts'
import type { Environment } from '../../platform/config/environment.ts'
import { reloadableSecrets } from '../../platform/config/secrets.ts'
import type { ConfigurationSource } from '../../platform/processes/reload.ts'
import { CommandExit, CommandFailure, type Terminal } from './terminal.ts'

export async function runServer(terminal: Terminal): Promise<void> {
  if (cluster.isWorker) return runWorker()
  const { env } = terminal
  // A closed terminal sends SIGHUP too, and then the server must end.
  const source = process.stderr.isTTY ? undefined : terminal.readEnv && { readEnv: terminal.readEnv, checkFile }
  const config = readConfig(env)
  await explainListenErrors(config, async () => {
    if (config.processes === 1) return runOnlyProcess(config, env, source)
    const { runPrimary } = await import('../../platform/processes/primary.ts')
    const code = await runPrimary(config, env, source)
    if (code !== 0) throw new CommandExit(code)
  })
}

/** Loaded when it is needed: the primary process stays small. */
const checkFile: ConfigurationSource['checkFile'] = async (config, fromEnvironment) => {
  const { checkConfigurationFile } = await import('../setup/gatehouse-file.ts')
  checkConfigurationFile(config, fromEnvironment)
}

async function runOnlyProcess(config: Config, env: Environment, source: ConfigurationSource | undefined): Promise<void> {
  const [{ serve }, { onlyProcess }] = await Promise.all([
    import('../../serve.ts'),
    import('../../platform/processes/only-process.ts'),
  ])
  const { secrets, replace } = reloadableSecrets(env, config)
  const node = onlyProcess(source && { ...source, env })
  await serve(config, secrets, { node, replaceEnvironment: replace })
}

/** A serving process of a node: the primary process says how it starts and when it stops. */
async function runWorker(): Promise<void> {
  const { openWorkerLink } = await import('../../platform/processes/worker-link.ts')
  const { env, node } = await openWorkerLink()
  const config = readConfig(env)
  const { secrets, replace } = reloadableSecrets(env, config)
  const { serve } = await import('../../serve.ts')
  const share = shareOfProcess(config, node.processes)
  await explainListenErrors(share, () => serve(share, secrets, { node, replaceEnvironment: replace }))
}

async function explainListenErrors({ host, port }: Config, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { code, syscall, port: used = port } = error as { code?: string; syscall?: string; port?: number }
    if (syscall !== 'listen' && syscall !== 'bind') throw error
    const reason = code === 'EADDRINUSE' ? 'is in use' : `is not available (${code})`
    const name = used === port ? 'PORT' : 'GATEHOUSE_HEALTH_PORT'
    throw new CommandFailure(`${host}:${used} ${reason}: set ${name} or HOST to another value`)
  }
}
