import { Agent, createServer, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 50

interface Node {
  readonly base: string
  readonly agent: Agent
  isReady: boolean
}

/** A round-robin proxy that keeps connections alive, sends requests only to nodes that are ready, and repeats none. */
export async function startBalancer() {
  const nodes: Node[] = []
  let next = 0
  let closed = false
  const server = createServer((incoming, outgoing) => {
    const ready = nodes.filter(({ isReady }) => isReady)
    const node = ready[next++ % ready.length]
    if (!node) return void outgoing.writeHead(599).end('no node is ready')
    const { connection: _, ...headers } = incoming.headers
    const onward = request(
      `${node.base}${incoming.url}`,
      { method: incoming.method ?? 'GET', headers, agent: node.agent },
      (answer) => {
        const { connection: __, 'transfer-encoding': ___, ...kept } = answer.headers
        outgoing.writeHead(answer.statusCode ?? 599, kept)
        answer.pipe(outgoing)
      },
    )
    onward.on('error', (error) => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(599).end(`${node.base}: ${error.message}`)
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const watching = (async () => {
    while (!closed) {
      await Promise.all(
        nodes.map(async (node) => {
          const answer = await fetch(`${node.base}/readyz`, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined)
          await answer?.arrayBuffer().catch(() => {})
          node.isReady = answer?.status === 200
        }),
      )
      await sleep(POLL_MS)
    }
  })()
  return {
    base: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    add: (base: string): void => void nodes.push({ base, agent: new Agent({ keepAlive: true }), isReady: false }),
    /** Resolves when that many nodes are ready. */
    ready: async (count: number): Promise<void> => {
      while (nodes.filter(({ isReady }) => isReady).length < count) await sleep(POLL_MS)
    },
    close: async (): Promise<void> => {
      closed = true
      await watching
      for (const { agent } of nodes) agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
