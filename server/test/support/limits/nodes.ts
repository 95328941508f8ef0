import { providerEnvironment } from '../governed.ts'
import { nodeEnvironment, postChat } from '../nodes.ts'
import { type ScriptedProvider, startScriptedProvider } from '../scripted-provider.ts'
import { type ServerProcess, startServerProcess } from '../server-process.ts'

/** Server processes on one PostgreSQL, and a provider that answers at once. */
export interface LimitedNodes {
  readonly nodes: readonly ServerProcess[]
  readonly provider: ScriptedProvider
  readonly databaseUrl: string
  /** Calls the admin API of the first node. */
  readonly admin: (method: string, path: string, json?: unknown) => Promise<Record<string, unknown>>
  readonly application: (limits: object) => Promise<{ id: string; key: string }>
  /** Sends a chat to a node; resolves with its status. Throws with its output if the node has ended. */
  readonly chat: (node: number, key: string, content?: string) => Promise<number>
}

/** Adds the functions that end the processes to `cleanups`. */
export async function startLimitedNodes(url: string, count: number, cleanups: (() => unknown)[]): Promise<LimitedNodes> {
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
  const { admin_token } = first.demo()
  const admin: LimitedNodes['admin'] = async (method, path, json) => {
    const headers = { authorization: `Bearer ${admin_token}`, 'content-type': 'application/json' }
    const response = await fetch(`${first.base}/admin/v1${path}`, {
      method,
      headers,
      ...(json !== undefined && { body: JSON.stringify(json) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }
  return {
    nodes,
    provider,
    databaseUrl: env.DATABASE_URL,
    admin,
    application: async (limits) => {
      const { id } = await admin('POST', '/applications', { name: `limited ${crypto.randomUUID()}`, limits })
      const { key } = await admin('POST', `/applications/${id}/keys`, { name: 'test' })
      return { id: String(id), key: String(key) }
    },
    chat: async (node, key, content = 'Good morning') => {
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
