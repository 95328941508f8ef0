import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readConfig } from './config.ts'
import { ConfigError, type Environment } from './environment.ts'
import { readSecrets } from './secrets.ts'

const POSTGRES = { DATABASE_URL: 'postgres://gatehouse@db.example/gatehouse' }
const [A, B, C] = ['a'.repeat(40), 'b'.repeat(40), 'c'.repeat(40)]

const folder = temporaryFolder()

function readKeys(env: Environment) {
  const { secretKey, nextSecretKey, oldSecretKeys = [] } = readSecrets(env, readConfig(env))
  const text = (key: Uint8Array) => Buffer.from(key).toString()
  return { current: text(secretKey), next: nextSecretKey && text(nextSecretKey), old: oldSecretKeys.map(text) }
}
const node = (script: string): Environment => ({
  ...POSTGRES,
  GATEHOUSE_SECRET_KEY_COMMAND: JSON.stringify([process.execPath, '-e', script]),
})
const errorOf = (env: Environment): string => {
  try {
    readKeys(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

test('secret keys: reads the current, the next and the old keys [ADM-ENV-15]', () => {
  const env = { ...POSTGRES, GATEHOUSE_SECRET_KEY: A, GATEHOUSE_NEXT_SECRET_KEY: B, GATEHOUSE_OLD_SECRET_KEYS: ` ${C} , ` }
  expect(readKeys(env)).toEqual({ current: A, next: B, old: [C] })
})

test('secret keys: further lines of secret.key are old keys', () => {
  writeFileSync(join(folder, 'secret.key'), `${B}\n${A}\n`)
  expect(readKeys({ GATEHOUSE_DATA: folder, GATEHOUSE_OLD_SECRET_KEYS: C })).toEqual({
    current: B,
    next: undefined,
    old: [A, C],
  })
})

test('secret keys: refuses a short key and the current key as an old or next one', () => {
  const given = { ...POSTGRES, GATEHOUSE_SECRET_KEY: A }
  expect(errorOf({ ...given, GATEHOUSE_OLD_SECRET_KEYS: `${B},hush` })).toMatch(
    /^each key in GATEHOUSE_OLD_SECRET_KEYS must have/,
  )
  expect(errorOf({ ...given, GATEHOUSE_OLD_SECRET_KEYS: `${B},hush` })).not.toContain('hush')
  expect(errorOf({ ...given, GATEHOUSE_OLD_SECRET_KEYS: A })).toMatch(/contains the current secret key/)
  expect(errorOf({ ...given, GATEHOUSE_NEXT_SECRET_KEY: A })).toMatch(/is the current secret key/)
  expect(errorOf({ ...POSTGRES, GATEHOUSE_SECRET_KEY: 'short' })).toMatch(/^each key in GATEHOUSE_SECRET_KEY must have/)
})

test('key command: its output is the key, and further lines are old keys [ADM-ENV-16]', () => {
  expect(readKeys(node(`console.log('${A}\\n${B}')`))).toEqual({ current: A, next: undefined, old: [B] })
})

test('key command: runs without a shell and with the environment except the secrets of the server', () => {
  writeFileSync(join(folder, 'key'), C)
  const words = `${process.execPath} -e console.log(process.env.KMS_TOKEN);$(id)`
  expect(errorOf({ ...POSTGRES, GATEHOUSE_SECRET_KEY_COMMAND: words })).toMatch(/failed \(1\)/)
  const env = { ...node('console.log(process.env.KMS_TOKEN)'), KMS_TOKEN: B }
  expect(readKeys(env).current).toBe(B)
  const names = ['DATABASE_URL', 'GATEHOUSE_OLD_SECRET_KEYS', 'OPENAI_API_KEY']
  const script = `console.log('${A}' + ${JSON.stringify(names)}.filter((name) => process.env[name]).join())`
  expect(readKeys({ ...node(script), GATEHOUSE_OLD_SECRET_KEYS: C, OPENAI_API_KEY: C }).current).toBe(A)
  expect(readKeys({ ...POSTGRES, GATEHOUSE_SECRET_KEY_COMMAND: `cat ${join(folder, 'key')}` }).current).toBe(C)
})

test('key command: the error shows neither output when the command fails', () => {
  const failed = errorOf(node(`console.log('${A}'); console.error('hush'); process.exit(3)`))
  expect(failed).toMatch(/^GATEHOUSE_SECRET_KEY_COMMAND failed \(3\): run it by hand/)
  expect(failed).not.toMatch(/hush|aaaa/)
  expect(errorOf({ ...POSTGRES, GATEHOUSE_SECRET_KEY_COMMAND: join(folder, 'none') })).toMatch(/failed \(ENOENT\)/)
})

test('key command: refuses no output, too much output, a broken list and a second source', () => {
  expect(errorOf(node(''))).toMatch(/^each key in the output of GATEHOUSE_SECRET_KEY_COMMAND must have/)
  expect(errorOf(node(`console.log('x'.repeat(1e6))`))).toMatch(/failed \(ENOBUFS\)/)
  expect(errorOf({ ...POSTGRES, GATEHOUSE_SECRET_KEY_COMMAND: '[1]' })).toMatch(/JSON array of strings/)
  expect(errorOf({ ...node(''), GATEHOUSE_SECRET_KEY: A })).toMatch(/exclude each other/)
})
