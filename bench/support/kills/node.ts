import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTcpRelay } from '../../../server/test/support/tcp-relay.ts'
import { type GatehouseOptions, launchGatehouse } from '../gatehouse.ts'
import type { OwnProcess } from '../own-process.ts'

const POLL_MS = 100
const START_MS = 120_000
const RESTART_MS = 200

export interface NodeOptions {
  readonly name: string
  /** Of the server, without its database. */
  readonly server: Omit<GatehouseOptions, 'databaseUrl'>
  readonly databasePort: number
  /** URL of the database through the port of the relay. */
  readonly databaseUrl: (port: number) => string
  /** Called when a server that was ready ends by itself. */
  readonly onCrash: (problem: string) => void
}

/** A server with a separate connection to the database, which can be cut. It is started again whenever it ends, as systemd would do. */
export class KillableNode {
  readonly #options: NodeOptions
  readonly #network: Awaited<ReturnType<typeof startTcpRelay>>
  #own: OwnProcess | undefined
  #isReady = false
  #isStopping = false
  #supervising: Promise<void> = Promise.resolve()
  port = 0

  static async open(options: NodeOptions): Promise<KillableNode> {
    return new KillableNode(options, await startTcpRelay({ host: '127.0.0.1', port: options.databasePort }))
  }

  private constructor(options: NodeOptions, network: Awaited<ReturnType<typeof startTcpRelay>>) {
    this.#options = options
    this.#network = network
  }

  /** Whether it was ready and has not been killed since. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** Starts the server, and keeps it running until `stop`. */
  start(): void {
    this.#supervising = this.#supervise()
  }

  async ready(): Promise<void> {
    for (const deadline = performance.now() + START_MS; !this.#isReady; await sleep(POLL_MS))
      if (performance.now() > deadline) throw new Error(`${this.#options.name} is not ready: read its log`)
  }

  async kill(): Promise<void> {
    this.#isReady = false
    await this.#own?.kill()
  }

  /** Stops the process for a time, without ending it. */
  async freeze(ms: number): Promise<void> {
    this.#own?.child.kill('SIGSTOP')
    await sleep(ms)
    this.#own?.child.kill('SIGCONT')
  }

  /** Drops all packets between the server and the database for a time. Connections from before never work again. */
  async cutNetwork(ms: number): Promise<void> {
    this.#network.silence()
    await sleep(ms)
    this.#network.restore()
  }

  resetNetwork(): void {
    this.#network.reset()
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    this.#isReady = false
    await this.#own?.stop()
    await this.#supervising
    await this.#network.close()
  }

  async #supervise(): Promise<void> {
    while (!this.#isStopping) {
      const { own, port } = await launchGatehouse({
        ...this.#options.server,
        databaseUrl: this.#options.databaseUrl(this.#network.port),
      })
      this.#own = own
      // A stop that came during the launch did not see this process.
      if (this.#isStopping) await own.stop()
      if (await this.#becomesReady(own, port)) await own.ended
      // `kill` and `stop` have set it to false.
      if (this.#isReady) this.#options.onCrash(`${this.#options.name} ended by itself: ${own.child.exitCode}`)
      this.#isReady = false
      if (own.child.signalCode === null && !this.#isStopping) await sleep(RESTART_MS)
    }
  }

  async #becomesReady(own: OwnProcess, port: number): Promise<boolean> {
    for (; !own.hasEnded(); await sleep(POLL_MS)) {
      const signal = AbortSignal.timeout(5_000)
      const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal }).catch(() => undefined)
      await response?.arrayBuffer().catch(() => {})
      if (!response?.ok || own.hasEnded() || !existsSync(`${this.#options.server.dataDir}/demo.json`)) continue
      this.port = port
      this.#isReady = true
      return true
    }
    return false
  }
}

export type Demo = Awaited<ReturnType<typeof import('../gatehouse.ts')['startGatehouse']>>['demo']

export const readDemo = (dataDir: string): Demo => JSON.parse(readFileSync(`${dataDir}/demo.json`, 'utf8')) as Demo
