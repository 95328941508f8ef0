import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readCheckpointDeliveryConfig } from './audit-places.ts'

const NAME = 'GATEHOUSE_AUDIT_CHECKPOINT'
const BUCKET = {
  [`${NAME}_BUCKET`]: 'https://s3.example.com/evidence/',
  [`${NAME}_ACCESS_KEY_ID`]: 'id',
  [`${NAME}_SECRET_ACCESS_KEY`]: 'secret',
}

test('checkpoint delivery: has no destination when none is set', () => {
  expect(readCheckpointDeliveryConfig({})).toEqual({ file: undefined, bucket: undefined, http: undefined })
})

test('checkpoint delivery: has all destinations without their secrets when they are set', () => {
  const destinations = readCheckpointDeliveryConfig({
    ...BUCKET,
    [`${NAME}_FILE`]: 'kept.ndjson',
    [`${NAME}_URL`]: 'https://keep.example.com/a',
  })
  expect(destinations).toMatchObject({
    file: resolve('kept.ndjson'),
    bucket: { url: 'https://s3.example.com/evidence', region: 'us-east-1', lockMode: 'COMPLIANCE', lockDays: 365 },
    http: { url: 'https://keep.example.com/a' },
  })
  expect(JSON.stringify(destinations)).not.toContain('"secret"')
})

test.each<[string, Record<string, string>, RegExp]>([
  [
    'a bucket without keys',
    { [`${NAME}_BUCKET`]: 'https://s3.example.com/evidence' },
    /_BUCKET names a bucket, so it needs .*_ACCESS_KEY_ID/,
  ],
  ['an unknown lock mode', { ...BUCKET, [`${NAME}_LOCK_MODE`]: 'FOREVER' }, /must be one of COMPLIANCE, GOVERNANCE/],
  ['a lock of 0 days', { ...BUCKET, [`${NAME}_LOCK_DAYS`]: '0' }, /_LOCK_DAYS must be a whole number from 1 to 36500/],
  [
    'a URL with credentials',
    { [`${NAME}_URL`]: 'https://me:word@keep.example.com/' },
    /_URL must be an http or https URL without/,
  ],
  [
    'a bucket with a query',
    { ...BUCKET, [`${NAME}_BUCKET`]: 'https://s3.example.com/e?x=1' },
    /without credentials, query and fragment/,
  ],
])('checkpoint delivery: throws when there is %s', (_, env, message) => {
  expect(() => readCheckpointDeliveryConfig(env)).toThrow(message)
})
