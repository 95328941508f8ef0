import { existsSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pick, type Random } from '../random.ts'
import type { PostgresPrograms, Program } from './postgres-programs.ts'

const START_MS = 60_000
const POLL_MS = 50
const QUERY_MS = 20_000
const DATABASE = 'gatehouse'

interface PostgresOptions {
  /** Absolute path of the data for the programs. */
  readonly data: string
  readonly port: number
  readonly log: string
}

/** A PostgreSQL of this run on 127.0.0.1, whose processes can be killed. */
export class Postgres {
  readonly #programs: PostgresPrograms
  readonly #options: PostgresOptions
  #own: Program | undefined
  #client: pg.Client | undefined

  constructor(programs: PostgresPrograms, options: PostgresOptions) {
    this.#programs = programs
    this.#options = options
  }

  get port(): number {
    return this.#options.port
  }

  /** URL of the database at `port`, which may be that of a relay. */
  url(port = this.port, database = DATABASE): string {
    return `postgres://postgres@127.0.0.1:${port}/${database}`
  }

  /** Creates the cluster and an empty database. */
  async create(): Promise<void> {
    const { data } = this.#options
    this.#programs.makeFolder(data)
    await this.#programs.run('initdb', ['-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync'])
    await this.start()
    const client = new pg.Client({ connectionString: this.url(this.port, 'postgres') })
    await client.connect()
    await client.query(`create database ${DATABASE}`).finally(() => client.end())
  }

  /** Starts the cluster, again while the processes of the last one still end. Resolves when it takes connections. */
  async start(): Promise<void> {
    const { data, port, log } = this.#options
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=100', 'shared_buffers=64MB']
    const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
    for (const deadline = performance.now() + START_MS; performance.now() < deadline; await sleep(POLL_MS)) {
      if (!this.#own || this.#own.hasEnded()) this.#own = this.#programs.start('postgres', args, log)
      if (await this.#isReady()) return
    }
    throw new Error(`PostgreSQL did not start within ${START_MS / 1_000} s: read ${log}`)
  }

  /** SIGKILL to all processes at once, as a power cut would. */
  async kill(): Promise<void> {
    await this.#own?.kill()
  }

  /** SIGKILL to one process, of a connection or of the server itself. PostgreSQL then ends all others and recovers. */
  async killOneProcess(random: Random): Promise<string> {
    const rows = await this.query<{ pid: number; type: string }>(
      'select pid, backend_type as type from pg_stat_activity where pid <> pg_backend_pid() order by backend_type, backend_start, pid',
    )
    const { pid, type } = pick(random, rows)
    process.kill(pid, 'SIGKILL')
    return type
  }

  /** Runs a query, again on a new connection while the database restarts. Throws after 20 s. */
  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    for (const deadline = performance.now() + QUERY_MS; ; await sleep(POLL_MS)) {
      try {
        this.#client ??= await this.#connect()
        return (await this.#client.query<Row>(text, [...values])).rows
      } catch (error) {
        await this.#disconnect()
        if (performance.now() > deadline || isPermanent(error)) throw error
      }
    }
  }

  async stop(): Promise<void> {
    await this.#disconnect()
    await this.#own?.stop()
  }

  /** Removes the data of a stopped cluster. */
  remove(): void {
    const folder = this.#programs.outside(this.#options.data)
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url(), connectionTimeoutMillis: 2_000, query_timeout: QUERY_MS })
    client.on('error', () => {})
    await client.connect()
    return client
  }

  async #disconnect(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    await client?.end().catch(() => {})
  }

  async #isReady(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url(this.port, 'postgres'), connectionTimeoutMillis: 2_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('select 1')
      return true
    } catch {
      return false
    } finally {
      await client.end().catch(() => {})
    }
  }
}

/** An error of the statement itself, not of a database that restarts (classes 57 and 08 of PostgreSQL's codes). */
const isPermanent = (error: unknown): boolean => error instanceof pg.DatabaseError && !/^(57|08)/.test(error.code ?? '')
