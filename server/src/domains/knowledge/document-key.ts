/** An entry of the unique index holds at most this many bytes. */
const MAX_BYTES = 2_000

/** The problem with a document key; undefined if it is valid. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'must not be empty'
  if (/[\p{Cc}\p{Cs}]/u.test(key)) return 'must not contain control characters or unpaired surrogates'
  return Buffer.byteLength(key) > MAX_BYTES ? `must have at most ${MAX_BYTES} bytes` : undefined
}
