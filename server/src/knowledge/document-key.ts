/** As many fit into an entry of the index that keeps keys unique. */
const MAX_BYTES = 2_000

/** What is wrong with the key of a document; undefined when nothing is. */
export function keyProblem(key: string): string | undefined {
  if (key === '') return 'must not be empty'
  if (/[\p{Cc}\p{Cs}]/u.test(key)) return 'must not hold control characters or unpaired surrogates'
  return Buffer.byteLength(key) > MAX_BYTES ? `must not have more than ${MAX_BYTES} bytes` : undefined
}
