import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readConfig } from './config.ts'
import { ConfigError, withEnvironmentFile } from './environment.ts'
import { heapLimitOf, readDatabasePool, readProcesses } from './processes.ts'

const MIB = 2 ** 20
const DATABASE_URL = 'postgres://x/y'
const folder = temporaryFolder()

test('processes: as many as cores on PostgreSQL when the memory suffices', () => {
  expect(readProcesses({ DATABASE_URL }, { cores: 8, memoryBytes: 16_384 * MIB })).toBe(8)
  expect(readProcesses({ DATABASE_URL }, { cores: 8, memoryBytes: 1_700 * MIB })).toBe(3)
  expect(readProcesses({ DATABASE_URL }, { cores: 64, memoryBytes: 65_536 * MIB })).toBe(8)
  // Two would need 1,174 MB with their primary process.
  expect(readProcesses({ DATABASE_URL }, { cores: 8, memoryBytes: 1_024 * MIB })).toBe(1)
  expect(readProcesses({ DATABASE_URL }, { cores: 8, memoryBytes: 256 * MIB })).toBe(1)
  expect(readProcesses({ DATABASE_URL, GATEHOUSE_PROCESSES: '5' }, { cores: 2, memoryBytes: 256 * MIB })).toBe(5)
})

test('processes: one with the embedded database, and a refusal that names DATABASE_URL when there should be more', () => {
  expect(readProcesses({})).toBe(1)
  expect(readProcesses({ GATEHOUSE_PROCESSES: '1' })).toBe(1)
  expect(() => readProcesses({ GATEHOUSE_PROCESSES: '2' })).toThrow(ConfigError)
  expect(() => readProcesses({ GATEHOUSE_PROCESSES: '2' })).toThrow(/set DATABASE_URL/)
})

test('processes: their heaps fit into the memory together, and Node decides when its limit is lower', () => {
  expect(heapLimitOf(4, { memoryBytes: 4_246 * MIB }, 4_096 * MIB)).toBe(614)
  expect(heapLimitOf(8, { memoryBytes: 1_024 * MIB }, 512 * MIB)).toBe(256)
  expect(heapLimitOf(2, { memoryBytes: 65_536 * MIB }, 4_096 * MIB)).toBeUndefined()
})

test('database pool: grows with the processes, and is refused when a process would have fewer than two connections', () => {
  expect([1, 2, 8].map((processes) => readDatabasePool({}, processes))).toEqual([10, 10, 40])
  expect(readDatabasePool({ GATEHOUSE_DATABASE_POOL: '16' }, 8)).toBe(16)
  expect(() => readDatabasePool({ GATEHOUSE_DATABASE_POOL: '15' }, 8)).toThrow(/at least 16 with 8 processes/)
})

test('drain: seconds with a fraction', () => {
  expect(readConfig({ DATABASE_URL }).drain).toEqual({ delayMs: 5_000, timeoutMs: 120_000 })
  const set = { GATEHOUSE_DRAIN_SECONDS: '0.5', GATEHOUSE_STOP_SECONDS: '300' }
  expect(readConfig(set).drain).toEqual({ delayMs: 500, timeoutMs: 300_000 })
  for (const bad of ['-1', 'ten', '1e3', '3601']) expect(() => readConfig({ GATEHOUSE_STOP_SECONDS: bad })).toThrow(ConfigError)
})

test('environment file: adds variables, the environment has precedence, and an unreadable file is an error that names it', () => {
  const path = join(folder, 'gatehouse.env')
  writeFileSync(path, '# keys\nOPENAI_API_KEY="sk-1"\nPORT=1\nHOST=a\n')
  const env = { GATEHOUSE_ENV_FILE: path, PORT: '2', HOST: '' }
  expect(withEnvironmentFile(env)).toEqual({ GATEHOUSE_ENV_FILE: path, OPENAI_API_KEY: 'sk-1', PORT: '2', HOST: 'a' })
  expect(withEnvironmentFile({ PORT: '2' })).toEqual({ PORT: '2' })
  expect(() => withEnvironmentFile({ GATEHOUSE_ENV_FILE: join(folder, 'none') })).toThrow(/none, which cannot be read \(ENOENT\)/)
})
