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
