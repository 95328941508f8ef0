import { expect, test } from 'vitest'
import type { Environment } from './environment.ts'
import { readFilesConfig } from './files.ts'

const readWith = (env: Environment) => readFilesConfig(env, '/data', 1_000)
const BUCKET = {
  GATEHOUSE_FILES_BUCKET: 'https://store.example/acme/',
  GATEHOUSE_FILES_ACCESS_KEY_ID: 'id',
  GATEHOUSE_FILES_SECRET_ACCESS_KEY: 'secret',
}

test('files config: stores files in the data folder and allows all types when nothing is set', () => {
  expect(readWith({})).toEqual({ maxBytes: 1_000, types: undefined, store: { kind: 'folder', path: '/data/files' } })
  expect(readWith({ GATEHOUSE_FILES: '/mnt/files' }).store).toEqual({ kind: 'folder', path: '/mnt/files' })
})

test('files config: has the bucket without its keys when a bucket is set', () => {
  const { store } = readWith({ ...BUCKET, GATEHOUSE_FILES_REGION: 'eu-central-1' })
  expect(store).toMatchObject({ kind: 'bucket', url: 'https://store.example/acme', region: 'eu-central-1' })
  expect(JSON.stringify(store)).not.toContain('"secret"')
  expect(readWith(BUCKET).store).toMatchObject({ region: 'us-east-1', incoming: '/data/incoming' })
})

test('files config: has lower-case media types when GATEHOUSE_FILE_TYPES is set', () => {
  expect(readWith({ GATEHOUSE_FILE_TYPES: 'image/*, Application/PDF,' }).types).toEqual(['image/*', 'application/pdf'])
})

test.each<[Environment, RegExp]>([
  [{ ...BUCKET, GATEHOUSE_FILES: '/mnt/files' }, /set one/],
  [{ ...BUCKET, GATEHOUSE_FILES_SECRET_ACCESS_KEY: '' }, /needs GATEHOUSE_FILES_ACCESS_KEY_ID/],
  [{ ...BUCKET, GATEHOUSE_FILES_BUCKET: 'acme' }, /_BUCKET must be/],
  [{ ...BUCKET, GATEHOUSE_FILES_BUCKET: 'https://id:secret@store.example/acme' }, /_BUCKET must be/],
  [{ GATEHOUSE_FILE_TYPES: 'images' }, /_TYPES must be/],
  [{ GATEHOUSE_FILE_TYPES: ',' }, /_TYPES must be/],
])('files config: throws when the environment is %o', (env, message) => {
  expect(() => readWith(env)).toThrow(message)
})
