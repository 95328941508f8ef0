import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { auditOutside } from './audit-outside.ts'

const NAME = 'GATEHOUSE_AUDIT_CHECKPOINT'
const BUCKET = {
  [`${NAME}_BUCKET`]: 'https://s3.example.com/evidence/',
  [`${NAME}_ACCESS_KEY_ID`]: 'id',
  [`${NAME}_SECRET_ACCESS_KEY`]: 'secret',
}

test('places outside: none when none is set', () => {
  expect(auditOutside({})).toEqual({ file: undefined, bucket: undefined, http: undefined })
})

test('places outside: all that are set, without their secrets', () => {
  const places = auditOutside({ ...BUCKET, [`${NAME}_FILE`]: 'kept.ndjson', [`${NAME}_URL`]: 'https://keep.example.com/a' })
  expect(places).toMatchObject({
    file: resolve('kept.ndjson'),
    bucket: { url: 'https://s3.example.com/evidence', region: 'us-east-1', lockMode: 'COMPLIANCE', lockDays: 365 },
    http: { url: 'https://keep.example.com/a' },
  })
  expect(JSON.stringify(places)).not.toContain('"secret"')
})

test.each<[string, Record<string, string>, RegExp]>([
  ['a bucket without keys', { [`${NAME}_BUCKET`]: 'https://s3.example.com/evidence' }, /_BUCKET needs .*_ACCESS_KEY_ID/],
  ['a lock mode that there is not', { ...BUCKET, [`${NAME}_LOCK_MODE`]: 'FOREVER' }, /must be COMPLIANCE or GOVERNANCE/],
  ['no days', { ...BUCKET, [`${NAME}_LOCK_DAYS`]: '0' }, /_LOCK_DAYS must be a whole number from 1 to 36500/],
  [
    'a URL with credentials',
    { [`${NAME}_URL`]: 'https://me:word@keep.example.com/' },
    /_URL must be an http or https URL without/,
  ],
  ['a bucket with a query', { ...BUCKET, [`${NAME}_BUCKET`]: 'https://s3.example.com/e?x=1' }, /without query and fragment/],
])('places outside: refused at the start when there is %s', (_, env, message) => {
  expect(() => auditOutside(env)).toThrow(message)
})
