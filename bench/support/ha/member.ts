import { readFileSync, rmSync } from 'node:fs'
import pg from 'pg'
import { freePort } from '../free-port.ts'
import type { Debian, Folder } from './debian.ts'
import { killTree, type Own } from './own.ts'
import { writeFromTemplate } from './templates.ts'

/** For this run on 127.0.0.1 only. */
export const PASSWORD = 'only-for-the-bench'

/** Name of a member's pgBackRest configuration in its folder. */
const BACKREST = 'pgbackrest.conf'

/** A PostgreSQL with its Patroni. */
export class Member {
  readonly name: string
  readonly postgres: number
  readonly rest: number
  readonly #debian: Debian
  readonly #folder: Folder
  #patroni: Own | undefined

  private constructor(debian: Debian, folder: Folder, own: { name: string; postgres: number; rest: number }) {
    this.#debian = debian
    this.#folder = folder
    this.name = own.name
    this.postgres = own.postgres
    this.rest = own.rest
  }

  /** Writes the files of deploy/ha for a member. */
  static async prepare(
    debian: Debian,
    name: string,
    { etcd, repository }: { etcd: number; repository: string },
  ): Promise<Member> {
    const [postgres, rest, folder] = [await freePort(), await freePort(), await debian.folder(name)]
    const member = new Member(debian, folder, { name, postgres, rest })
    // PostgreSQL is no child of Patroni and would outlive it.
    process.once('exit', () => member.#killPostgres())
    writeFromTemplate('patroni.yml', `${folder.outside}/patroni.yml`, {
      MEMBER: name,
      REST_ADDRESS: `127.0.0.1:${rest}`,
      ETCD_HOSTS: `127.0.0.1:${etcd}`,
      SHARED_BUFFERS: '64MB',
      PGBACKREST_CONFIG: member.#backrestConfig,
      NETWORK: '127.0.0.1/32',
      POSTGRES_ADDRESS: `127.0.0.1:${postgres}`,
      POSTGRES_DATA: `${folder.inside}/data`,
      HOME_FOLDER: folder.inside,
      POSTGRES_PASSWORD: PASSWORD,
      REPLICATION_PASSWORD: PASSWORD,
    })
    writeBackrestConfig(folder, { repository, postgres })
    return member
  }

  /** Whether Patroni runs. */
  get isRunning(): boolean {
    return this.#patroni?.hasEnded() === false
  }

  get #backrestConfig(): string {
    return `${this.#folder.inside}/${BACKREST}`
  }

  start(): void {
    this.#patroni = this.#debian.start(this.name, ['patroni', `${this.#folder.inside}/patroni.yml`])
  }

  /** Patroni stops PostgreSQL as well. */
  async stop(): Promise<void> {
    await this.#patroni?.stop()
    this.#killPostgres()
  }

  /** Kills Patroni and PostgreSQL at once, as a power cut would. */
  async crash(): Promise<void> {
    if (this.#patroni) killTree(this.#patroni.pid)
    this.#killPostgres()
    await this.#patroni?.ended
  }

  /** Runs a statement as superuser. */
  query<T extends pg.QueryResultRow>(text: string, values: unknown[] = [], database = 'postgres'): Promise<T[]> {
    return queryAt<T>(this.postgres, { text, values, database })
  }

  backrest(...args: readonly string[]): Promise<string> {
    return this.#debian.run(['pgbackrest', `--config=${this.#backrestConfig}`, '--stanza=gatehouse', ...args])
  }

  #killPostgres(): void {
    const file = `${this.#folder.outside}/data/postmaster.pid`
    try {
      killTree(Number(readFileSync(file, 'utf8').split('\n')[0]))
      // The dead process may be left in the process table, where it looks alive.
      rmSync(file, { force: true })
    } catch {
      // PostgreSQL has stopped.
    }
  }
}

/** Writes `pgbackrest.conf` for the PostgreSQL in `folder`. */
export function writeBackrestConfig(folder: Folder, { repository, postgres }: { repository: string; postgres: number }): void {
  writeFromTemplate('pgbackrest.conf', `${folder.outside}/${BACKREST}`, {
    REPOSITORY: repository,
    REPOSITORY_PASSWORD: PASSWORD,
    HOME_FOLDER: folder.inside,
    POSTGRES_DATA: `${folder.inside}/data`,
    POSTGRES_PORT: postgres,
  })
}

/** Runs a statement as superuser on the PostgreSQL at this port. */
export async function queryAt<T extends pg.QueryResultRow>(
  port: number,
  { text, values = [], database }: { text: string; values?: unknown[]; database: string },
): Promise<T[]> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', password: PASSWORD, database })
  // A crash of the server ends the connection.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<T>(text, values)).rows
  } finally {
    await client.end()
  }
}
