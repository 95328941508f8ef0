import { join } from 'node:path'
import { afterAll, afterEach, beforeEach } from 'vitest'
import { Authenticator } from '../../src/domains/identity/authenticator.ts'
import { AdminAuthenticator } from '../../src/domains/operators/admin-authenticator.ts'
import { ConnectionPools } from '../../src/domains/providers/connection-pools.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import type { Environment } from '../../src/platform/config/environment.ts'
import { readSecrets } from '../../src/platform/config/secrets.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { BackgroundWork } from '../../src/platform/lib/background-work.ts'
import { systemClock } from '../../src/platform/lib/clock.ts'
import { secretBox } from '../../src/platform/lib/secret-box.ts'
import { createLogger } from '../../src/platform/telemetry/logger.ts'
import { prepareStart } from '../../src/tools/start/prepare.ts'
import { type Demo, readDemo } from './demo.ts'
import type { FreshDatabase } from './fresh-database.ts'
import { testFolder } from './temporary-folder.ts'

const PORT = 8787
const BASE = `http://127.0.0.1:${PORT}`

/** Runs the steps of a server start except listening, on a database. */
export class StartFixture {
  readonly database: Database
  /** Deletes all rows. */
  readonly empty: () => Promise<void>
  dataDir = ''
  background = new BackgroundWork(() => {})
  #pools = new ConnectionPools({ allowPrivateUrls: false })
  #logs = ''
  #greeting = ''

  private constructor({ database, empty }: FreshDatabase) {
    this.database = database
    this.empty = empty
  }

  /** For a `describe` block: each test has its own data folder, and a database without rows. */
  static async forEachTest(open: () => Promise<FreshDatabase>): Promise<StartFixture> {
    const fresh = await open()
    const starts = new StartFixture(fresh)
    afterAll(() => fresh.remove())
    beforeEach(() => starts.#begin())
    afterEach(async () => {
      await starts.#remove()
      await fresh.empty()
    })
    return starts
  }

  #begin(): void {
    this.dataDir = testFolder()
    this.background = new BackgroundWork((error) => this.#note(`${error.stack}\n`))
    this.#pools = new ConnectionPools({ allowPrivateUrls: false })
    this.#logs = ''
    this.#greeting = ''
  }

  async start(env: Environment = {}, { base = BASE, isTerminal = true } = {}): Promise<void> {
    const announce = await this.prepare(env, isTerminal)
    await announce(base)
  }

  /** Without GATEHOUSE_CONFIG the configuration is gatehouse.yaml in the data folder. */
  prepare(env: Environment = {}, isTerminal = true) {
    this.#greeting = ''
    const deps = this.deps(env)
    const write = (text: string): void => {
      this.#greeting += text
    }
    return prepareStart(deps, { isTerminal, write })
  }

  deps(env: Environment = {}) {
    const environment = { GATEHOUSE_DATA: this.dataDir, PORT: String(PORT), ...env }
    const config = readConfig(environment)
    const secrets = readSecrets(environment, config)
    return {
      config: { ...config, configFile: env.GATEHOUSE_CONFIG ?? join(this.dataDir, 'gatehouse.yaml') },
      secrets,
      log: createLogger('info', 'test', { write: (line: string) => this.#note(line) }),
      database: this.database,
      clock: systemClock,
      workspaceBox: secretBox(secrets, 'workspace'),
      providerBox: secretBox(secrets, 'provider'),
      invokeDeps: { pools: this.#pools },
      background: this.background,
      signIn: { issuer: undefined },
    }
  }

  get demoFile(): string {
    return join(this.dataDir, 'demo.json')
  }

  demo(): Demo {
    return readDemo(this.dataDir)
  }

  /** Log lines of all starts. */
  get logs(): string {
    return this.#logs
  }

  /** The greeting of the last start. */
  get greeting(): string {
    return this.#greeting
  }

  /** The name of the key's Application, or the error code. */
  async findApplicationName(key: string | undefined): Promise<string> {
    const authenticator = new Authenticator(this.database)
    const answer = await authenticator.authenticate(`Bearer ${key}`)
    return answer.ok ? answer.application.name : answer.code
  }

  /** The name of the admin token's operator, or the error code. */
  async findOperatorName(token: string): Promise<string> {
    const authenticator = new AdminAuthenticator(this.database)
    const answer = await authenticator.authenticate(`Bearer ${token}`)
    return answer.ok ? answer.operator.name : answer.code
  }

  #note(line: string): void {
    this.#logs += line
  }

  async #remove(): Promise<void> {
    await this.background.close()
    await this.#pools.close()
  }
}
