import { expect, test } from 'vitest'
import type { Environment } from './environment.ts'
import { files } from './files.ts'

const given = (env: Environment) => files(env, '/data', 1_000)
const BUCKET = {
  GATEHOUSE_FILES_BUCKET: 'https://store.example/acme/',
  GATEHOUSE_FILES_ACCESS_KEY_ID: 'id',
  GATEHOUSE_FILES_SECRET_ACCESS_KEY: 'secret',
}

test('without anything set, files are kept beside the rest of the data, and all but programs may come', () => {
  expect(given({})).toEqual({ maxBytes: 1_000, types: undefined, store: { kind: 'folder', path: '/data/files' } })
  expect(given({ GATEHOUSE_FILES: '/mnt/files' }).store).toEqual({ kind: 'folder', path: '/mnt/files' })
})

test('a bucket, whose keys stay in the environment', () => {
  const { store } = given({ ...BUCKET, GATEHOUSE_FILES_REGION: 'eu-central-1' })
  expect(store).toMatchObject({ kind: 'bucket', url: 'https://store.example/acme', region: 'eu-central-1' })
  expect(JSON.stringify(store)).not.toContain('"secret"')
  expect(given(BUCKET).store).toMatchObject({ region: 'us-east-1', incoming: '/data/incoming' })
})

test('media types', () => {
  expect(given({ GATEHOUSE_FILE_TYPES: 'image/*, Application/PDF,' }).types).toEqual(['image/*', 'application/pdf'])
})

test.each<[Environment, RegExp]>([
  [{ ...BUCKET, GATEHOUSE_FILES: '/mnt/files' }, /set one/],
  [{ ...BUCKET, GATEHOUSE_FILES_SECRET_ACCESS_KEY: '' }, /needs GATEHOUSE_FILES_ACCESS_KEY_ID/],
  [{ ...BUCKET, GATEHOUSE_FILES_BUCKET: 'acme' }, /_BUCKET must be/],
  [{ ...BUCKET, GATEHOUSE_FILES_BUCKET: 'https://id:secret@store.example/acme' }, /_BUCKET must be/],
  [{ GATEHOUSE_FILE_TYPES: 'images' }, /_TYPES must be/],
  [{ GATEHOUSE_FILE_TYPES: ',' }, /_TYPES must be/],
])('%o stops the start', (env, message) => {
  expect(() => given(env)).toThrow(message)
})
