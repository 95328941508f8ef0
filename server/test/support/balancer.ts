import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 50

interface Node {
  readonly base: string
  readonly agent: Agent
  isReady: boolean
}

/** Starts a round-robin proxy that keeps connections alive, sends requests only to ready nodes and repeats none. */
export async function startBalancer() {
  const nodes: Node[] = []
  let next = 0
  let closed = false
  const server = createServer((incoming, outgoing) => {
    const ready = nodes.filter(({ isReady }) => isReady)
    const node = ready[next++ % ready.length]
    if (node) forward(incoming, outgoing, node)
    else outgoing.writeHead(599).end('no node is ready')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  /** A node that responds slowly does not delay the others. */
  const poll = async (node: Node): Promise<void> => {
    while (!closed) {
      await updateReadiness(node)
      await sleep(POLL_MS)
    }
  }
  const polling: Promise<void>[] = []
  return {
    base: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    add: (base: string): void => {
      const node = { base, agent: new Agent({ keepAlive: true }), isReady: false }
      nodes.push(node)
      polling.push(poll(node))
    },
    /** Resolves when `count` nodes are ready. */
    ready: async (count: number): Promise<void> => {
      while (nodes.filter(({ isReady }) => isReady).length < count) await sleep(POLL_MS)
    },
    close: async (): Promise<void> => {
      closed = true
      await Promise.all(polling)
      for (const { agent } of nodes) agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, { base, agent }: Node): void {
  const { connection: _, ...headers } = incoming.headers
  const upstream = request(`${base}${incoming.url}`, { method: incoming.method ?? 'GET', headers, agent }, (response) => {
    const { connection: __, 'transfer-encoding': ___, ...responseHeaders } = response.headers
    outgoing.writeHead(response.statusCode ?? 599, responseHeaders)
    response.pipe(outgoing)
  })
  upstream.on('error', (error) => {
    if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(599).end(`${base}: ${error.message}`)
  })
  incoming.pipe(upstream)
}

/** A node that does not respond in time keeps its state: on a busy machine it is slow, and not about to end. */
async function updateReadiness(node: Node): Promise<void> {
  const response = await fetch(`${node.base}/readyz`, { signal: AbortSignal.timeout(3_000) }).catch((error: Error) => error)
  if (response instanceof Error) {
    if (response.name !== 'TimeoutError') node.isReady = false
    return
  }
  await response.arrayBuffer().catch(() => {})
  node.isReady = response.status === 200
}
