import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { EventReader } from '../../../bench/support/event-reader.ts'
import { freePort } from '../../../bench/support/free-port.ts'
import { postgresUrl } from '../support/database.ts'
import { startLoad } from '../support/load.ts'
import { cleanupsAfterEach, nodeEnvironment, openLimits } from '../support/nodes.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { testFolder } from '../support/temporary-folder.ts'

/** Whether the program haproxy is installed; .ci/run installs it. */
const hasHaproxy = (): boolean => {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * A node leaves the rotation when `/readyz` responds with 503, not when a busy machine responds slowly: without `timeout check` the
 * interval is the time limit. No request is repeated.
 */
const configuration = (port: number, nodes: readonly number[]): string => `
global
  maxconn 2000
defaults
  mode http
  timeout connect 5s
  timeout client 120s
  timeout server 120s
  timeout check 10s
  retries 0
frontend clients
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /readyz
  default-server inter 300ms fall 1 rise 1 check
${nodes.map((node, index) => `  server node${index} 127.0.0.1:${node}`).join('\n')}
`

/** Starts haproxy in front of nodes on these ports of 127.0.0.1. */
async function startHaproxy(nodes: readonly number[]) {
  const folder = testFolder()
  const file = join(folder, 'haproxy.cfg')
  const port = await freePort()
  writeFileSync(file, configuration(port, nodes))
  const child = spawn('haproxy', ['-f', file, '-db'], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const base = `http://127.0.0.1:${port}`
  const isUp = async () => (await fetch(`${base}/healthz`).catch(() => undefined))?.status === 200
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error('haproxy ended: check its configuration')
    await sleep(50)
  }
  return {
    base,
    close: async (): Promise<void> => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

const url = postgresUrl()
const NODES = 3
/** Each client sends its next request after this pause. */
const PAUSE_MS = 100
const WAIT = { timeout: 60_000, interval: 50 }

const cleanups = cleanupsAfterEach()

/** Starts nodes on one database. `start` starts one again on its port. */
async function startNodes() {
  // The drain is longer than a health check takes on a busy machine.
  const env = { ...(await nodeEnvironment(url, cleanups)).env, GATEHOUSE_DRAIN_SECONDS: '8', GATEHOUSE_STOP_SECONDS: '60' }
  const ports = [await freePort(), await freePort(), await freePort()].slice(0, NODES)
  const start = async (port: number): Promise<ServerProcess> => {
    const node = await startServerProcess({ ...env, PORT: String(port) })
    cleanups.push(node.remove)
    return node
  }
  const nodes: ServerProcess[] = []
  for (const port of ports) nodes.push(await start(port))
  return { nodes, ports, start }
}

const post = async (base: string, token: string | undefined, path: string, body: object) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, text: await response.text() }
}

/** Reads a user's events through the balancer, and resumes whenever its stream ends. */
class ResumingReader {
  readonly #options: { readonly base: string; readonly token: string }
  readonly #past: EventReader[] = []
  #current: EventReader
  #timer: NodeJS.Timeout

  constructor(options: { readonly base: string; readonly token: string }) {
    this.#options = options
    this.#current = new EventReader(options)
    this.#timer = setInterval(() => this.#resume(), PAUSE_MS)
  }

  get streams(): number {
    return this.#past.length + 1
  }

  get position(): number | undefined {
    return this.#current.position
  }

  dataOf(type: string): string[] {
    return [...this.#past, this.#current]
      .flatMap(({ events }) => events.filter((event) => event.type === type))
      .map(({ data }) => data)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#current.close()
  }

  #resume(): void {
    if (!this.#current.ended) return
    this.#past.push(this.#current)
    this.#current = new EventReader({ ...this.#options, lastEventId: this.#current.position })
  }
}

/** Needs TEST_DATABASE_URL and haproxy. */
test.skipIf(url === null || !hasHaproxy())(
  'rolling restart: no request fails and no event is lost when each of three nodes is restarted behind haproxy',
  { timeout: 900_000 },
  async () => {
    const { nodes, ports, start } = await startNodes()
    const balancer = await startHaproxy(ports)
    cleanups.push(balancer.close)
    const demo = nodes[0]?.demo()
    const call = (...given: [token: string | undefined, path: string, body: object]) => post(balancer.base, ...given)
    const key = demo?.applications[0]?.api_key
    if (nodes[0]) await openLimits({ ...nodes[0], base: balancer.base })
    const token = demo?.users[0]?.access_token ?? ''
    const made = await call(token, '/v1/conversations', { contact_id: demo?.users[1]?.id })
    expect(made.status, made.text).toBe(201)
    const conversation: string = JSON.parse(made.text).id
    const reader = new ResumingReader({ base: balancer.base, token })
    cleanups.push(async () => reader.close())
    await vi.waitFor(() => expect(reader.position).toBeDefined(), WAIT)

    const [failed, messages]: [string[], string[]] = [[], []]
    let answered = 0
    /** Sends a request, and notes it as failed if its text is not `complete`. */
    const send = async (complete: RegExp, ...given: Parameters<typeof call>) => {
      const text = await call(...given).then(
        (response) => `${response.status} ${response.text}`,
        (error: Error) => String(error.cause ?? error),
      )
      if (complete.test(text)) answered += 1
      else failed.push(`${given[1]}: ${text.slice(-300)}`)
      await sleep(PAUSE_MS)
      return text
    }
    const chat = (complete: RegExp, more: object) => (round: number) =>
      send(complete, key, '/v1/chat/completions', {
        model: 'demo-mini',
        messages: [{ role: 'user', content: `hello ${round}` }],
        ...more,
      })
    const chats = [chat(/^200 .*chat\.completion/s, {}), chat(/^200 .*data: \[DONE\]\s*$/s, { stream: true })]
    const say = async (round: number) => {
      const text = await send(/^201 /, token, '/v1/messages', { conversation_id: conversation, message: `m${round}` })
      if (text.startsWith('201 ')) messages.push(JSON.parse(text.slice('201 '.length)).id)
      await sleep(5 * PAUSE_MS)
    }
    const stop = startLoad([...chats, ...chats, ...chats, say])

    for (const [index, node] of nodes.entries()) {
      await sleep(1_000)
      expect(await node.stop()).toBe(0)
      await start(ports[index] ?? 0)
      // The balancer notices within a few checks that the node is back.
      await sleep(2_000)
    }
    await stop()
    expect(failed).toEqual([])
    expect(answered).toBeGreaterThan(50)
    const seen = () => reader.dataOf('message.created')
    await vi.waitFor(() => expect(messages.filter((id) => !seen().some((data) => data.includes(id)))).toEqual([]), WAIT)
    expect(seen().length).toBe(new Set(seen()).size)
    expect(reader.streams).toBeGreaterThan(1)
  },
)
