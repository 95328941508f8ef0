import { adminClient, type Json } from '../../admin/client.ts'
import { providerEnvironment } from '../governed.ts'
import { nodeEnvironment, postChat } from '../nodes.ts'
import { startScriptedProvider } from '../scripted-provider.ts'
import { startServerProcess } from '../server-process.ts'

export type LimitedNodes = Awaited<ReturnType<typeof startLimitedNodes>>

/** Server processes on one PostgreSQL, and a provider that answers at once. Adds the functions that end them to `cleanups`. */
export async function startLimitedNodes(url: string, count: number, cleanups: (() => unknown)[]) {
  const { env } = await nodeEnvironment(url, cleanups)
  const provider = await startScriptedProvider()
  cleanups.push(provider.close)
  const all = { ...env, ...providerEnvironment(provider) }
  const start = async () => {
    const node = await startServerProcess(all)
    cleanups.push(node.remove)
    return node
  }
  // The first one creates the schema and the demo Workspace.
  const first = await start()
  const nodes = [first, ...(await Promise.all(Array.from({ length: count - 1 }, start)))]
  const client = adminClient({ base: first.base, demo: first.demo() })
  /** Calls the admin API of the first node. */
  const admin = async (method: string, path: string, json?: unknown): Promise<Json> => {
    const { status, text, body } = await client.send(method, path, json)
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`)
    return body
  }
  return {
    nodes,
    provider,
    databaseUrl: env.DATABASE_URL,
    admin,
    application: async (limits: object): Promise<{ id: string; key: string }> => {
      const { id } = await admin('POST', '/applications', { name: `limited ${crypto.randomUUID()}`, limits })
      const { key } = await admin('POST', `/applications/${id}/keys`, { name: 'test' })
      return { id, key }
    },
    /** Sends a chat to a node; resolves with its status. Throws with its output if the node has ended. */
    chat: async (node: number, key: string, content = 'Good morning'): Promise<number> => {
      try {
        const response = await postChat(nodes[node]?.base, key, content)
        await response.arrayBuffer()
        return response.status
      } catch (cause) {
        const server = nodes[node]
        if (server?.own.hasEnded()) throw new Error(`node ${node} has ended:\n${server.output().slice(-3_000)}`)
        throw cause
      }
    },
  }
}
