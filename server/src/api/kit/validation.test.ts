import fc from 'fast-check'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { expect, test } from 'vitest'
import { formOf } from '../../../test/messaging/client.ts'
import { parseForm } from './form-decoder.ts'
import { coerce } from './validation.ts'

const orNull = <S extends Parameters<typeof Type.Optional>[0]>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))
const Names = Type.Record(Type.String(), Type.Array(Type.String()))
const Body = Type.Object({
  text: Type.Optional(Type.String()),
  pin: orNull(Type.String()),
  is_pinned: Type.Optional(Type.Boolean()),
  archived_at: orNull(Type.Integer()),
  reactions: Type.Optional(Type.Union([Names, Type.Array(Names)])),
  attachments: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Object({ id: Type.String() })]))),
})

const asForm = (text: string) => {
  const parsed = parseForm(Buffer.from(text))
  return parsed.ok ? coerce(Body, parsed.value) : parsed.problem
}

test.each([
  ['text=12', { text: '12' }],
  ['text=', { text: '' }],
  ['pin=', { pin: null }],
  ['archived_at=', { archived_at: null }],
  ['archived_at=1700000000', { archived_at: 1_700_000_000 }],
  ['is_pinned=1', { is_pinned: true }],
  ['is_pinned=false', { is_pinned: false }],
  ['reactions[heart][]=one', { reactions: { heart: ['one'] } }],
  ['reactions[0][heart][]=one&reactions[1][x][]=two', { reactions: [{ heart: ['one'] }, { x: ['two'] }] }],
  ['reactions[0][]=one', { reactions: { '0': ['one'] } }],
  ['attachments[]=att_1&attachments[]=att_2', { attachments: ['att_1', 'att_2'] }],
  ['attachments[1][id]=att_2&attachments[0][id]=att_1', { attachments: [{ id: 'att_1' }, { id: 'att_2' }] }],
  ['attachments=', { attachments: [] }],
  ['attachments=att_1', { attachments: ['att_1'] }],
  ['attachments=a,b', { attachments: ['a,b'] }],
  ['reactions[heart]=one', { reactions: { heart: ['one'] } }],
  ['is_pinned=True', { is_pinned: true }],
  ['is_pinned=off', { is_pinned: false }],
  ['reactions=', { reactions: {} }],
])('%s is read as its fields ask', (text, expected) => {
  expect(asForm(text)).toEqual(expected)
  expect(Value.Check(Body, asForm(text))).toBe(true)
})

test.each([
  'is_pinned=maybe',
  'is_pinned=',
  'is_pinned=2',
  'archived_at=soon',
  'archived_at=1.5',
  'archived_at=1e3',
  'archived_at=0x10',
  'archived_at=9999999999999999',
  'attachments[1][id]=x',
  'attachments[first]=x',
  'text[]=a',
])('%s is left for the check to refuse', (text) => {
  expect(Value.Check(Body, asForm(text))).toBe(false)
})

test('numbers of JSON are no texts', () => {
  expect(coerce(Body, { text: 5, pin: true })).toEqual({ text: 5, pin: true })
})

test('the same value means the same as a form and as JSON', () => {
  const name = fc.stringMatching(/^[a-z_]{1,8}$/).filter((text) => !['constructor', 'prototype', '__proto__'].includes(text))
  const text = fc.string({ unit: 'binary', maxLength: 12 }).filter((each) => each.isWellFormed())
  const body = fc.record(
    {
      text,
      pin: fc.option(text.filter((each) => each !== '')),
      is_pinned: fc.boolean(),
      archived_at: fc.option(fc.integer()),
      reactions: fc.dictionary(name, fc.array(text, { minLength: 1, maxLength: 3 }), { minKeys: 1, maxKeys: 3 }),
      attachments: fc.oneof(
        fc.array(text, { minLength: 1, maxLength: 3 }),
        fc.array(fc.record({ id: text }), { minLength: 1, maxLength: 3 }),
      ),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(body, (fields) => {
      const plain = JSON.parse(JSON.stringify(fields))
      expect(asForm(formOf(plain))).toEqual(coerce(Body, plain))
      expect(coerce(Body, plain)).toEqual(plain)
    }),
    { numRuns: 500 },
  )
})
