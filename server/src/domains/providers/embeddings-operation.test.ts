import { describe, expect, test, vi } from 'vitest'
import { countEncodedFloats, type Encoding, encodeVector } from '../../shared/embedding.ts'
import { readEmbeddings } from './embeddings-operation.ts'

const USAGE = { prompt_tokens: 4, total_tokens: 4 }
const item = (index: number, embedding: unknown) => ({ object: 'embedding', index, embedding })
const list = (...vectors: unknown[]) => {
  return { object: 'list', data: vectors.map((vector, index) => item(index, vector)), usage: USAGE }
}
/** Reads the response to a request with two inputs. */
const read = (response: unknown, encoding: Encoding = 'float') =>
  readEmbeddings(Buffer.from(JSON.stringify(response)), { model: 'small', count: 2, encoding })

const ONE = 'AACAPw=='

describe('readEmbeddings', () => {
  test('returns the vectors by index, with the model of the request and without other fields', () => {
    const response = { ...list(), data: [{ ...item(1, [3, 4]), note: 'x' }, item(0, [1, -2.5e-3])], model: 'other', note: 'x' }
    const data = [item(0, [1, -2.5e-3]), item(1, [3, 4])]
    expect(read(response)).toEqual({ object: 'list', data, model: 'small', usage: USAGE })
  })
  test('takes the position for the index when it is missing', () =>
    expect(read({ data: [{ embedding: [1] }, { embedding: [2] }] })?.data).toEqual([item(0, [1]), item(1, [2])]))
  test.each([
    [undefined, undefined],
    [null, undefined],
    [{}, { prompt_tokens: 0, total_tokens: 0 }],
    [{ total_tokens: 5 }, { prompt_tokens: 5, total_tokens: 5 }],
    [
      { prompt_tokens: 5, completion_tokens: 0 },
      { prompt_tokens: 5, total_tokens: 5 },
    ],
  ])('reads the usage %j', (usage, expected) => expect(read({ ...list([1], [2]), usage })?.usage).toEqual(expected))
  test('keeps base64, and encodes numbers when base64 was requested', () =>
    expect(read(list(ONE, [1]), 'base64')?.data).toEqual([item(0, ONE), item(1, ONE)]))

  test.each([
    ['is no list', [list([1], [2])]],
    ['has no data', { object: 'list' }],
    ['is an error with status 200', { ...list([1], [2]), error: { message: 'x' } }],
    ['has a vector too few', list([1])],
    ['has a vector too many', list([1], [2], [3])],
    ['has an empty vector', list([1], [])],
    ['has vectors of different lengths', list([1], [1, 2])],
    ['has a value that is no number', list([1], [null])],
    ['has no vector', list([1], undefined)],
    ['has an index twice', { data: [item(1, [1]), item(1, [2])] }],
    ['has an index that is too high', { data: [item(0, [1]), item(2, [2])] }],
    ['has an index that is no number', { data: [{ index: '0', embedding: [1] }, item(1, [2])] }],
    ['has a count that is no number', { ...list([1], [2]), usage: { prompt_tokens: '4' } }],
    ['has a negative count', { ...list([1], [2]), usage: { prompt_tokens: 4, total_tokens: -1 } }],
    ['has base64 that was not requested', list(ONE, ONE)],
  ])('malformed when it %s [GW-EMB-10]', (_, response) => expect(read(response)).toBeUndefined())
  test.each([
    ['has base64 with other characters', list(ONE, 'AAC!APw==')],
    ['has base64 without its padding', list(ONE, 'AACAPw')],
    ['has part of a number', list(ONE, 'AACA')],
    ['has an infinite number', list(ONE, 'AACAfw==')],
    ['has an empty text', list(ONE, '')],
    ['has a number that no 32-bit float holds', list([1], [1e39])],
    ['has vectors of different lengths', list(ONE, [1, 2])],
  ])('malformed when base64 was requested and it %s [GW-EMB-10]', (_, response) =>
    expect(read(response, 'base64')).toBeUndefined(),
  )
  test('malformed, without parsing it, when it has more numbers than its bytes allow', () => {
    const body = Buffer.from(`{"data":[{"embedding":[${'1,'.repeat(2_097_152)}1]},{"embedding":[1]}]}`)
    const parse = vi.spyOn(JSON, 'parse')
    expect(readEmbeddings(body, { model: 'small', count: 2, encoding: 'float' })).toBeUndefined()
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
  })
  test.each(['', 'no', '[', '{"data":[{"embedding":[1e999]},{"embedding":[1]}]}', '\ufffd{}'])(
    'malformed when it is %j',
    (text) => {
      expect(readEmbeddings(Buffer.from(text), { model: 'small', count: 2, encoding: 'float' })).toBeUndefined()
    },
  )
})

test('encodeVector: base64 of as many floats as the vector has', () => {
  const vector = [0, -1.5, 2 ** 100]
  const text = encodeVector(vector)
  expect(countEncodedFloats(text)).toBe(3)
  expect([...new Float32Array(new Uint8Array(Buffer.from(text, 'base64')).buffer)]).toEqual(vector)
})
