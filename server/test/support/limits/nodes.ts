import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOwnDatabase } from '../own-database.ts'
import { type ScriptedProvider, startScriptedProvider } from '../scripted-provider.ts'
import { type ServerProcess, startServerProcess } from '../server-process.ts'

/** Server processes on one PostgreSQL, and a provider that answers at once. */
export interface LimitedNodes {
  readonly nodes: readonly ServerProcess[]
  readonly provider: ScriptedProvider
  readonly databaseUrl: string
  /** Calls the admin API of the first node. */
  readonly admin: (method: string, path: string, json?: unknown) => Promise<Record<string, unknown>>
  /** Creates an Application with limits and a key. */
  readonly application: (limits: object) => Promise<{ id: string; key: string }>
  /** Sends a chat to a node; resolves with its status. Throws with its output if the node has ended. */
  readonly chat: (node: number, key: string, content?: string) => Promise<number>
}

/** Adds the functions that end the processes to `cleanups`. */
export async function startLimitedNodes(url: string, count: number, cleanups: (() => Promise<unknown>)[]): Promise<LimitedNodes> {
  const database = await createOwnDatabase(url)
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-limits-'))
  const provider = await startScriptedProvider()
  cleanups.push(database.drop, async () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }), provider.close)
  const all = {
    DATABASE_URL: database.url,
    GATEHOUSE_SECRET_KEY: 'x'.repeat(32),
    GATEHOUSE_DATA: folder,
    GATEHOUSE_DEMO: '1',
    OPENAI_API_KEY: 'sk-scripted',
    OPENAI_BASE_URL: provider.url,
    OPENAI_MODELS: 'scripted',
  }
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
    databaseUrl: database.url,
    admin,
    application: async (limits) => {
      const { id } = await admin('POST', '/applications', { name: `limited ${crypto.randomUUID()}`, limits })
      const { key } = await admin('POST', `/applications/${id}/keys`, { name: 'test' })
      return { id: String(id), key: String(key) }
    },
    chat: async (node, key, content = 'Good morning') => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content }] })
      try {
        const response = await fetch(`${nodes[node]?.base}/v1/chat/completions`, { method: 'POST', headers, body })
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
