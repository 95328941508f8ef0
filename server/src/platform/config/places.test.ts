import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import type { Environment } from './environment.ts'
import { readCheckpointDeliveryConfig, readFilesConfig } from './places.ts'

const readFiles = (env: Environment) => readFilesConfig(env, '/data', 1_000)
const FILES = {
  GATEHOUSE_FILES_BUCKET: 'https://store.example/acme/',
  GATEHOUSE_FILES_ACCESS_KEY_ID: 'id',
  GATEHOUSE_FILES_SECRET_ACCESS_KEY: 'secret',
}
const CHECKPOINTS = {
  GATEHOUSE_AUDIT_CHECKPOINT_BUCKET: 'https://s3.example.com/evidence/',
  GATEHOUSE_AUDIT_CHECKPOINT_ACCESS_KEY_ID: 'id',
  GATEHOUSE_AUDIT_CHECKPOINT_SECRET_ACCESS_KEY: 'secret',
}

test('files config: stores files in the data folder and allows all types when nothing is set', () => {
  expect(readFiles({})).toEqual({ maxBytes: 1_000, types: undefined, store: { kind: 'folder', path: '/data/files' } })
  expect(readFiles({ GATEHOUSE_FILES: '/mnt/files' }).store).toEqual({ kind: 'folder', path: '/mnt/files' })
})

test('files config: has the bucket without its keys when a bucket is set', () => {
  const { store } = readFiles({ ...FILES, GATEHOUSE_FILES_REGION: 'eu-central-1' })
  expect(store).toMatchObject({ kind: 'bucket', url: 'https://store.example/acme', region: 'eu-central-1' })
  expect(JSON.stringify(store)).not.toContain('"secret"')
  expect(readFiles(FILES).store).toMatchObject({ region: 'us-east-1', incoming: '/data/incoming' })
})

test('files config: has lower-case media types when GATEHOUSE_FILE_TYPES is set', () => {
  expect(readFiles({ GATEHOUSE_FILE_TYPES: 'image/*, Application/PDF,' }).types).toEqual(['image/*', 'application/pdf'])
})

test('checkpoint delivery: has the destinations that are set, without their secrets', () => {
  expect(readCheckpointDeliveryConfig({})).toEqual({ file: undefined, bucket: undefined, http: undefined })
  const destinations = readCheckpointDeliveryConfig({
    ...CHECKPOINTS,
    GATEHOUSE_AUDIT_CHECKPOINT_FILE: 'kept.ndjson',
    GATEHOUSE_AUDIT_CHECKPOINT_URL: 'https://keep.example.com/a',
  })
  expect(destinations).toMatchObject({
    file: resolve('kept.ndjson'),
    bucket: { url: 'https://s3.example.com/evidence', region: 'us-east-1', lockMode: 'COMPLIANCE', lockDays: 365 },
    http: { url: 'https://keep.example.com/a' },
  })
  expect(JSON.stringify(destinations)).not.toContain('"secret"')
})

test.each<[Environment, RegExp]>([
  [{ ...FILES, GATEHOUSE_FILES: '/mnt/files' }, /set one/],
  [{ ...FILES, GATEHOUSE_FILES_SECRET_ACCESS_KEY: '' }, /needs GATEHOUSE_FILES_ACCESS_KEY_ID/],
  [{ ...FILES, GATEHOUSE_FILES_BUCKET: 'acme' }, /_BUCKET must be/],
  [{ ...FILES, GATEHOUSE_FILES_BUCKET: 'https://id:secret@store.example/acme' }, /_BUCKET must be/],
  [{ GATEHOUSE_FILE_TYPES: 'images' }, /_TYPES must be/],
  [{ GATEHOUSE_FILE_TYPES: ',' }, /_TYPES must be/],
  [{ ...CHECKPOINTS, GATEHOUSE_AUDIT_CHECKPOINT_ACCESS_KEY_ID: '' }, /_BUCKET names a bucket, so it needs .*_ACCESS_KEY_ID/],
  [{ ...CHECKPOINTS, GATEHOUSE_AUDIT_CHECKPOINT_LOCK_MODE: 'FOREVER' }, /must be one of COMPLIANCE, GOVERNANCE/],
  [{ ...CHECKPOINTS, GATEHOUSE_AUDIT_CHECKPOINT_LOCK_DAYS: '0' }, /_LOCK_DAYS must be a whole number from 1 to 36500/],
  [{ ...CHECKPOINTS, GATEHOUSE_AUDIT_CHECKPOINT_BUCKET: 'https://s3.example.com/e?x=1' }, /credentials, query and fragment/],
  [{ GATEHOUSE_AUDIT_CHECKPOINT_URL: 'https://me:word@keep.example.com/' }, /_URL must be an http or https URL without/],
])('places of files and checkpoints: throws when the environment is %o', (env, message) => {
  expect(() => [readFiles(env), readCheckpointDeliveryConfig(env)]).toThrow(message)
})
