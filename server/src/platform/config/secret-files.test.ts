import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { runCli } from '../../tools/cli/cli.ts'
import { readConfig } from './config.ts'
import { ConfigError } from './environment.ts'
import { readSecretFiles } from './secret-files.ts'
import { readSecrets } from './secrets.ts'

const KEY = 'a-secret-key-of-forty-characters-exactly'

const folder = temporaryFolder()
const file = (name: string) => join(folder, name)
writeFileSync(file('key'), `${KEY}\n`)
writeFileSync(file('url'), 'postgres://gatehouse:hidden@db/gatehouse\r\n')
writeFileSync(file('empty'), '\n')
writeFileSync(file('lines'), `${KEY}\n${KEY}\n`)
writeFileSync(file('gatehouse.yaml'), 'admin_tokens: [{ name: ops, from_env: OPS_TOKEN }]\n')

test('secret files: give the secret key, the database URL and provider keys, without the line break at the end [ADM-ENV-12]', () => {
  const env = readSecretFiles({
    GATEHOUSE_SECRET_KEY_FILE: file('key'),
    DATABASE_URL_FILE: file('url'),
    OPENAI_API_KEY_FILE: file('key'),
    GATEHOUSE_CONFIG: file('none.yaml'),
  })
  const config = readConfig(env)
  const secrets = readSecrets(env, config)
  expect(config.databaseUrl).toBe('postgres://gatehouse:hidden@db/gatehouse')
  expect(Buffer.from(secrets.secretKey).toString()).toBe(KEY)
  expect(config.providers.map(({ id }) => id)).toEqual(['openai'])
  expect(secrets.fromEnvironment('OPENAI_API_KEY')).toBe(KEY)
})
test('secret files: give a variable that the configuration file names, and no other variable', () => {
  const env = { OPS_TOKEN_FILE: file('key'), OTHER_FILE: file('key'), GATEHOUSE_CONFIG: file('gatehouse.yaml') }
  expect(readSecretFiles(env)).toEqual({ OPS_TOKEN: KEY, OTHER_FILE: file('key'), GATEHOUSE_CONFIG: file('gatehouse.yaml') })
})
test('secret files: leave GATEHOUSE_AUDIT_CHECKPOINT_FILE as it is, because it is the path of a file to write', () => {
  const env = { GATEHOUSE_AUDIT_CHECKPOINT_FILE: file('none') }
  expect(readSecretFiles(env)).toEqual(env)
})
test.each([
  ['does not exist', 'none', /^GATEHOUSE_SECRET_KEY_FILE names a file that cannot be read \(ENOENT\)/],
  ['is a folder', '.', /cannot be read \(EISDIR\)/],
  ['has several lines', 'lines', /^GATEHOUSE_SECRET_KEY_FILE names a file with several lines/],
  ['is empty', 'empty', /^GATEHOUSE_SECRET_KEY_FILE names a file that is empty/],
])('secret files: throws when the file %s', (_, name, message) => {
  const read = () => readSecretFiles({ GATEHOUSE_SECRET_KEY_FILE: file(name) })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(message)
})
test('secret files: throws when the variable itself is set as well, and names no value', () => {
  const read = () => readSecretFiles({ GATEHOUSE_SECRET_KEY: KEY, GATEHOUSE_SECRET_KEY_FILE: file('key') })
  expect(read).toThrow('GATEHOUSE_SECRET_KEY and GATEHOUSE_SECRET_KEY_FILE exclude each other: set one')
})
test('secret files: a command exits with 2 when a file cannot be read, and --help does not', async () => {
  const notes: string[] = []
  const env = { DATABASE_URL_FILE: file('none') }
  const terminal = { env, out: () => {}, note: (line: string) => void notes.push(line) }
  expect(await runCli(['migrate'], terminal)).toBe(2)
  expect(notes.join()).toContain('DATABASE_URL_FILE names a file that cannot be read')
  expect(await runCli(['--help'], terminal)).toBe(0)
})
