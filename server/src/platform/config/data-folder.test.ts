import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { testFolder } from '../../../test/support/temporary-folder.ts'
import { secureDataFolder } from './data-folder.ts'
import { ConfigError } from './environment.ts'

let dataDir: string
beforeEach(() => {
  dataDir = join(testFolder(), 'data')
})

const EMBEDDED = { databaseUrl: undefined }
const mode = (path: string): number => statSync(path).mode & 0o777
const writeSecret = (name: string, bits: number): string => {
  const path = join(dataDir, name)
  writeFileSync(path, 'secret')
  chmodSync(path, bits)
  return path
}

test('secureDataFolder: sets modes 0700 and 0600 and returns the paths when other users have access', () => {
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o755)
  const key = writeSecret('secret.key', 0o644)
  const demo = writeSecret('demo.json', 0o600)
  expect(secureDataFolder({ dataDir, ...EMBEDDED })).toEqual([dataDir, key])
  expect([mode(dataDir), mode(key), mode(demo)]).toEqual([0o700, 0o600, 0o600])
  expect(secureDataFolder({ dataDir, ...EMBEDDED })).toEqual([])
})

test('secureDataFolder: keeps a stricter mode, and does nothing when there is no folder', () => {
  expect(secureDataFolder({ dataDir, ...EMBEDDED })).toEqual([])
  mkdirSync(dataDir, { mode: 0o500 })
  expect(secureDataFolder({ dataDir, ...EMBEDDED })).toEqual([])
  expect(mode(dataDir)).toBe(0o500)
})

test('secureDataFolder: does not change a folder without secrets when the database is PostgreSQL', () => {
  mkdirSync(dataDir)
  chmodSync(dataDir, 0o755)
  const postgresql = { dataDir, databaseUrl: 'postgres://x/y' }
  expect(secureDataFolder(postgresql)).toEqual([])
  writeSecret('demo.json', 0o644)
  expect(secureDataFolder(postgresql)).toHaveLength(2)
})

test('secureDataFolder: throws with a remedy when a mode cannot be changed', () => {
  const refused = () => secureDataFolder({ dataDir: '/proc/self/fdinfo/..', ...EMBEDDED })
  expect(refused).toThrow(ConfigError)
  expect(refused).toThrow(/is open to other users .* \((EPERM|EACCES|EROFS)\): run "chmod 700 /)
})
