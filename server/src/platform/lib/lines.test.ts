import { expect, test } from 'vitest'
import { linesOf } from './lines.ts'

const read = async (...chunks: (string | Buffer)[]) =>
  Array.fromAsync(
    linesOf(
      (async function* () {
        yield* chunks
      })(),
    ),
  )

test('linesOf: splits at line breaks only, however the text arrives', async () => {
  expect(await read('one\r\ntwo\n\nthree')).toEqual(['one', 'two', '', 'three'])
  expect(await read('o', 'ne\n', 'two')).toEqual(['one', 'two'])
  expect(await read('{"a":"\u2028 \u2029 \u0085"}\n')).toEqual(['{"a":"\u2028 \u2029 \u0085"}'])
  const bytes = Buffer.from('grün\nblau\n')
  expect(await read(bytes.subarray(0, 3), bytes.subarray(3))).toEqual(['grün', 'blau'])
  expect(await read()).toEqual([])
})

test('linesOf: joins the pieces of a line once, so that a long line takes linear time', async () => {
  const chunks = Array.from({ length: 20_000 }, () => 'x'.repeat(1_000))
  // 20 MB in 20,000 pieces: joining with each piece copied 200 GB.
  expect((await read(...chunks, '\nend')).map(({ length }) => length)).toEqual([20_000_000, 3])
})

test('linesOf: refuses a line that is longer than the limit before its end has arrived', async () => {
  let taken = 0
  const endless = (async function* () {
    for (; ; taken++) yield 'x'.repeat(10)
  })()
  await expect(Array.fromAsync(linesOf(endless, 100))).rejects.toThrow('it has a line of more than 100 characters')
  expect(taken).toBe(10)
})
