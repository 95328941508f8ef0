import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyPassword } from 'better-auth/crypto'
import { inject } from 'vitest'
import { createApp } from '../../src/app.ts'
import { createContext, type Overrides } from '../../src/context.ts'
import type { PasswordHashing } from '../../src/domains/operators/better-auth.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import type { Environment } from '../../src/platform/config/environment.ts'
import { readSecrets } from '../../src/platform/config/secrets.ts'
import { createLogger } from '../../src/platform/telemetry/logger.ts'
import { prepareStart } from '../../src/tools/start/prepare.ts'
import { type Demo, readDemo } from './demo.ts'
import { usePooler } from './pooler.ts'

const PREFIX = 'sha256:'
const hash = (password: string): string => PREFIX + createHash('sha256').update(password).digest('hex')

/** Hashes without scrypt, which would take a tenth of the CPU time of the operators' tests. Passwords of the template folder have scrypt hashes. */
const FAST_PASSWORDS: PasswordHashing = {
  hash: async (password) => hash(password),
  verify: async (given) => (given.hash.startsWith(PREFIX) ? hash(given.password) === given.hash : await verifyPassword(given)),
}

export type TestServer = Awaited<ReturnType<typeof startServer>>

/** Starts a server in this process with its own database and, unless GATEHOUSE_DEMO is 0, the demo. */
export async function startServer(given: Environment = {}, overrides: Overrides = {}) {
  const { env, drop } = await usePooler(given)
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-server-'))
  // The seeded folder fits only its own database and secret key. Otherwise the server makes a first start.
  const isFirstStart = env.DATABASE_URL || env.GATEHOUSE_SECRET_KEY || env.GATEHOUSE_DEMO === '0'
  const template = isFirstStart ? 'templateDataDir' : 'seededDataDir'
  cpSync(inject(template), folder, { recursive: true })
  const environment = {
    GATEHOUSE_DATA: folder,
    PORT: '0',
    LOG_LEVEL: 'info',
    // On a slow machine the default would deny long texts.
    GATEHOUSE_DETECTOR_BUDGET_MS: '60000',
    ...(env.DATABASE_URL && { GATEHOUSE_DEMO: '1' }),
    ...env,
  }
  // Without this the server would read the gatehouse.yaml of the current folder.
  const config = { ...readConfig(environment), ...(!env.GATEHOUSE_CONFIG && { configFile: join(folder, 'none.yaml') }) }
  const lines: string[] = []
  const log = createLogger(config.logLevel, config.telemetry.nodeName, { write: (line: string) => void lines.push(line) })
  const context = await createContext(config, readSecrets(environment, config), { log, passwords: FAST_PASSWORDS, ...overrides })
  const app = await createApp(context)
  const announce = await prepareStart(context, { isTerminal: true, write: (text) => void process.stderr.write(text) })
  await app.listen({ host: config.host, port: 0 })
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  let demo: Demo | undefined
  return {
    base,
    /** Fails if the server started without the demo (GATEHOUSE_DEMO=0). */
    get demo(): Demo {
      demo ??= readDemo(config.dataDir)
      return demo
    },
    /** Writes the greeting to standard error, as `npm start` does, and the address to demo.json. */
    announce: () => announce(base),
    context,
    /** For requests without a socket (`app.inject`), which are faster. */
    app,
    config,
    /** All log lines as one text. */
    logs: () => lines.join(''),
    /** Stops the server and removes its data. */
    async close(): Promise<void> {
      app.server.closeAllConnections()
      await app.close()
      await context.close()
      await drop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
