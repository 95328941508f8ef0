import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/platform/config/config.ts'
import { readSecrets } from '../../src/platform/config/secrets.ts'
import { testFolder } from '../support/temporary-folder.ts'

const isInstalled = ['softhsm2-util', 'pkcs11-tool'].every((tool) => spawnSync(tool, ['--help']).error === undefined)
if (!isInstalled) console.warn('There is no softhsm2 and opensc here: the secret key in a PKCS#11 token is not tested.')

const OPERATIONS = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8')
const [, recipe = ''] = /```sh\n(softhsm2-util[^`]*)rm key/.exec(OPERATIONS) ?? []
const [, command = ''] = /GATEHOUSE_SECRET_KEY_COMMAND='(pkcs11-tool [^']*)'/.exec(OPERATIONS) ?? []

test.skipIf(!isInstalled)('secret key: comes from a PKCS#11 token when the recipe of docs/operations.md has put it there', () => {
  const folder = testFolder()
  mkdirSync(join(folder, 'tokens'))
  writeFileSync(join(folder, 'softhsm2.conf'), `directories.tokendir = ${join(folder, 'tokens')}\n`)
  const hsm = { SOFTHSM2_CONF: join(folder, 'softhsm2.conf'), HSM_PIN: '1234' }
  execFileSync('sh', ['-euc', recipe], { cwd: folder, env: { ...process.env, ...hsm }, stdio: 'pipe' })

  const env = { ...hsm, DATABASE_URL: 'postgres://x/y', GATEHOUSE_SECRET_KEY_COMMAND: command }
  const { secretKey } = readSecrets(env, readConfig(env))
  expect(Buffer.from(secretKey).toString()).toBe(readFileSync(join(folder, 'key'), 'utf8').trim())
  expect(() => readSecrets({ ...env, HSM_PIN: '0000' }, readConfig(env))).toThrow(/GATEHOUSE_SECRET_KEY_COMMAND failed/)
})
