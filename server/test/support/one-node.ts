import { inject } from 'vitest'
import { adminClient } from '../admin/client.ts'
import { providerEnvironment } from './governed.ts'
import { startScriptedProvider } from './scripted-provider.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { testFolder } from './temporary-folder.ts'

/** Starts a node with an embedded database and a scripted provider. Adds the functions that end them to `cleanups`. */
export async function startOneNode(cleanups: (() => unknown)[], env: Readonly<Record<string, string>> = {}) {
  const folder = testFolder(inject('seededDataDir'))
  const provider = await startScriptedProvider()
  cleanups.push(provider.close)
  const all = { GATEHOUSE_DATA: folder, ...providerEnvironment(provider), ...env }
  const start = async () => {
    const server = await startServerProcess(all)
    cleanups.push(server.remove)
    return server
  }
  return { server: await start(), provider, folder, restart: start }
}

/** A client of the admin API with the demo's admin token. */
export const adminOf = ({ base, demo }: ServerProcess) => adminClient({ base, demo: demo() })

export const firstApiKey = ({ demo }: ServerProcess): string | undefined => demo().applications[0]?.api_key

/** Milliseconds from the signal to the end of the process. */
export async function measureStop(server: ServerProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
  const startedAt = performance.now()
  server.own.child.kill(signal)
  await server.own.ended
  return performance.now() - startedAt
}
