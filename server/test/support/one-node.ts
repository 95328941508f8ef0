import { inject } from 'vitest'
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
  const server = await startServerProcess(all)
  cleanups.push(server.remove)
  return { server, provider, folder, env: all }
}

export const firstApiKey = ({ demo }: ServerProcess): string | undefined => demo().applications[0]?.api_key

/** Milliseconds from the signal to the end of the process. */
export async function measureStop(server: ServerProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<number> {
  const startedAt = performance.now()
  server.own.child.kill(signal)
  await server.own.ended
  return performance.now() - startedAt
}
