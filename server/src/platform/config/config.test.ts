import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readConfig } from './config.ts'
import { ConfigError, type Environment } from './environment.ts'
import { readSecrets } from './secrets.ts'

const POSTGRES = { DATABASE_URL: 'postgres://gatehouse@db.example/gatehouse' }
const folder = temporaryFolder()

test.each<[string, Environment, object]>([
  ['readConfig: uses port 8787 on 127.0.0.1 when PORT and HOST are not set [ADM-ENV-1]', {}, { port: 8787, host: '127.0.0.1' }],
  ['readConfig: uses PORT and HOST [ADM-ENV-1]', { PORT: '9000', HOST: '0.0.0.0' }, { port: 9000, host: '0.0.0.0' }],
  ['readConfig: uses ./data when GATEHOUSE_DATA is not set [ADM-ENV-2]', {}, { dataDir: resolve('data') }],
  ['readConfig: uses GATEHOUSE_DATA [ADM-ENV-2]', { GATEHOUSE_DATA: folder }, { dataDir: folder }],
  ['readConfig: uses no database URL when DATABASE_URL is not set [ADM-ENV-3]', {}, { databaseUrl: undefined }],
  ['readConfig: uses DATABASE_URL [ADM-ENV-3]', POSTGRES, { databaseUrl: POSTGRES.DATABASE_URL }],
  ['readConfig: uses gatehouse.yaml [ADM-ENV-5]', {}, { configFile: resolve('gatehouse.yaml'), configFileNamed: false }],
  [
    'readConfig: uses GATEHOUSE_CONFIG [ADM-ENV-5]',
    { GATEHOUSE_CONFIG: '/a.yaml' },
    { configFile: '/a.yaml', configFileNamed: true },
  ],
  ['readConfig: uses the demo when DATABASE_URL is not set [ADM-ENV-6]', {}, { demo: true }],
  ['readConfig: uses no demo when GATEHOUSE_DEMO is 0 [ADM-ENV-6]', { GATEHOUSE_DEMO: '0' }, { demo: false }],
  ['readConfig: uses no demo when DATABASE_URL is set [ADM-ENV-6]', POSTGRES, { demo: false }],
  ['readConfig: uses the demo when GATEHOUSE_DEMO is 1 [ADM-ENV-6]', { ...POSTGRES, GATEHOUSE_DEMO: '1' }, { demo: true }],
  ['readConfig: uses log level info when LOG_LEVEL is not set [ADM-ENV-7]', {}, { logLevel: 'info' }],
  ['readConfig: uses LOG_LEVEL [ADM-ENV-7]', { LOG_LEVEL: 'warn' }, { logLevel: 'warn' }],
])('%s', (_, env, expected) => expect(readConfig(env)).toMatchObject(expected))

test('readConfig: throws when LOG_LEVEL is unknown [ADM-ENV-7]', () =>
  expect(() => readConfig({ LOG_LEVEL: 'loud' })).toThrow(ConfigError))

test('readSecrets: creates a private key file once when the database is embedded [ADM-ENV-4]', () => {
  const env = { GATEHOUSE_DATA: join(folder, 'made') }
  const { secretKey } = readSecrets(env, readConfig(env))
  const file = join(folder, 'made', 'secret.key')
  expect(readFileSync(file, 'utf8').trim()).toBe(Buffer.from(secretKey).toString())
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readSecrets(env, readConfig(env)).secretKey).toEqual(secretKey)
})

test('readSecrets: throws without GATEHOUSE_SECRET_KEY when DATABASE_URL is set [ADM-ENV-4]', () => {
  const env = { ...POSTGRES, GATEHOUSE_DATA: join(folder, 'none') }
  expect(() => readSecrets(env, readConfig(env))).toThrow('GATEHOUSE_SECRET_KEY is required with DATABASE_URL')
  expect(existsSync(env.GATEHOUSE_DATA)).toBe(false)
  const given = { ...env, GATEHOUSE_SECRET_KEY: 'k'.repeat(40) }
  expect(Buffer.from(readSecrets(given, readConfig(given)).secretKey).toString()).toBe('k'.repeat(40))
})
