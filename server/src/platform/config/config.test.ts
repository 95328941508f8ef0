import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError } from './environment.ts'
import { readSecrets } from './secrets.ts'

const POSTGRES = { DATABASE_URL: 'postgres://gatehouse@db.example/gatehouse' }

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-config-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('readConfig', () => {
  test('readConfig: uses port 8787 on 127.0.0.1 when PORT and HOST are not set [ADM-ENV-1]', () => {
    expect(readConfig({})).toMatchObject({ port: 8787, host: '127.0.0.1' })
    expect(readConfig({ PORT: '9000', HOST: '0.0.0.0' })).toMatchObject({ port: 9000, host: '0.0.0.0' })
  })

  test('readConfig: stores data in ./data when GATEHOUSE_DATA is not set [ADM-ENV-2]', () => {
    expect(readConfig({}).dataDir).toBe(resolve('data'))
    expect(readConfig({ GATEHOUSE_DATA: folder }).dataDir).toBe(folder)
  })

  test('readConfig: has no database URL when DATABASE_URL is not set [ADM-ENV-3]', () => {
    expect(readConfig({}).databaseUrl).toBeUndefined()
    expect(readConfig(POSTGRES).databaseUrl).toBe(POSTGRES.DATABASE_URL)
  })

  test('readConfig: reads gatehouse.yaml when GATEHOUSE_CONFIG is not set [ADM-ENV-5]', () => {
    expect(readConfig({})).toMatchObject({ configFile: resolve('gatehouse.yaml'), configFileNamed: false })
    expect(readConfig({ GATEHOUSE_CONFIG: '/etc/acme.yaml' })).toMatchObject({
      configFile: '/etc/acme.yaml',
      configFileNamed: true,
    })
  })

  test('readConfig: seeds the demo when DATABASE_URL is not set, and GATEHOUSE_DEMO overrides it [ADM-ENV-6]', () => {
    expect(readConfig({}).demo).toBe(true)
    expect(readConfig({ GATEHOUSE_DEMO: '0' }).demo).toBe(false)
    expect(readConfig(POSTGRES).demo).toBe(false)
    expect(readConfig({ ...POSTGRES, GATEHOUSE_DEMO: '1' }).demo).toBe(true)
  })

  test('readConfig: uses log level info when LOG_LEVEL is not set, and throws when it is unknown [ADM-ENV-7]', () => {
    expect(readConfig({}).logLevel).toBe('info')
    expect(readConfig({ LOG_LEVEL: 'warn' }).logLevel).toBe('warn')
    expect(() => readConfig({ LOG_LEVEL: 'loud' })).toThrow(ConfigError)
  })
})

describe('readSecrets', () => {
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
})
