import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import type { Environment } from '../../src/config/environment.ts'
import { readSecrets } from '../../src/config/secrets.ts'
import type { Database } from '../../src/db/database.ts'
import type { DemoFile } from '../../src/demo/demo-file.ts'
import { Authenticator } from '../../src/identity/authenticator.ts'
import { BackgroundWork } from '../../src/lib/background-work.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { secretBox } from '../../src/lib/secret-box.ts'
import { AdminAuthenticator } from '../../src/operators/admin-authenticator.ts'
import { ConnectionPools } from '../../src/providers/connection-pools.ts'
import { prepareStart } from '../../src/setup/prepare.ts'
import { createLogger } from '../../src/telemetry/logger.ts'

const PORT = 8787
const BASE = `http://127.0.0.1:${PORT}`

/** What a start does before and after it listens, without listening: on a database, with a data folder of its own. */
export class StartFixture {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-start-'))
  readonly #database: Database
  readonly background = new BackgroundWork((error) => this.#note(`${error.stack}\n`))
  readonly #pools = new ConnectionPools({ allowPrivateUrls: false })
  #logs = ''
  #greeting = ''

  constructor(database: Database) {
    this.#database = database
  }

  async start(env: Environment = {}, { base = BASE, isTerminal = true } = {}): Promise<void> {
    const announce = await this.prepare(env, isTerminal)
    await announce(base)
  }

  /** Without GATEHOUSE_CONFIG a gatehouse.yaml counts that lies in the data folder. */
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
      log: createLogger('info', { write: (line: string) => this.#note(line) }),
      database: this.#database,
      clock: systemClock,
      workspaceBox: secretBox(secrets.secretKey, 'workspace'),
      providerBox: secretBox(secrets.secretKey, 'provider'),
      invokeDeps: { pools: this.#pools },
      background: this.background,
    }
  }

  get demoFile(): string {
    return join(this.dataDir, 'demo.json')
  }

  demo(): DemoFile {
    return JSON.parse(readFileSync(this.demoFile, 'utf8'))
  }

  /** Everything logged so far, by all starts. */
  get logs(): string {
    return this.#logs
  }

  /** What the last start said to whoever made it. */
  get greeting(): string {
    return this.#greeting
  }

  /** The Application that the key opens, or why it opens none. */
  async findApplicationName(key: string | undefined): Promise<string> {
    const authenticator = new Authenticator(this.#database)
    const answer = await authenticator.authenticate(`Bearer ${key}`)
    authenticator.close()
    return answer.ok ? answer.application.name : answer.code
  }

  /** The name of the admin token, or why it is none. */
  async findOperatorName(token: string): Promise<string> {
    const authenticator = new AdminAuthenticator(this.#database)
    const answer = await authenticator.authenticate(`Bearer ${token}`)
    authenticator.close()
    return answer.ok ? answer.operator.name : answer.code
  }

  #note(line: string): void {
    this.#logs += line
  }

  async remove(): Promise<void> {
    await this.background.close()
    await this.#pools.close()
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}
