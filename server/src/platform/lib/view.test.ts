import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { Timestamp } from './fields.ts'
import { viewOf } from './view.ts'

const View = Type.Object({
  object: Type.Literal('note'),
  id: Type.String(),
  text: Type.String(),
  created_at: Timestamp,
  deleted_at: Type.Union([Timestamp, Type.Null()]),
  author_name: Type.Union([Type.String(), Type.Null()]),
})

test('view: has the fields of the schema, with those that the row lacks from the caller, and no others', () => {
  const row = { id: 'not_1', text: '', createdAt: new Date(0), deletedAt: null, secret: 'hidden' }
  expect(viewOf(View, row, { author_name: 'Ann' })).toEqual({
    object: 'note',
    id: 'not_1',
    text: '',
    created_at: '1970-01-01T00:00:00.000Z',
    deleted_at: null,
    author_name: 'Ann',
  })
})

test('view: does not compile without a field that the row lacks, or with one of another type', () => {
  const row = { id: 'not_1', text: 7, createdAt: new Date(0), deletedAt: null }
  // @ts-expect-error: text is no string, and author_name is missing.
  expect(viewOf(View, row)).not.toHaveProperty('author_name')
  expect(viewOf(View, row, { text: '7', author_name: null }).text).toBe('7')
})
